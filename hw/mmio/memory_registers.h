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
/// Says in STOLEN_RESERVED which part of stolen memory (bytes; 0: there is none) is not the driver's, where the generation always has one: the last
/// MiB. After each reset, too.
void show_stolen(RegisterFile& registers, uint64_t base, uint64_t size);

}  // namespace softgen::mmio
