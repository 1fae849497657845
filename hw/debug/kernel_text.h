// SPDX-License-Identifier: GPL-2.0-or-later
// Disassembly of kernels in graphics memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/eu/isa/isa.h"
#include "hw/memory/view.h"

namespace softgen::debug {

struct KernelText {
  std::vector<std::string> lines;
  uint64_t unknown = 0;  ///< illegal instructions, messages without a name, or no end of thread
};

/// The kernel at `address` up to its end of thread, at most 1 MiB.
KernelText disassemble_kernel(const eu::Isa& isa, memory::View& view, uint64_t address);

/// Binding table entries that the kernel's render target writes name, as a bit mask of the first 64.
uint64_t written_render_targets(const eu::Isa& isa, memory::View& view, uint64_t address);

}  // namespace softgen::debug
