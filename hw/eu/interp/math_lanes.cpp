// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/interp/math_lanes.h"

#include "hw/eu/interp/float_math.h"
#include "hw/eu/isa/opcodes.h"

namespace softgen::eu {

namespace {

template <float (*function)(float)>
void each(float* r, const float* a, const float*) {
  for (unsigned n = 0; n < 8; n++) r[n] = function(a[n]);
}
template <float (*function)(float, float)>
void each(float* r, const float* a, const float* b) {
  for (unsigned n = 0; n < 8; n++) r[n] = function(a[n], b[n]);
}

MathLanes make() {
  MathLanes table{};
  const auto at = [&](MathFunction f) -> auto& { return table[static_cast<unsigned>(f)]; };
  at(MathFunction::inv) = each<math_inv>;
  at(MathFunction::log) = each<math_log>;
  at(MathFunction::exp) = each<math_exp>;
  at(MathFunction::sqrt) = each<math_sqrt>;
  at(MathFunction::rsq) = each<math_rsq>;
  at(MathFunction::sin) = each<math_sin>;
  at(MathFunction::cos) = each<math_cos>;
  at(MathFunction::fdiv) = each<math_fdiv>;
  at(MathFunction::pow) = each<math_pow>;
  return table;
}

}  // namespace

const MathLanes& math_lanes() {
  static const MathLanes table = make();
  return table;
}

}  // namespace softgen::eu
