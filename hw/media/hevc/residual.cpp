// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/hevc/residual.h"

#include <algorithm>

#include "hw/media/hevc/residual_syntax.h"

namespace softgen::media::hevc {

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

[[gnu::always_inline]] inline unsigned ResidualReader::last_prefix(unsigned first_context, const TransformBlock& block) {
  const LastContexts last(block);
  unsigned prefix = 0;
  while (prefix < last.limit && cabac_.decode(contexts_[first_context + last.offset + (prefix >> last.shift)])) ++prefix;
  return prefix;
}

// 9.3.4.2.5.
[[gnu::always_inline]] inline void ResidualReader::find_significant(const TransformBlock& block, SubBlock& sub) {
  const SignificantContexts significant(block, sub.x, sub.y, sub.neighbours);
  const Position* const scan = scan4.at[static_cast<unsigned>(block.scan)].data();
  for (int i = sub.first; i > 0; --i)
    if (cabac_.decode(contexts_[significant.at(scan[i])])) sub.place[sub.count++] = static_cast<uint8_t>(i);
  if (sub.first < 0) return;
  const bool inferred = sub.infer_dc && sub.count == 0;
  if (inferred || cabac_.decode(contexts_[significant.of_dc()])) sub.place[sub.count++] = 0;
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
  const Scaling scaling(picture_, block, to.skip_transform);
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
