// SPDX-License-Identifier: GPL-2.0-or-later
// Of a transform block's coefficients, for reading and for writing: scans (H.265 6.5.3 to 6.5.5), contexts (9.3.4.2.3, 9.3.4.2.5), and scaling (8.6.4.2).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "hw/media/hevc/residual.h"

namespace softgen::media::hevc {

struct Position {
  uint8_t x, y;
};

/// Of `size` x `size` places, by Scan.
template <unsigned size>
struct ScanOrder {
  std::array<std::array<Position, size * size>, 3> at{};
  constexpr ScanOrder() {
    unsigned i = 0;
    for (unsigned diagonal = 0; diagonal < 2 * size - 1; ++diagonal)
      for (unsigned x = 0; x <= diagonal; ++x)
        if (x < size && diagonal - x < size) at[0][i++] = {static_cast<uint8_t>(x), static_cast<uint8_t>(diagonal - x)};
    for (i = 0; i < size * size; ++i) {
      at[1][i] = {static_cast<uint8_t>(i % size), static_cast<uint8_t>(i / size)};
      at[2][i] = {static_cast<uint8_t>(i / size), static_cast<uint8_t>(i % size)};
    }
  }
};
inline constexpr ScanOrder<1> scan1;
inline constexpr ScanOrder<2> scan2;
inline constexpr ScanOrder<4> scan4;
inline constexpr ScanOrder<8> scan8;

inline const Position* sub_block_scan(unsigned log2, Scan scan) {
  const auto order = static_cast<unsigned>(scan);
  return log2 == 2   ? scan1.at[order].data()
         : log2 == 3 ? scan2.at[order].data()
         : log2 == 4 ? scan4.at[order].data()
                     : scan8.at[order].data();
}

/// Of last_sig_coeff_x_prefix and _y_prefix.
struct LastContexts {
  unsigned offset, shift, limit;
  explicit LastContexts(const TransformBlock& block)
      : offset(block.component ? 15 : 3 * (block.log2 - 2u) + ((block.log2 - 1u) >> 2)),
        shift(block.component ? block.log2 - 2u : (block.log2 + 1u) >> 2),
        limit(2u * block.log2 - 1) {}
};

/// Of sig_coeff_flag in the sub-block at (x, y). `neighbours`, bit 0: the right one is coded; bit 1: the lower one.
class SignificantContexts {
 public:
  SignificantContexts(const TransformBlock& block, unsigned x, unsigned y, unsigned neighbours)
      : table_(block.log2 == 2 ? small : by_neighbours[neighbours]),
        first_(ctx_significant + (block.component ? 27u : 0u)),
        base_(first_),
        is_first_((x | y) == 0) {
    if (block.log2 == 2) return;
    if (block.component) base_ += block.log2 == 3 ? 9 : 12;
    else base_ += (is_first_ ? 0u : 3u) + (block.log2 == 3 ? (block.scan == Scan::diagonal ? 9u : 15u) : 21u);
  }
  unsigned at(Position place) const { return base_ + table_[place.y * 4 + place.x]; }
  unsigned of_dc() const { return is_first_ ? first_ : base_ + table_[0]; }

 private:
  static constexpr uint8_t small[16] = {0, 1, 4, 5, 2, 3, 4, 5, 6, 6, 8, 8, 7, 7, 8, 8};
  static constexpr uint8_t by_neighbours[4][16] = {
      {2, 1, 1, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0},
      {2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0},
      {2, 1, 0, 0, 2, 1, 0, 0, 2, 1, 0, 0, 2, 1, 0, 0},
      {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2},
  };
  const uint8_t* table_;
  unsigned first_, base_;
  bool is_first_;
};

class Scaling {
 public:
  Scaling(const PictureParameters& picture, const TransformBlock& block, bool skip_transform)
      : shift_down_(picture.bits(block.component) + block.log2 - 5u), scale_(int64_t{level_scale[block.qp % 6]} << block.qp / 6) {
    if (skip_transform && block.log2 > 2) return;
    const unsigned matrix = (block.is_intra ? 0 : 3) + block.component;
    if (block.log2 == 2) {
      factors_ = picture.scaling.size4[matrix].data();
      stride_ = 4;
      return;
    }
    factors_ = picture.scaling.larger[block.log2 - 3u][matrix].data();
    place_shift_ = block.log2 - 3u, stride_ = 8;
    if (block.log2 > 3) dc_ = picture.scaling.dc[block.log2 - 3u][matrix];
  }
  int16_t apply(int32_t level, unsigned x, unsigned y) const {
    const int64_t factor = !factors_ ? 16 : (x | y) == 0 && dc_ ? dc_ : factors_[(y >> place_shift_) * stride_ + (x >> place_shift_)];
    const int64_t value = (level * factor * scale_ + (int64_t{1} << (shift_down_ - 1))) >> shift_down_;
    return static_cast<int16_t>(std::clamp<int64_t>(value, -32768, 32767));
  }

 private:
  static constexpr uint8_t level_scale[6] = {40, 45, 51, 57, 64, 72};
  const uint8_t* factors_ = nullptr;  ///< null: all 16
  unsigned shift_down_, place_shift_ = 0, stride_ = 0, dc_ = 0;
  int64_t scale_;
};

}  // namespace softgen::media::hevc
