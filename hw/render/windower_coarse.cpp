// SPDX-License-Identifier: GPL-2.0-or-later
// Coarse pixels of an object in a tile: gathered from all of its parts, tested sample by sample as single pixels are, then shaded (ICL PRM vol 9,
// "3D Pipeline Stages": CPS, PSD).
#include <bit>

#include "hw/render/windower.h"

namespace softgen::render {

void Windower::draw_coarse(const PixelRect& tile) {
  PixelRect area = object_->bounds;
  area.clip(tile);
  if (area.empty()) return;
  coarse_.begin(area);
  for (const Coverage& part : object_->parts)
    if (!draw_part(part, area)) return;
  coarse_.each([&](uint32_t x, uint32_t y, CoarseCoverage::Block& block) {
    if (draw_->stop.aborting()) return false;
    draw_coarse_block(x, y, block);
    return true;
  });
  if (dispatches_ && !draw_->stop.aborting()) threads_.flush();
}

/// Leaves the samples that pass the early tests.
void Windower::test_coarse_block(uint32_t x, uint32_t y, CoarseCoverage::Block& block) {
  constexpr uint32_t extent = CoarseCoverage::extent;
  if (draw_->raster.samples > 1) {
    for (uint32_t i = 0; i < block.samples.size(); ++i)
      if (const uint32_t samples = block.samples[i])
        block.samples[i] = static_cast<uint16_t>(test_samples(context_, *draw_, *object_, x + i % extent, y + i / extent, samples));
    return;
  }
  uint64_t covered = 0;
  for (uint32_t i = 0; i < block.samples.size(); ++i) covered |= uint64_t{block.samples[i]} << i;
  if (!covered) return;
  auto count = static_cast<uint64_t>(std::popcount(covered));
  for (uint64_t failed = covered & ~test_block(x, y, covered, count); failed; failed &= failed - 1)
    block.samples[static_cast<size_t>(std::countr_zero(failed))] = 0;
}

void Windower::draw_coarse_block(uint32_t x, uint32_t y, CoarseCoverage::Block& block) {
  context_.control->restore();
  for (const uint32_t pixel : block.samples) context_.tally.rasterized += count_samples(pixel);
  if (early_) test_coarse_block(x, y, block);
  if (coverage_after_tests_) block.coverage = block.samples;
  if (!dispatches_ && !draw_->unobservable) return;
  const CoarseSize size = coarse_size(draw_->state.pixel.coarse.viewports[object_->viewport], x, y);
  for (uint32_t down = 0; down < CoarseCoverage::extent; down += 2 * size.height())
    for (uint32_t right = 0; right < CoarseCoverage::extent; right += 2 * size.width()) {
      CoarseQuad quad;
      if (!block.quad(right, down, size, quad)) continue;
      context_.tally.invocations += quad.live();
      if (dispatches_) threads_.add_coarse_quad(x + right, y + down, size, quad);
    }
}

}  // namespace softgen::render
