// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/mmio/page_faults.h"

namespace softgen::mmio {

namespace field = reg::field;

PageFaultRegisters::PageFaultRegisters(RegisterFile& registers, memory::FaultSink& next) : registers_(registers), next_(next) {
  for (const uint32_t offset : {reg::GFX_PAGE_FAULT, reg::MEDIA_PAGE_FAULT, reg::BLT_PAGE_FAULT}) {
    registers.on_write(offset, [this](uint32_t at, uint32_t written) {
      const MutexLock lock(mutex_);
      if (!field::GFX_PAGE_FAULT_VALID.of(written)) registers_.poke(at, 0);
    });
  }
}

void PageFaultRegisters::fault(const memory::Fault& fault) {
  next_.fault(fault);
  registers_.set_bits(reg::PGTBL_ER, field::PGTBL_ER_INVALID_GTT_PTE.mask());
  const uint32_t offset = page_fault_register(fault.engine);
  const MutexLock lock(mutex_);
  if (field::GFX_PAGE_FAULT_VALID.of(registers_.peek(offset))) return;
  registers_.poke(offset, field::GFX_PAGE_FAULT_VIRTUAL_ADDRESS.in_place(static_cast<uint32_t>(fault.address)) |
                              (fault.ggtt ? field::GFX_PAGE_FAULT_GTT_SELECT.mask() : 0) | field::GFX_PAGE_FAULT_VALID.mask());
}

std::unique_ptr<memory::FaultSink> gen5_page_faults(RegisterFile& registers, memory::FaultSink& next) {
  return std::make_unique<PageFaultRegisters>(registers, next);
}

}  // namespace softgen::mmio
