// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/interp/math_lanes.h"

#include "hw/eu/interp/float_math.h"
#include "hw/base/host_cpu.h"
#include "hw/eu/isa/opcodes.h"

namespace softgen::eu {

extern const Transcendentals math_kernels_baseline;
#ifdef EU_HAVE_AVX2
extern const Transcendentals math_kernels_avx2;
#endif

const Transcendentals& transcendentals() {
#ifdef EU_HAVE_AVX2
  if (host_has_avx2_fma()) return math_kernels_avx2;
#endif
  return math_kernels_baseline;
}
const Transcendentals& baseline_transcendentals() { return math_kernels_baseline; }

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
  const Transcendentals& best = transcendentals();
  at(MathFunction::inv) = each<math_inv>;
  at(MathFunction::log) = best.log;
  at(MathFunction::exp) = best.exp;
  at(MathFunction::sqrt) = each<math_sqrt>;
  at(MathFunction::rsq) = each<math_rsq>;
  at(MathFunction::sin) = best.sin;
  at(MathFunction::cos) = best.cos;
  at(MathFunction::fdiv) = each<math_fdiv>;
  at(MathFunction::pow) = best.pow;
  return table;
}

}  // namespace

const MathLanes& math_lanes() {
  static const MathLanes table = make();
  return table;
}

}  // namespace softgen::eu
