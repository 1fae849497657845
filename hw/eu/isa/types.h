// SPDX-License-Identifier: GPL-2.0-or-later
// Operand types of Gen9 instructions (SKL PRM vol 7, "Numeric Data Types"; encodings as in Mesa brw_reg_type.c, gfx8 tables).
#pragma once

#include <cstdint>
#include <string_view>

namespace softgen::eu {

enum class RegType : uint8_t { ud, d, uw, w, ub, b, df, f, uq, q, hf, uv, v, vf, invalid };

enum class RegFile : uint8_t { arf = 0, grf = 1, reserved = 2, imm = 3 };

/// One row per RegType: `size` bytes an element (packed vectors: of the element they expand to), hardware codes or -1.
struct RegTypeInfo {
  std::string_view name;
  uint8_t size;
  bool is_float, is_signed;
  int8_t reg_code, imm_code, ternary_code;
};

inline constexpr RegTypeInfo reg_types[] = {
    {"UD", 4, false, false, 0, 0, 2},    {"D", 4, false, true, 1, 1, 1},      {"UW", 2, false, false, 2, 2, -1},
    {"W", 2, false, true, 3, 3, -1},     {"UB", 1, false, false, 4, -1, -1},  {"B", 1, false, true, 5, -1, -1},
    {"DF", 8, true, true, 6, 10, 3},     {"F", 4, true, true, 7, 7, 0},       {"UQ", 8, false, false, 8, 8, -1},
    {"Q", 8, false, true, 9, 9, -1},     {"HF", 2, true, true, 10, 11, 4},    {"UV", 2, false, false, -1, 4, -1},
    {"V", 2, false, true, -1, 6, -1},    {"VF", 4, true, true, -1, 5, -1},    {"INVALID", 4, false, false, -1, -1, -1},
};

constexpr const RegTypeInfo& info(RegType type) { return reg_types[static_cast<unsigned>(type)]; }
constexpr unsigned size_of(RegType type) { return info(type).size; }
constexpr bool is_float(RegType type) { return info(type).is_float; }
constexpr bool is_signed(RegType type) { return info(type).is_signed; }
constexpr bool is_packed_vector(RegType type) {
  return type == RegType::uv || type == RegType::v || type == RegType::vf;
}

/// RegType::invalid for codes the hardware reserves.
RegType reg_type_from_code(unsigned code);
RegType imm_type_from_code(unsigned code);
RegType ternary_type_from_code(unsigned code);

/// The four floats of a VF immediate: 1 sign, 3 exponent (bias 3), 4 fraction bits (SKL PRM vol 7, "Packed Restricted Float").
float restricted_float(uint8_t bits);

}  // namespace softgen::eu
