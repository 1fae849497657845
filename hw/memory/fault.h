// SPDX-License-Identifier: GPL-2.0-or-later
// Translation faults on their way to the registers a driver reads: RING_FAULT_REG, FAULT_TLB_DATA0/1
// (SKL PRM vol 2c; i915 gt/intel_gt.c:gen8_check_faults).
#pragma once

#include <cstddef>
#include <cstdint>

#include "hw/base/archive.h"
#include "hw/base/mutex.h"
#include "hw/defs/registers/registers.h"
#include "hw/iface/engine.h"
#include "hw/iface/host_memory.h"

namespace softgen::memory {

/// RING_FAULT_REG[2:1]: the table level whose entry was not valid. An entry that points where there is no RAM
/// counts as not valid. Of Ironlake's two levels invalid_pdpe says that the directory has no such entry.
enum class FaultType : uint8_t { invalid_pte, invalid_pde, invalid_pdpe, invalid_pml4e };

struct Fault {
  uint64_t address = 0;  ///< graphics virtual address, canonical bits stripped
  FaultType type = FaultType::invalid_pte;
  Access access = Access::read;
  bool ggtt = false;
  EngineId engine = EngineId::rcs;
  bool host = false;  ///< the CPU's access, through the aperture
};

class FaultSink {
 public:
  virtual ~FaultSink() = default;
  /// Any thread.
  virtual void fault(const Fault& fault) = 0;
  /// A view is about to hand out these pages of host memory for writing, for the first time since its translations were last dropped. `size`: bytes. Any
  /// thread.
  virtual void before_write(std::byte* /*first*/, uint64_t /*size*/) {}
};

/// The fault registers. The first fault latches and stays until software clears the valid bit. Any thread.
class FaultRegisters final : public FaultSink {
 public:
  static constexpr uint32_t ring_fault_reg = reg::RING_FAULT_REG, tlb_data0 = reg::FAULT_TLB_DATA0, tlb_data1 = reg::FAULT_TLB_DATA1;

  void fault(const Fault& fault) override;
  /// `offset`: one of the three above; anything else reads 0.
  uint32_t read(uint32_t offset) const;
  void write(uint32_t offset, uint32_t value);
  void reset();
  void state(Archive& archive);
  /// Faults seen since construction, latched or not.
  uint64_t count() const;

 private:
  mutable Mutex mutex_;
  uint32_t fault_ SG_GUARDED_BY(mutex_) = 0, data0_ SG_GUARDED_BY(mutex_) = 0, data1_ SG_GUARDED_BY(mutex_) = 0;
  uint64_t count_ SG_GUARDED_BY(mutex_) = 0;
};

}  // namespace softgen::memory
