// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/base/host_cpu.h"
#include "hw/render/pixel_kernels.h"
#include "hw/render/setup_kernels.h"

namespace softgen::render {

extern const PixelKernels pixel_kernels_baseline;
extern const SetupKernels setup_kernels_baseline;
#ifdef RENDER_HAVE_X86
extern const PixelKernels pixel_kernels_avx2, pixel_kernels_avx512;
extern const SetupKernels setup_kernels_avx2, setup_kernels_avx512;
#endif

KernelSet<PixelKernels> all_pixel_kernels() {
#ifdef RENDER_HAVE_X86
  return kernels_of_host<PixelKernels>(pixel_kernels_baseline, &pixel_kernels_avx2, &pixel_kernels_avx512);
#else
  return kernels_of_host<PixelKernels>(pixel_kernels_baseline, nullptr, nullptr);
#endif
}

const PixelKernels& pixel_kernels() {
  static const PixelKernels& best = all_pixel_kernels().best();
  return best;
}

KernelSet<SetupKernels> all_setup_kernels() {
#ifdef RENDER_HAVE_X86
  return kernels_of_host<SetupKernels>(setup_kernels_baseline, &setup_kernels_avx2, &setup_kernels_avx512);
#else
  return kernels_of_host<SetupKernels>(setup_kernels_baseline, nullptr, nullptr);
#endif
}

const SetupKernels& setup_kernels() {
  static const SetupKernels& best = all_setup_kernels().best();
  return best;
}

}  // namespace softgen::render
