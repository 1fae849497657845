// SPDX-License-Identifier: GPL-2.0-or-later
// Extended math on eight channels at once, the bits of float_math.h.
#pragma once

#include <array>

namespace softgen::eu {

/// By MathFunction; null where the function is no table entry (integer division, macros). `b` is read by functions of two operands only.
using MathLanes = std::array<void (*)(float* r, const float* a, const float* b), 16>;
const MathLanes& math_lanes();

}  // namespace softgen::eu
