// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vp9/inter_mode_coder.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "hw/media/vp9/tables.h"

namespace softgen::media::vp9 {

template <class Bits>
bool InterModeCoder<Bits>::is_inter(const BlockInfo& block) {
  if (has_reference(block)) return segment_of(block).reference != intra_frame;
  const unsigned context = is_inter_context();
  const bool inter = code(tile_.bits, frame_.probabilities.is_inter[context], block.is_inter());
  ++tile_.counts.is_inter[context][inter];
  return inter;
}

template <class Bits>
void InterModeCoder<Bits>::references(BlockInfo& block) {
  const std::array<int8_t, 2> wanted = block.reference;
  block.reference = {last_frame, no_reference};
  if (has_reference(block)) {
    block.reference[0] = segment_of(block).reference;
    return;
  }
  bool compound = frame_.header.reference_mode == compound_reference;
  if (frame_.header.reference_mode == reference_select) {
    const unsigned context = compound_context();
    compound = code(tile_.bits, frame_.probabilities.compound[context], wanted[1] > intra_frame);
    ++tile_.counts.compound[context][compound];
  }
  if (compound) {
    const unsigned fixed = frame_.picture.sign_bias[static_cast<size_t>(frame_.fixed_reference)], context = compound_reference_context();
    const bool bit = code(tile_.bits, frame_.probabilities.compound_reference[context], wanted[!fixed] == frame_.variable_reference[1]);
    ++tile_.counts.compound_reference[context][bit];
    block.reference[fixed] = frame_.fixed_reference;
    block.reference[!fixed] = frame_.variable_reference[bit];
    return;
  }
  const unsigned first = single_context_1();
  const bool not_last = code(tile_.bits, frame_.probabilities.single[first][0], wanted[0] != last_frame);
  ++tile_.counts.single[first][0][not_last];
  if (!not_last) return;
  const unsigned second = single_context_2();
  const bool altref = code(tile_.bits, frame_.probabilities.single[second][1], wanted[0] == altref_frame);
  ++tile_.counts.single[second][1][altref];
  block.reference[0] = altref ? altref_frame : golden_frame;
}

template <class Bits>
uint8_t InterModeCoder<Bits>::inter_mode(unsigned context, uint8_t wanted) {
  const unsigned mode = code_tree(tile_.bits, inter_mode_tree, frame_.probabilities.inter_mode[context], wanted - unsigned{nearest_mv});
  ++tile_.counts.inter_mode[context][mode];
  return static_cast<uint8_t>(nearest_mv + mode);
}

template <class Bits>
void InterModeCoder<Bits>::filter(BlockInfo& block) {
  if (frame_.picture.filter != filter_switchable) {
    block.filter = frame_.picture.filter;
    return;
  }
  const unsigned context = filter_context();
  block.filter = static_cast<uint8_t>(code_tree(tile_.bits, filter_tree, frame_.probabilities.filter[context], block.filter));
  ++tile_.counts.filter[context][block.filter];
}

template <class Bits>
void InterModeCoder<Bits>::inter_modes(BlockInfo& block) {
  const unsigned context = mode_context(block);
  const bool forced = skips(block);
  if (forced) block.mode = zero_mv;
  else if (block.size >= block_8x8) block.mode = inter_mode(context, block.mode);
  filter(block);
  if (block.size < block_8x8) {
    // A skipped segment in a small block is no legal stream: its vectors are 0.
    if (!forced) sub_block_modes(block, context);
    return;
  }
  Mv best[2], near[2];
  for (unsigned i = 0; block.mode != zero_mv && i < 1u + block.is_compound(); ++i) {
    Mv list[2];
    find_motion(block, block.reference[i], -1, list);
    best[i] = lowered(list[0]);
    near[i] = lowered(list[block.mode == near_mv]);
  }
  assign(block, 3, block.mode, best, near);
  for (unsigned quarter = 0; quarter < 3; ++quarter) block.mv[quarter] = block.mv[3];
}

template <class Bits>
void InterModeCoder<Bits>::sub_block_modes(BlockInfo& block, unsigned context) {
  const unsigned wide = width4_log2[block.size], high = height4_log2[block.size], count = 1u + block.is_compound();
  Mv best[2];
  bool have_best = false;
  for (unsigned y = 0; y < 2; y += 1 + high)
    for (unsigned x = 0; x < 2; x += 1 + wide) {
      const unsigned quarter = y * 2 + x;
      block.mode = inter_mode(context, block.sub_modes[quarter]);
      Mv chosen[2];
      for (unsigned i = 0; i < count && (block.mode == nearest_mv || block.mode == near_mv); ++i) {
        Mv nearest, near;
        near_of_quarter(block, quarter, i, nearest, near);
        chosen[i] = block.mode == near_mv ? near : nearest;
      }
      for (unsigned i = 0; i < count && block.mode == new_mv && !have_best; ++i) {
        Mv list[2];
        find_motion(block, block.reference[i], -1, list);
        best[i] = lowered(list[0]);
      }
      have_best |= block.mode == new_mv;
      assign(block, quarter, block.mode, best, chosen);
      for (unsigned j = y; j <= y + high; ++j)
        for (unsigned i = x; i <= x + wide; ++i) block.mv[j * 2 + i] = block.mv[quarter];
    }
}

template <class Bits>
void InterModeCoder<Bits>::assign(BlockInfo& block, unsigned quarter, uint8_t mode, const Mv (&best)[2], const Mv (&near)[2]) {
  for (unsigned i = 0; i < 1u + block.is_compound(); ++i)
    block.mv[quarter][i] = mode == new_mv ? code_mv(best[i], block.mv[quarter][i]) : mode == zero_mv ? Mv{} : near[i];
}

template <class Bits>
Mv InterModeCoder<Bits>::code_mv(Mv best, Mv mv) {
  const bool high = has_eighths(best);
  int row = mv.row - best.row, column = mv.column - best.column;
  const unsigned joint = code_tree(tile_.bits, mv_joint_tree, frame_.probabilities.joints, (row ? 2 : 0) + (column ? 1 : 0));
  ++tile_.counts.joints[joint];
  row = joint & 2 ? component(0, high, row) : 0;
  column = joint & 1 ? component(1, high, column) : 0;
  return {static_cast<int16_t>(best.row + row), static_cast<int16_t>(best.column + column)};
}

template <class Bits>
int InterModeCoder<Bits>::component(unsigned component, bool high, int value) {
  const MvComponent& p = frame_.probabilities.mv[component];
  MvCounts& counts = tile_.counts.mv[component];
  Bits& bits = tile_.bits;
  // An encoder's: not 0, less than 1 << 14, and even without eighths.
  const unsigned above = static_cast<unsigned>(std::abs(value)) - (value != 0);
  const unsigned wanted_class = above < 16 ? 0 : static_cast<unsigned>(std::bit_width(above >> 4));
  const unsigned rest = wanted_class ? above - (8u << wanted_class) : above;
  const bool sign = code(bits, p.sign, value < 0);
  ++counts.sign[sign];
  const unsigned mv_class = code_tree(bits, mv_class_tree, p.classes, std::min(wanted_class, 10u));
  ++counts.classes[mv_class];
  unsigned integer = 0;
  if (!mv_class) {
    integer = code(bits, p.class0, rest >> 3 & 1);
    ++counts.class0[integer];
  }
  for (unsigned i = 0; i < mv_class; ++i) {
    const bool bit = code(bits, p.bits[i], rest >> (3 + i) & 1);
    ++counts.bits[i][bit];
    integer |= unsigned{bit} << i;
  }
  const unsigned fraction = code_tree(bits, mv_fraction_tree, mv_class ? p.fraction : p.class0_fraction[integer], rest >> 1 & 3);
  ++(mv_class ? counts.fraction : counts.class0_fraction[integer])[fraction];
  // Without high precision the bit is 1, and counted all the same (libvpx, vp9_inc_mv()).
  const bool eighth = high ? code(bits, mv_class ? p.high : p.class0_high, rest & 1) : true;
  ++(mv_class ? counts.high : counts.class0_high)[eighth];
  const unsigned base = mv_class ? 8u << mv_class : 0;
  const int magnitude = static_cast<int>(base + (integer << 3 | fraction << 1 | unsigned{eighth}) + 1);
  return sign ? -magnitude : magnitude;
}

template class InterModeCoder<BoolDecoder>;
template class InterModeCoder<BoolEncoder>;

}  // namespace softgen::media::vp9
