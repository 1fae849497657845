// SPDX-License-Identifier: GPL-2.0-or-later
// send, sendc, sends, sendsc: descriptors, payloads and response put together for the shared function (SKL PRM vol 7, "Send Message").
// Messages are answered before the next instruction, so sendc has nothing to wait for.
#include <algorithm>
#include <array>
#include <cstring>

#include "hw/base/log.h"
#include "hw/base/work.h"
#include "hw/eu/interp/access.h"
#include "hw/eu/interp/execute.h"
#include "hw/eu/isa/message.h"

namespace softgen::eu {

namespace {

struct Range {
  unsigned first, count;
  bool inside() const { return first + count <= grf_count; }
  bool overlaps(const Range& o) const { return first < o.first + o.count && o.first < first + count; }
};

uint32_t address_dword(const Thread& thread, unsigned byte) {
  uint32_t value;
  std::memcpy(&value, reinterpret_cast<const char*>(thread.regs.address) + (byte & 28), 4);
  return value;
}

unsigned first_register(const Thread& thread, const Operand& o) {
  return o.indirect ? indirect_address(thread.regs, o.addr_subreg, o.addr_imm) / 32 : o.reg;
}

/// A payload that the response overwrites is read from a copy.
class Payload {
 public:
  Payload(Thread& thread, const Range& from, const Range& response) : span_(thread.regs.grf + from.first, from.count) {
    if (!from.overlaps(response)) return;
    std::copy(span_.begin(), span_.end(), copy_.begin());
    span_ = std::span<const Grf>(copy_.data(), from.count);
  }
  std::span<const Grf> span() const { return span_; }

 private:
  std::span<const Grf> span_;
  std::array<Grf, 16> copy_;
};

}  // namespace

Next execute_send(Thread& thread, const Op& op, RunState& state) {
  const Instruction& i = *op.instruction;
  const uint32_t mask = execution_mask(thread, op);
  // No channel: nothing to do. An end of thread happens all the same.
  if (!mask && !i.end_of_thread) return Next::advance;
  const bool split = i.opcode == Opcode::sends || i.opcode == Opcode::sendsc;
  uint32_t descriptor = i.descriptor, extended = 0;
  if (i.descriptor_in_register) descriptor = address_dword(thread, split ? 0 : i.src[1].subreg);
  if (split) extended = i.ex_descriptor_in_register ? address_dword(thread, i.ex_descriptor_subreg * 4u) : i.ex_descriptor;
  const MessageFields fields = message_fields(descriptor);

  const Range payload{first_register(thread, i.src[0]), fields.length};
  const Range second{i.src[1].reg, split && i.src[1].file == RegFile::grf ? extended >> 6 & 15 : 0};
  const bool answered = !i.dst.is_null() && fields.response_length;
  const Range response{answered ? first_register(thread, i.dst) : 0, answered ? fields.response_length : 0};
  if (!fields.length || !payload.inside() || !response.inside() || (second.count && !second.inside())) {
    guest_error("EU message beyond the registers", "SFID {} descriptor 0x{:08x} at byte {}", i.sfid(), descriptor, op.offset);
    return fail(thread, "message beyond the registers");
  }
  const Payload data(thread, payload, response);
  const Payload data2(thread, second.count ? second : Range{0, 0}, response);
  const Message message{
      .sfid = static_cast<Sfid>(i.sfid()),
      .descriptor = descriptor,
      .ex_descriptor = (extended & ~0x3fu) | i.sfid() | (i.end_of_thread ? 0x20u : 0),
      .exec_size = op.exec_size,
      .exec_mask = mask,
      .dispatch_mask = thread.dispatched >> op.shift & op.lanes_mask,
      .payload = data.span(),
      .payload2 = data2.span(),
      .response = std::span<Grf>(thread.regs.grf + response.first, response.count),
      .end_of_thread = i.end_of_thread,
  };
  count_message(i.sfid(), message_type(i.sfid(), descriptor));
  SendResult result;
  {
    const HostRounding nearest(Rounding::nearest_even);
    result = state.target.send(message, state.env);
  }
  if (result == SendResult::failed) return fail(thread, "illegal message");
  if (i.end_of_thread) return Next::finished;
  return result == SendResult::blocked ? Next::blocked : Next::advance;
}

/// Waits for a count in n0.N to be there and takes one.
Next execute_wait(Thread& thread, const Op& op, RunState&) {
  uint32_t& count = thread.regs.notification[op.instruction->dst.subreg / 4 & 3];
  if (!count) {
    thread.jump(op.offset);
    return Next::blocked;
  }
  count--;
  return Next::advance;
}

}  // namespace softgen::eu
