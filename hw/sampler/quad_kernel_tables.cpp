// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/sampler/quad_kernels.h"

namespace softgen::sampler {

extern const QuadKernels quad_kernels_baseline;
#ifdef SAMPLER_HAVE_AVX2
extern const QuadKernels quad_kernels_avx2;
#endif

const QuadKernels& quad_kernels() {
#ifdef SAMPLER_HAVE_AVX2
  static const bool wide = __builtin_cpu_supports("avx2");
  if (wide) return quad_kernels_avx2;
#endif
  return quad_kernels_baseline;
}

}  // namespace softgen::sampler
