// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/csc.h"

#include <cmath>

#include "hw/base/bits.h"
#include "hw/defs/registers/registers.h"

namespace softgen::display {

namespace field = reg::field;

namespace {

uint16_t unit_to_16(float v) { return v <= 0.f ? 0 : v >= 1.f ? 0xffff : static_cast<uint16_t>(std::lround(v * 65535.f)); }

// Offsets are 13-bit two's complement in units of 1/4096.
float csc_offset(uint32_t value) { return static_cast<float>(sign_extend(field::CSC_PREOFF_OFFSET.of(value), 13)) / 4096.f; }
static_assert(field::CSC_PREOFF_OFFSET.mask() == 0x1fff && field::CSC_POSTOFF_OFFSET.mask() == 0x1fff);

}  // namespace

float csc_coefficient(uint32_t value) {
  // Fraction bits of the mantissa by exponent; 4 and 5 are reserved (i915 ilk_csc_convert_ctm).
  constexpr int fraction[8] = {9, 10, 11, 12, 9, 9, 7, 8};
  const float magnitude =
      std::ldexp(static_cast<float>(field::CSC_COEFF_MANTISSA.of(value)), -fraction[field::CSC_COEFF_EXPONENT.of(value)]);
  return field::CSC_COEFF_SIGN.of(value) ? -magnitude : magnitude;
}

ColorMatrix::ColorMatrix(const CscRegs& regs) {
  for (unsigned row = 0; row < 3; row++) {
    const uint32_t first = regs.coefficients[row * 2], second = regs.coefficients[row * 2 + 1];
    m[row * 3] = csc_coefficient(field::CSC_COEFF_FIRST_COEFFICIENT.of(first));
    m[row * 3 + 1] = csc_coefficient(first & 0xffff);
    m[row * 3 + 2] = csc_coefficient(field::CSC_COEFF_FIRST_COEFFICIENT.of(second));
    pre[row] = csc_offset(regs.pre[row]);
    post[row] = csc_offset(regs.post[row]);
  }
}

Pixel ColorMatrix::apply(const Pixel& in) const {
  const float r = in.r / 65535.f + pre[0], g = in.g / 65535.f + pre[1], b = in.b / 65535.f + pre[2];
  const auto lane = [&](unsigned i) { return unit_to_16(m[i * 3] * r + m[i * 3 + 1] * g + m[i * 3 + 2] * b + post[i]); };
  return {lane(0), lane(1), lane(2), in.a};
}

}  // namespace softgen::display
