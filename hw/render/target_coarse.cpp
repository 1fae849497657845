// SPDX-License-Identifier: GPL-2.0-or-later
// Render target writes of coarse pixels: colour, coverage mask, depth and stencil of one are those of each of its pixels; tests and blending are per
// sample. How the bits of a coverage mask belong to the pixels is chosen.
#include <bit>

#include "hw/base/log.h"
#include "hw/render/target_layout.h"

namespace softgen::render {

/// Late tests of a coarse pixel's `samples`: those that fail are no longer its own.
void TargetWriter::test_coarse(PixelThread& thread, const WriteLayout& layout, unsigned pixel, unsigned lane, const CoarseMask& samples) {
  const auto [z, stencil] = shader_depth(thread, layout, lane);
  CoarseMask& left = thread.coarse->samples[pixel];
  for (unsigned n = 0; n < thread.pixels_of_coarse(); ++n) {
    const auto [x, y] = thread.place(pixel, n);
    left[n] =
        !samples[n] ? uint16_t{0} : static_cast<uint16_t>(test_samples(context_, *draw_, *thread.object, x, y, samples[n], z, stencil));
    context_.tally.failed_late += count_samples(samples[n] & ~uint32_t{left[n]});
  }
  thread.tested |= 1u << pixel;
}

void TargetWriter::write_coarse(PixelThread& thread, const WriteLayout& layout, uint32_t bti) {
  static const RenderTarget nowhere{};
  const RenderTarget& rt = bti < draw_->targets.size() ? draw_->targets[bti] : nowhere;
  const OutputMerger& merger = draw_->merger;
  const OutputMerger::Mode mode = merger.mode(rt, layout.target);
  const unsigned pixels = thread.pixels_of_coarse();
  if (!layout.message.op.coarse) unimplemented("coarse pixel shading", "writes of single pixels: they are those of coarse ones");
  for (unsigned i = 0; i < layout.count; ++i) {
    const unsigned pixel = layout.first + i;
    if (pixel >= thread.pixels || !(layout.pixels >> i & 1)) continue;
    std::array<PixelColor, std::tuple_size_v<CoarseMask>> colors;
    CoarseMask samples = thread.coarse->samples[pixel];
    for (unsigned n = 0; n < pixels; ++n) {
      if (!samples[n]) continue;
      const auto [x, y] = thread.place(pixel, n);
      PixelColor& color = colors[n] = layout.pixel_color(i);
      if (thread.object->fade && mode.floating) fade(color, *thread.object->fade, x, y);
      const uint32_t masked = layout.omask_at != WriteLayout::none
                                  ? layout.omask(pixel % 16)
                                  : merger.alpha_to_coverage(color.source0_alpha, draw_->raster.samples, x, y);
      const bool passes = merger.alpha_passes(color.source0_alpha);
      samples[n] = static_cast<uint16_t>(samples[n] & masked);
      if (passes) continue;
      if (!(thread.written >> pixel & 1)) context_.tally.failed_late += count_samples(samples[n]);
      samples[n] = 0;
    }
    // The tests belong to the coarse pixel, not to each target: they are done with the first write.
    if (!draw_->early && !(thread.tested >> pixel & 1)) test_coarse(thread, layout, pixel, i, samples);
    for (unsigned n = 0; n < pixels; ++n) {
      const uint32_t left = samples[n] & thread.coarse->samples[pixel][n];
      if (!left) continue;
      const auto [x, y] = thread.place(pixel, n);
      context_.tally.written_one_by_one += static_cast<uint64_t>(std::popcount(left));
      count_written(count_samples(merger.write(context_.view, rt, mode, x, y, thread.object->layer, left, colors[n])), mode.blending);
    }
  }
}

}  // namespace softgen::render
