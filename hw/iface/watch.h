// SPDX-License-Identifier: GPL-2.0-or-later
// The seam between units and those who watch them (the checker): units report what they do, and get no answer. Without a watch it costs one load
// and a branch per event.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "hw/iface/engine.h"

namespace softgen {

/// A command that a streamer is done with: executed, skipped, or one at which it hangs.
struct WatchedPacket {
  enum class Outcome : uint8_t {
    executed,
    skipped,  ///< by MI_SET_PREDICATE
    refused,  ///< all or part of it was dropped for want of privilege
    faulted,  ///< the streamer hangs at it
  };
  EngineId engine;
  const Packet& packet;
  unsigned level;   ///< 0: ring, 1: batch, 2: second-level batch
  bool privileged;  ///< it may do what a user's batch may not
  Outcome outcome;
};

/// An element of a list of contexts, as software wrote it.
struct WatchedContext {
  uint32_t low = 0;   ///< address and flags
  uint32_t high = 0;  ///< software's number of it
};

/// A context that begins to run, or goes on. Offsets are in bytes from the ring's start.
struct WatchedEntry {
  EngineId engine;
  WatchedContext context;
  uint32_t address;     ///< of its image, in the GGTT
  uint32_t head, tail;  ///< as its image says
  uint32_t ring_size;   ///< bytes; 0: there is no ring
  bool blank;           ///< its image says that it was never saved
  uint32_t raw_tail;    ///< RING_TAIL's dword of the image
};

/// Functions are called by the thread that runs the streamer, one at a time for an engine, except where they say otherwise. A packet's dwords are
/// valid during the call only.
class Watch {
 public:
  virtual ~Watch() = default;
  virtual void packet(const WatchedPacket& packet) = 0;
  /// No row of hw/defs has this command for this engine: the streamer hangs.
  virtual void unknown_command(EngineId engine, uint64_t address, uint32_t header) = 0;
  /// A command's memory is not there: the streamer hangs.
  virtual void missing_command(EngineId engine, uint64_t address) = 0;

  /// Software has written a list of contexts. Any thread.
  virtual void submitted(EngineId engine, std::span<const WatchedContext> list) = 0;
  /// The engine has taken the list that was submitted last. Called before software can hear of it.
  virtual void list_taken(EngineId engine) = 0;
  virtual void context_entered(const WatchedEntry& entry) = 0;
  /// A lite restore: the running context goes on with the tail of `entry`, whose head is where it stands.
  virtual void tail_moved(const WatchedEntry& entry, uint32_t old_tail) = 0;
  /// The running context has been saved. `head`: where it stands. `complete`: it has nothing left to do.
  virtual void context_left(EngineId engine, uint32_t head, bool complete) = 0;
  /// The engine has been reset: what ran on it was dropped.
  virtual void engine_reset(EngineId engine) = 0;

  /// Software has written a register through BAR0. The front end's thread.
  virtual void register_written(uint32_t offset, uint32_t value) = 0;
  /// Software's access to a register through BAR0 had no effect, since its power domain was off. The front end's thread.
  virtual void register_unpowered(uint32_t offset, bool write) = 0;
};

/// Where a device's units find its watch. It changes only while all engines are paused.
class WatchPoint {
 public:
  /// Null: there is no watch.
  Watch* get() const { return watch_.load(std::memory_order_acquire); }
  void set(Watch* watch) { watch_.store(watch, std::memory_order_release); }

 private:
  std::atomic<Watch*> watch_{nullptr};
};

}  // namespace softgen
