// SPDX-License-Identifier: GPL-2.0-or-later
// Vector code for the inner loops of the pixel stage, eight or sixteen pixels at a time: coverage of a block, depth tests, interpolation,
// writes of 8-bit colours. Compiled for the baseline, AVX2 and AVX-512, without contraction, so that all hosts give the same bits. The
// general code does the other cases; the results are exactly the same.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace softgen {
template <typename Table>
struct KernelSet;  // hw/base/host_cpu.h
}

namespace softgen::render {

/// An edge function over a block of 8x8 sample positions one pixel apart: corner + a x + b y; covered where it is not negative. All values
/// in the block fit into 32 bits.
struct BlockEdge {
  int32_t corner, a, b;
};

/// Depth of 4x4 pixels. Their rows are 16 bytes apart, as in a column of a Y tile.
struct DepthKernel {
  double a, b, c, bias, low, high;  ///< plane over sample positions, viewport's range
  uint8_t function = 0;             ///< CompareFunction
  enum class Stored : uint8_t { unorm24, unorm16, float32 };
  Stored stored = Stored::unorm24;
  bool test = false, write = false;
};

/// Writes to targets of 32 bits per pixel: four 8-bit unorm channels or, without blending, four 8-bit integers or one dword.
struct ColorKernel {
  enum class Stored : uint8_t { unorm8, uint8, word };
  Stored stored = Stored::unorm8;
  std::array<uint8_t, 4> shift{};  ///< of r, g, b, a
  bool alpha_stored = true;        ///< else alpha reads as 1 and is not written
  bool srgb = false;
  bool blending = false;
  bool added = false;     ///< the common form of blending: see is_added() in color_kernel.cpp
  bool by_alpha = false;  ///< the factors are the same for red, green and blue
  bool alpha_to_one = false;
  bool clamp_before = false, clamp_after = false;
  float clamp_low = 0;                                                       ///< lower bound; the upper one is 1
  uint32_t keep = 0;                                                         ///< bits of the pixel that are not written
  std::array<uint8_t, 4> source_factor{}, destination_factor{}, function{};  ///< per channel: BlendFactor and BlendFunction
  std::array<float, 4> constant{};

  /// Four 8-bit unorm channels without further processing.
  bool plain() const { return stored == Stored::unorm8 && !blending && !keep && !srgb && !alpha_to_one; }
  /// Whether ColorCodes can say it.
  bool has_codes() const { return plain() || (added && by_alpha && clamp_before && clamp_low == 0); }
};
/// Two quads: pixels 0 and 1 are row 0 of the first quad, 2 and 3 its row 1; then those of the second.
struct ColorPixels {
  const float* source[4];
  const float* source1[4];  ///< second source; null: none
  bool replicated = false;  ///< source has one value for all pixels
  uint32_t lanes;           ///< mask of pixels to write
  bool pair = false;        ///< all are written, and the second quad is to the right of the first
  bool owns_rows = false;   ///< pixels of `rows` that are not written belong to the target, too, and may be stored with the value they have
  std::byte* rows[4];       ///< two pixels each; unused for quads without pixels
};

/// 4x4 pixels, all of them written; the 16 bytes of a row are adjacent.
struct ColorSquare {
  const float* source[2][4];  ///< by channel, of the two upper quads, then of the lower ones
  std::byte* at;
  uint32_t row;  ///< bytes from row to row
};

/// i and j barycentrics at positions in multiples of 1/256 pixel; W is 1 / one_over_w, or 1 if that is null.
struct Planes {
  const double *i, *j, *one_over_w;  ///< a, b, c each
};

/// Values at pixel centres, in the payload's order: barycentrics by mode, depth, W. All but depth are computed in floats: the plane's value
/// at the corner of the 4x4 pixels at multiples of four, rounded to a float, plus (a x + b y) from there; multiplied by W, the reciprocal
/// of the interpolated 1 / W.
struct CenterPlanes {
  using Plane = std::array<double, 3>;  ///< a, b, c
  uint32_t modes = 0;                   ///< Barycentric Interpolation Mode: three with perspective, three without
  bool depth = false, w = false;
  std::array<Plane, 2> perspective{}, linear{};
  Plane one_over_w{}, z{};
  double bias, low, high;  ///< of depth
  unsigned registers(size_t quads) const {
    return static_cast<unsigned>((2 * static_cast<size_t>(std::popcount(modes)) + depth + w) * quads / 2);
  }
};

struct CenterThread {
  const uint32_t* quads;  ///< x | y << 16 each
  float* out;             ///< CenterPlanes::registers() registers of eight floats; barycentrics: i of two quads, then j of them, and so on
};

/// Squares of 4x4 pixels, each so many bytes after the one before.
struct SquareCorners {
  const uint32_t* at;  ///< x | y << 16 of the first
  float* out;          ///< four floats
  size_t apart, count;
};

struct PixelKernels {
  /// Covered pixels of four edges at most: bit 8 y + x.
  uint64_t (*coverage)(const BlockEdge* edges, size_t count);
  /// Returns the pixels of `mask` (bit 4 y + x) that pass, and their new values. `x` and `y`: the upper left sample position.
  uint32_t (*depth_test)(const DepthKernel& depth, double x, double y, const std::byte* old, uint32_t mask, uint32_t* values);
  void (*depth_write)(const DepthKernel& depth, std::byte* at, uint32_t mask, const uint32_t* values);
  /// Test and write of 8x8 pixels (bit 8 y + x) of a Y tile in one page. `x` and `y`: the upper left sample position. Returns those that
  /// pass.
  uint64_t (*depth_block)(const DepthKernel& depth, double x, double y, std::byte* at, uint64_t mask);
  void (*interpolate)(const Planes& planes, const double* x, const double* y, size_t count, float* i, float* j);
  /// Values at the pixel centres of `quads` quads per thread, an even number.
  void (*center_planes)(const CenterPlanes& planes, const CenterThread* threads, size_t count, size_t quads);
  /// The increments of 1/W, i and j (with perspective) of a square's pixels from its corner, quad by quad.
  void (*square_steps)(const CenterPlanes& planes, float (*steps)[16]);
  /// The values of these planes at the corners of squares.
  void (*square_corners)(const CenterPlanes& planes, const SquareCorners& squares);
  void (*write_color)(const ColorKernel& color, const ColorPixels& pixels);
  void (*write_square)(const ColorKernel& color, const ColorSquare& square);
  /// surface::pair_compresses().
  bool (*pair_compresses)(const std::byte* line, const std::byte* other, unsigned element);
};

/// The best kernels of this host, and all that run on it (the best last).
const PixelKernels& pixel_kernels();
KernelSet<PixelKernels> all_pixel_kernels();

/// The mask of the 4x4 pixels at (x, y) in a block of 8x8: bit 4 y + x.
constexpr uint32_t part_mask(uint64_t block, unsigned x, unsigned y) {
  const auto rows = static_cast<uint32_t>(block >> (8 * y + x)) & 0x0f0f0f0fu;
  return (rows & 0xf) | (rows >> 4 & 0xf0) | (rows >> 8 & 0xf00) | (rows >> 12 & 0xf000);
}

/// The inverse of part_mask().
constexpr uint64_t block_mask(uint32_t mask, unsigned x, unsigned y) {
  const uint32_t rows = (mask & 0xf) | (mask & 0xf0) << 4 | (mask & 0xf00) << 8 | (mask & 0xf000) << 12;
  return uint64_t{rows} << (8 * y + x);
}

/// Bytes between columns of a Y tile, which are 16 bytes wide and 32 rows high.
constexpr size_t depth_column = 512;

}  // namespace softgen::render
