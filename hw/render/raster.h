// SPDX-License-Identifier: GPL-2.0-or-later
// Scan conversion: which samples of which pixels a convex part covers (SKL PRM vol 7, "Rasterization Rules").
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "hw/render/pixel_kernels.h"
#include "hw/render/raster_state.h"
#include "hw/render/setup.h"

namespace softgen::render {

/// Covered samples of the four pixels of a quad: upper left, upper right, lower left, lower right.
using QuadCoverage = std::array<uint32_t, 4>;

/// One part on its way over the screen, in blocks of 8x8 pixels: blocks that an edge leaves out, or that lie inside of all, cost a test an
/// edge.
class PartRaster {
 public:
  PartRaster(const Coverage& part, const RasterState& raster);

  /// Calls quad(x, y, coverage) for each quad with a covered sample within `rect`, until it answers false.
  template <typename Quad>
  bool each_quad(PixelRect rect, Quad&& quad) {
    rect.clip(part_.bounds);
    for (int32_t by = rect.y0 & ~(block - 1); by < rect.y1; by += block)
      for (int32_t bx = rect.x0 & ~(block - 1); bx < rect.x1; bx += block) {
        if (!enter_block(bx, by)) continue;
        for (int32_t y = std::max(by, rect.y0 & ~1); y < std::min(by + block, rect.y1); y += 2)
          for (int32_t x = std::max(bx, rect.x0 & ~1); x < std::min(bx + block, rect.x1); x += 2) {
            QuadCoverage covered = coverage(x, y);
            for (int32_t i = 0; i < 4; ++i) {
              const int32_t px = x + (i & 1), py = y + (i >> 1);
              if (px < rect.x0 || px >= rect.x1 || py < rect.y0 || py >= rect.y1) covered[static_cast<size_t>(i)] = 0;
            }
            if ((covered[0] | covered[1] | covered[2] | covered[3]) && !quad(static_cast<uint32_t>(x), static_cast<uint32_t>(y), covered))
              return false;
          }
      }
    return true;
  }
  /// Whether each_block() finds what each_quad() does: straight edges, one place a pixel.
  bool by_blocks() const;
  /// Calls block(x, y, pixels) for each block of 8x8 with a covered pixel within `rect` (bit 8 y + x), until it answers false.
  template <typename Block>
  bool each_block(const PixelRect& rect, Block&& covered) {
    return each_run(rect, covered, [&](uint32_t x, uint32_t y, uint32_t count) {
      for (; count; --count, x += block)
        if (!covered(x, y, ~uint64_t{0})) return false;
      return true;
    });
  }
  /// The same, but calls whole(x, y, count) for `count` blocks from left to right whose pixels are all covered.
  template <typename Block, typename Run>
  bool each_run(PixelRect rect, Block&& covered, Run&& whole) {
    rect.clip(part_.bounds);
    if (rect.empty()) return true;
    const bool all = std::min(rect.x1 - rect.x0, rect.y1 - rect.y0) >= large && covers(rect);
    const int32_t left = rect.x0 & ~(block - 1), top = rect.y0 & ~(block - 1);
    Values row = values_at(left, top);
    for (int32_t by = top; by < rect.y1; by += block) {
      const bool cut_row = by < rect.y0 || by + block > rect.y1;
      Values at = row;
      int32_t run = left, bx = left;  // the blocks from run to bx are whole
      const auto end_run = [&] {
        return run == bx || whole(static_cast<uint32_t>(run), static_cast<uint32_t>(by), static_cast<uint32_t>(bx - run) / block);
      };
      for (; bx < rect.x1; bx += block) {
        uint64_t pixels = all ? ~uint64_t{0} : open_edges(at) ? block_coverage(at) : 0;
        if (cut_row || bx < rect.x0 || bx + block > rect.x1) pixels &= within(rect, bx, by);
        if (!all) step(at, &Edge::a);
        if (pixels == ~uint64_t{0}) continue;
        if (!end_run() || (pixels && !covered(static_cast<uint32_t>(bx), static_cast<uint32_t>(by), pixels))) return false;
        run = bx + block;
      }
      if (!end_run()) return false;
      step(row, &Edge::b);
    }
    return true;
  }
  /// by_blocks(): whether all pixels of `rect` are covered.
  bool covers(const PixelRect& rect) const;
  /// The pixels of the block at (x, y) that `rect` holds.
  static uint64_t within(const PixelRect& rect, int32_t x, int32_t y);
  /// Whether all of a pixel is inside (conservative rasterization's inner coverage).
  bool inner(int32_t x, int32_t y) const;

 private:
  static constexpr int32_t block = 8;
  static constexpr int32_t large = 24;  ///< each way: it pays to ask first whether all is covered

  /// Of the edges' functions, at the upper left corner of a block.
  using Values = std::array<int64_t, 4>;
  Values values_at(int32_t x, int32_t y) const;
  /// To the next block, right (Edge::a) or below (Edge::b).
  void step(Values& at, int64_t Edge::* slope) const {
    for (size_t i = 0; i < part_.edge_count; ++i) at[i] += edges_[i].*slope * (block * subpixels);
  }
  bool open_edges(const Values& corner);
  bool enter_block(int32_t x, int32_t y) { return open_edges(values_at(x, y)); }
  uint64_t block_coverage(const Values& corner) const;
  QuadCoverage coverage(int32_t x, int32_t y) const;
  bool in_circle(int64_t x, int64_t y) const;

  const Coverage& part_;
  const RasterState& raster_;
  std::array<Edge, 4> edges_;                   ///< pushed out by half a pixel where rasterization is conservative
  std::array<int64_t, 4> max_rise_, max_fall_;  ///< how far an edge's function rises and falls within a block from its corner
  std::array<int64_t, 4> place_;                ///< how far it changes from a pixel's corner to its first sample
  std::array<uint8_t, 4> open_{};               ///< edges that cut the block
  unsigned open_count_ = 0;
  unsigned points_;  ///< places tested a pixel
  uint32_t all_;     ///< mask of a pixel's samples
};

/// A part within 16x16 pixels: all of its edges are tested in each block, without asking first which ones cut it.
class SmallPart {
 public:
  /// What of `part` is within `tile`, with straight edges and tested at each pixel's first sample.
  SmallPart(const Coverage& part, const RasterState& raster, const PixelRect& tile);

  /// False: it is larger, or PartRaster has to do it.
  bool fits() const { return fits_; }
  bool empty() const { return rect_.empty(); }
  /// As PartRaster::each_block(), if it fits(); once.
  template <typename Block>
  bool each_block(Block&& covered) {
    for (int32_t y = top_; y < rect_.y1; y += block) {
      int32_t x = left_;
      for (; x < rect_.x1; x += block) {
        const uint64_t pixels = coverage(x, y);
        if (pixels && !covered(static_cast<uint32_t>(x), static_cast<uint32_t>(y), pixels)) return false;
        step(block, 0);
      }
      step(left_ - x, block);
    }
    return true;
  }

 private:
  static constexpr int32_t block = 8, max_extent = 2 * block;
  /// Of the block that the edges are at.
  uint64_t coverage(int32_t x, int32_t y) const;
  /// In place: a copy would wait for what was stored piece by piece.
  void step(int32_t x, int32_t y) {
    for (unsigned i = 0; i < edge_count_; ++i) edges_[i].corner += x * edges_[i].a + y * edges_[i].b;
  }

  PixelRect rect_;
  int32_t left_, top_;              ///< of the first block
  std::array<BlockEdge, 4> edges_;  ///< there, or at the block that is looked at
  unsigned edge_count_;
  bool fits_ = false;
};

}  // namespace softgen::render
