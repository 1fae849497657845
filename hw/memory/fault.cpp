// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/memory/fault.h"

#include "hw/base/bits.h"
#include "hw/base/log.h"

namespace softgen::memory {
namespace {

constexpr uint32_t fault_valid = 1;

// RING_FAULT_REG[14:12], "Engine ID": GFX, MFX0, MFX1, VEBX, BLT.
constexpr uint32_t engine_field(EngineId engine) {
  switch (engine) {
    case EngineId::rcs:
    case EngineId::pocs: return 0;
    case EngineId::vcs0: return 1;
    case EngineId::vcs1: return 2;
    case EngineId::vecs: return 3;
    case EngineId::bcs: return 4;
  }
  return 0;
}

}  // namespace

void FaultRegisters::fault(const Fault& fault) {
  MutexLock lock(mutex_);
  ++count_;
  if (fault_ & fault_valid) return;
  guest_error("page fault", "{} of {} address {:#x}, type {}", fault.access == Access::write ? "write" : "read",
              fault.ggtt ? "GGTT" : "PPGTT", fault.address, static_cast<unsigned>(fault.type));
  fault_ = fault_valid | static_cast<uint32_t>(fault.type) << 1 | (fault.ggtt ? 1u << 11 : 0) | engine_field(fault.engine) << 12;
  data0_ = static_cast<uint32_t>(fault.address >> 12);
  data1_ = static_cast<uint32_t>(bits(fault.address, 47, 44)) | (fault.ggtt ? 1u << 4 : 0);
}

uint32_t FaultRegisters::read(uint32_t offset) const {
  MutexLock lock(mutex_);
  switch (offset) {
    case ring_fault_reg: return fault_;
    case tlb_data0: return data0_;
    case tlb_data1: return data1_;
    default: return 0;
  }
}

void FaultRegisters::write(uint32_t offset, uint32_t value) {
  MutexLock lock(mutex_);
  if (offset == ring_fault_reg) fault_ = value;
  if (offset == tlb_data0) data0_ = value;
  if (offset == tlb_data1) data1_ = value;
}

void FaultRegisters::reset() {
  MutexLock lock(mutex_);
  fault_ = data0_ = data1_ = 0;
}

void FaultRegisters::state(Archive& archive) {
  MutexLock lock(mutex_);
  archive.section("fault registers", 1);
  archive.value(fault_);
  archive.value(data0_);
  archive.value(data1_);
}

uint64_t FaultRegisters::count() const {
  MutexLock lock(mutex_);
  return count_;
}

}  // namespace softgen::memory
