// SPDX-License-Identifier: GPL-2.0-or-later
// Vector code for geometry: fetched dwords of eight vertices; screen positions and clip flags of four vertices, once per vertex and not per triangle; planes
// of four triangles. Compiled per instruction set like pixel_kernels.h.
#pragma once

#include <cstddef>
#include <cstdint>

namespace softgen {
template <typename Table>
struct KernelSet;  // hw/base/host_cpu.h
}

namespace softgen::render {

// Beyond this, subpixel arithmetic would overflow; the guard band keeps real clients far inside.
constexpr double screen_limit = 1 << 17;
// With a smaller W the division would overflow.
constexpr double min_w = 1e-20;

/// How positions are transformed: division by W, viewport transform, and the planes of the clipper.
struct PlaceRules {
  bool divide = true, transform = true;
  double m00 = 1, m11 = 1, m22 = 1, m30 = 0, m31 = 0, m32 = 0;  ///< SF_CLIP_VIEWPORT's matrix
  bool clip = false, xy_clip = false, z_near_clip = false, z_far_clip = false, d3d = false;
  double x0 = -1, x1 = 1, y0 = -1, y1 = 1;  ///< clip planes: the guard band's, or the viewport's
};

/// Homogeneous coordinates: x, y and z on the screen, times w.
struct ScreenRow {
  double x, y, z, w;
};

struct PlacedVertex {
  static constexpr uint32_t no_number = 1u << 31;
  ScreenRow row;
  double x, y;       ///< pixels
  int32_t fx, fy;    ///< subpixels
  uint32_t outside;  ///< a bit per clipper plane that the vertex is outside of; no_number: it has a NaN
  uint32_t unused;
};

/// Min and max of values; without any UINT32_MAX and 0.
struct Extremes {
  uint32_t low, high;
};

/// By its vertices.
struct TriangleRows {
  const ScreenRow* rows[3];
};

/// a, b, c each, as the members of PreparedObject with these names.
struct alignas(32) TrianglePlanes {
  double perspective[2][3], one_over_w[3], z[3];
  bool valid;  ///< else the matrix of the vertices has no inverse, and the planes are of no use
};

struct SetupKernels {
  /// The first four dwords at eight places: dword n of place i to `out`[8 n + i], which is aligned to 32 bytes.
  void (*dwords)(const std::byte* const* at, uint32_t* out);
  Extremes (*extremes)(const uint32_t* values, size_t count);
  /// `positions`: of `count` vertices, four floats each.
  void (*place)(const PlaceRules& rules, const float* const* positions, size_t count, PlacedVertex* out);
  /// Of one to four triangles.
  void (*planes)(const TriangleRows* triangles, size_t count, TrianglePlanes* out);
};

/// The best kernels of this host, and all that run on it (the best last).
const SetupKernels& setup_kernels();
KernelSet<SetupKernels> all_setup_kernels();

}  // namespace softgen::render
