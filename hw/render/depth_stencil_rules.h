// SPDX-License-Identifier: GPL-2.0-or-later
// What comparison functions and stencil operations do (SKL PRM vol 7, "Depth and Stencil Test").
#pragma once

#include <cstdint>

#include "hw/render/state_enums.h"

namespace softgen::render {

using Compare = CompareFunction;
using StencilOp = StencilOperation;

/// Of two numbers, true or false; of two of GCC's vectors, a vector of all ones where it holds. Always inlined: files that are compiled for
/// several instruction sets share it, and must not share its code.
template <typename T>
[[gnu::always_inline]] constexpr auto compare(Compare function, T a, T b) {
  using Result = decltype(a < b);
  switch (function) {
    case Compare::never: return Result{};
    case Compare::less: return a < b;
    case Compare::equal: return a == b;
    case Compare::less_equal: return a <= b;
    case Compare::greater: return a > b;
    case Compare::not_equal: return a != b;
    case Compare::greater_equal: return a >= b;
    case Compare::always: break;
  }
  return Result{} == Result{};
}

constexpr uint8_t apply(StencilOp op, uint8_t value, uint8_t reference) {
  switch (op) {
    case StencilOp::keep: return value;
    case StencilOp::zero: return 0;
    case StencilOp::replace: return reference;
    case StencilOp::increment_saturate: return value == 255 ? 255 : static_cast<uint8_t>(value + 1);
    case StencilOp::decrement_saturate: return value == 0 ? 0 : static_cast<uint8_t>(value - 1);
    case StencilOp::increment: return static_cast<uint8_t>(value + 1);
    case StencilOp::decrement: return static_cast<uint8_t>(value - 1);
    case StencilOp::invert: return static_cast<uint8_t>(~value);
  }
  return value;
}

}  // namespace softgen::render
