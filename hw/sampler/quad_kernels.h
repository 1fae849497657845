// SPDX-License-Identifier: GPL-2.0-or-later
// The filter's arithmetic for four pixels at a time: texels of four 8-bit channels, nearest or linear, two coordinates. Built for the
// baseline and for AVX2, without contraction; repeats the bits of Filter.
#pragma once

#include <cstddef>
#include <cstdint>

namespace softgen::sampler {

enum class Wrap : uint8_t { wrap, mirror, clamp };

/// One coordinate of a level.
struct AxisKernel {
  Wrap mode = Wrap::wrap;
  bool rounded = false;     ///< to the nearest 1/256 texel, else down
  bool normalized = true;
  int32_t size = 1;
  int32_t offset = 0;       ///< texels
};
struct QuadAxis {
  int32_t low[4], high[4];  ///< texels; equal without linear filtering
  float weight[4];          ///< of high
};

struct DecodeKernel {
  bool bgra = false, alpha = true;
  const float* srgb = nullptr;  ///< null: unorm
};

struct QuadKernels {
  /// False: coordinates so large that 32 bits do not hold them.
  bool (*axis)(const AxisKernel& axis, bool linear, const float* coordinates, QuadAxis& out);
  /// Offsets of 32-bit texels from the base of a Y-tiled surface, for corners as linear() takes them. `x`, `y`: of the level's first texel.
  void (*y_tile)(const QuadAxis& across, const QuadAxis& down, uint32_t x, uint32_t y, uint32_t pitch, uint32_t (&out)[4][4]);
  /// `texels`: upper left, upper right, lower left, lower right; four lanes each. `out`: r, g, b, a.
  void (*linear)(const DecodeKernel& decode, const uint32_t (&texels)[4][4], const float* u_weight, const float* v_weight, float (&out)[4][4]);
  void (*nearest)(const DecodeKernel& decode, const uint32_t (&texels)[4], float (&out)[4][4]);
  /// a + (b - a) weight, in `a`.
  void (*mix)(float (&a)[4][4], const float (&b)[4][4], float weight);
};

const QuadKernels& quad_kernels();

}  // namespace softgen::sampler
