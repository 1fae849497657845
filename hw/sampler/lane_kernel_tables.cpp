// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/base/host_cpu.h"
#include "hw/sampler/lane_kernels.h"

namespace softgen::sampler {

extern const LaneKernels lane_kernels_baseline;
#ifdef SAMPLER_HAVE_X86
extern const LaneKernels lane_kernels_avx2, lane_kernels_avx512;
#endif

LaneKernelSet all_lane_kernels() {
  LaneKernelSet all{{&lane_kernels_baseline}, 1};
#ifdef SAMPLER_HAVE_X86
  if (host_has_avx2_fma()) all.tables[all.count++] = &lane_kernels_avx2;
  if (host_has_avx2_fma() && host_has_avx512()) all.tables[all.count++] = &lane_kernels_avx512;
#endif
  return all;
}

const LaneKernels& lane_kernels() {
  static const LaneKernels& best = [] () -> const LaneKernels& {
    const LaneKernelSet all = all_lane_kernels();
    return *all.tables[all.count - 1];
  }();
  return best;
}

}  // namespace softgen::sampler
