// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's page fault registers, one of each engine: the first fault, until software clears its valid bit (ILK PRM vol 1 part 2, 5.7.1.1).
#pragma once

#include <functional>
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
  /// Registers its hooks. `next` gets all faults, too; it outlives this. `host_error`: a write of the CPU has set the render streamer's ESR; may be empty.
  PageFaultRegisters(RegisterFile& registers, memory::FaultSink& next, std::function<void()> host_error = {});
  void fault(const memory::Fault& fault) override;

 private:
  /// "An access (other than a CPU Read) through an invalid PTE will result in Page Table Error (Invalid PTE)" (1.3.2; 5.9).
  void host_fault(const memory::Fault& fault);

  RegisterFile& registers_;
  memory::FaultSink& next_;
  const std::function<void()> host_error_;
  Mutex mutex_;
};

/// The registers of a device, as part of a platform.
std::unique_ptr<memory::FaultSink> gen5_page_faults(RegisterFile& registers, memory::FaultSink& next, std::function<void()> host_error);

}  // namespace softgen::mmio
