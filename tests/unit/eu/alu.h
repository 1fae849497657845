// SPDX-License-Identifier: GPL-2.0-or-later
// One instruction on values worked out by hand.
#pragma once

#include "tests/catch.h"
#include "tests/unit/eu/harness.h"

namespace softgen::eu::test {

inline constexpr RegType F = RegType::f, D = RegType::d, UD = RegType::ud, W = RegType::w, UW = RegType::uw, UB = RegType::ub,
                         B = RegType::b, DF = RegType::df, HF = RegType::hf, Q = RegType::q, UQ = RegType::uq;

/// g10 = op(g1.0, g2.0, g3.0) on one channel, as the types say.
template <typename R, typename A>
R one(Opcode opcode, RegType dst, RegType src, A a, A b = A(), A c = A(), void (*change)(Instruction&) = nullptr) {
  Machine m;
  Instruction i = op(opcode, 1, scalar(10, dst), scalar(1, src), scalar(2, src), scalar(3, src));
  if (i.info()->form == Form::ternary) {
    i.dst.vstride = 0;
    for (Operand& o : i.src) o.replicate = true;
  }
  if (i.info()->sources == 1) i.src[1] = null();
  if (change) change(i);
  m.load({i}, 1);
  m.set(1, 0, a);
  m.set(2, 0, b);
  m.set(3, 0, c);
  REQUIRE(m.run() == RunResult::finished);
  return m.get<R>(10);
}

}  // namespace softgen::eu::test
