// SPDX-License-Identifier: GPL-2.0-or-later
// The seam between the command streamers (hw/cs) and what executes packets (render, gpgpu, blitter, media): packets in, fence out.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "hw/defs/engine.h"

namespace softgen {

namespace defs {
struct Command;
struct ContextPacket;
enum class CommandId : uint16_t;
}  // namespace defs
namespace memory {
class View;
}
namespace mmio {
class RegisterFile;
}

/// One command as found in a ring or batch. `dwords` has the whole packet (header first), already bounded.
struct Packet {
  uint64_t address;              ///< of its header (PPGTT or GGTT), for reports
  const defs::Command* command;  ///< its row in hw/defs
  std::span<const uint32_t> dwords;
};

/// Asked by whatever can run long. Set by reset, pause, preemption; polled at back-edges, and at least every millisecond or so by every loop
/// whose length the guest chooses.
class StopFlag {
 public:
  enum Reason : uint32_t {
    none = 0,
    reset = 1,    ///< drop the work: return ExecResult::aborted as soon as possible (the context is lost)
    preempt = 2,  ///< stop at the next point where the work can be resumed: ExecResult::preempted, or finish if it is short
    pause = 4,    ///< as preempt, for savevm and memory map changes
    abandon = 8,  ///< a pause has waited long enough: as reset for the work; the streamer then stands as hung at the packet
  };
  /// Reasons to drop the work. Both stay set until the engine's thread has left the packet, so reading them again gives the same.
  static constexpr uint32_t dropping = reset | abandon;
  void request(Reason reason) { reasons_.fetch_or(reason, std::memory_order_relaxed); }
  void clear(uint32_t reasons) { reasons_.fetch_and(~reasons, std::memory_order_relaxed); }
  uint32_t reasons() const { return reasons_.load(std::memory_order_relaxed); }
  /// The work is to be dropped.
  bool aborting() const { return reasons() & dropping; }
  bool resetting() const { return reasons() & reset; }

 private:
  std::atomic<uint32_t> reasons_{0};
};

enum class ExecResult : uint8_t {
  done,
  preempted,  ///< not finished; the engine holds what it needs to go on in its context state; the same packet is executed again later
  aborted,    ///< the work was dropped: StopFlag::dropping
  fault,      ///< the packet hangs the engine (hardware would stop here); the streamer reports it in EIR/IPEIR and waits for a reset
};

/// What the command streamer lends an engine for the time of one call.
struct EngineEnv {
  EngineId engine;
  memory::View& view;  ///< the running context's PPGTT (or GGTT when it has none)
  memory::View& ggtt;
  mmio::RegisterFile& registers;
  StopFlag& stop;
  bool predicate = false;  ///< MI_PREDICATE's result, for packets with Predicate Enable
  // Null: as `view`. Else what these are read through (Ironlake's flat tables, ILK PRM vol 1 part 2, 3.6.2).
  memory::View* vertices = nullptr;
  memory::View* states = nullptr;     ///< unit states and kernels
  memory::View* constants = nullptr;  ///< what a command names to be read with it
  memory::View& vertex_view() { return vertices ? *vertices : view; }
  memory::View& state_view() { return states ? *states : view; }
  memory::View& constant_view() { return constants ? *constants : view; }
};

/// PIPE_CONTROL / MI_FLUSH_DW as an engine sees them: the caches that are invalidated. What engines write is in memory when a packet is done, so
/// nothing is to be written back; kernels, constants and vertices are read again for each draw.
struct FlushRequest {
  bool texture = false, state = false;
};

/// Work that execute() has deferred: draws whose packets are done, but whose pixels are not in memory yet. It is the engine's, and of the running
/// context. Nothing of it is in the context image, so it is finished before a context is saved, restored or reset.
class DeferredWork {
 public:
  virtual ~DeferredWork() = default;
  /// On return (done) all memory writes of it are visible, and statistics registers are up to date. aborted: it was dropped. Either way
  /// nothing is deferred any more.
  virtual ExecResult finish(EngineEnv& env) = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;

