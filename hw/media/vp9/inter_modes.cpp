// SPDX-License-Identifier: GPL-2.0-or-later
// Modes of inter blocks and their motion vectors: VP9 specification, 6.4.11 to 6.4.20.
#include <algorithm>
#include <cstdlib>

#include "hw/media/vp9/mode_reader.h"
#include "hw/media/vp9/tables.h"

namespace softgen::media::vp9 {

bool ModeReader::is_inter(const BlockInfo& block) {
  const Segment& segment = frame_.picture.segmentation.segments[block.segment];
  if (frame_.picture.segmentation.enabled && segment.has_reference) return segment.reference != intra_frame;
  const bool above_intra = above_ && !above_->is_inter(), left_intra = left_ && !left_->is_inter();
  const unsigned context = above_ && left_ ? (above_intra && left_intra ? 3 : above_intra || left_intra) : 2 * (above_intra || left_intra);
  const bool inter = tile_.bits.decode(frame_.probabilities.is_inter[context]);
  ++tile_.counts.is_inter[context][inter];
  return inter;
}

void ModeReader::references(BlockInfo& block) {
  const Segment& segment = frame_.picture.segmentation.segments[block.segment];
  block.reference = {last_frame, no_reference};
  if (frame_.picture.segmentation.enabled && segment.has_reference) {
    block.reference[0] = segment.reference;
    return;
  }
  bool compound = frame_.header.reference_mode == compound_reference;
  if (frame_.header.reference_mode == reference_select) {
    const unsigned context = compound_context();
    compound = tile_.bits.decode(frame_.probabilities.compound[context]);
    ++tile_.counts.compound[context][compound];
  }
  if (compound) {
    const unsigned fixed = frame_.picture.sign_bias[static_cast<size_t>(frame_.fixed_reference)], context = compound_reference_context();
    const bool bit = tile_.bits.decode(frame_.probabilities.compound_reference[context]);
    ++tile_.counts.compound_reference[context][bit];
    block.reference[fixed] = frame_.fixed_reference;
    block.reference[!fixed] = frame_.variable_reference[bit];
    return;
  }
  const unsigned first = single_context_1();
  const bool not_last = tile_.bits.decode(frame_.probabilities.single[first][0]);
  ++tile_.counts.single[first][0][not_last];
  if (!not_last) return;
  const unsigned second = single_context_2();
  const bool altref = tile_.bits.decode(frame_.probabilities.single[second][1]);
  ++tile_.counts.single[second][1][altref];
  block.reference[0] = altref ? altref_frame : golden_frame;
}

uint8_t ModeReader::inter_mode(unsigned context) {
  const unsigned mode = read_tree(tile_.bits, inter_mode_tree, frame_.probabilities.inter_mode[context]);
  ++tile_.counts.inter_mode[context][mode];
  return static_cast<uint8_t>(nearest_mv + mode);
}

void ModeReader::filter(BlockInfo& block) {
  if (frame_.picture.filter != filter_switchable) {
    block.filter = frame_.picture.filter;
    return;
  }
  const unsigned above = above_ ? above_->filter : 3, left = left_ ? left_->filter : 3;
  const unsigned context = std::min(left == above ? left : left == 3 ? above : above == 3 ? left : 3, 3u);
  block.filter = static_cast<uint8_t>(read_tree(tile_.bits, filter_tree, frame_.probabilities.filter[context]));
  ++tile_.counts.filter[context][block.filter];
}

void ModeReader::inter_modes(BlockInfo& block) {
  const unsigned context = mode_context(block);
  const bool forced = frame_.picture.segmentation.enabled && frame_.picture.segmentation.segments[block.segment].skip;
  if (forced) block.mode = zero_mv;
  else if (block.size >= block_8x8) block.mode = inter_mode(context);
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

void ModeReader::sub_block_modes(BlockInfo& block, unsigned context) {
  const unsigned wide = width4_log2[block.size], high = height4_log2[block.size], count = 1u + block.is_compound();
  Mv best[2];
  bool have_best = false;
  for (unsigned y = 0; y < 2; y += 1 + high)
    for (unsigned x = 0; x < 2; x += 1 + wide) {
      const unsigned quarter = y * 2 + x;
      block.mode = inter_mode(context);
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

void ModeReader::assign(BlockInfo& block, unsigned quarter, uint8_t mode, const Mv (&best)[2], const Mv (&near)[2]) {
  for (unsigned i = 0; i < 1u + block.is_compound(); ++i)
    block.mv[quarter][i] = mode == new_mv ? read_mv(best[i]) : mode == zero_mv ? Mv{} : near[i];
}

Mv ModeReader::read_mv(Mv best) {
  const bool high = frame_.picture.high_precision && std::abs(best.row) < 64 && std::abs(best.column) < 64;
  const unsigned joint = read_tree(tile_.bits, mv_joint_tree, frame_.probabilities.joints);
  ++tile_.counts.joints[joint];
  const int row = joint & 2 ? read_component(0, high) : 0;
  const int column = joint & 1 ? read_component(1, high) : 0;
  return {static_cast<int16_t>(best.row + row), static_cast<int16_t>(best.column + column)};
}

int ModeReader::read_component(unsigned component, bool high) {
  const MvComponent& p = frame_.probabilities.mv[component];
  MvCounts& counts = tile_.counts.mv[component];
  BoolDecoder& bits = tile_.bits;
  const bool sign = bits.decode(p.sign);
  ++counts.sign[sign];
  const unsigned mv_class = read_tree(bits, mv_class_tree, p.classes);
  ++counts.classes[mv_class];
  unsigned integer = 0;
  if (!mv_class) {
    integer = bits.decode(p.class0);
    ++counts.class0[integer];
  }
  for (unsigned i = 0; i < mv_class; ++i) {
    const bool bit = bits.decode(p.bits[i]);
    ++counts.bits[i][bit];
    integer |= unsigned{bit} << i;
  }
  const unsigned fraction = read_tree(bits, mv_fraction_tree, mv_class ? p.fraction : p.class0_fraction[integer]);
  ++(mv_class ? counts.fraction : counts.class0_fraction[integer])[fraction];
  // Without high precision the bit is 1, and counted all the same (libvpx, vp9_inc_mv()).
  const bool eighth = high ? bits.decode(mv_class ? p.high : p.class0_high) : true;
  ++(mv_class ? counts.high : counts.class0_high)[eighth];
  const unsigned base = mv_class ? 2u << (mv_class + 2) : 0;
  const int magnitude = static_cast<int>(base + (integer << 3 | fraction << 1 | unsigned{eighth}) + 1);
  return sign ? -magnitude : magnitude;
}

}  // namespace softgen::media::vp9
