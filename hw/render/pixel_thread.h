// SPDX-License-Identifier: GPL-2.0-or-later
// A thread of the pixel shader, and what the parts of one worker share: windower, thread batch, payload writer and target writer.
#pragma once

#include <array>
#include <bit>
#include <optional>

#include "hw/base/denormals.h"
#include "hw/eu/program/series.h"
#include "hw/memory/view.h"
#include "hw/render/coarse_pixels.h"
#include "hw/render/pixel_draw.h"
#include "hw/render/setup.h"

namespace softgen::render {

/// Threads of a series.
constexpr unsigned max_threads = 64;

/// Quads gathered for one thread: pixel i is (i & 1, i >> 1 & 1) of quad i / 4. The pixels may be coarse ones.
struct PixelThread : eu::SeriesThread {
  struct Place {
    uint32_t x, y;
  };

  const PreparedObject* object = nullptr;
  unsigned pixels = 0;
  alignas(32) std::array<uint32_t, max_pixels / 4> quads;  ///< x | y << 16 of the upper left pixel
  uint32_t live = 0;                                       ///< pixels with samples left after the early tests
  uint32_t covered = 0;                                    ///< pixels with samples in the coverage that the shader sees
  bool by_sample = false;                                  ///< the samples of each pixel are listed; else there is one
  unsigned sample_id = 0;
  bool square = false;                      ///< 4x4 pixels at multiples of 4, all of them live
  uint32_t tested = 0;                      ///< pixels whose late tests are done
  uint32_t written = 0;                     ///< pixels covered by a render target message so far
  CoarseThread* coarse = nullptr;           ///< of coarse pixels: what their pixels have; null: they are pixels
  uint8_t log2_width = 0, log2_height = 0;  ///< of a coarse pixel
  // Last, as most threads do not have them.
  std::array<uint32_t, max_pixels> samples;   ///< of pixels, if `by_sample`: those left after the early tests
  std::array<uint32_t, max_pixels> coverage;  ///< those that the shader sees

  /// Of the upper left pixel.
  uint32_t x(unsigned pixel) const { return (quads[pixel / 4] & 0xffff) + ((pixel & 1) << log2_width); }
  uint32_t y(unsigned pixel) const { return (quads[pixel / 4] >> 16) + ((pixel >> 1 & 1) << log2_height); }
  /// Pixels of a coarse one, and the place of its `n`th, row after row.
  unsigned pixels_of_coarse() const { return 1u << (log2_width + log2_height); }
  Place place(unsigned pixel, unsigned n) const { return {x(pixel) + (n & ((1u << log2_width) - 1)), y(pixel) + (n >> log2_width)}; }
  double center_x(unsigned pixel) const { return x(pixel) + 0.5 * (1u << log2_width); }
  double center_y(unsigned pixel) const { return y(pixel) + 0.5 * (1u << log2_height); }
  uint32_t samples_of(unsigned pixel) const { return by_sample ? samples[pixel] : live >> pixel & 1; }
  uint32_t coverage_of(unsigned pixel) const { return by_sample ? coverage[pixel] : covered >> pixel & 1; }
};

/// Samples or pixels that a worker has counted since it last added them to its draw's statistics and to count_path().
struct PixelTally {
  /// Threads of `program`: started ones, or those that a fill replaces.
  void add_threads(uint64_t n, const eu::Program& program) {
    threads += n;
    alu += n * program.alu_instructions(), math += n * program.math_instructions();
  }

  uint64_t rasterized = 0;  ///< samples before all tests
  uint64_t depth = 0, invocations = 0;
  uint64_t threads = 0, alu = 0, math = 0;                 ///< pixel shader threads, and their instructions
  uint64_t killed = 0, failed_late = 0;                    ///< pixels discarded by the shader; samples that failed tests after it
  uint64_t written = 0, blended = 0;                       ///< samples in targets, without those that DirectAnswers count
  uint64_t filled = 0, copied = 0;                         ///< pixels written without a thread each: of uniform colour, and texels
  uint64_t tested_one_by_one = 0, written_one_by_one = 0;  ///< by the general code, not by kernels
};

/// One worker's own: its window on memory, and what all of its parts count and refer to.
struct PixelContext {
  PixelContext(HostMemory& memory, unsigned number) : view(memory, nullptr), slot(number) {}

  PixelThread& thread() const { return *static_cast<PixelThread*>(running); }

  memory::View view;
  const unsigned slot;                  ///< number of the host thread, for scratch space
  HeldControlWord* control = nullptr;   ///< of the host thread, while it draws a tile
  eu::SeriesThread* running = nullptr;  ///< the pixel thread that sends; valid while threads run
  PixelTally tally;
};

/// Most pixels have one sample; without POPCNT std::popcount() is a function call.
inline uint64_t count_samples(uint32_t samples) { return samples <= 1 ? samples : static_cast<uint64_t>(std::popcount(samples)); }

/// Depth and stencil tests of `samples` of a pixel, by the general code. `z`, `stencil`: what the shader computed, if it does. Returns the samples that
/// pass, and counts them.
uint32_t test_samples(PixelContext& context, const PixelDraw& draw, const PreparedObject& object, uint32_t x, uint32_t y, uint32_t samples,
                      std::optional<float> z = std::nullopt, std::optional<uint8_t> stencil = std::nullopt);

}  // namespace softgen::render
