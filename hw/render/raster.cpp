// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/raster.h"

#include <cstdlib>

namespace softgen::render {
namespace {

/// How far an edge's function changes from a pixel's centre to the corner farthest inside.
int64_t half_extent(const Edge& e) { return (std::abs(e.a) + std::abs(e.b)) * (subpixels / 2); }

}  // namespace

PartRaster::PartRaster(const Coverage& part, const RasterState& raster)
    : part_(part), raster_(raster), edges_(part.edges), points_(raster.multisample_rasterization ? raster.samples : 1), all_((1u << raster.samples) - 1) {
  if (raster.conservative)
    for (Edge& e : edges_) e.c += half_extent(e);
}

bool PartRaster::enter_block(int32_t x, int32_t y) {
  constexpr int64_t extent = int64_t{block} * subpixels;
  open_count_ = 0;
  for (unsigned i = 0; i < part_.edge_count; ++i) {
    const Edge& e = edges_[i];
    const int64_t corner = e.at(int64_t{x} * subpixels, int64_t{y} * subpixels);
    const int64_t most = corner + (std::max<int64_t>(e.a, 0) + std::max<int64_t>(e.b, 0)) * extent;
    if (most < 0) return false;
    const int64_t least = corner + (std::min<int64_t>(e.a, 0) + std::min<int64_t>(e.b, 0)) * extent;
    if (least < 0) open_[open_count_++] = static_cast<uint8_t>(i);
  }
  return true;
}

bool PartRaster::in_circle(int64_t x, int64_t y) const {
  const int64_t dx = x - part_.center[0], dy = y - part_.center[1];
  return dx * dx + dy * dy <= part_.radius_squared;
}

QuadCoverage PartRaster::coverage(int32_t x, int32_t y) const {
  // Without multisample rasterization a covered pixel covers all of its samples.
  const uint32_t lit = raster_.sample_mask & all_;
  if (open_count_ == 0 && !part_.round) return {lit, lit, lit, lit};
  QuadCoverage covered{};
  for (unsigned s = 0; s < points_; ++s) {
    const auto& position = raster_.sample_positions[s];
    const int64_t px = int64_t{x} * subpixels + position[0], py = int64_t{y} * subpixels + position[1];
    std::array<bool, 4> inside{true, true, true, true};
    for (unsigned i = 0; i < open_count_; ++i) {
      const Edge& e = edges_[open_[i]];
      const int64_t value = e.at(px, py), right = e.a * subpixels, down = e.b * subpixels;
      inside[0] &= value >= 0;
      inside[1] &= value + right >= 0;
      inside[2] &= value + down >= 0;
      inside[3] &= value + right + down >= 0;
    }
    if (part_.round)
      for (size_t i = 0; i < 4; ++i) inside[i] = inside[i] && in_circle(px + static_cast<int64_t>(i & 1) * subpixels, py + static_cast<int64_t>(i >> 1) * subpixels);
    const uint32_t mask = (points_ == 1 ? all_ : 1u << s) & lit;
    for (size_t i = 0; i < 4; ++i) covered[i] |= inside[i] ? mask : 0;
  }
  return covered;
}

bool PartRaster::inner(int32_t x, int32_t y) const {
  for (unsigned i = 0; i < part_.edge_count; ++i) {
    const Edge& e = part_.edges[i];
    if (e.at(int64_t{x} * subpixels + subpixels / 2, int64_t{y} * subpixels + subpixels / 2) < half_extent(e)) return false;
  }
  return true;
}

}  // namespace softgen::render
