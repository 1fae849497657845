// SPDX-License-Identifier: GPL-2.0-or-later
// The events that a checker received, as text that can be edited and checked again: one line per event.
//   enter ENGINE IMAGE-ADDRESS new|known
//   packet ENGINE LEVEL ADDRESS NAME DWORD...        NAME as in hw/defs, spaces as _; numbers in hexadecimal
// Other events of a Watch are not kept. scripts/check-eval makes faulty drivers this way.
#pragma once

#include <cstdio>
#include <istream>
#include <memory>
#include <string>

#include "hw/debug/check/checker.h"

namespace softgen::debug::check {

/// Writes each event, and passes it on. For one streamer at a time (threads=0).
class StreamWriter final : public Watch {
 public:
  /// Throws BadOption.
  StreamWriter(std::unique_ptr<Checker> checker, const std::string& path);

  void packet(const WatchedPacket& packet) override;
  void unknown_command(EngineId engine, uint64_t address, uint32_t header) override { checker_->unknown_command(engine, address, header); }
  void missing_command(EngineId engine, uint64_t address) override { checker_->missing_command(engine, address); }
  void submitted(EngineId engine, std::span<const WatchedContext> list) override { checker_->submitted(engine, list); }
  void list_taken(EngineId engine) override { checker_->list_taken(engine); }
  void context_entered(const WatchedEntry& entry) override;
  void tail_moved(const WatchedEntry& entry, uint32_t old_tail) override { checker_->tail_moved(entry, old_tail); }
  void context_left(EngineId engine, uint32_t head, bool complete) override { checker_->context_left(engine, head, complete); }
  void engine_reset(EngineId engine) override { checker_->engine_reset(engine); }
  void register_written(uint32_t offset, uint32_t value) override { checker_->register_written(offset, value); }
  void register_unpowered(uint32_t offset, bool write) override { checker_->register_unpowered(offset, write); }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  const std::unique_ptr<Checker> checker_;
  const std::unique_ptr<std::FILE, Close> file_;
};

/// Tells `checker` what the lines say. Throws BadOption with the line's number.
void read_stream(std::istream& lines, const defs::Platform& platform, Checker& checker);

}  // namespace softgen::debug::check
