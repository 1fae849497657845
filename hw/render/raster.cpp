// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/raster.h"

#include <algorithm>
#include <cstdlib>

namespace softgen::render {
namespace {

/// How far an edge's function changes from a pixel's centre to the corner farthest inside.
int64_t half_extent(const Edge& e) { return (std::abs(e.a) + std::abs(e.b)) * (subpixels / 2); }

/// `value`: of the edge's function at the first sample of the block. From pixel to pixel it changes by multiples of 256: what is below does not
/// change its sign.
BlockEdge block_edge(const Edge& e, int64_t value) {
  return {static_cast<int32_t>(value >> 8), static_cast<int32_t>(e.a), static_cast<int32_t>(e.b)};
}

}  // namespace

PartRaster::PartRaster(const Coverage& part, const RasterState& raster)
    : part_(part), raster_(raster), points_(raster.multisample_rasterization ? raster.samples : 1), all_((1u << raster.samples) - 1) {
  constexpr int64_t extent = int64_t{block} * subpixels;
  for (unsigned i = 0; i < part.edge_count; ++i) {
    Edge& e = edges_[i];
    e = part.edges[i];
    if (raster.conservative) e.c += half_extent(e);
    max_rise_[i] = (std::max<int64_t>(e.a, 0) + std::max<int64_t>(e.b, 0)) * extent;
    max_fall_[i] = (std::min<int64_t>(e.a, 0) + std::min<int64_t>(e.b, 0)) * extent;
    place_[i] = e.a * raster.sample_positions[0][0] + e.b * raster.sample_positions[0][1];
  }
}

PartRaster::Values PartRaster::values_at(int32_t x, int32_t y) const {
  Values values;
  for (unsigned i = 0; i < part_.edge_count; ++i) values[i] = edges_[i].at(int64_t{x} * subpixels, int64_t{y} * subpixels);
  return values;
}

/// Which edges cut a block. False: it is outside of one.
bool PartRaster::open_edges(const Values& corner) {
  open_count_ = 0;
  for (unsigned i = 0; i < part_.edge_count; ++i) {
    if (corner[i] + max_rise_[i] < 0) return false;
    if (corner[i] + max_fall_[i] < 0) open_[open_count_++] = static_cast<uint8_t>(i);
  }
  return true;
}

bool PartRaster::covers(const PixelRect& rect) const {
  PixelRect inside = rect;
  inside.clip(part_.bounds);
  if (inside.x0 != rect.x0 || inside.y0 != rect.y0 || inside.x1 != rect.x1 || inside.y1 != rect.y1) return false;
  for (unsigned i = 0; i < part_.edge_count; ++i)
    for (const int32_t y : {rect.y0, rect.y1 - 1})
      for (const int32_t x : {rect.x0, rect.x1 - 1})
        if (edges_[i].at(int64_t{x} * subpixels, int64_t{y} * subpixels) + place_[i] < 0) return false;
  return true;
}

bool PartRaster::by_blocks() const {
  if (part_.circle || points_ != 1 || raster_.samples != 1 || !(raster_.sample_mask & 1)) return false;
  // So that the values of an edge that cuts a block fit into 32 bits there.
  constexpr int64_t steepest = int64_t{1} << 26;
  return std::all_of(edges_.begin(), edges_.begin() + part_.edge_count,
                     [](const Edge& e) { return std::abs(e.a) < steepest && std::abs(e.b) < steepest; });
}

uint64_t PartRaster::block_coverage(const Values& corner) const {
  if (open_count_ == 0) return ~uint64_t{0};
  std::array<BlockEdge, 4> edges;
  for (unsigned i = 0; i < open_count_; ++i) { edges[i] = block_edge(edges_[open_[i]], corner[open_[i]] + place_[open_[i]]); }
  return pixel_kernels().coverage(edges.data(), open_count_);
}

uint64_t PartRaster::within(const PixelRect& rect, int32_t x, int32_t y) {
  struct Range {
    unsigned from, to;
    bool empty() const { return from >= to; }
  };
  const auto inside = [](int32_t from, int32_t to) {
    return Range{static_cast<unsigned>(std::clamp(from, 0, block)), static_cast<unsigned>(std::clamp(to, 0, block))};
  };
  const Range columns = inside(rect.x0 - x, rect.x1 - x), rows = inside(rect.y0 - y, rect.y1 - y);
  if (columns.empty() || rows.empty()) return 0;
  const uint64_t row = ((1u << columns.to) - (1u << columns.from)) * uint64_t{0x0101010101010101};
  return row & ~uint64_t{0} << 8 * rows.from & ~uint64_t{0} >> 8 * (block - rows.to);
}

bool PartRaster::in_circle(int64_t x, int64_t y) const {
  const Circle& circle = *part_.circle;
  const int64_t dx = x - circle.center[0], dy = y - circle.center[1];
  return dx * dx + dy * dy <= circle.radius_squared;
}

QuadCoverage PartRaster::coverage(int32_t x, int32_t y) const {
  // Without multisample rasterization a covered pixel covers all of its samples.
  const uint32_t all_samples = raster_.sample_mask & all_;
  if (open_count_ == 0 && !part_.circle) return {all_samples, all_samples, all_samples, all_samples};
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
    if (part_.circle)
      for (size_t i = 0; i < 4; ++i)
        inside[i] = inside[i] && in_circle(px + static_cast<int64_t>(i & 1) * subpixels, py + static_cast<int64_t>(i >> 1) * subpixels);
    const uint32_t mask = (points_ == 1 ? all_ : 1u << s) & all_samples;
    for (size_t i = 0; i < 4; ++i) covered[i] |= inside[i] ? mask : 0;
  }
  return covered;
}

bool PartRaster::inner(int32_t x, int32_t y) const {
  for (unsigned i = 0; i < part_.edge_count; ++i) {
    const Edge e = part_.edges[i];
    if (e.at(int64_t{x} * subpixels + subpixels / 2, int64_t{y} * subpixels + subpixels / 2) < half_extent(e)) return false;
  }
  return true;
}

SmallPart::SmallPart(const Coverage& part, const RasterState& raster, const PixelRect& tile) : rect_(part.bounds) {
  if (part.circle) return;
  rect_.clip(tile);
  left_ = rect_.x0 & ~(block - 1), top_ = rect_.y0 & ~(block - 1);
  edge_count_ = part.edge_count;
  fits_ = empty();
  if (fits_ || rect_.x1 - left_ > max_extent || rect_.y1 - top_ > max_extent) return;
  // So that all values within max_extent, and one block beyond, fit into 32 bits.
  constexpr int64_t max_slope = int64_t{1} << 24, max_value = int64_t{1} << 30;
  const auto& place = raster.sample_positions[0];
  const int64_t x = int64_t{left_} * subpixels + place[0], y = int64_t{top_} * subpixels + place[1];
  for (unsigned i = 0; i < edge_count_; ++i) {
    const PartEdge& e = part.edges[i];
    const int64_t value = e.at(x, y);
    if (std::abs(e.a) >= max_slope || std::abs(e.b) >= max_slope || std::abs(value >> 8) >= max_value) return;
    edges_[i] = block_edge(e, value);
  }
  fits_ = true;
}

uint64_t SmallPart::coverage(int32_t x, int32_t y) const {
  return pixel_kernels().coverage(edges_.data(), edge_count_) & PartRaster::within(rect_, x, y);
}

}  // namespace softgen::render
