// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/surface/stream.h"

#include "hw/base/host_cpu.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace softgen::surface {

extern const StreamKernels stream_kernels_baseline;
#ifdef SURFACE_HAVE_X86
extern const StreamKernels stream_kernels_avx2;
#endif

KernelSet<StreamKernels> all_stream_kernels() {
#ifdef SURFACE_HAVE_X86
  return kernels_of_host<StreamKernels>(stream_kernels_baseline, &stream_kernels_avx2, nullptr);
#else
  return kernels_of_host<StreamKernels>(stream_kernels_baseline, nullptr, nullptr);
#endif
}

const StreamKernels& stream_kernels() {
  static const StreamKernels& best = all_stream_kernels().best();
  return best;
}

void stream_fence() {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

}  // namespace softgen::surface
