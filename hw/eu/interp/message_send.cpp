// SPDX-License-Identifier: GPL-2.0-or-later
// send, sendc, sends, sendsc: descriptors, payloads and response put together for the shared function (SKL PRM vol 7, "Send Message").
// Messages are answered before the next instruction, so sendc is send.
#include <algorithm>
#include <array>
#include <cstring>

#include "hw/base/log.h"
#include "hw/base/work.h"
#include "hw/eu/interp/access.h"
#include "hw/eu/interp/execute.h"
#include "hw/eu/program/work_counts.h"
#include "hw/iface/engine.h"

namespace softgen::eu {

namespace {

uint32_t address_dword(const Thread& thread, unsigned byte) {
  uint32_t value;
  std::memcpy(&value, reinterpret_cast<const char*>(thread.regs.address) + (byte & 28), 4);
  return value;
}

unsigned first_register(const Thread& thread, const Operand& o) {
  return o.indirect ? indirect_address(thread.regs, o.addr_subreg, o.addr_imm) / 32 : o.reg;
}

}  // namespace

bool has_fixed_form(const Op& op) {
  const Instruction& i = *op.instruction;
  return !i.descriptor_in_register && !i.ex_descriptor_in_register && !i.src[0].indirect && (i.dst.is_null() || !i.dst.indirect);
}

SendForm send_form(const Thread& thread, const Op& op) {
  const Instruction& i = *op.instruction;
  const bool split = i.info()->form == Form::split_send;
  SendForm form;
  if (op.message && !i.ex_descriptor_in_register) {
    form.op = *op.message;
  } else {
    const uint32_t descriptor = i.descriptor_in_register ? address_dword(thread, split ? 0 : i.src[1].subreg) : i.descriptor;
    // Without split sends the extended descriptor is only SFID and EOT.
    const uint32_t extended = !split                        ? 0
                              : i.ex_descriptor_in_register ? address_dword(thread, i.ex_descriptor_subreg * 4u)
                                                            : i.ex_descriptor;
    const Isa& isa = thread.program()->isa();
    form.op = isa.message(i.sfid(), descriptor, isa.sent_extended_descriptor(extended, i.sfid(), i.end_of_thread));
  }
  form.payload = {op.message_registers ? grf_count + i.first_message : first_register(thread, i.src[0]), form.op.length};
  form.second = {i.src[1].reg, split && i.src[1].file == RegFile::grf ? form.op.extended_length : 0u};
  if (!form.second.count) form.second.first = 0;
  const bool answered = !i.dst.is_null() && form.op.response_length;
  form.response = {answered ? first_register(thread, i.dst) : 0, answered ? form.op.response_length : 0u};
  form.valid = form.op.length && form.payload.inside(grf_count + op.message_registers) && form.response.inside() && form.second.inside();
  form.last = i.end_of_thread;
  form.copied = form.payload.overlaps(form.response) || form.second.overlaps(form.response);
  return form;
}

MessageForm message_form(const SendForm& form, const Op& op) {
  return {form.op,
          {form.payload.first, form.payload.count},
          {form.second.first, form.second.count},
          {form.response.first, form.response.count},
          op.exec_size,
          op.instruction->end_of_thread};
}

Next send_message(Thread& thread, const Op& op, RunState& state, const SendForm& form, uint32_t mask) {
  const Instruction& i = *op.instruction;
  // A kernel without a loop may have tens of thousands of messages, each of which may take tens of microseconds.
  if (state.env.stop.aborting() && !i.end_of_thread) return fail(thread, nullptr);
  if (!form.valid) {
    guest_error("EU message beyond the registers", "SFID {} descriptor 0x{:08x} at byte {}", i.sfid(), form.op.descriptor, op.offset);
    return fail(thread, "message beyond the registers");
  }
  if (form.op.kind == MessageKind::math) return send_to_math(thread, op, state, form, mask);
  const Grf *data = thread.regs.at(form.payload.first), *data2 = thread.regs.at(form.second.first);
  std::array<Grf, 32> copy;
  if (form.copied) {
    // The response overwrites what the unit still reads.
    std::copy_n(data, form.payload.count, copy.begin());
    std::copy_n(data2, form.second.count, copy.begin() + 16);
    data = copy.data(), data2 = copy.data() + 16;
  }
  // A destination's write mask is of the message's channels, too: Mesa writes single components to scratch space so (brw_vec4_visitor.cpp).
  const Message message{
      .op = form.op,
      .exec_size = op.exec_size,
      .exec_mask = mask & op.dst.channels,
      .dispatch_mask = thread.dispatched >> op.shift & op.lanes_mask,
      .payload = {data, form.payload.count},
      .payload2 = {data2, form.second.count},
      .response = {thread.regs.at(form.response.first), form.response.count},
      .end_of_thread = i.end_of_thread,
  };
  count_message(static_cast<unsigned>(form.op.sfid), form.op.type);
  count_message_work(message_work(form.op, op.exec_size), mask);
  const SendResult result = state.target.send(message, state.env);
  if (result == SendResult::failed) return fail(thread, "illegal message");
  if (i.end_of_thread) return Next::finished;
  return result == SendResult::blocked ? Next::blocked : Next::advance;
}

Next execute_send(Thread& thread, const Op& op, RunState& state) {
  const uint32_t mask = execution_mask(thread, op);
  // No enabled channel: the message is skipped, but an end of thread takes effect.
  if (!mask && !op.instruction->end_of_thread) return Next::advance;
  const HostRounding nearest(Rounding::nearest_even);
  if (op.message_registers && !op.instruction->src[0].is_null()) move_to_message(thread, op);
  return send_message(thread, op, state, send_form(thread, op), mask);
}

/// Waits for a count in n0.N to be there and takes one.
Next execute_wait(Thread& thread, const Op& op, RunState&) {
  uint32_t& count = thread.regs.notification[op.instruction->notification()];
  if (!count) {
    thread.jump(op.offset);
    return Next::blocked;
  }
  count--;
  return Next::advance;
}

}  // namespace softgen::eu
