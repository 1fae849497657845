// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/pixel_kernels.h"
#include "hw/surface/format.h"

namespace softgen::render {

extern const PixelKernels pixel_kernels_baseline;
#ifdef RENDER_HAVE_AVX2
extern const PixelKernels pixel_kernels_avx2;
#endif

const PixelKernels& pixel_kernels() {
#ifdef RENDER_HAVE_AVX2
  static const bool wide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (wide) return pixel_kernels_avx2;
#endif
  return pixel_kernels_baseline;
}

const std::array<std::array<float, 256>, 2>& code_values() {
  static const auto tables = [] {
    std::array<std::array<float, 256>, 2> t;
    for (unsigned i = 0; i < 256; ++i) t[0][i] = surface::unorm_to_float(i, 8), t[1][i] = surface::srgb8_to_linear(static_cast<uint8_t>(i));
    return t;
  }();
  return tables;
}

}  // namespace softgen::render
