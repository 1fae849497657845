// SPDX-License-Identifier: GPL-2.0-or-later
// What comparison functions and stencil operations do (SKL PRM vol 7, "Depth and Stencil Test").
#pragma once

#include <cstdint>

#include "hw/defs/gen9/enums.h"

namespace softgen::render {

using Compare = defs::gen9::CompareFunction;
using StencilOp = defs::gen9::StencilOperation;

/// Of two numbers, true or false; of two of GCC's vectors, a vector of all ones where it holds. Always inlined: files that are compiled for
/// several instruction sets share it, and must not share its code.
template <typename T>
[[gnu::always_inline]] constexpr auto compare(Compare function, T a, T b) {
  using Result = decltype(a < b);
  switch (function) {
    case Compare::COMPAREFUNCTION_NEVER: return Result{};
    case Compare::COMPAREFUNCTION_LESS: return a < b;
    case Compare::COMPAREFUNCTION_EQUAL: return a == b;
    case Compare::COMPAREFUNCTION_LEQUAL: return a <= b;
    case Compare::COMPAREFUNCTION_GREATER: return a > b;
    case Compare::COMPAREFUNCTION_NOTEQUAL: return a != b;
    case Compare::COMPAREFUNCTION_GEQUAL: return a >= b;
    case Compare::COMPAREFUNCTION_ALWAYS: break;
  }
  return Result{} == Result{};
}

constexpr uint8_t apply(StencilOp op, uint8_t value, uint8_t reference) {
  switch (op) {
    case StencilOp::STENCILOP_KEEP: return value;
    case StencilOp::STENCILOP_ZERO: return 0;
    case StencilOp::STENCILOP_REPLACE: return reference;
    case StencilOp::STENCILOP_INCRSAT: return value == 255 ? 255 : static_cast<uint8_t>(value + 1);
    case StencilOp::STENCILOP_DECRSAT: return value == 0 ? 0 : static_cast<uint8_t>(value - 1);
    case StencilOp::STENCILOP_INCR: return static_cast<uint8_t>(value + 1);
    case StencilOp::STENCILOP_DECR: return static_cast<uint8_t>(value - 1);
    case StencilOp::STENCILOP_INVERT: return static_cast<uint8_t>(~value);
  }
  return value;
}

}  // namespace softgen::render
