// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's page fault registers, one of each engine: the first fault, until software clears its valid bit (ILK PRM vol 1 part 2, 5.7.1.1).
#pragma once

#include <memory>

#include "hw/base/mutex.h"
#include "hw/memory/fault.h"
#include "hw/mmio/register_file.h"

namespace softgen::mmio {

/// Offset of the engine's page fault register.
constexpr uint32_t page_fault_register(EngineId engine) {
  if (engine == EngineId::bcs) return reg::BLT_PAGE_FAULT;
  return engine == EngineId::vcs0 ? reg::MEDIA_PAGE_FAULT : reg::GFX_PAGE_FAULT;
}

/// Records faults of engines. The unit that asked (SRCID) reads 0: which number means which is not public.
class PageFaultRegisters final : public memory::FaultSink {
 public:
  /// Registers its hooks. `next` gets all faults, too; it outlives this.
  PageFaultRegisters(RegisterFile& registers, memory::FaultSink& next);
  void fault(const memory::Fault& fault) override;

 private:
  RegisterFile& registers_;
  memory::FaultSink& next_;
  Mutex mutex_;
};

/// The registers of a device, as part of a platform.
std::unique_ptr<memory::FaultSink> gen5_page_faults(RegisterFile& registers, memory::FaultSink& next);

}  // namespace softgen::mmio
