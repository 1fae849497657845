// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/isa/types.h"

#include <cmath>
#include <iterator>

namespace softgen::eu {

namespace {
RegType find(int8_t RegTypeInfo::*column, unsigned code) {
  for (unsigned i = 0; i < std::size(reg_types); i++)
    if (reg_types[i].*column >= 0 && static_cast<unsigned>(reg_types[i].*column) == code) return static_cast<RegType>(i);
  return RegType::invalid;
}
}  // namespace

RegType reg_type_from_code(unsigned code) { return find(&RegTypeInfo::reg_code, code); }
RegType imm_type_from_code(unsigned code) { return find(&RegTypeInfo::imm_code, code); }
RegType ternary_type_from_code(unsigned code) { return find(&RegTypeInfo::ternary_code, code); }

float restricted_float(uint8_t bits) {
  const float sign = bits & 0x80 ? -1.0f : 1.0f;
  if (!(bits & 0x7f)) return sign * 0.0f;
  const int exponent = ((bits >> 4) & 7) - 3;
  return sign * std::ldexp(1.0f + static_cast<float>(bits & 15) / 16.0f, exponent);
}

}  // namespace softgen::eu
