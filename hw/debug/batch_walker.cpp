// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/debug/batch_walker.h"

#include <fmt/format.h>

#include <algorithm>

#include "hw/defs/gen9/mi.h"

namespace softgen::debug {
namespace {

using defs::CommandId;
namespace gen9 = defs::gen9;

uint32_t length_of(const defs::Command* command, uint32_t header) { return defs::command_length(command, header); }

}  // namespace

BatchWalker::BatchWalker(defs::EngineClass engine, memory::View& ggtt, memory::View* ppgtt, BatchObserver& observer, Limits limits)
    : engine_(engine), ggtt_(ggtt), ppgtt_(ppgtt), observer_(observer), left_(limits) {}

bool BatchWalker::mapped(memory::View& view, uint64_t address) const {
  return memory::translate(view.space(), view.memory(), address).valid;
}

/// Reads the packet at the cursor; `room`: bytes that may belong to it.
bool BatchWalker::fetch(const Cursor& cursor, uint64_t room) {
  memory::View& memory = *view(cursor.ppgtt);
  if (!mapped(memory, cursor.address)) {
    observer_.problem(cursor.address, "commands at an address that is not mapped");
    return false;
  }
  const auto header = memory.load<uint32_t>(cursor.address);
  command_ = defs::find_command(engine_, header);
  const uint32_t length = length_of(command_, header);
  if (uint64_t{length} * 4 > room) {
    observer_.problem(cursor.address, fmt::format("header 0x{:08x} claims {} dwords, {} are left", header, length, room / 4));
    return false;
  }
  const uint64_t last = cursor.address + uint64_t{length} * 4 - 1;
  if (last >> 12 != cursor.address >> 12 && !mapped(memory, last)) {
    observer_.problem(cursor.address, fmt::format("a packet of {} dwords runs into memory that is not mapped", length));
    return false;
  }
  packet_.resize(length);
  memory.read(cursor.address, packet_.data(), uint64_t{length} * 4);
  return true;
}

BatchWalker::Step BatchWalker::visit(Cursor& cursor, std::vector<Cursor>& callers) {
  if (left_.packets-- == 0) {
    observer_.problem(cursor.address, "too many commands in one submission (a loop?): the rest is not shown");
    left_.packets = 0;
    return Step::stop;
  }
  observer_.packet({cursor.address, cursor.level, cursor.ppgtt, command_, packet_});
  const uint64_t next = cursor.address + packet_.size() * 4;
  if (command_ && command_->id == CommandId::MI_BATCH_BUFFER_END) return Step::end;
  cursor.address = next;
  if (command_ && command_->id == CommandId::MI_BATCH_BUFFER_START) return jump(cursor, callers);
  return Step::next;
}

BatchWalker::Step BatchWalker::jump(Cursor& cursor, std::vector<Cursor>& callers) {
  const auto start = gen9::MI_BATCH_BUFFER_START::unpack(packet_);
  const bool second = start.second_level_batch_buffer == gen9::MI_BATCH_BUFFER_START::SecondLevelBatchBuffer::SECOND_LEVEL_BATCH;
  const bool ppgtt = start.address_space_indicator == gen9::MI_BATCH_BUFFER_START::AddressSpaceIndicator::ASI_PPGTT;
  if (start.predication_enable) return Step::next;
  if (left_.jumps == 0) {
    observer_.problem(cursor.address, "too many batch starts in one submission (a loop?): the rest is not shown");
    return Step::stop;
  }
  left_.jumps--;
  if (ppgtt && !ppgtt_) {
    observer_.problem(cursor.address, "a PPGTT batch in a context without PPGTT");
    return Step::next;
  }
  // A start in a first-level batch without the second-level bit is a jump; the ring, and a first level that calls, go on afterwards.
  if (cursor.level == BatchLevel::ring || (second && cursor.level == BatchLevel::first)) callers.push_back(cursor);
  const BatchLevel level = cursor.level == BatchLevel::ring                            ? BatchLevel::first
                           : second && cursor.level == BatchLevel::first ? BatchLevel::second : cursor.level;
  cursor = {strip_canonical(start.batch_buffer_start_address), ppgtt, level};
  return Step::next;
}

void BatchWalker::run(Cursor cursor) {
  std::vector<Cursor> callers;
  const BatchLevel outermost = cursor.level;
  for (;;) {
    Step step = fetch(cursor, ~uint64_t{0}) ? visit(cursor, callers) : Step::end;
    if (step == Step::stop) return;
    if (step == Step::next) continue;
    if (callers.empty()) return;
    cursor = callers.back();
    callers.pop_back();
    if (cursor.level < outermost) return;
  }
}

void BatchWalker::batch(uint64_t address, bool ppgtt) {
  if (ppgtt && !ppgtt_) return observer_.problem(address, "a PPGTT batch in a context without PPGTT");
  run({strip_canonical(address), ppgtt, BatchLevel::first});
}

void BatchWalker::ring(uint32_t start, uint32_t size, uint32_t head, uint32_t tail) {
  if (size == 0) return observer_.problem(start, "a ring of no size");
  head %= size, tail %= size;
  while (head != tail) {
    Cursor cursor{uint64_t{start} + head, false, BatchLevel::ring};
    const uint64_t room = head < tail ? tail - head : size - head;
    if (!fetch(cursor, room)) return;
    head = static_cast<uint32_t>((head + packet_.size() * 4) % size);
    std::vector<Cursor> callers;
    const Step step = visit(cursor, callers);
    if (step == Step::stop) return;
    if (cursor.level != BatchLevel::ring) run(cursor);
    if (left_.packets == 0 || left_.jumps == 0) return;
  }
}

void BatchWalker::commands(std::span<const uint32_t> dwords) {
  for (size_t at = 0; at < dwords.size();) {
    command_ = defs::find_command(engine_, dwords[at]);
    const uint32_t length = length_of(command_, dwords[at]);
    if (length > dwords.size() - at)
      return observer_.problem(at * 4, fmt::format("header 0x{:08x} claims {} dwords, {} are left", dwords[at], length, dwords.size() - at));
    packet_.assign(dwords.begin() + static_cast<ptrdiff_t>(at), dwords.begin() + static_cast<ptrdiff_t>(at + length));
    Cursor cursor{at * 4, false, BatchLevel::ring};
    std::vector<Cursor> callers;
    const Step step = visit(cursor, callers);
    if (cursor.level != BatchLevel::ring) run(cursor);
    if (step != Step::next) return;
    at += length;
  }
}

}  // namespace softgen::debug
