// SPDX-License-Identifier: GPL-2.0-or-later
// How the pixels of an 8x8 block are distributed among pixel shader threads.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "hw/render/draw_state.h"

namespace softgen::render {

/// Reorders the pixels of a block (bit 8 y + x) into 4x4 squares of 16 bits and, in each square, into quads of four bits, all in row order.
inline uint64_t by_squares(uint64_t block) {
  const auto exchange = [&block](unsigned distance, uint64_t moved) {
    const uint64_t swapped = (block ^ block >> distance) & moved;
    block ^= swapped ^ swapped << distance;
  };
  exchange(4, 0x00f000f000f000f0);
  exchange(2, 0x0c0c0c0c0c0c0c0c);
  exchange(8, 0x0000ff000000ff00);
  return block;
}

/// The lowest bit of each quad of by_squares() that has a pixel.
inline uint64_t touched_quads(uint64_t squares) {
  const uint64_t some = squares | squares >> 1;
  return (some | some >> 2) & 0x1111111111111111;
}

/// Which 4x4 squares become one thread of their own.
enum class WholeSquares : uint8_t {
  none,
  full,     ///< those of 16 pixels
  touched,  ///< those with a pixel in each quad
};

/// The number of threads that are made for the pixels of an object in a tile, by ThreadBatch or Ironlake's windowizer.
class ThreadCount {
 public:
  /// `simd`: channels of a thread.
  ThreadCount(unsigned simd, WholeSquares squares) : quads_per_thread_(simd / 4), squares_(squares) {}

  void add_block(uint64_t pixels) {
    constexpr uint64_t quads = 0x1111111111111111, first_quads = 0x0001000100010001;
    const uint64_t sorted = by_squares(pixels);
    const uint64_t some = touched_quads(sorted);
    uint64_t all = sorted & sorted >> 1;
    all = all & all >> 2 & quads;
    uint64_t counted = squares_ == WholeSquares::touched ? some : squares_ == WholeSquares::full ? all : 0;
    counted &= counted >> 4;
    const auto whole = static_cast<uint64_t>(std::popcount(counted & counted >> 8 & first_quads));
    add(static_cast<uint64_t>(std::popcount(some)), whole);
  }
  /// All pixels of a rectangle that is not empty.
  void add_rect(const PixelRect& r) {
    const auto extent = [](int32_t first, int32_t end) { return static_cast<uint64_t>(std::max(end - first, 0)); };
    const uint64_t quads = extent(r.x0 >> 1, (r.x1 + 1) >> 1) * extent(r.y0 >> 1, (r.y1 + 1) >> 1);
    // Pixels of a square's border that may be missing on either side.
    const int32_t missing = squares_ == WholeSquares::touched ? 1 : 0;
    const auto squares = [&](int32_t first, int32_t end) { return extent((first + 3 - missing) >> 2, (end + missing) >> 2); };
    add(quads, squares_ == WholeSquares::none ? 0 : squares(r.x0, r.x1) * squares(r.y0, r.y1));
  }
  uint64_t threads() const { return whole_ + (quads_ + quads_per_thread_ - 1) / quads_per_thread_; }

 private:
  /// `quads` includes those of the squares.
  void add(uint64_t quads, uint64_t squares) { whole_ += squares, quads_ += quads - 4 * squares; }

  const unsigned quads_per_thread_;
  const WholeSquares squares_;
  uint64_t whole_ = 0, quads_ = 0;  ///< full squares; quads outside of them
};

}  // namespace softgen::render
