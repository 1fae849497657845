// SPDX-License-Identifier: GPL-2.0-or-later
// Covered pixels of an object in a tile: stipples and early tests, then threads of what is left (SKL PRM vol 7, "Windower").
#pragma once

#include <optional>

#include "hw/render/pixel_kernels.h"
#include "hw/render/raster.h"
#include "hw/render/texel_copy.h"
#include "hw/render/thread_batch.h"

namespace softgen::render {

class ThreadCount;

class Windower {
 public:
  Windower(PixelContext& context, ThreadBatch& threads, TargetWriter& targets) : context_(context), threads_(threads), targets_(targets) {}

  /// What follows is of this draw.
  void begin(PixelDraw& draw);
  /// Draws the part of `object` that is in `tile`; its threads may be left to run.
  void draw(const PreparedObject& object, const PixelRect& tile);

 private:
  bool draw_part(const Coverage& part, const PixelRect& tile);
  bool draw_small(SmallPart& part);
  bool draw_block(uint32_t x, uint32_t y, uint64_t covered);
  bool draw_run(uint32_t x, uint32_t y, uint32_t count);
  uint64_t live_pixels(uint32_t x, uint32_t y, uint64_t covered);
  void add_block(uint32_t x, uint32_t y, uint64_t live, uint64_t covered);
  /// Early tests of a block with one sample per pixel. Returns the pixels that pass. `count`: of `covered`; becomes that of the result.
  uint64_t test_block(uint32_t x, uint32_t y, uint64_t covered, uint64_t& count) {
    const uint64_t passed = has_tests_ ? run_tests(x, y, covered, count) : covered;
    context_.tally.depth += count;
    return passed;
  }
  uint64_t run_tests(uint32_t x, uint32_t y, uint64_t covered, uint64_t& count);
  uint64_t test_singly(uint32_t x, uint32_t y, uint64_t covered);
  void draw_coarse(const PixelRect& tile);
  void draw_coarse_block(uint32_t x, uint32_t y, CoarseCoverage::Block& block);
  void test_coarse_block(uint32_t x, uint32_t y, CoarseCoverage::Block& block);
  void draw_quad(uint32_t x, uint32_t y, const std::array<uint32_t, 4>& samples, const std::array<uint32_t, 4>& coverage);
  bool stippled_out(uint32_t x, uint32_t y) const;
  bool writes_all_covered() const;
  void count_replaced(uint64_t covered, uint64_t written, const ThreadCount& threads);
  bool fill_object(const PixelRect& tile);
  bool copy_object(const PixelRect& tile);

  PixelContext& context_;
  ThreadBatch& threads_;
  TargetWriter& targets_;
  PixelDraw* draw_ = nullptr;
  bool dispatches_ = false;            ///< threads run, else the pixels that pass are only counted
  bool early_ = false;                 ///< depth and stencil are tested here, not by the target writer
  bool has_tests_ = false;             ///< depth or stencil is tested or written
  bool squares_ = false;               ///< 4x4 pixels may be a thread
  bool by_centers_ = false;            ///< coverage is that of one place a pixel, with straight edges as setup has them
  bool coverage_after_tests_ = false;  ///< the pixel shader sees as coverage what passed the early tests
  const PreparedObject* object_ = nullptr;
  DepthKernel depth_;            ///< of object_
  bool stippled_ = false;        ///< pixels of object_ may be left out by stipples or fading
  bool places_squares_ = false;  ///< squares of object_ are written where TargetWriter::placed_block() says
  /// Of the object that copied_of_ is.
  std::optional<TexelSource> copied_;
  const PreparedObject* copied_of_ = nullptr;
  CoarseCoverage coarse_;  ///< of object_ in the tile, in draws of coarse pixels
};

}  // namespace softgen::render
