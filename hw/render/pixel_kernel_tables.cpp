// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/base/host_cpu.h"
#include "hw/render/pixel_kernels.h"

namespace softgen::render {

extern const PixelKernels pixel_kernels_baseline;
#ifdef RENDER_HAVE_X86
extern const PixelKernels pixel_kernels_avx2, pixel_kernels_avx512;
#endif

PixelKernelSet all_pixel_kernels() {
  PixelKernelSet all{{&pixel_kernels_baseline}, 1};
#ifdef RENDER_HAVE_X86
  if (host_has_avx2_fma()) all.tables[all.count++] = &pixel_kernels_avx2;
  if (host_has_avx2_fma() && host_has_avx512()) all.tables[all.count++] = &pixel_kernels_avx512;
#endif
  return all;
}

const PixelKernels& pixel_kernels() {
  static const PixelKernels& best = []() -> const PixelKernels& {
    const PixelKernelSet all = all_pixel_kernels();
    return *all.tables[all.count - 1];
  }();
  return best;
}

}  // namespace softgen::render
