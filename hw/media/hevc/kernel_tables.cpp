// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/base/host_cpu.h"
#include "hw/media/hevc/sample_kernels.h"

namespace softgen::media::hevc {

extern const SampleKernels<uint8_t> byte_kernels_baseline;
extern const SampleKernels<uint16_t> word_kernels_baseline;
extern const TransformKernels transform_kernels_baseline;
#ifdef MEDIA_HAVE_X86
extern const SampleKernels<uint8_t> byte_kernels_avx2;
extern const SampleKernels<uint16_t> word_kernels_avx2;
extern const TransformKernels transform_kernels_avx2;
#endif

KernelSet<Kernels> all_kernels() {
  static const Kernels baseline{byte_kernels_baseline, word_kernels_baseline, transform_kernels_baseline};
#ifdef MEDIA_HAVE_X86
  static const Kernels avx2{byte_kernels_avx2, word_kernels_avx2, transform_kernels_avx2};
  return kernels_of_host<Kernels>(baseline, &avx2, nullptr);
#else
  return kernels_of_host<Kernels>(baseline, nullptr, nullptr);
#endif
}

const Kernels& kernels() {
  static const Kernels& best = all_kernels().best();
  return best;
}

}  // namespace softgen::media::hevc
