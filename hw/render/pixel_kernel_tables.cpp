// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/base/host_cpu.h"
#include "hw/render/pixel_kernels.h"

namespace softgen::render {

extern const PixelKernels pixel_kernels_baseline;
#ifdef RENDER_HAVE_AVX2
extern const PixelKernels pixel_kernels_avx2;
#endif

const PixelKernels& pixel_kernels() {
#ifdef RENDER_HAVE_AVX2
  if (host_has_avx2_fma()) return pixel_kernels_avx2;
#endif
  return pixel_kernels_baseline;
}

}  // namespace softgen::render
