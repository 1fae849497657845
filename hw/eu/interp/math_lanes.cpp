// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/interp/math_lanes.h"

#include "hw/eu/interp/float_math.h"
#include "hw/eu/isa/opcodes.h"

namespace softgen::eu {

extern const Transcendentals math_kernels_baseline;
#ifdef EU_HAVE_AVX2
extern const Transcendentals math_kernels_avx2, math_kernels_avx512;
#endif

KernelSet<Transcendentals> all_transcendentals() {
#ifdef EU_HAVE_AVX2
  return kernels_of_host<Transcendentals>(math_kernels_baseline, &math_kernels_avx2, &math_kernels_avx512);
#else
  return kernels_of_host<Transcendentals>(math_kernels_baseline, nullptr, nullptr);
#endif
}

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
  const Transcendentals best = all_transcendentals().best();
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

bool has_math_lane(MathFunction function) {
  const auto index = static_cast<size_t>(function);
  return index < math_lanes().size() && math_lanes()[index];
}

}  // namespace softgen::eu
