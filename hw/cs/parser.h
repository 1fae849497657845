// SPDX-License-Identifier: GPL-2.0-or-later
// The one batch parser. It walks rings and batches command by command and hands each to a Visitor, which says how to go on; executing,
// printing, recording and checking are visitors of the same walk (hw/cs/executor.h, hw/cs/printer.h, hw/debug).
//
// A visitor has
//   bool before(const Cursor&)                        asked at each command boundary; false stops the walk there
//   Flow command(const Packet&, const Cursor&)        a command that hw/defs knows; the cursor is after it
//   Flow unknown(const Packet&, const Cursor&)        packet.command is null; dwords is the header only
//   Flow no_memory(uint64_t address, const Cursor&)   no translation or RAM at the command's address
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "hw/base/bits.h"
#include "hw/cs/registers.h"
#include "hw/defs/command.h"
#include "hw/iface/engine.h"
#include "hw/memory/view.h"

namespace softgen::cs {

/// What the position-only streamer does in a batch (hw/cs/position/walk.h). The other streamers' are `plain`.
enum class BatchMode : uint8_t { plain, traversed, executed };

/// BB_STATE and SBB_STATE.
constexpr uint32_t batch_state(bool ppgtt, BatchMode mode) {
  const uint32_t position = mode == BatchMode::executed ? reg::batch_executed : mode == BatchMode::traversed ? reg::batch_traversed : 0;
  return (ppgtt ? reg::batch_ppgtt : 0) | position;
}
constexpr BatchMode batch_mode(uint32_t state) {
  return state & reg::batch_executed ? BatchMode::executed : state & reg::batch_traversed ? BatchMode::traversed : BatchMode::plain;
}

/// The position of the next command, in one of three levels: ring, batch, second-level batch. It is all that is needed to resume, and
/// all that a context image keeps (HEAD, BB_ADDR, SBB_ADDR and their states).
struct Cursor {
  struct Ring {
    uint32_t start = 0;  ///< GGTT address
    uint32_t size = 0;   ///< bytes; 0: no ring
    uint32_t head = 0;   ///< byte offset, < size
    uint32_t tail = 0;   ///< byte offset, < size; the walk ends here
    uint32_t wraps = 0;  ///< of HEAD, modulo 2048

    /// As RING_BUFFER_HEAD has it.
    uint32_t head_register() const { return reg::head_wraps.with(head, wraps); }
    /// Takes head and wraps from RING_BUFFER_HEAD; `size` must be set already.
    void set_head(uint32_t value) {
      head = into(reg::head_offset.in_place(value));
      wraps = reg::head_wraps.of(value);
    }
    /// Takes tail from RING_BUFFER_TAIL; `size` must be set already.
    void set_tail(uint32_t value) { tail = into(value & reg::ring_offset_mask); }
    /// Brings `offset`, which the guest chose, into the ring.
    uint32_t into(uint32_t offset) const { return size ? offset % size : 0; }
  };
  struct Batch {
    uint64_t address = 0;
    bool active = false;
    bool ppgtt = false;  ///< address space, and with it privilege: batches in PPGTT are not privileged
    BatchMode mode = BatchMode::plain;
    uint64_t limit = 0;  ///< when not 0 the batch ends here without MI_BATCH_BUFFER_END (INDIRECT_CTX)
  };
  Ring ring;
  std::array<Batch, 2> batch;  ///< first and second level

  unsigned level() const { return batch[1].active ? 2 : batch[0].active ? 1 : 0; }
  const Batch& innermost() const { return batch[1].active ? batch[1] : batch[0]; }
  Batch& innermost() { return batch[1].active ? batch[1] : batch[0]; }
  /// A second-level batch never has more rights than the batch that called it.
  bool privileged() const { return !(batch[0].active && batch[0].ppgtt) && !(batch[1].active && batch[1].ppgtt); }
  bool in_ppgtt() const { return level() && innermost().ppgtt; }
  BatchMode mode() const { return level() ? innermost().mode : BatchMode::plain; }
  uint64_t address() const { return level() ? innermost().address : ring.start + uint64_t{ring.head}; }
};

/// What a visitor answers.
struct Flow {
  enum class Kind : uint8_t {
    next,    ///< continue after the command
    repeat,  ///< stop before it; the walk resumes at it
    stop,    ///< stop after it
    jump,    ///< go on at `address` on the same level (from the ring: on the first)
    call,    ///< continue at `address` one level down; MI_BATCH_BUFFER_END returns to after this command
    end,     ///< leave the innermost batch; in a ring: go on
    leave,   ///< leave all batches
  };
  Kind kind = Kind::next;
  bool ppgtt = false;
  BatchMode mode = BatchMode::plain;  ///< of the batch at `address`
  uint64_t address = 0;

