// SPDX-License-Identifier: GPL-2.0-or-later
// Float modes that a kernel sets itself at its start. IGC's kernels keep denormals by `or cr0.0, cr0.0, 0x4c0`, their first or second instruction.
// Nothing before it depends on the mode, so that the code may have the mode from the beginning, and the instruction itself no code.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hw/eu/program/program.h"

namespace softgen::eu::jit {

struct StartMode {
  size_t op = SIZE_MAX;  ///< that sets it; SIZE_MAX: none
  uint32_t bits = 0;     ///< of cr0.0 that are set in addition to those with which the thread was started
};

StartMode start_mode(const Program& program);

}  // namespace softgen::eu::jit