  /// done: the packet has its effect, but for what deferred() has.
  virtual ExecResult execute(const Packet& packet, EngineEnv& env) = 0;
  /// As execute(), if the packet takes a few microseconds at most, whatever memory holds: a submitting thread does it itself, under QEMU's lock.
  /// Nothing: not begun, to be executed by execute().
  virtual std::optional<ExecResult> execute_short(const Packet& /*packet*/, EngineEnv& /*env*/) { return std::nullopt; }
  /// A fence: on return (done) no work is deferred, all memory writes of earlier packets are visible, and statistics registers are up to date.
  virtual ExecResult flush(const FlushRequest& request, EngineEnv& env) = 0;
  /// What execute() has deferred so far; null: nothing. The streamer finishes it before each command that could tell the difference (those
  /// that hw/defs does not declare as overlapping) and whenever it stops. Packets of the engine's own may be executed while work is deferred.
  virtual DeferredWork* deferred() { return nullptr; }
  /// Between packets of one picture (video): what of it is in host memory is in no context image, so the streamer goes on until its last packet. It stops
  /// only when the work is to be dropped.
  virtual bool in_picture() const { return false; }

  /// Names the state packets that context images have places for; without this call there are none. `places` outlive the engine.
  virtual void place_packets(std::span<const defs::ContextPacket> /*places*/) {}
  /// Writes each such packet to its place, and MI_NOOPs behind it and where the context has never set it. `page` has all places.
  virtual void save_packets(std::span<uint32_t> /*page*/) {}
  /// A state packet from an image: kept as if executed, but nothing starts. Follows a reset_context(); restore_context() follows.
  virtual void restore_packet(const Packet& /*packet*/) {}

  /// The engine's own block of the context image: its state but for the packets with places. size is fixed for a build of a platform and
  /// fits the image's opaque pages.
  virtual size_t context_size() const = 0;
  virtual void save_context(std::span<std::byte> image) = 0;
  /// `image` comes from guest memory: every value is checked; what cannot be is replaced by its default and counted.
  virtual void restore_context(std::span<const std::byte> image) = 0;
  /// The state of a context that was never saved (restore inhibit), also after a reset.
  virtual void reset_context() = 0;
};

/// The state packets of the running context, as the engine that owns them keeps them in the context image.
class StatePackets {
 public:
  virtual ~StatePackets() = default;
  /// The packet as last written, header first; empty when the context never set it. `index`: see StateStore.
  virtual std::span<const uint32_t> packet(defs::CommandId id, unsigned index = 0) const = 0;
  /// Whether `packet` was preempted and goes on. Then progress() tells how far it got, in words of its own meaning; they come from the
  /// context image, so they are the guest's. Else they are nothing. After an engine reset i915 may start a request anew with the old image,
  /// so another packet must not take them for its own.
  bool resumes(const Packet& packet) { return kept_progress()[0] == (packet.address | underway); }
  static constexpr size_t progress_words = 3;
  std::span<uint64_t, progress_words> progress() { return kept_progress().template subspan<1, progress_words>(); }
  /// To be called when `packet` ends, one way or the other.
  void keep_progress(const Packet& packet, bool preempted) { kept_progress()[0] = preempted ? packet.address | underway : 0; }

 protected:
  static constexpr size_t kept_words = progress_words + 1;
  static constexpr uint64_t underway = 1;
  virtual std::span<uint64_t, kept_words> kept_progress() = 0;
};

/// A pipeline that an engine's front end drives (GPGPU and media under the render engine): executes packets on the state that the front keeps.
class Pipeline {
 public:
  virtual ~Pipeline() = default;
  virtual ExecResult execute(const Packet& packet, StatePackets& state, EngineEnv& env) = 0;
};

/// Called for each command that a streamer has executed (replay, recording, statistics). On the streamer's thread.
class PacketObserver {
 public:
  virtual ~PacketObserver() = default;
  /// `ppgtt`: the running context's memory. False: finish what was started, leave all batches and continue after them in the ring.
  virtual bool executed(EngineId engine, const Packet& packet, memory::View& ppgtt) = 0;
};

}  // namespace softgen
