// SPDX-License-Identifier: GPL-2.0-or-later
// Vertices on their way to the screen, four at a time: what each of a vertex' triangles asks for, found once. Built as pixel_kernels.h is.
#pragma once

#include <cstddef>
#include <cstdint>

namespace softgen {
template <typename Table>
struct KernelSet;  // hw/base/host_cpu.h
}

namespace softgen::render {

// Beyond it subpixel arithmetic has no room; the guard band keeps real clients far inside.
constexpr double screen_limit = 1 << 17;
// Vertices this near to the eye plane would overflow the divide.
constexpr double min_w = 1e-20;

/// How positions become places: division by W, viewport transform, and the planes of the clipper.
struct PlaceRules {
  bool divide = true, transform = true;
  double m00 = 1, m11 = 1, m22 = 1, m30 = 0, m31 = 0, m32 = 0;  ///< SF_CLIP_VIEWPORT's matrix
  bool clip = false, xy_clip = false, z_near_clip = false, z_far_clip = false, d3d = false;
  double x0 = -1, x1 = 1, y0 = -1, y1 = 1;  ///< of the guard band, or the viewport
};

/// Homogeneous: x, y and z on the screen, times w.
struct ScreenRow {
  double x, y, z, w;
};

struct PlacedVertex {
  static constexpr uint32_t no_number = 1u << 31;
  ScreenRow row;
  double x, y;       ///< pixels
  int32_t fx, fy;    ///< subpixels
  uint32_t outside;  ///< a bit a plane of the clipper that it is outside of; no_number: it has a NaN
  uint32_t unused;
};

struct SetupKernels {
  /// `positions`: of `count` vertices, four floats each.
  void (*place)(const PlaceRules& rules, const float* const* positions, size_t count, PlacedVertex* out);
};

/// The best that this host runs, and all that it does, the best last.
const SetupKernels& setup_kernels();
KernelSet<SetupKernels> all_setup_kernels();

}  // namespace softgen::render
