// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/isa/types.h"

#include <cmath>

namespace softgen::eu {

float restricted_float(uint8_t bits) {
  const float sign = bits & 0x80 ? -1.0f : 1.0f;
  if (!(bits & 0x7f)) return sign * 0.0f;
  const int exponent = ((bits >> 4) & 7) - 3;
  return sign * std::ldexp(1.0f + static_cast<float>(bits & 15) / 16.0f, exponent);
}

}  // namespace softgen::eu