  static Flow next() { return {}; }
  static Flow repeat() { return {Kind::repeat}; }
  static Flow stop() { return {Kind::stop}; }
  static Flow jump(uint64_t to, bool ppgtt) { return {.kind = Kind::jump, .ppgtt = ppgtt, .address = to}; }
  static Flow call(uint64_t to, bool ppgtt) { return {.kind = Kind::call, .ppgtt = ppgtt, .address = to}; }
  static Flow end() { return {Kind::end}; }
};

enum class ParseEnd : uint8_t {
  drained,  ///< ring: HEAD == TAIL; batch without a ring: it has ended
  starved,  ///< ring: the command reaches beyond TAIL
  stopped,  ///< the visitor said so
};

/// Moves the cursor as `flow` says, a command of `bytes` standing at it.
void advance(Cursor& cursor, uint32_t bytes);
void follow(Cursor& cursor, const Flow& flow);
/// What MI_BATCH_BUFFER_START asks for, predicates aside (SKL PRM vol 2a): a jump on its level, or with Second Level Batch Buffer in a
/// first-level batch a call. Privilege is inherited: a batch in PPGTT cannot start one in GGTT.
Flow batch_start(std::span<const uint32_t> dwords, const Cursor& cursor);
/// A MI_BATCH_BUFFER_START with POSH Start.
bool starts_position(const Packet& packet);
/// For visitors that do not execute: follows every MI_BATCH_BUFFER_START, leaves at every MI_BATCH_BUFFER_END. Comes back from batches of POCS's, but
/// does not look into those that a second-level batch starts.
Flow static_flow(const Packet& packet, const Cursor& cursor);

/// The walk's memory. `ppgtt` may be the same as `ggtt`.
struct ParseMemory {
  memory::View& ggtt;
  memory::View& ppgtt;
  /// Keeps the packet at hand; grows to the longest command met, at most 65537 dwords.
  std::vector<uint32_t>& buffer;
  /// Of all batches, whatever their security; null: as above.
  memory::View* batch = nullptr;
};

namespace detail {
/// Reads `count` dwords at the cursor to `out`; false: some of them are not backed by memory.
bool fetch(const Cursor& cursor, ParseMemory& memory, uint32_t* out, uint32_t count);
/// Dwords left in front of TAIL; unlimited in a batch.
uint64_t available(const Cursor& cursor);
bool batch_exhausted(Cursor& cursor);
}  // namespace detail

template <typename Visitor>
ParseEnd parse(Cursor& cursor, ParseMemory memory, const defs::CommandSet& commands, defs::EngineClass engine, Visitor& visitor) {
  auto& buffer = memory.buffer;
  if (buffer.size() < 256) buffer.resize(256);
  for (;;) {
    if (!visitor.before(cursor)) return ParseEnd::stopped;
    if (detail::batch_exhausted(cursor)) continue;
    if (cursor.level() == 0 && cursor.ring.head == cursor.ring.tail) return ParseEnd::drained;

    const uint64_t address = cursor.address();
    const defs::Command* command = nullptr;
    uint32_t length = 1;
    bool present = detail::fetch(cursor, memory, buffer.data(), 1);
    if (present) {
      command = commands.find(engine, buffer[0]);
      length = command ? defs::command_length(*command, buffer[0]) : 1;
      if (length > detail::available(cursor)) return ParseEnd::starved;
      if (length > 1) {
        if (buffer.size() < length) buffer.resize(length);
        // From the second dword on: the header has been judged and must not change any more.
        Cursor rest = cursor;
        advance(rest, 4);
        present = detail::fetch(rest, memory, buffer.data() + 1, length - 1);
      }
    }
    Cursor after = cursor;
    advance(after, length * 4);
    const Packet packet{address, command, std::span<const uint32_t>(buffer.data(), length)};
    const Flow flow = !present  ? visitor.no_memory(address, after)
                      : command ? visitor.command(packet, after)
                                : visitor.unknown(packet, after);
    if (flow.kind == Flow::Kind::repeat) return ParseEnd::stopped;
    cursor = after;
    if (flow.kind == Flow::Kind::stop) return ParseEnd::stopped;
    if (flow.kind != Flow::Kind::next) follow(cursor, flow);
  }
}

}  // namespace softgen::cs
