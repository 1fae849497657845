// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/hevc_encode/residual_writer.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace softgen::media::hevc {
namespace {

unsigned last_prefix_of(unsigned value) {
  if (value < 4) return value;
  const unsigned log2 = static_cast<unsigned>(std::bit_width(value)) - 1;
  return 2 * log2 + (value >> (log2 - 1) & 1);
}

}  // namespace

struct ResidualWriter::SubBlock {
  unsigned index = 0, x = 0, y = 0;  ///< in the scan of sub-blocks; in sub-blocks
  unsigned neighbours = 0;
  int first = 15;  ///< the place from which flags are written
  bool infer_dc = false, is_first_written = true;
  unsigned count = 0;  ///< of levels that are not 0, the last one in the scan first
  std::array<uint8_t, 16> place{};
  std::array<int32_t, 16> level{};
};

void ResidualWriter::last_place(unsigned first_context, const TransformBlock& block, unsigned value) {
  const LastContexts last(block);
  const unsigned prefix = last_prefix_of(value);
  for (unsigned i = 0; i < last.limit && i <= prefix; ++i)
    cabac_.encode(contexts_[first_context + last.offset + (i >> last.shift)], i < prefix);
}

void ResidualWriter::last_suffix(unsigned value) {
  const unsigned prefix = last_prefix_of(value);
  if (prefix > 3) cabac_.bypass_bits(value, prefix / 2 - 1);
}

void ResidualWriter::significant(const TransformBlock& block, const SubBlock& sub) {
  const SignificantContexts contexts(block, sub.x, sub.y, sub.neighbours);
  const Position* const scan = scan4.at[static_cast<size_t>(block.scan)].data();
  // The last coefficient of the block is there without a flag.
  unsigned next = sub.first < 15 ? 1 : 0, found = 0;
  for (int i = sub.first; i > 0; --i) {
    const bool is_there = next < sub.count && sub.place[next] == i;
    cabac_.encode(contexts_[contexts.at(scan[i])], is_there);
    if (is_there) ++next, ++found;
  }
  if (sub.first < 0 || (sub.infer_dc && !found)) return;
  cabac_.encode(contexts_[contexts.of_dc()], next < sub.count);
}

// 9.3.3.11.
void ResidualWriter::remaining(uint32_t value, unsigned rice) {
  if (value < 4u << rice) {
    const unsigned prefix = value >> rice;
    for (unsigned i = 0; i < prefix; ++i) cabac_.bypass(true);
    cabac_.bypass(false);
    cabac_.bypass_bits(value, rice);
    return;
  }
  unsigned prefix = 4;
  while (value >= ((1u << (prefix - 2)) + 2) << rice) ++prefix;
  for (unsigned i = 0; i < prefix; ++i) cabac_.bypass(true);
  cabac_.bypass(false);
  cabac_.bypass_bits(value - (((1u << (prefix - 3)) + 2) << rice), prefix - 3 + rice);
}

void ResidualWriter::magnitudes(const TransformBlock& block, const SubBlock& sub) {
  unsigned set = sub.index == 0 || block.component ? 0 : 2;
  if (!sub.is_first_written && greater1_ == 0) ++set;
  greater1_ = 1;
  int greater2_at = -1;
  const auto magnitude = [&](unsigned i) { return static_cast<uint32_t>(std::abs(sub.level[i])); };
  for (unsigned i = 0; i < std::min(sub.count, 8u); ++i) {
    const bool greater = magnitude(i) > 1;
    cabac_.encode(contexts_[ctx_greater1 + (block.component ? 16 : 0) + set * 4 + greater1_], greater);
    if (greater && greater2_at < 0) greater2_at = static_cast<int>(i);
    if (greater) greater1_ = 0;
    else if (greater1_ > 0 && greater1_ < 3) ++greater1_;
  }
  if (greater2_at >= 0)
    cabac_.encode(contexts_[ctx_greater2 + (block.component ? 4 : 0) + set], magnitude(static_cast<unsigned>(greater2_at)) > 2);
  const bool hidden = picture_.sign_hiding && !block.bypass && sub.place[0] - sub.place[sub.count - 1] > 3;
  for (unsigned i = 0; i < sub.count - hidden; ++i) cabac_.bypass(sub.level[i] < 0);
  unsigned rice = 0;
  for (unsigned i = 0; i < sub.count; ++i) {
    const uint32_t limit = i >= 8 ? 1 : static_cast<int>(i) == greater2_at ? 3 : 2;
    if (magnitude(i) < limit) continue;
    remaining(magnitude(i) - limit, rice);
    if (magnitude(i) > 3u << rice) rice = std::min(rice + 1, 4u);
  }
}

void ResidualWriter::write(const TransformBlock& block, bool skip_transform, std::span<const int16_t> levels) {
  if (picture_.transform_skip && !block.bypass && block.log2 == 2)
    cabac_.encode(contexts_[ctx_transform_skip + (block.component ? 1u : 0u)], skip_transform);
  const Position* const sub_scan = sub_block_scan(block.log2, block.scan);
  const Position* const scan = scan4.at[static_cast<size_t>(block.scan)].data();
  const auto level_at = [&](unsigned sub, unsigned i) {
    return levels[((sub_scan[sub].y * 4u + scan[i].y) << block.log2) + sub_scan[sub].x * 4u + scan[i].x];
  };
  unsigned last_sub = (1u << (2 * block.log2 - 4)) - 1, last_place_in = 15;
  while (!level_at(last_sub, last_place_in))
    if (last_place_in) --last_place_in;
    else --last_sub, last_place_in = 15;
  unsigned last_x = sub_scan[last_sub].x * 4u + scan[last_place_in].x, last_y = sub_scan[last_sub].y * 4u + scan[last_place_in].y;
  if (block.scan == Scan::vertical) std::swap(last_x, last_y);
  last_place(ctx_last_x, block, last_x);
  last_place(ctx_last_y, block, last_y);
  last_suffix(last_x);
  last_suffix(last_y);
  std::array<std::array<bool, 9>, 9> coded{};
  greater1_ = 1;
  bool is_first_written = true;
  for (unsigned index = last_sub + 1; index-- > 0;) {
    const bool is_last = index == last_sub;
    SubBlock sub{.index = index, .x = sub_scan[index].x, .y = sub_scan[index].y, .is_first_written = is_first_written};
    for (unsigned i = is_last ? last_place_in + 1 : 16; i-- > 0;)
      if (const int16_t level = level_at(index, i)) sub.place[sub.count] = static_cast<uint8_t>(i), sub.level[sub.count++] = level;
    const bool right = coded[sub.y][sub.x + 1], below = coded[sub.y + 1][sub.x];
    sub.neighbours = unsigned{right} | unsigned{below} << 1;
    bool is_coded = is_last || index == 0;
    if (!is_coded) {
      is_coded = sub.count != 0;
      cabac_.encode(contexts_[ctx_coded_sub_block + (block.component ? 2 : 0) + unsigned{right || below}], is_coded);
      sub.infer_dc = true;
    }
    coded[sub.y][sub.x] = is_coded;
    if (!is_coded) continue;
    if (is_last) sub.first = static_cast<int>(last_place_in) - 1;
    significant(block, sub);
    if (!sub.count) continue;
    magnitudes(block, sub);
    is_first_written = false;
  }
}

}  // namespace softgen::media::hevc
