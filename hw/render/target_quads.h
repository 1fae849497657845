// SPDX-License-Identifier: GPL-2.0-or-later
// The colours of a thread's quads written to a target, eight pixels at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hw/render/output_merger.h"
#include "hw/render/pixel_kernels.h"

namespace softgen::render {

/// Population count of eight bits.
constexpr uint32_t count_of_eight(uint32_t bits) { return (bits * 0x08040201u >> 3 & 0x11111111u) * 0x11111111u >> 28; }

/// Pixels of a thread that are written: `live`, all of them among the `count` from `first` on (multiples of eight).
struct WrittenQuads {
  const uint32_t* quads;  ///< x | y << 16 each
  uint32_t live;
  unsigned first, count;
  bool replicated;  ///< one colour for all
};

/// For targets of color_kernel(). `rows_of`(x, y, rows): as RenderTarget::quad_rows(). `source`(lane, pixels) sets the colours of the eight pixels from
/// `first` + lane on. Returns how many of the pixels are within the target.
template <typename Rows, typename Source>
uint32_t write_quads(const PixelKernels& kernels, const ColorKernel& kernel, const RenderTarget& rt, const WrittenQuads& what,
                     Rows&& rows_of, Source&& source) {
  uint32_t written = 0;
  for (unsigned lane = 0; lane < what.count; lane += 8) {
    ColorPixels pixels;
    pixels.lanes = what.live >> (what.first + lane) & 0xff;
    pixels.replicated = what.replicated;
    // Linear targets may be buffers that a CPU writes to at the same time.
    pixels.owns_rows = rt.surface.tiling != surface::Tiling::linear;
    const uint32_t one = what.quads[(what.first + lane) / 4], other = what.quads[(what.first + lane) / 4 + 1];
    const uint32_t x = one & 0xffff, y = one >> 16;
    const bool pair = x % 4 == 0 && other == one + 2 && x + 3 < rt.level->extent().width;
    uint32_t there = 0;
    if (pair || pixels.lanes & 15) there = rows_of(x, y, pixels.rows);
    if (pair) {
      if (!there) continue;  // below the level: there are no rows
      // Levels and slices start at multiples of four elements in a row, and four pixels of 4 bytes are contiguous in all tilings of color_kernel().
      there |= there << 4;
      pixels.rows[2] = pixels.rows[0] + 8, pixels.rows[3] = pixels.rows[1] + 8;
    } else if (pixels.lanes & 0xf0) {
      there |= rows_of(other & 0xffff, other >> 16, pixels.rows + 2) << 4;
    }
    pixels.lanes &= there;
    pixels.pair = pair && pixels.lanes == 0xff;
    if (!pixels.lanes) continue;
    written += count_of_eight(pixels.lanes);
    source(lane, pixels);
    kernels.write_color(kernel, pixels);
  }
  return written;
}

/// What a write of one colour stores in each pixel. `kernel`: neither blends nor keeps bits.
inline uint32_t stored_color(const PixelKernels& kernels, const ColorKernel& kernel, const std::array<float, 4>& color) {
  std::array<std::byte, 32> quads;
  ColorPixels pixels{.source = {}, .source1 = {}, .replicated = true, .lanes = 1, .rows = {&quads[0], &quads[8], &quads[16], &quads[24]}};
  for (unsigned c = 0; c < 4; ++c) pixels.source[c] = &color[c];
  kernels.write_color(kernel, pixels);
  uint32_t word;
  std::memcpy(&word, quads.data(), sizeof word);
  return word;
}

}  // namespace softgen::render
