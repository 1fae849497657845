// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cs/parser.h"

#include <algorithm>

#include "hw/cs/decode/packets.h"
#include "hw/cs/decode/ring_packets.h"
#include "hw/cs/relative_registers.h"

namespace softgen::cs {
namespace {

void enter(Cursor::Batch& batch, const Flow& flow) {
  batch = {.address = strip_canonical(flow.address) & ~uint64_t{3}, .active = true, .ppgtt = flow.ppgtt, .mode = flow.mode};
}

}  // namespace

void advance(Cursor& cursor, uint32_t bytes) {
  if (cursor.level()) {
    cursor.innermost().address = strip_canonical(cursor.innermost().address + bytes);
    return;
  }
  Cursor::Ring& ring = cursor.ring;
  ring.head += bytes;
  while (ring.size && ring.head >= ring.size) {
    ring.head -= ring.size;
    ring.wraps = reg::head_wraps.of(reg::head_wraps.with(0, ring.wraps + 1));
  }
}

void follow(Cursor& cursor, const Flow& flow) {
  switch (flow.kind) {
    case Flow::Kind::jump: return enter(cursor.batch[cursor.level() == 2], flow);
    case Flow::Kind::call: return enter(cursor.batch[cursor.level() >= 1], flow);
    case Flow::Kind::end:
      if (cursor.level()) cursor.innermost() = {};
      return;
    case Flow::Kind::leave: cursor.batch = {}; return;
    case Flow::Kind::next:
    case Flow::Kind::repeat:
    case Flow::Kind::stop: return;
  }
}

Flow batch_start(std::span<const uint32_t> dwords, const Cursor& cursor) {
  using Command = packets::MI_BATCH_BUFFER_START;
  const Command::View start(dwords);
  const uint64_t to = start.batch_buffer_start_address();
  const bool ppgtt = start.address_space_indicator() == Command::AddressSpaceIndicator::ASI_PPGTT || !cursor.privileged();
  const bool second = start.second_level_batch_buffer() == Command::SecondLevelBatchBuffer::SECOND_LEVEL_BATCH;
  // In a second-level batch the bit has no further level to call: both forms chain (Mesa's drivers rely on plain chaining there).
  const bool call = cursor.level() == 0 || (cursor.level() == 1 && second);
  return call ? Flow::call(to, ppgtt) : Flow::jump(to, ppgtt);
}

bool starts_position(const Packet& packet) {
  return packet.command->id == defs::CommandId::MI_BATCH_BUFFER_START && packet.dwords[0] & header_bit(*packet.command, posh_start_field);
}

Flow static_flow(const Packet& packet, const Cursor& cursor) {
  switch (packet.command->id) {
    case defs::CommandId::MI_BATCH_BUFFER_START: {
      if (packet.dwords.size() < packet.command->min_dwords) return Flow::stop();
      if (header_bit(*packet.command, security_field)) return ring_batch_start(packet.dwords, cursor);
      Flow flow = batch_start(packet.dwords, cursor);
      flow.mode = starts_position(packet) ? BatchMode::executed : cursor.mode();
      // The batch is POCS's alone, and RCS goes on here.
      if (starts_position(packet) && flow.kind == Flow::Kind::jump)
        return cursor.level() < 2 ? flow.kind = Flow::Kind::call, flow : Flow::next();
      return flow;
    }
    case defs::CommandId::MI_BATCH_BUFFER_END: return Flow::end();
    default: return Flow::next();
  }
}

namespace detail {

bool fetch(const Cursor& cursor, ParseMemory& memory, uint32_t* out, uint32_t count) {
  memory::View& own = cursor.in_ppgtt() ? memory.ppgtt : memory.ggtt;
  memory::View& view = cursor.level() && memory.batch ? *memory.batch : own;
  const uint64_t faults = view.faults();
  uint64_t bytes = uint64_t{count} * 4;
  if (cursor.level()) {
    view.read(cursor.innermost().address, out, bytes);
  } else {
    const Cursor::Ring& ring = cursor.ring;
    const uint64_t first = std::min<uint64_t>(bytes, ring.size - ring.head);
    view.read(ring.start + uint64_t{ring.head}, out, first);
    if (first < bytes) view.read(ring.start, reinterpret_cast<std::byte*>(out) + first, bytes - first);
  }
  return view.faults() == faults;
}

uint64_t available(const Cursor& cursor) {
  if (cursor.level()) {
    const Cursor::Batch& batch = cursor.innermost();
    return batch.limit ? (batch.limit - batch.address) / 4 : ~uint64_t{0};
  }
  const Cursor::Ring& ring = cursor.ring;
  const uint32_t bytes = ring.tail >= ring.head ? ring.tail - ring.head : ring.size - ring.head + ring.tail;
  return bytes / 4;
}

bool batch_exhausted(Cursor& cursor) {
  if (!cursor.level()) return false;
  const Cursor::Batch& batch = cursor.innermost();
  if (!batch.limit || batch.address < batch.limit) return false;
  cursor.innermost() = {};
  return true;
}

}  // namespace detail
}  // namespace softgen::cs
