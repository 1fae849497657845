// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/mmio/page_faults.h"

#include <utility>

namespace softgen::mmio {

namespace field = reg::field;

PageFaultRegisters::PageFaultRegisters(RegisterFile& registers, memory::FaultSink& next, std::function<void()> host_error)
    : registers_(registers), next_(next), host_error_(std::move(host_error)) {
  for (const uint32_t offset : {reg::GFX_PAGE_FAULT, reg::MEDIA_PAGE_FAULT, reg::BLT_PAGE_FAULT}) {
    registers.on_write(offset, [this](uint32_t at, uint32_t written) {
      const MutexLock lock(mutex_);
      if (!field::GFX_PAGE_FAULT_VALID.of(written)) registers_.poke(at, 0);
    });
  }
}

void PageFaultRegisters::fault(const memory::Fault& fault) {
  next_.fault(fault);
  if (fault.host) return host_fault(fault);
  registers_.set_bits(reg::PGTBL_ER, field::PGTBL_ER_INVALID_GTT_PTE.mask());
  const uint32_t offset = page_fault_register(fault.engine);
  const MutexLock lock(mutex_);
  if (field::GFX_PAGE_FAULT_VALID.of(registers_.peek(offset))) return;
  registers_.poke(offset, field::GFX_PAGE_FAULT_VIRTUAL_ADDRESS.in_place(static_cast<uint32_t>(fault.address)) |
                              (fault.ggtt ? field::GFX_PAGE_FAULT_GTT_SELECT.mask() : 0) | field::GFX_PAGE_FAULT_VALID.mask());
}

void PageFaultRegisters::host_fault(const memory::Fault& fault) {
  if (fault.access == Access::read) return;
  registers_.set_bits(reg::PGTBL_ER, field::PGTBL_ER_INVALID_GTT_PTE.mask());
  registers_.set_bits(registers_.engine_register(EngineId::rcs, reg::RING_ESR), field::RING_EIR_PAGE_TABLE_ERROR.mask());
  if (host_error_) host_error_();
}

std::unique_ptr<memory::FaultSink> gen5_page_faults(RegisterFile& registers, memory::FaultSink& next, std::function<void()> host_error) {
  return std::make_unique<PageFaultRegisters>(registers, next, std::move(host_error));
}

}  // namespace softgen::mmio
