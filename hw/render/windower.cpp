// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/windower.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "hw/render/thread_count.h"

namespace softgen::render {
namespace {

constexpr uint64_t whole_block = ~uint64_t{0};
constexpr uint32_t whole_square = 0xffff;

/// Most blocks are whole, and without POPCNT std::popcount() is a call.
uint64_t count_of(uint64_t block) {
  if (block == whole_block) return 64;
  constexpr uint64_t pairs = 0x5555555555555555, fours = 0x3333333333333333, bytes = 0x0f0f0f0f0f0f0f0f, sum = 0x0101010101010101;
  block -= block >> 1 & pairs;
  block = (block & fours) + (block >> 2 & fours);
  return ((block + (block >> 4)) & bytes) * sum >> 56;
}

double depth_at(const PixelDraw& draw, const PreparedObject& object, uint32_t x, uint32_t y, unsigned sample) {
  const auto& position = draw.raster.sample_positions[sample];
  const double z = object.z.at(x + position[0] / double{subpixels}, y + position[1] / double{subpixels}) + object.depth_bias;
  const Viewport& viewport = draw.raster.viewports[object.viewport];
  return std::min(std::max(z, double{viewport.min_depth}), double{viewport.max_depth});
}

/// As test_samples(), without counting the samples that pass.
uint32_t passing_samples(PixelContext& context, const PixelDraw& draw, const PreparedObject& object, uint32_t x, uint32_t y,
                         uint32_t samples, std::optional<float> z = std::nullopt, std::optional<uint8_t> stencil = std::nullopt) {
  const DepthStencil& tests = draw.depth_stencil;
  if (!tests.any_test() && !tests.any_write()) return samples;
  uint32_t passed = 0;
  ++context.tally.tested_one_by_one;
  for (uint32_t left = samples; left; left &= left - 1) {
    const auto s = static_cast<unsigned>(std::countr_zero(left));
    const DepthStencil::Sample sample{x, y, object.layer, s, z ? *z : depth_at(draw, object, x, y, s), object.front};
    if (tests.test_and_write(context.view, sample, stencil)) passed |= 1u << s;
  }
  return passed;
}

}  // namespace

bool tests_are_early(const DrawState& state) {
  const PixelState& pixel = state.pixel;
  if (pixel.early != EarlyTests::normal) return pixel.early == EarlyTests::before_shader;
  return !pixel.computes_depth && !pixel.kills && !pixel.computes_stencil && !pixel.sample_mask && !pixel.alpha_test &&
         !pixel.alpha_to_coverage && !pixel.uav;
}

uint32_t test_samples(PixelContext& context, const PixelDraw& draw, const PreparedObject& object, uint32_t x, uint32_t y, uint32_t samples,
                      std::optional<float> z, std::optional<uint8_t> stencil) {
  const uint32_t passed = passing_samples(context, draw, object, x, y, samples, z, stencil);
  context.tally.depth += count_samples(passed);
  return passed;
}

void Windower::begin(PixelDraw& draw) {
  draw_ = &draw;
  copied_of_ = nullptr;
  const PixelState& pixel = draw.state.pixel;
  dispatches_ = draw.kernel && !draw.unobservable;
  early_ = draw.early || !draw.kernel;
  squares_ = draw.simd == 16 && !pixel.per_sample;
  const RasterState& raster = draw.raster;
  by_centers_ = raster.samples == 1 && (raster.sample_mask & 1) && !raster.conservative && !draw.coarse &&
                pixel.inputs.coverage != InputCoverage::inner_conservative;
  coverage_after_tests_ = pixel.inputs.coverage == InputCoverage::after_depth;
  has_tests_ = draw.depth_stencil.any_test() || draw.depth_stencil.any_write();
  depth_ = draw.depth_stencil.kernel({});
}

void Windower::draw(const PreparedObject& object, const PixelRect& tile) {
  object_ = &object;
  const DrawState& state = draw_->state;
  places_squares_ = squares_ && targets_.places_squares(object);
  stippled_ = object.stipple || object.fade || (object.filled && state.raster.polygon_stipple);
  set_depth_plane(depth_, object, draw_->raster.viewports[object.viewport]);
  if (dispatches_) threads_.begin(object);
  if (draw_->coarse) return draw_coarse(tile);
  if (dispatches_ && draw_->uniform && fill_object(tile)) return;
  if (dispatches_ && draw_->copies && copy_object(tile)) return;
  for (const Coverage& part : object.parts)
    if (!draw_part(part, tile)) break;
  if (dispatches_ && !draw_->stop.aborting()) threads_.flush();
}

/// False: the draw is aborted.
bool Windower::draw_small(SmallPart& part) {
  if (part.empty()) return true;
  if (dispatches_) threads_.list_samples(false);
  return part.each_block([&](uint32_t x, uint32_t y, uint64_t covered) { return draw_block(x, y, covered); });
}

/// False: the draw is aborted.
bool Windower::draw_part(const Coverage& part, const PixelRect& tile) {
  if (by_centers_ && !stippled_)
    if (SmallPart small(part, draw_->raster, tile); small.fits()) return draw_small(small);
  PartRaster raster(part, draw_->raster);
  const bool inner = draw_->state.pixel.inputs.coverage == InputCoverage::inner_conservative;
  const bool by_blocks = !stippled_ && !inner && !draw_->coarse && raster.by_blocks();
  if (dispatches_ && !draw_->coarse) threads_.list_samples(!by_blocks);
  if (by_blocks)
    return raster.each_run(
        tile, [&](uint32_t x, uint32_t y, uint64_t covered) { return draw_block(x, y, covered); },
        [&](uint32_t x, uint32_t y, uint32_t count) { return draw_run(x, y, count); });
  return raster.each_quad(tile, [&](uint32_t x, uint32_t y, QuadCoverage& samples) {
    if (draw_->stop.aborting()) return false;
    QuadCoverage coverage = samples;
    for (uint32_t i = 0; i < 4; ++i) {
      const uint32_t px = x + (i & 1), py = y + (i >> 1);
      if (stippled_ && samples[i] && stippled_out(px, py)) samples[i] = coverage[i] = 0;
      if (inner) coverage[i] = raster.inner(static_cast<int32_t>(px), static_cast<int32_t>(py)) ? samples[i] : 0;
    }
    if (draw_->coarse) coarse_.add(x, y, samples, coverage);
    else draw_quad(x, y, samples, coverage);
    return true;
  });
}

uint64_t Windower::run_tests(uint32_t x, uint32_t y, uint64_t covered, uint64_t& count) {
  context_.control->restore();
  const DepthStencil& tests = draw_->depth_stencil;
  uint64_t passed;
  if (draw_->depth_by_blocks && tests.holds_block(x, y, object_->layer)) {
    passed = tests.test_block(context_.view, depth_, depth_block(*draw_, *object_, x, y), covered);
  } else {
    passed = test_singly(x, y, covered);
  }
  if (passed != covered) count = passed ? count_of(passed) : 0;
  return passed;
}

uint64_t Windower::test_singly(uint32_t x, uint32_t y, uint64_t covered) {
  uint64_t passed = 0;
  for (uint64_t left = covered; left; left &= left - 1) {
    const auto at = static_cast<uint32_t>(std::countr_zero(left));
    if (passing_samples(context_, *draw_, *object_, x + at % 8, y + at / 8, 1)) passed |= left & -left;
  }
  return passed;
}

/// Counts 8x8 pixels with one sample each (bit 8 y + x), and returns those that threads may run for.
inline uint64_t Windower::live_pixels(uint32_t x, uint32_t y, uint64_t covered) {
  uint64_t count = count_of(covered);
  context_.tally.rasterized += count;
  const uint64_t live = early_ ? test_block(x, y, covered, count) : covered;
  if (live && (dispatches_ || draw_->unobservable)) context_.tally.invocations += count;
  return dispatches_ ? live : 0;
}

/// False: the draw is aborted.
bool Windower::draw_block(uint32_t x, uint32_t y, uint64_t covered) {
  if (draw_->stop.aborting()) return false;
  if (const uint64_t live = live_pixels(x, y, covered)) add_block(x, y, live, coverage_after_tests_ ? live : covered);
  return true;
}

/// draw_block() of `count` blocks from left to right, all of whose pixels are covered.
bool Windower::draw_run(uint32_t x, uint32_t y, uint32_t count) {
  constexpr uint32_t size = 8;
  if (draw_->stop.aborting()) return false;
  uint32_t first = 0;  // the blocks from here on have passed as a whole, and wait to be added
  const auto add = [&](uint32_t end) {
    if (first < end) threads_.add_blocks(x + size * first, y, end - first, places_squares_);
    first = end + 1;
  };
  for (uint32_t n = 0; n < count; ++n) {
    const uint64_t live = live_pixels(x + size * n, y, whole_block);
    if (live == whole_block && squares_) continue;
    add(n);
    if (live) add_block(x + size * n, y, live, coverage_after_tests_ ? live : whole_block);
  }
  add(count);
  return true;
}

void Windower::add_block(uint32_t x, uint32_t y, uint64_t live, uint64_t covered) {
  if (live == whole_block && squares_) return threads_.add_blocks(x, y, 1, places_squares_);
  // A copy: threads that run look for blocks of their own.
  const TargetBlock* const found = places_squares_ ? targets_.placed_block(*object_, x, y) : nullptr;
  const TargetBlock block = found ? *found : TargetBlock{};
  const auto place = [&](uint32_t square) { return (x + 4 * (square & 1)) | (y + 4 * (square >> 1)) << 16; };
  const uint64_t live_squares = by_squares(live), covered_squares = covered == live ? live_squares : by_squares(covered);
  uint64_t in_quads = live_squares;
  if (squares_)
    for (uint32_t square = 0; square < 4; ++square)
      if ((live_squares >> 16 * square & whole_square) == whole_square) {
        threads_.add_square(place(square), static_cast<uint32_t>(covered_squares >> 16 * square & whole_square), block);
        in_quads &= ~(uint64_t{whole_square} << 16 * square);
      }
  for (uint64_t left = touched_quads(in_quads); left; left &= left - 1) {
    const auto quad = static_cast<uint32_t>(std::countr_zero(left));
    const uint32_t at = place(quad / 16);
    threads_.add_quad((at & 0xffff) + (quad >> 1 & 2), (at >> 16) + (quad >> 2 & 2), static_cast<uint32_t>(live_squares >> quad & 15),
                      static_cast<uint32_t>(covered_squares >> quad & 15));
  }
}

void Windower::draw_quad(uint32_t x, uint32_t y, const std::array<uint32_t, 4>& samples, const std::array<uint32_t, 4>& coverage) {
  std::array<uint32_t, 4> live = samples;
  context_.control->restore();
  for (const uint32_t pixel : samples) context_.tally.rasterized += count_samples(pixel);
  if (early_) {
    for (uint32_t i = 0; i < 4; ++i)
      if (live[i]) live[i] = test_samples(context_, *draw_, *object_, x + (i & 1), y + (i >> 1), live[i]);
  }
  if (!(live[0] | live[1] | live[2] | live[3])) return;
  if (!dispatches_ && !draw_->unobservable) return;
  const bool per_sample = draw_->state.pixel.per_sample;
  for (const uint32_t pixel : live) context_.tally.invocations += per_sample ? count_samples(pixel) : pixel ? 1 : 0;
  if (dispatches_) threads_.add_sampled_quad(x, y, live, coverage_after_tests_ ? live : coverage);
}

bool Windower::stippled_out(uint32_t x, uint32_t y) const {
  const DrawState& state = draw_->state;
  if (object_->stipple) {
    const auto number = static_cast<int64_t>(std::floor(object_->stipple->at(x + 0.5, y + 0.5)));
    const int64_t repeat = std::max<int64_t>(state.stipple.line_repeat, 1);
    if (!(state.stipple.line_pattern >> (std::max<int64_t>(number, 0) / repeat & 15) & 1)) return true;
  }
  if (object_->filled && state.raster.polygon_stipple) {
    const StippleState& stipple = state.stipple;
    const uint32_t row = stipple.polygon_rows[(y + stipple.polygon_y) & 31];
    if (!(row >> (31 - ((x + stipple.polygon_x) & 31)) & 1)) return true;
  }
  return object_->fade && object_->fade->at(x + 0.5, y + 0.5) <= 0;
}

}  // namespace softgen::render
