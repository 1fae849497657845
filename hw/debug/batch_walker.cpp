// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/debug/batch_walker.h"

#include <fmt/format.h>

#include "hw/cs/relative_registers.h"
#include "hw/defs/ids.h"

namespace softgen::debug {
namespace {

constexpr std::string_view predication_field = "Predication Enable";  ///< where a generation has it, it is at one place

bool is_predicated_start(const Packet& packet) {
  return packet.command->id == defs::CommandId::MI_BATCH_BUFFER_START && !cs::starts_position(packet) &&
         packet.dwords[0] & cs::header_bit(*packet.command, predication_field);
}

}  // namespace

struct BatchWalker::Visitor {
  BatchWalker& walker;
  BatchLevel level = BatchLevel::ring;
  bool ppgtt = false;
  bool position = false;

  bool before(const cs::Cursor& cursor) {
    level = static_cast<BatchLevel>(cursor.level());
    ppgtt = cursor.in_ppgtt();
    position = cursor.mode() == cs::BatchMode::executed;
    if (walker.left_.packets) return walker.left_.packets--, true;
    walker.observer_.problem(cursor.address(), "too many commands in one submission (a loop?): the rest is not shown");
    return false;
  }
  cs::Flow command(const Packet& packet, const cs::Cursor& after) {
    walker.observer_.packet({packet.address, level, ppgtt, packet.command, packet.dwords, position});
    return is_predicated_start(packet) ? cs::Flow::next() : cs::static_flow(packet, after);
  }
  /// The streamer halts here (SKL PRM vol 3, "Instruction Error").
  cs::Flow unknown(const Packet& packet, const cs::Cursor&) {
    walker.observer_.packet({packet.address, level, ppgtt, nullptr, packet.dwords, position});
    return cs::Flow::stop();
  }
  cs::Flow no_memory(uint64_t address, const cs::Cursor&) {
    walker.observer_.problem(address, "command in unmapped memory");
    return cs::Flow::stop();
  }
};

BatchWalker::BatchWalker(const defs::CommandSet& commands, defs::EngineClass engine, memory::View& ggtt, memory::View* ppgtt,
                         BatchObserver& observer, Limits limits)
    : commands_(commands), engine_(engine), ggtt_(ggtt), ppgtt_(ppgtt ? *ppgtt : ggtt), observer_(observer), left_(limits) {}

void BatchWalker::walk(cs::Cursor cursor) {
  Visitor visitor{*this};
  const cs::ParseEnd end = cs::parse(cursor, {ggtt_, ppgtt_, packet_}, commands_, engine_, visitor);
  if (end == cs::ParseEnd::starved)
    observer_.problem(cursor.address(), fmt::format("the command 0x{:08x} is longer than what is left of the ring", packet_[0]));
}

void BatchWalker::batch(uint64_t address, bool ppgtt) {
  cs::Cursor cursor;
  cursor.batch[0] = {.address = strip_canonical(address), .active = true, .ppgtt = ppgtt};
  walk(cursor);
}

void BatchWalker::ring(uint32_t start, uint32_t size, uint32_t head, uint32_t tail) {
  if (size == 0) return observer_.problem(start, "a ring of no size");
  cs::Cursor cursor;
  cursor.ring = {.start = start, .size = size, .head = head % size, .tail = tail % size};
  walk(cursor);
}

void BatchWalker::commands(std::span<const uint32_t> dwords) {
  for (size_t at = 0; at < dwords.size();) {
    const defs::Command* command = commands_.find(engine_, dwords[at]);
    const uint32_t length = defs::command_length(command, dwords[at]);
    if (length > dwords.size() - at)
      return observer_.problem(at * 4,
                               fmt::format("header 0x{:08x} claims {} dwords, {} are left", dwords[at], length, dwords.size() - at));
    const auto packet = dwords.subspan(at, length);
    observer_.packet({at * 4, BatchLevel::ring, false, command, packet});
    at += length;
    if (!command || command->id == defs::CommandId::MI_BATCH_BUFFER_END) return;
    if (command->id != defs::CommandId::MI_BATCH_BUFFER_START) continue;
    cs::Cursor cursor;
    cs::follow(cursor, cs::static_flow({.address = at * 4, .command = command, .dwords = packet}, cursor));
    if (cursor.level()) walk(cursor);
  }
}

}  // namespace softgen::debug
