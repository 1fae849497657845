// SPDX-License-Identifier: GPL-2.0-or-later
// Between a device and its checker: numbers the commands, names them in a file, and keeps some from the checker, as if the driver had not sent them.
// scripts/check-eval makes faulty drivers this way.
#pragma once

#include <cstdio>
#include <memory>
#include <set>

#include "hw/debug/check/checker.h"

namespace softgen::replay {

/// For one streamer at a time (threads=0).
class Sifter final : public Watch {
 public:
  /// `trace`: a line a command, "NUMBER ENGINE NAME ADDRESS DWORD..."; may be null. `dropped`: numbers.
  Sifter(std::unique_ptr<debug::check::Checker> checker, std::set<uint64_t> dropped, std::FILE* trace)
      : checker_(std::move(checker)), dropped_(std::move(dropped)), trace_(trace) {}
  ~Sifter() override {
    if (trace_) std::fclose(trace_);
  }
  Sifter(const Sifter&) = delete;
  Sifter& operator=(const Sifter&) = delete;

  void packet(const WatchedPacket& packet) override;
  void unknown_command(EngineId engine, uint64_t address, uint32_t header) override { checker_->unknown_command(engine, address, header); }
  void missing_command(EngineId engine, uint64_t address) override { checker_->missing_command(engine, address); }
  void submitted(EngineId engine, std::span<const WatchedContext> list) override { checker_->submitted(engine, list); }
  void list_taken(EngineId engine) override { checker_->list_taken(engine); }
  void context_entered(const WatchedEntry& entry) override { checker_->context_entered(entry); }
  void tail_moved(const WatchedEntry& entry, uint32_t old_tail) override { checker_->tail_moved(entry, old_tail); }
  void context_left(EngineId engine, uint32_t head, bool complete) override { checker_->context_left(engine, head, complete); }
  void engine_reset(EngineId engine) override { checker_->engine_reset(engine); }
  void register_written(uint32_t offset, uint32_t value) override { checker_->register_written(offset, value); }

 private:
  const std::unique_ptr<debug::check::Checker> checker_;
  const std::set<uint64_t> dropped_;
  std::FILE* const trace_;
  uint64_t number_ = 0;
};

}  // namespace softgen::replay
