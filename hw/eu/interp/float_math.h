// SPDX-License-Identifier: GPL-2.0-or-later
// Number formats and extended math, with the same bits on every host: only IEEE operations of the compiler and own polynomials, no libm
// function whose last bit differs between libraries.
#pragma once

#include <cstdint>

#include "hw/eu/program/registers.h"

namespace softgen::eu {

/// NaN becomes 0x7fc00000.
float half_to_float(uint16_t half);
/// NaN becomes 0x7e00; overflow becomes infinity or the largest number as the mode says.
uint16_t float_to_half(float value, Rounding rounding);
uint16_t double_to_half(double value, Rounding rounding);

/// Correctly rounded to float; rsq but for cases within 2^-50 of a tie (SKL PRM vol 7 asks 1 ulp). The others are in math_lanes.h.
float math_inv(float x);
float math_sqrt(float x);
float math_rsq(float x);
float math_fdiv(float a, float b);

/// The precision that madm, invm and rsqtm keep between them.
#if defined(__SIZEOF_FLOAT128__)
__extension__ using Quad = __float128;
#else
using Quad = long double;
#endif
Quad quad_fma(Quad a, Quad b, Quad c);

}  // namespace softgen::eu
