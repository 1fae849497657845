// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/mmio/memory_registers.h"

#include <utility>

namespace softgen::mmio {

namespace {

namespace field = reg::field;

/// Whether the set has a register with behaviour there: a generation may lack it, or have another there.
bool has(const RegisterFile& registers, uint32_t offset) {
  const defs::Register* row = registers.set().find(offset);
  return row && row->hook;
}

/// FENCE_GEN4's dwords of a fence (`high`: the second), and back.
uint32_t gen4_dword(uint64_t fence, bool high) {
  if (high) return field::FENCE_GEN4_ADDRESS.in_place(static_cast<uint32_t>(fence >> 32));
  const auto low = static_cast<uint32_t>(fence);
  return field::FENCE_GEN4_PITCH.with(low & ~field::FENCE_GEN4_PITCH.mask(), static_cast<uint32_t>(fence >> 32));
}

void set_gen4_dword(memory::Aperture& aperture, unsigned index, bool high, uint32_t value) {
  const auto last = [](uint32_t dword) { return field::FENCE_GEN4_ADDRESS.in_place(dword); };
  const auto old = static_cast<uint32_t>(aperture.fence(index) >> 32);
  if (high) return aperture.set_fence_half(index, true, last(value) | (old & ~last(~0u)));
  aperture.set_fence(index, uint64_t{last(old) | field::FENCE_GEN4_PITCH.of(value)} << 32 | (value & ~field::FENCE_GEN4_PITCH.mask()));
}

void attach_fences(RegisterFile& registers, memory::Aperture& aperture) {
  const defs::Register* row = registers.set().find(reg::FENCE(0));
  const uint32_t bytes = (row ? row->count[0] : memory::Aperture::fence_count) * 8;
  if (has(registers, reg::FENCE_GEN4(0))) {
    registers.on_read(reg::FENCE_GEN4(0), bytes,
                      [&aperture](uint32_t offset) { return gen4_dword(aperture.fence((offset - reg::FENCE_GEN4(0)) / 8), offset & 4); });
    registers.on_write(reg::FENCE_GEN4(0), bytes, [&aperture](uint32_t offset, uint32_t value) {
      set_gen4_dword(aperture, (offset - reg::FENCE_GEN4(0)) / 8, offset & 4, value);
    });
  }
  registers.on_read(reg::FENCE(0), bytes, [&aperture](uint32_t offset) {
    const uint64_t fence = aperture.fence((offset - reg::FENCE(0)) / 8);
    return static_cast<uint32_t>(offset & 4 ? fence >> 32 : fence);
  });
  registers.on_write(reg::FENCE(0), bytes, [&aperture](uint32_t offset, uint32_t value) {
    aperture.set_fence_half((offset - reg::FENCE(0)) / 8, offset & 4, value);
  });
}

void attach_tlb_invalidation(RegisterFile& registers, memory::Ggtt& ggtt, memory::TlbGeneration& tlb) {
  for (uint32_t offset : {reg::GFX_FLSH_CNTL, reg::GFX_FLSH_CNTL_GEN4}) {
    if (!has(registers, offset)) continue;
    registers.on_write(offset, [&registers, &ggtt](uint32_t at, uint32_t) {
      ggtt.invalidate();
      registers.poke(at, 0);
    });
  }
  // Their bits that software writes are requests, of an engine each; it waits for them to read 0. Walks of the aux map (*_AUX_INV) are kept as long
  // as translations are (hw/memory/aux_walker.h).
  for (uint32_t offset : {reg::RTCR, reg::M1TCR, reg::M2TCR, reg::BTCR, reg::VTCR, reg::GFX_TLB_INV_CR, reg::VD_TLB_INV_CR,
                          reg::VE_TLB_INV_CR, reg::BLT_TLB_INV_CR, reg::OA_TLB_INV_CR, reg::GFX_AUX_INV, reg::VD0_AUX_INV, reg::VE0_AUX_INV,
                          reg::BCS_AUX_INV, reg::VD2_AUX_INV, reg::COMPCS0_AUX_INV}) {
    if (!has(registers, offset)) continue;
    registers.on_write(offset, [&registers, &tlb](uint32_t at, uint32_t) {
      if (registers.peek(at) && ask(registers.faults(), {.point = FaultPoint::tlb, .what = at})) return;  // never done
      if (registers.peek(at)) tlb.bump();
      registers.poke(at, 0);
    });
  }
}

void attach_faults(RegisterFile& registers, memory::FaultRegisters& faults) {
  using memory::FaultRegisters;
  // Ironlake's page fault register of the render streamer has RING_FAULT_REG's offset, and none of the others.
  if (!has(registers, reg::FAULT_TLB_DATA0) && !has(registers, reg::GAM_FAULT_TLB_DATA0)) return;
  const std::pair<uint32_t, uint32_t> places[] = {
      {reg::RING_FAULT_REG, FaultRegisters::ring_fault_reg}, {reg::GAM_RING_FAULT_REG, FaultRegisters::ring_fault_reg},
      {reg::FAULT_TLB_DATA0, FaultRegisters::tlb_data0},     {reg::GAM_FAULT_TLB_DATA0, FaultRegisters::tlb_data0},
      {reg::FAULT_TLB_DATA1, FaultRegisters::tlb_data1},     {reg::GAM_FAULT_TLB_DATA1, FaultRegisters::tlb_data1}};
  for (const auto& [offset, word] : places) {
    if (!has(registers, offset)) continue;
    registers.on_read(offset, [&faults, word = word](uint32_t) { return faults.read(word); });
    registers.on_write(offset, [&faults, word = word](uint32_t, uint32_t value) { faults.write(word, value); });
  }
}

/// A change of frequency is done at once; software waits for Command Status.
void attach_frequency(RegisterFile& registers) {
  if (!has(registers, reg::MEMSWCTL)) return;
  registers.on_write(reg::MEMSWCTL, [&registers](uint32_t at, uint32_t) {
    constexpr uint32_t change_frequency = 2;  // i915_reg.h, MEMCTL_CMD_CHFREQ
    const uint32_t command = registers.peek(at);
    if (!field::MEMSWCTL_COMMAND_STATUS.of(command)) return;
    if (field::MEMSWCTL_COMMAND.of(command) == change_frequency)
      registers.poke(reg::MEMSTAT_ILK, field::MEMSTAT_ILK_STATE.with(0, field::MEMSWCTL_FREQUENCY.of(command)));
    registers.clear_bits(at, field::MEMSWCTL_COMMAND_STATUS.mask());
  });
}

/// The memory controller's registers at the manual's place (ILK PRM vol 1 part 2, chapter 2) are those at i915's, but where the video streamer's are
/// there; the rest of the window keeps what is written.
void attach_controller_alias(RegisterFile& registers) {
  if (!has(registers, reg::MCHBAR_ALIAS)) return;
  constexpr uint32_t distance = reg::MCHBAR_ALIAS - reg::MCHBAR_WINDOW;
  registers.alias(reg::MCHBAR_ALIAS, registers.set().find(reg::MCHBAR_WINDOW)->block, reg::MCHBAR_WINDOW);
  for (const uint32_t offset : {reg::CSIPLL0, reg::DDRMPLL1, reg::ILK_GDSR}) registers.alias(offset + distance, 4, offset);
}

}  // namespace

void attach_memory_registers(RegisterFile& registers, MemoryUnits units) {
  attach_fences(registers, units.aperture);
  attach_tlb_invalidation(registers, units.ggtt, units.tlb);
  attach_faults(registers, units.faults);
  attach_frequency(registers);
  attach_controller_alias(registers);
}

void show_stolen(RegisterFile& registers, uint64_t base, uint64_t size) {
  if (!registers.set().find(reg::STOLEN_RESERVED_UDW)) return;
  constexpr uint64_t reserved = 1 << 20;  // Size 0
  const uint64_t place = size < reserved ? 0 : base + size - reserved;
  registers.poke(reg::STOLEN_RESERVED, reg::field::STOLEN_RESERVED_BASE.in_place(static_cast<uint32_t>(place)));
  registers.poke(reg::STOLEN_RESERVED_UDW, reg::field::STOLEN_RESERVED_UDW_BASE.in_place(static_cast<uint32_t>(place >> 32)));
}

}  // namespace softgen::mmio
