// SPDX-License-Identifier: GPL-2.0-or-later
// The inner loops of the pixel stage, eight or sixteen pixels at a time: coverage of a block, depth tests, interpolation, writes of 8-bit
// colour. Built for the baseline, AVX2 and AVX-512 (no contraction in any), so that all hosts have the same bits. What they do not do is left
// to the general code, whose results they repeat exactly.
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

/// An edge's function over a block of 8x8 sample places one pixel apart: corner + a x + b y, covered where it is not negative. All values
/// within the block fit into 32 bits.
struct BlockEdge {
  int32_t corner, a, b;
};

/// Depth of 4x4 pixels. Their rows are 16 bytes apart, as in a column of a Y tile.
struct DepthKernel {
  double a, b, c, bias, low, high;  ///< plane over sample places, viewport's range
  uint8_t function = 0;             ///< CompareFunction
  enum class Stored : uint8_t { unorm24, unorm16, float32 };
  Stored stored = Stored::unorm24;
  bool test = false, write = false;
};

/// Writes to targets of 32 bits a pixel: four 8-bit unorm channels, and without blending four 8-bit integers or one word.
struct ColorKernel {
  enum class Stored : uint8_t { unorm8, uint8, word };
  Stored stored = Stored::unorm8;
  std::array<uint8_t, 4> shift{};  ///< of r, g, b, a
  bool alpha_stored = true;        ///< else it reads one and is not written
  bool srgb = false;
  bool blending = false;
  bool added = false;  ///< blending that is what most draws ask for: see color_kernel.cpp
  bool alpha_to_one = false;
  bool clamp_before = false, clamp_after = false;
  float clamp_low = 0;                                                       ///< to 1
  uint32_t keep = 0;                                                         ///< bits of the pixel that are not written
  std::array<uint8_t, 4> source_factor{}, destination_factor{}, function{};  ///< per channel: BlendFactor and BlendFunction
  std::array<float, 4> constant{};

  /// Four 8-bit channels as they come.
  bool plain() const { return stored == Stored::unorm8 && !blending && !keep && !srgb && !alpha_to_one; }
};
/// Two quads: pixels 0, 1 side by side in row 0 of the first, 2, 3 in row 1; then the other quad's.
struct ColorPixels {
  const float* source[4];
  const float* source1[4];  ///< null: there is none
  bool replicated = false;  ///< one value for all in source
  uint32_t lanes;           ///< pixels written
  bool pair = false;        ///< all of them, and the second quad is to the right of the first
  std::byte* rows[4];       ///< of quads with a lane: two pixels each
};

/// 4x4 pixels, all of them written; of each row 16 bytes are adjacent.
struct ColorSquare {
  const float* source[2][4];  ///< of the two upper quads, then of the lower ones, a channel each
  std::byte* at;
  uint32_t row;  ///< bytes from row to row
};

/// i and j barycentrics at places that are multiples of 1/256 pixel; w is 1 / one_over_w, or 1 where that is null.
struct Planes {
  const double *i, *j, *one_over_w;  ///< a, b, c each
};

/// What payloads say of their pixels' centres, in the payload's order: barycentrics for each mode, depth, W. All but depth are floats, from the plane's
/// value at the corner of the 4x4 pixels at multiples of four: that, rounded to a float, plus (a x + b y) from there, all in floats; divided by
/// 1 / W by one reciprocal.
struct CenterPlanes {
  using Plane = std::array<double, 3>;  ///< a, b, c
  uint32_t modes = 0;                   ///< Barycentric Interpolation Mode: three with perspective, three without
  bool depth = false, w = false;
  std::array<Plane, 2> perspective, linear;
  Plane one_over_w, z;
  double bias, low, high;  ///< of depth
  unsigned registers(size_t quads) const {
    return static_cast<unsigned>((2 * static_cast<size_t>(std::popcount(modes)) + depth + w) * quads / 2);
  }
};

struct CenterThread {
  const uint32_t* quads;  ///< x | y << 16 each
  float* out;  ///< eight floats a register, CenterPlanes::registers() of them; barycentrics are i of two quads, then their j, and so on
};

struct PixelKernels {
  /// Bit 8 y + x.
  uint64_t (*coverage)(const BlockEdge* edges, size_t count);
  /// Which of the pixels in `mask` (bit 4 y + x) pass; `x` and `y`: of the upper left sample place. Their new values are in `values`.
  uint32_t (*depth_test)(const DepthKernel& depth, double x, double y, const std::byte* old, uint32_t mask, uint32_t* values);
  void (*depth_write)(const DepthKernel& depth, std::byte* at, uint32_t mask, const uint32_t* values);
  /// Both, for 8x8 pixels (bit 8 y + x) of a Y tile that are in one page; `x` and `y`: of the upper left sample place. Which ones pass.
  uint64_t (*depth_block)(const DepthKernel& depth, double x, double y, std::byte* at, uint64_t mask);
  void (*interpolate)(const Planes& planes, const double* x, const double* y, size_t count, float* i, float* j);
  /// At the centres of the pixels of `quads` quads a thread, an even number.
  void (*center_planes)(const CenterPlanes& planes, const CenterThread* threads, size_t count, size_t quads);
  void (*write_color)(const ColorKernel& color, const ColorPixels& pixels);
  void (*write_square)(const ColorKernel& color, const ColorSquare& square);
  /// surface::pair_compresses().
  bool (*pair_compresses)(const std::byte* line, const std::byte* other, unsigned element);
};

/// The best that this host runs, and all that it does, the best last.
const PixelKernels& pixel_kernels();
KernelSet<PixelKernels> all_pixel_kernels();

/// The 4x4 pixels at (x, y) of a block's 8x8: bit 4 y + x.
constexpr uint32_t part_mask(uint64_t block, unsigned x, unsigned y) {
  const auto rows = static_cast<uint32_t>(block >> (8 * y + x)) & 0x0f0f0f0fu;
  return (rows & 0xf) | (rows >> 4 & 0xf0) | (rows >> 8 & 0xf00) | (rows >> 12 & 0xf000);
}

/// And back.
constexpr uint64_t block_mask(uint32_t mask, unsigned x, unsigned y) {
  const uint32_t rows = (mask & 0xf) | (mask & 0xf0) << 4 | (mask & 0xf00) << 8 | (mask & 0xf000) << 12;
  return uint64_t{rows} << (8 * y + x);
}

/// Bytes between columns of a Y tile, which are 16 bytes wide and 32 rows high.
constexpr size_t depth_column = 512;

}  // namespace softgen::render
