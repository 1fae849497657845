// SPDX-License-Identifier: GPL-2.0-or-later
// The checker, level `commands`: a watch that keeps a track of each context, and asks the rules of hw/debug/rules.
#pragma once

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <vector>

#include "hw/debug/check/findings.h"
#include "hw/defs/register.h"

namespace softgen::debug::check {

class Checker final : public Watch {
 public:
  /// `sink` gets each finding's text when it is new; any thread.
  Checker(const defs::Platform& platform, const Options& options, Findings::Sink sink);

  const Findings& findings() const { return findings_; }

  void packet(const WatchedPacket& packet) override;
  void unknown_command(EngineId engine, uint64_t address, uint32_t header) override;
  void missing_command(EngineId engine, uint64_t address) override;
  void submitted(EngineId engine, std::span<const WatchedContext> list) override;
  void list_taken(EngineId engine) override;
  void context_entered(const WatchedEntry& entry) override;
  void tail_moved(const WatchedEntry& entry, uint32_t old_tail) override;
  void context_left(EngineId engine, uint32_t head, bool complete) override;
  void engine_reset(EngineId engine) override;
  void register_written(uint32_t offset, uint32_t value) override;
  void register_unpowered(uint32_t offset, bool write) override;

 private:
  /// Contexts of an engine that are remembered; others are begun anew, as not seen from their first command on.
  static constexpr size_t max_contexts = 256;
  struct Known {
    ContextTrack track;
    uint64_t used = 0;
  };
  /// Of the thread that runs the streamer.
  struct Engine {
    EngineTrack track;
    std::map<uint32_t, Known> contexts;  ///< by the image's address
    ContextTrack* current = nullptr;
    uint64_t entries = 0;
  };
  class Finder;
  class RegisterFinder;

  Engine& of(EngineId id) { return engines_[static_cast<size_t>(id)]; }
  ContextTrack& context_of(Engine& engine, uint32_t address);
  ContextTrack& current(Engine& engine) { return engine.current ? *engine.current : context_of(engine, 0); }
  /// MI_SET_CONTEXT in a ring: its context has the state that it was left with, or, if that is not restored, none that is known.
  void set_context(Engine& engine, const WatchedPacket& packet);
  void note_noops(EngineTrack& track, const WatchedPacket& packet) const;
  void follow_host(uint32_t offset, uint32_t value);
  Site packet_site(const WatchedPacket& packet) const;
  Site entry_site(const WatchedEntry& entry) const;

  const defs::Platform& platform_;
  const CommandLayouts layouts_;
  CacheControls cache_controls_;
  const Chip chip_{platform_, layouts_, cache_controls_};
  Findings findings_;
  std::array<std::vector<const Rule*>, 512> packet_rules_;  ///< by CommandId
  std::vector<const Rule*> list_rules_, entry_rules_, leave_rules_, write_rules_, unpowered_rules_;
  const Rule *unknown_rule_ = nullptr, *missing_rule_ = nullptr;
  std::array<Engine, engine_count> engines_;
  HostTrack host_;
  std::atomic<bool> has_whitelist_{false};
  std::array<std::atomic<bool>, engine_count> pending_{};  ///< a list that the engine has not taken
};

}  // namespace softgen::debug::check
