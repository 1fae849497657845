// SPDX-License-Identifier: GPL-2.0-or-later
// All command streamers of a platform: their registers' behaviour, notifications between them, pause, reset and state as one.
#pragma once

#include <array>
#include <memory>

#include "hw/cs/engine_cs.h"
#include "hw/cs/position/link.h"
#include "hw/cs/watchdog.h"

namespace softgen::cs {

class CommandStreamers {
 public:
  struct Environment {
    const defs::CommandSet& commands;
    const defs::ContextImages& contexts;
    HostMemory& memory;
    memory::Ggtt& ggtt;
    const defs::PageFormat& ppgtt_pages = defs::gen8_ppgtt_pages;
    memory::FaultSink* faults;
    memory::TlbGeneration& tlb;
    mmio::RegisterFile& registers;
    mmio::Interrupts& interrupts;
    memory::Gate& gate;
    const SubmissionForm& submission;
    /// By EngineId; null: the platform has no such engine. They outlive this.
    std::array<Engine*, engine_count> engines{};
    /// Of the render engine; may be null.
    Observation* observation = nullptr;
    /// Of the render engine, where a streamer waits for it; none: commands that would wait do not.
    std::optional<DisplayLink> display = std::nullopt;
    /// See StreamerLinks.
    std::function<void()> gtt_written{};
    /// Called when software gives an engine work, on the writing thread; may be empty.
    std::function<void()> work_arrives{};
    /// look() is to be called after so many ticks of RING_TIMESTAMP, and not earlier ones asked for before. Any thread; may be empty.
    std::function<void(uint64_t ticks)> watchdog_wake{};
    /// Called when an engine's context status event has been written to the CSB, on the streamer's thread; may call submit(). May be empty.
    std::function<void(EngineId id, const ContextSwitch& event)> switched{};
    /// threads=0: commands after which a looping batch gives the thread back; about a second of host time.
    uint64_t commands_per_poll = 1u << 24;
    unsigned preempt_commands = 0;       ///< StreamerConfig::preempt_commands of all engines
    PacketObserver* observer = nullptr;  ///< may be null
    const WatchPoint* watch = nullptr;   ///< null: never watched
  };

  /// Registers the hooks. `threaded` false (threads=0): work is done by the thread that submits it, inside its register write.
  CommandStreamers(const Environment& environment, bool threaded);
  ~CommandStreamers();

  /// Null when the platform has none.
  EngineCs* engine(EngineId id) { return engines_[static_cast<size_t>(id)].get(); }
  /// ESR has a new bit that no command has set.
  void errors_changed(EngineId id);
  /// Something runs, waits or is queued on any engine.
  bool busy() const;
  /// As a driver's write to the engine's submit port: replaces a list that the engine has not taken yet. Any thread. The platform must have the
  /// engine.
  void submit(EngineId id, const Execlist& list);

  /// Counted; to be called before the gate is closed. pause() returns when all streamers are at command boundaries, within 100 ms: a packet that
  /// takes longer is abandoned, its streamer hangs at it until it is reset (docs/cs.md).
  void pause();
  void resume();
  /// The two halves of a GDRST (mmio::attach_reset_control). bit i: EngineId i.
  void stop_engines(uint32_t engines);
  void restart_engines(uint32_t engines);
  /// While paused, and when loading after the register file has been loaded.
  void state(Archive& archive);

  /// Time has passed that Environment::watchdog_wake or DisplayLink::wake_at was given.
  void look();

  /// threads=0: resumes what waited for memory or had used up its share. Register hooks call it; front ends do after writing
  /// memory themselves. No effect when threaded.
  void poll();

 private:
  std::unique_ptr<Streamer> make_streamer(const StreamerConfig& config, StreamerLinks links);
  StreamerLinks links_of(EngineId id);
  void attach(EngineCs& engine);
  void submitted(EngineCs& engine);
  void tell_submitted(EngineId id) const;
  void attach_watchdog(EngineCs& engine);
  void follow_watchdog(EngineId id);
  void follow_watchdogs();
  void memory_written(EngineId writer);

  Environment environment_;
  const bool threaded_;
  std::array<std::unique_ptr<Watchdog>, engine_count> watchdogs_;  ///< null: none is built
  std::unique_ptr<PositionLink> position_;                         ///< null: there is no POCS
  std::array<std::unique_ptr<Submission>, engine_count> submissions_;
  std::array<std::unique_ptr<EngineCs>, engine_count> engines_;
  bool polling_ = false;  ///< threads=0 only: all of it is under the front end's lock then
};

}  // namespace softgen::cs
