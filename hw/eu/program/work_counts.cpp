// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/program/work_counts.h"

#include <algorithm>
#include <bit>

#include "hw/eu/program/program.h"

namespace softgen::eu {
namespace {

using Unit = MessageWork::Unit;

constexpr uint64_t line = 64, register_bytes = 32, oword = 16, dword = 4;

/// `channel_bytes` per channel, and `own_bytes` of the message as a whole.
MessageWork moves(Unit unit, bool write, uint64_t channel_bytes, uint64_t own_bytes = 0) {
  return {
      .unit = unit, .write = write, .channel_bytes = static_cast<uint16_t>(channel_bytes), .own_bytes = static_cast<uint16_t>(own_bytes)};
}

/// Bytes per channel of an A64 scattered message: a byte or word, or several dwords or qwords.
uint64_t element_bytes(const MessageOp& op) {
  return op.log2_size < 2 ? uint64_t{1} << op.log2_size : uint64_t{op.elements} << op.log2_size;
}

/// All members except the channels.
MessageWork port_work(const MessageOp& op, unsigned exec_size) {
  using enum MessageKind;
  const auto components = static_cast<uint64_t>(std::popcount(op.components & 0xfu)) * dword;
  const bool local = op.binding.index == surface::slm_index;
  const Unit bound = local ? Unit::local : Unit::untyped;
  switch (op.kind) {
    case oword_block_read:
    case unaligned_oword_block_read: return moves(bound, false, 0, op.owords * oword);
    case oword_block_write: return moves(bound, true, 0, op.owords * oword);
    // An oword is four channels.
    case oword_dual_block_read: return moves(bound, false, op.owords * dword);
    case oword_dual_block_write: return moves(bound, true, op.owords * dword);
    case dword_scattered_read: return moves(bound, false, dword);
    case dword_scattered_write: return moves(bound, true, dword);
    case byte_scattered_read: return moves(bound, false, uint64_t{1} << op.log2_size);
    case byte_scattered_write: return moves(bound, true, uint64_t{1} << op.log2_size);
    case qword_scattered_read: return moves(bound, false, 2 * dword);
    case qword_scattered_write: return moves(bound, true, 2 * dword);
    case untyped_read: return moves(bound, false, components);
    case untyped_write: return moves(bound, true, components);
    case scratch_read: return moves(Unit::untyped, false, 0, op.registers * register_bytes);
    case scratch_write:
      return op.dword_channels ? moves(Unit::untyped, true, op.registers * dword * 8 / std::max(exec_size, 8u))
                               : moves(Unit::untyped, true, 0, op.registers * register_bytes);
    case a64_untyped_read: return moves(Unit::untyped, false, components);
    case a64_untyped_write: return moves(Unit::untyped, true, components);
    case a64_scattered_read: return moves(Unit::untyped, false, element_bytes(op));
    case a64_scattered_write: return moves(Unit::untyped, true, element_bytes(op));
    case a64_oword_block_read: return moves(Unit::untyped, false, 0, op.owords * oword);
    case a64_oword_block_write: return moves(Unit::untyped, true, 0, op.owords * oword);
    case untyped_atomic:
    case untyped_atomic_float: return moves(local ? Unit::local_atomic : Unit::atomic, true, dword);
    case typed_atomic:
    case a64_atomic_float: return moves(Unit::atomic, true, dword);
    case a64_atomic: return moves(Unit::atomic, true, op.wide ? 2 * dword : dword);
    case typed_read: return moves(Unit::typed, false, components);
    case typed_write: return moves(Unit::typed, true, components);
    // Whole registers: how many bytes a rectangle has is in the header.
    case media_block_read: return moves(Unit::typed, false, 0, op.response_length * register_bytes);
    case media_block_write: return moves(Unit::typed, true, 0, (op.length + op.extended_length - 1) * register_bytes);
    default: return {};
  }
}

/// Min number of lines that hold `bytes`.
uint64_t lines(uint64_t bytes) { return (bytes + line - 1) / line; }

void count_bytes(const MessageWork& work, uint64_t bytes) {
  if (work.unit == Unit::typed) count_work(work.write ? Work::typed_bytes_written : Work::typed_bytes_read, bytes);
  else count_work(work.write ? Work::untyped_bytes_written : Work::untyped_bytes_read, bytes);
}

/// `bytes`: per message; `channels`: sum over all messages.
void count(const MessageWork& work, uint64_t messages, uint64_t channels, uint64_t bytes) {
  switch (work.unit) {
    case Unit::none: return;
    case Unit::sampler: return count_work(Work::pixels_sampled, channels);
    case Unit::target:
      count_work(Work::samples_written, channels);
      if (work.blending) count_work(Work::samples_blended, channels);
      return;
    case Unit::local: return count_work(work.write ? Work::slm_writes : Work::slm_reads, messages * lines(bytes));
    case Unit::local_atomic: return count_work(Work::atomics, channels);
    case Unit::atomic: count_work(Work::atomics, channels); break;
    case Unit::typed:
    case Unit::untyped: count_bytes(work, messages * bytes); break;
    case Unit::barrier: return count_work(Work::barriers, messages);
  }
  count_work(Work::memory_accesses, messages * lines(bytes));
}

}  // namespace

void count_threads(Work stage, const Program& program, uint64_t threads) {
  count_work({{stage, threads},
              {Work::alu_instructions, threads * program.alu_instructions()},
              {Work::math_instructions, threads * program.math_instructions()}});
}

MessageWork message_work(const MessageOp& op, unsigned exec_size) {
  MessageWork work;
  switch (op.sfid) {
    case Sfid::sampler: work.unit = Unit::sampler; break;
    case Sfid::gateway:
      if (op.kind == MessageKind::barrier) work.unit = Unit::barrier;
      break;
    case Sfid::dp_sampler:
    case Sfid::dp_render:
    case Sfid::dp_constant:
    case Sfid::dp_data0:
    case Sfid::dp_data1: work = port_work(op, exec_size); break;
    default: return work;
  }
  // A SIMD4x2 message has two channels, which are four of the instruction's each. A typed message has at most eight.
  const bool typed = op.kind == MessageKind::typed_read || op.kind == MessageKind::typed_write || op.kind == MessageKind::typed_atomic;
  work.channels =
      static_cast<uint8_t>(op.simd ? std::min<unsigned>(exec_size, typed ? std::min<unsigned>(op.simd, 8) : op.simd) : exec_size);
  if (typed && op.high_slots && exec_size > 8) work.first_channel = 8;
  return work;
}

void count_message_work(const MessageWork& work, uint64_t messages, uint64_t left_out) {
  count(work, messages, messages * work.channels - left_out, uint64_t{work.channels} * work.channel_bytes + work.own_bytes);
}

void count_message_work(const MessageWork& work, uint32_t mask) {
  if (work.unit == Unit::none) return;
  const auto channels = static_cast<uint64_t>(std::popcount(work.own(mask)));
  count(work, 1, channels, channels * work.channel_bytes + work.own_bytes);
}

void count_answers(const DirectAnswer& answer) {
  count_direct_messages(answer.sfid, answer.type, answer.answered);
  count_message_work(answer.work, answer.answered, answer.left_out);
}

}  // namespace softgen::eu
