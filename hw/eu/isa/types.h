// SPDX-License-Identifier: GPL-2.0-or-later
// Operand types of instructions (SKL PRM vol 7, "Numeric Data Types").
#pragma once

#include <cstdint>
#include <string_view>

namespace softgen::eu {

enum class RegType : uint8_t { ud, d, uw, w, ub, b, df, f, uq, q, hf, uv, v, vf, nf, invalid };

enum class RegFile : uint8_t { arf = 0, grf = 1, reserved = 2, imm = 3 };

/// One row per RegType: `size` bytes an element (packed vectors: of the element they expand to; nf, the native float of accumulators: as kept here).
struct RegTypeInfo {
  std::string_view name;
  uint8_t size;
  bool is_float, is_signed;
};

inline constexpr RegTypeInfo reg_types[] = {
    {"UD", 4, false, false}, {"D", 4, false, true}, {"UW", 2, false, false}, {"W", 2, false, true},
    {"UB", 1, false, false}, {"B", 1, false, true}, {"DF", 8, true, true},   {"F", 4, true, true},
    {"UQ", 8, false, false}, {"Q", 8, false, true}, {"HF", 2, true, true},   {"UV", 2, false, false},
    {"V", 2, false, true},   {"VF", 4, true, true}, {"NF", 8, true, true},   {"INVALID", 4, false, false},
};

constexpr const RegTypeInfo& info(RegType type) { return reg_types[static_cast<unsigned>(type)]; }
constexpr unsigned size_of(RegType type) { return info(type).size; }
constexpr bool is_float(RegType type) { return info(type).is_float; }
constexpr bool is_signed(RegType type) { return info(type).is_signed; }
constexpr bool is_packed_vector(RegType type) { return type == RegType::uv || type == RegType::v || type == RegType::vf; }

/// The four floats of a VF immediate: 1 sign, 3 exponent (bias 3), 4 fraction bits (SKL PRM vol 7, "Packed Restricted Float").
float restricted_float(uint8_t bits);

}  // namespace softgen::eu
