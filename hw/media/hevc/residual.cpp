// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/hevc/residual.h"

#include <algorithm>

namespace softgen::media::hevc {
namespace {

struct Position {
  uint8_t x, y;
};

/// 6.5.3 to 6.5.5: of `size` x `size` places.
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
constexpr ScanOrder<1> scan1;
constexpr ScanOrder<2> scan2;
constexpr ScanOrder<4> scan4;
constexpr ScanOrder<8> scan8;

const Position* sub_block_scan(unsigned log2, Scan scan) {
  const auto order = static_cast<unsigned>(scan);
  return log2 == 2   ? scan1.at[order].data()
         : log2 == 3 ? scan2.at[order].data()
         : log2 == 4 ? scan4.at[order].data()
                     : scan8.at[order].data();
}

constexpr uint8_t level_scale[6] = {40, 45, 51, 57, 64, 72};

}  // namespace

struct ResidualReader::SubBlock {
  unsigned index = 0;       ///< in the scan of sub-blocks
  unsigned x = 0, y = 0;    ///< in sub-blocks
  unsigned neighbours = 0;  ///< bit 0: the right one is coded; bit 1: the lower one
  int first = 15;           ///< the place from which flags are read
  bool infer_dc = false;    ///< the first coefficient is significant when no other is
  bool is_first_read = true;
  unsigned count = 0;
  std::array<uint8_t, 16> place{};
  std::array<int32_t, 16> level{};
};

struct ResidualReader::Scaling {
  const uint8_t* factors;  ///< null: all 16
  unsigned shift_down, place_shift, stride, dc;
  int64_t scale;
  int16_t apply(int32_t level, unsigned x, unsigned y) const {
    const int64_t factor = !factors ? 16 : (x | y) == 0 && dc ? dc : factors[(y >> place_shift) * stride + (x >> place_shift)];
    const int64_t value = (level * factor * scale + (int64_t{1} << (shift_down - 1))) >> shift_down;
    return static_cast<int16_t>(std::clamp<int64_t>(value, -32768, 32767));
  }
};

[[gnu::always_inline]] inline unsigned ResidualReader::last_prefix(unsigned first_context, const TransformBlock& block) {
  const unsigned offset = block.component ? 15 : 3 * (block.log2 - 2u) + ((block.log2 - 1u) >> 2);
  const unsigned shift = block.component ? block.log2 - 2u : (block.log2 + 1u) >> 2, limit = 2u * block.log2 - 1;
  unsigned prefix = 0;
  while (prefix < limit && cabac_.decode(contexts_[first_context + offset + (prefix >> shift)])) ++prefix;
  return prefix;
}

// 9.3.4.2.5.
[[gnu::always_inline]] inline void ResidualReader::find_significant(const TransformBlock& block, SubBlock& sub) {
  static constexpr uint8_t small[16] = {0, 1, 4, 5, 2, 3, 4, 5, 6, 6, 8, 8, 7, 7, 8, 8};
  static constexpr uint8_t by_neighbours[4][16] = {
      {2, 1, 1, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0},
      {2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0},
      {2, 1, 0, 0, 2, 1, 0, 0, 2, 1, 0, 0, 2, 1, 0, 0},
      {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2},
  };
  const bool is_small = block.log2 == 2, is_first = (sub.x | sub.y) == 0;
  const unsigned first = ctx_significant + (block.component ? 27 : 0);
  unsigned base = first;
  if (!is_small && block.component) base += block.log2 == 3 ? 9 : 12;
  else if (!is_small) base += (is_first ? 0u : 3u) + (block.log2 == 3 ? (block.scan == Scan::diagonal ? 9u : 15u) : 21u);
  const uint8_t* const table = is_small ? small : by_neighbours[sub.neighbours];
  const Position* const scan = scan4.at[static_cast<unsigned>(block.scan)].data();
  for (int i = sub.first; i > 0; --i)
    if (cabac_.decode(contexts_[base + table[scan[i].y * 4 + scan[i].x]])) sub.place[sub.count++] = static_cast<uint8_t>(i);
  if (sub.first < 0) return;
  const bool inferred = sub.infer_dc && sub.count == 0;
  if (inferred || cabac_.decode(contexts_[is_first ? first : base + table[0]])) sub.place[sub.count++] = 0;
}

// 9.3.3.11. A prefix beyond what 32 bits hold ends it: no valid stream has one.
[[gnu::always_inline]] inline uint32_t ResidualReader::remaining(unsigned rice) {
  unsigned prefix = 0;
  while (prefix < 20 && cabac_.bypass()) ++prefix;
  if (prefix <= 3) return (prefix << rice) + cabac_.bypass_bits(rice);
  return (((1u << (prefix - 3)) + 2) << rice) + cabac_.bypass_bits(prefix - 3 + rice);
}

[[gnu::always_inline]] inline void ResidualReader::read_levels(const TransformBlock& block, SubBlock& sub) {
  unsigned set = sub.index == 0 || block.component ? 0 : 2;
  if (!sub.is_first_read && greater1_ == 0) ++set;
  greater1_ = 1;
  int greater2_at = -1;
  const unsigned flags = std::min(sub.count, 8u);
  for (unsigned i = 0; i < flags; ++i) {
    const bool greater = cabac_.decode(contexts_[ctx_greater1 + (block.component ? 16 : 0) + set * 4 + greater1_]);
    sub.level[i] = 1 + greater;
    if (greater && greater2_at < 0) greater2_at = static_cast<int>(i);
    if (greater) greater1_ = 0;
    else if (greater1_ > 0 && greater1_ < 3) ++greater1_;
  }
  for (unsigned i = flags; i < sub.count; ++i) sub.level[i] = 1;
  if (greater2_at >= 0)
    sub.level[static_cast<size_t>(greater2_at)] += cabac_.decode(contexts_[ctx_greater2 + (block.component ? 4 : 0) + set]);
  const bool hidden = picture_.sign_hiding && !block.bypass && sub.place[0] - sub.place[sub.count - 1] > 3;
  const unsigned sign_count = sub.count - hidden;
  uint32_t signs = cabac_.bypass_bits(sign_count) << (16 - sign_count);
  unsigned rice = 0;
  int64_t sum = 0;
  for (unsigned i = 0; i < sub.count; ++i) {
    // What the flags alone can say: the first greater level has two of them, those beyond the eighth none.
    const int32_t limit = i >= 8 ? 1 : static_cast<int>(i) == greater2_at ? 3 : 2;
    if (sub.level[i] == limit) {
      sub.level[i] += static_cast<int32_t>(remaining(rice));
      if (sub.level[i] > 3 * (1 << rice)) rice = std::min(rice + 1, 4u);
    }
    sum += sub.level[i];
    if (signs & 0x8000) sub.level[i] = -sub.level[i];
    signs <<= 1;
  }
  if (hidden && sum & 1) sub.level[sub.count - 1] = -sub.level[sub.count - 1];
}

[[gnu::always_inline]] inline ResidualReader::Scaling ResidualReader::scaling_of(const TransformBlock& block, bool skip_transform) const {
  Scaling scaling{};
  scaling.shift_down = picture_.bits(block.component) + block.log2 - 5u;
  scaling.scale = int64_t{level_scale[block.qp % 6]} << block.qp / 6;
  if (skip_transform && block.log2 > 2) return scaling;
  const unsigned matrix = (block.is_intra ? 0 : 3) + block.component;
  if (block.log2 == 2) {
    scaling.factors = picture_.scaling.size4[matrix].data();
    scaling.stride = 4;
    return scaling;
  }
  scaling.factors = picture_.scaling.larger[block.log2 - 3u][matrix].data();
  scaling.place_shift = block.log2 - 3u, scaling.stride = 8;
  if (block.log2 > 3) scaling.dc = picture_.scaling.dc[block.log2 - 3u][matrix];
  return scaling;
}

[[gnu::always_inline]] inline void ResidualReader::read(const TransformBlock& block, Coefficients& to) {
  const unsigned size = 1u << block.log2;
  std::fill_n(to.values.begin(), size * size, int16_t{0});
  to.skip_transform = picture_.transform_skip && !block.bypass && block.log2 == 2 &&
                      cabac_.decode(contexts_[ctx_transform_skip + (block.component ? 1u : 0u)]);
  unsigned last_x = last_prefix(ctx_last_x, block), last_y = last_prefix(ctx_last_y, block);
  for (unsigned* const last : {&last_x, &last_y})
    if (*last > 3) *last = (1u << (*last / 2 - 1)) * (2 + (*last & 1)) + cabac_.bypass_bits(*last / 2 - 1);
  if (block.scan == Scan::vertical) std::swap(last_x, last_y);
  const Position* const sub_scan = sub_block_scan(block.log2, block.scan);
  const Position* const scan = scan4.at[static_cast<unsigned>(block.scan)].data();
  unsigned last_sub = 0, last_place = 0;
  while (sub_scan[last_sub].x != last_x / 4 || sub_scan[last_sub].y != last_y / 4) ++last_sub;
  while (scan[last_place].x != last_x % 4 || scan[last_place].y != last_y % 4) ++last_place;
  const Scaling scaling = scaling_of(block, to.skip_transform);
  std::array<std::array<bool, 9>, 9> coded{};
  greater1_ = 1;
  to.columns = to.rows = 0;
  bool is_first_read = true;
  for (int i = static_cast<int>(last_sub); i >= 0; --i) {
    SubBlock sub;
    sub.index = static_cast<unsigned>(i), sub.x = sub_scan[i].x, sub.y = sub_scan[i].y, sub.is_first_read = is_first_read;
    const bool right = coded[sub.y][sub.x + 1], below = coded[sub.y + 1][sub.x], is_last = sub.index == last_sub;
    sub.neighbours = unsigned{right} | unsigned{below} << 1;
    bool is_coded = is_last || i == 0;
    if (!is_coded) {
      is_coded = cabac_.decode(contexts_[ctx_coded_sub_block + (block.component ? 2 : 0) + unsigned{right || below}]);
      sub.infer_dc = true;
    }
    coded[sub.y][sub.x] = is_coded;
    if (!is_coded) continue;
    if (is_last) sub.first = static_cast<int>(last_place) - 1, sub.place[sub.count++] = static_cast<uint8_t>(last_place);
    find_significant(block, sub);
    if (!sub.count) continue;
    read_levels(block, sub);
    is_first_read = false;
    for (unsigned k = 0; k < sub.count; ++k) {
      const unsigned x = sub.x * 4 + scan[sub.place[k]].x, y = sub.y * 4 + scan[sub.place[k]].y;
      to.values[y * size + x] = block.bypass ? static_cast<int16_t>(sub.level[k]) : scaling.apply(static_cast<int16_t>(sub.level[k]), x, y);
    }
    to.columns = std::max(to.columns, static_cast<uint8_t>(sub.x * 4 + 4)),
    to.rows = std::max(to.rows, static_cast<uint8_t>(sub.y * 4 + 4));
  }
  to.dc_only = last_sub == 0 && last_place == 0;
}

void read_residual(CabacDecoder& cabac, Contexts& contexts, const PictureParameters& picture, const TransformBlock& block,
                   Coefficients& to) {
  ResidualReader(cabac, contexts, picture).read(block, to);
}

}  // namespace softgen::media::hevc
