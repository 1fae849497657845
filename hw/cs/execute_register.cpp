// SPDX-License-Identifier: GPL-2.0-or-later
// MI commands that load and store registers, and MI_MATH (SKL PRM vol 2a).
#include "hw/base/log.h"
#include "hw/cs/executor.h"
#include "hw/cs/math.h"

namespace softgen::cs {
namespace {

constexpr uint32_t offset_mask = 0x007f'fffc;  // [22:2]

uint64_t memory_address(uint32_t low, uint32_t high) { return (low | uint64_t{high & 0xffff} << 32) & ~uint64_t{3}; }

}  // namespace

// A register that the batch may not write keeps its value; the command goes on.
void Executor::write_register(uint32_t offset, uint32_t value) {
  offset &= offset_mask;
  if (!privileged_ && !s_.links().registers.is_nonpriv_writable(s_.config().id, offset)) {
    guest_error("register write from a non-privileged batch", "{:#x}", offset);
    return s_.error(reg::error_privilege, false);
  }
  s_.links().registers.write(offset, value);
}

void Executor::load_register_imm(Dwords dw) {
  const uint32_t kept = load_register_imm_kept(dw[0]);
  for (size_t i = 1; i + 1 < dw.size(); i += 2) {
    const uint32_t old = kept ? s_.links().registers.read(dw[i] & offset_mask) & kept : 0;
    write_register(dw[i], (dw[i + 1] & ~kept) | old);
  }
}

void Executor::load_register_mem(Dwords dw) {
  write_register(dw[1], s_.view(bit(dw[0], 22)).load_acquire<uint32_t>(memory_address(dw[2], dw[3])));
}

void Executor::load_register_reg(Dwords dw) { write_register(dw[2], s_.links().registers.read(dw[1] & offset_mask)); }

void Executor::store_register_mem(Dwords dw) {
  if (bit(dw[0], 21) && !reg::predicate_bit.of(s_.get(reg::predicate_result))) return;
  const uint32_t value = s_.links().registers.read(dw[1] & offset_mask);
  s_.view(bit(dw[0], 22)).store_release<uint32_t>(memory_address(dw[2], dw[3]), value);
  s_.links().memory_written();
}

Flow Executor::math(Dwords dw) {
  Gprs gprs;
  for (size_t i = 0; i < gprs.size(); ++i) gprs[i] = s_.get64(reg::gpr0 + 8 * static_cast<uint32_t>(i));
  const Dwords program = dw.subspan(1);
  const size_t done = run_math(program, gprs);
  for (size_t i = 0; i < gprs.size(); ++i) s_.set64(reg::gpr0 + 8 * static_cast<uint32_t>(i), gprs[i]);
  if (done == program.size()) return Flow::next();
  guest_error("MI_MATH instruction", "{:#010x}", program[done]);
  return fault(reg::error_instruction);
}

}  // namespace softgen::cs
