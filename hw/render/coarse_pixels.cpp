// SPDX-License-Identifier: GPL-2.0-or-later
// Sources: Mesa's genxml/gen110.xml (3DSTATE_CPS), anv's vkGetPhysicalDeviceFragmentShadingRatesKHR (sizes). The radial function is chosen.
#include "hw/render/coarse_pixels.h"

#include <algorithm>
#include <cmath>

namespace softgen::render {
namespace {

/// Never coarser than requested; NaN counts as one.
uint8_t log2_extent(float requested) { return requested >= 4 ? 2 : requested >= 2 ? 1 : 0; }

float within(float value, float low, float high) { return value >= low ? std::min(value, std::max(low, high)) : low; }

/// min + slope * (r - min_radius) within min and max, r being the distance of the block's centre from the focal point, of which one axis is
/// stretched.
std::array<float, 2> radial_size(const CoarseSizes& state, uint32_t x, uint32_t y) {
  constexpr float half = 0.5f * CoarseCoverage::extent;
  const float dx = (static_cast<float>(x) + half - state.focal[0]) * (state.scales_y ? 1 : state.aspect),
              dy = (static_cast<float>(y) + half - state.focal[1]) * (state.scales_y ? state.aspect : 1);
  const float beyond = std::max(std::sqrt(dx * dx + dy * dy) - state.min_radius, 0.0f);
  std::array<float, 2> size;
  for (size_t i = 0; i < 2; ++i) size[i] = within(state.min[i] + state.slope[i] * beyond, state.min[i], state.max[i]);
  return size;
}

}  // namespace

CoarseSize coarse_size(const CoarseSizes& state, uint32_t x, uint32_t y) {
  if (state.mode == CoarseMode::none) return {};
  CoarseSize size;
  size.requested = state.mode == CoarseMode::constant ? state.min : radial_size(state, x, y);
  size.log2_width = log2_extent(size.requested[0]), size.log2_height = log2_extent(size.requested[1]);
  return size;
}

unsigned CoarseQuad::live() const {
  return static_cast<unsigned>(std::count_if(samples.begin(), samples.end(), [](const CoarseMask& mask) { return mask != CoarseMask{}; }));
}

bool CoarseCoverage::Block::quad(uint32_t x, uint32_t y, const CoarseSize& size, CoarseQuad& out) const {
  uint32_t left = 0;
  for (uint32_t i = 0; i < 4; ++i)
    for (uint32_t n = 0; n < size.pixels(); ++n) {
      const uint32_t px = x + (i & 1) * size.width() + n % size.width(), py = y + (i >> 1) * size.height() + n / size.width();
      const size_t at = size_t{py} * extent + px;
      out.samples[i][n] = samples[at], out.coverage[i][n] = coverage[at];
      left |= samples[at];
    }
  return left != 0;
}

void CoarseCoverage::begin(const PixelRect& area) {
  const auto first = [](int32_t at) { return static_cast<uint32_t>(at) & ~(extent - 1); };
  const auto count = [&](int32_t from, int32_t to) { return size_t{(static_cast<uint32_t>(to) - first(from) + extent - 1) / extent}; };
  x_ = first(area.x0), y_ = first(area.y0);
  columns_ = count(area.x0, area.x1);
  blocks_.assign(columns_ * count(area.y0, area.y1), {});
}

void CoarseCoverage::add(uint32_t x, uint32_t y, const std::array<uint32_t, 4>& samples, const std::array<uint32_t, 4>& coverage) {
  Block& block = blocks_[(y - y_) / extent * columns_ + (x - x_) / extent];
  block.covered = true;
  for (uint32_t i = 0; i < 4; ++i) {
    const size_t at = size_t{y % extent + (i >> 1)} * extent + x % extent + (i & 1);
    block.samples[at] = static_cast<uint16_t>(block.samples[at] | samples[i]);
    block.coverage[at] = static_cast<uint16_t>(block.coverage[at] | coverage[i]);
  }
}

}  // namespace softgen::render
