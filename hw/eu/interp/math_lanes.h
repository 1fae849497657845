// SPDX-License-Identifier: GPL-2.0-or-later
// Extended math on eight channels at once; float_math.h has some of the functions for one.
#pragma once

#include <array>
#include <cstdint>

#include "hw/base/host_cpu.h"
#include "hw/eu/isa/opcodes.h"

namespace softgen::eu {

/// r may be a or b, else they do not overlap. `b` is read by functions of two operands only.
using MathLane = void (*)(float* r, const float* a, const float* b);

/// By MathFunction; null where the function is no table entry (integer division, macros).
using MathLanes = std::array<MathLane, 16>;
const MathLanes& math_lanes();
bool has_math_lane(MathFunction function);

/// One implementation of those that need more than one operation, for one host instruction set (math_kernels.cpp).
struct Transcendentals {
  MathLane log, exp, sin, cos, pow;
};
/// Same bits from all of them.
KernelSet<Transcendentals> all_transcendentals();

}  // namespace softgen::eu
