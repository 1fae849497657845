// SPDX-License-Identifier: GPL-2.0-or-later
// The registers in front of hw/memory: fences, GGTT and PPGTT TLB invalidation, fault registers.
#pragma once

#include "hw/memory/address_space.h"
#include "hw/memory/aperture.h"
#include "hw/memory/fault.h"
#include "hw/memory/ggtt.h"
#include "hw/mmio/register_file.h"

namespace softgen::mmio {

struct MemoryUnits {
  memory::Ggtt& ggtt;
  memory::Aperture& aperture;
  memory::FaultRegisters& faults;
  memory::TlbGeneration& tlb;
};

void attach_memory_registers(RegisterFile& registers, MemoryUnits units);

}  // namespace softgen::mmio
