// SPDX-License-Identifier: GPL-2.0-or-later
// MI commands that load and store registers, and MI_MATH (SKL PRM vol 2a).
#include "hw/base/log.h"
#include "hw/cs/decode/packets.h"
#include "hw/cs/executor.h"
#include "hw/cs/math.h"

namespace softgen::cs {

// A register that the batch may not write keeps its value; the command continues.
void Executor::write_register(uint32_t offset, uint32_t value) {
  offset &= register_offset_mask;
  if (!privileged_ && !core_.links().registers.is_nonpriv_writable(core_.config().id, offset)) {
    guest_error("register write from a non-privileged batch", "{:#x}", offset);
    return refuse();
  }
  core_.links().registers.write(offset, value, mmio::Initiator::streamer);
  if (core_.translation().has(offset)) core_.set_address_space();
}

void Executor::load_register_imm(Dwords dw) {
  const uint32_t kept = load_register_imm_kept(dw[0]), base = register_base(dw[0], relative_.load_imm);
  const packets::MI_LOAD_REGISTER_IMM::View load(dw);
  for (size_t i = 0; i < load.elements(); ++i) {
    const uint32_t offset = base + load.register_offset(i),
                   old = kept ? core_.links().registers.read(offset, mmio::Initiator::streamer) & kept : 0;
    write_register(offset, (load.data_dword(i) & ~kept) | old);
  }
}

void Executor::load_register_mem(Dwords dw) {
  const packets::MI_LOAD_REGISTER_MEM::View load(dw);
  write_register(register_base(dw[0], relative_.load_mem) + load.register_address(),
                 core_.view(load.use_global_gtt()).load_acquire<uint32_t>(strip_canonical(load.memory_address())));
}

void Executor::load_register_reg(Dwords dw) {
  const packets::MI_LOAD_REGISTER_REG::View load(dw);
  const uint32_t source = register_base(dw[0], relative_.source) + load.source_register_address();
  write_register(register_base(dw[0], relative_.destination) + load.destination_register_address(),
                 core_.links().registers.read(source, mmio::Initiator::streamer));
}

void Executor::store_register_mem(Dwords dw) {
  const packets::MI_STORE_REGISTER_MEM::View store(dw);
  if (store.predicate_enable() && !reg::predicate_bit.of(core_.get(reg::predicate_result))) return;
  const uint32_t value =
      core_.links().registers.read(register_base(dw[0], relative_.store_mem) + store.register_address(), mmio::Initiator::streamer);
  core_.view(store.use_global_gtt()).store_release<uint32_t>(strip_canonical(store.memory_address()), value);
  core_.links().memory_written();
}

Flow Executor::math(Dwords dw) {
  Gprs gprs;
  for (size_t i = 0; i < gprs.size(); ++i) gprs[i] = core_.get64(reg::gpr0 + 8 * static_cast<uint32_t>(i));
  const Dwords program = dw.subspan(1);
  const size_t done = run_math(program, gprs);
  for (size_t i = 0; i < gprs.size(); ++i) core_.set64(reg::gpr0 + 8 * static_cast<uint32_t>(i), gprs[i]);
  if (done == program.size()) return Flow::next();
  guest_error("MI_MATH instruction", "{:#010x}", program[done]);
  return fault(reg::error_instruction);
}

}  // namespace softgen::cs
