// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/base/host_cpu.h"
#include "hw/sampler/lane_kernels.h"

namespace softgen::sampler {

extern const LaneKernels lane_kernels_baseline;
#ifdef SAMPLER_HAVE_X86
extern const LaneKernels lane_kernels_avx2, lane_kernels_avx512;
#endif

KernelSet<LaneKernels> all_lane_kernels() {
#ifdef SAMPLER_HAVE_X86
  return kernels_of_host<LaneKernels>(lane_kernels_baseline, &lane_kernels_avx2, &lane_kernels_avx512);
#else
  return kernels_of_host<LaneKernels>(lane_kernels_baseline, nullptr, nullptr);
#endif
}

const LaneKernels& lane_kernels() {
  static const LaneKernels& best = all_lane_kernels().best();
  return best;
}

}  // namespace softgen::sampler
