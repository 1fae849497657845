// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/base/host_cpu.h"
#include "hw/sampler/lane_kernels.h"

namespace softgen::sampler {

extern const LaneKernels lane_kernels_baseline;
#ifdef SAMPLER_HAVE_AVX2
extern const LaneKernels lane_kernels_avx2;
#endif

const LaneKernels& lane_kernels() {
#ifdef SAMPLER_HAVE_AVX2
  if (host_has_avx2_fma()) return lane_kernels_avx2;
#endif
  return lane_kernels_baseline;
}

const LaneKernels& baseline_lane_kernels() { return lane_kernels_baseline; }

}  // namespace softgen::sampler
