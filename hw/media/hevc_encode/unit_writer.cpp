// SPDX-License-Identifier: GPL-2.0-or-later
// A coding unit's syntax elements (H.265 7.3.8.5 to 7.3.8.14), in their order: the counterpart of hw/media/hevc/coding_unit.cpp and transform_tree.cpp.
#include <algorithm>
#include <cstdlib>

#include "hw/media/hevc_encode/residual_writer.h"
#include "hw/media/hevc_encode/slice_encoder.h"

namespace softgen::media::hevc {

void SliceEncoder::write_unit(const CodingUnit& unit, bool is_skipped) {
  if (picture().transquant_bypass) bin(ctx_transquant_bypass, unit.bypass);
  if (slice_->type != SliceType::i) {
    bin(skip_context(unit.x, unit.y), is_skipped);
    if (!is_skipped) bin(ctx_pred_mode, unit.is_intra);
  }
  const PredictionBlocks blocks = blocks_of(unit);
  if (is_skipped) return write_motion(unit, blocks.at[0], motions_[0], true);
  if (!unit.is_intra || unit.log2 == picture().log2_min_cb) write_part_mode(unit);
  if (unit.is_intra) {
    const bool may_be_pcm =
        picture().pcm && unit.part == PartMode::whole && unit.log2 >= picture().log2_min_pcm && unit.log2 <= picture().log2_max_pcm;
    if (may_be_pcm) cabac_->terminate(false);
    write_intra_modes(unit);
  } else {
    for (const PredictionBlock& block : blocks.all()) write_motion(unit, block, motions_[block.part], false);
    const auto& coded = nodes_[0].coded;
    const bool any = coded[0] || coded[1] || coded[2];
    if (!(unit.part == PartMode::whole && unit.is_merged)) bin(ctx_root_cbf, any);
    if (!any) return;
  }
  write_tree(unit, TransformNode::root(unit));
}

// 9.3.3.7.
void SliceEncoder::write_part_mode(const CodingUnit& unit) {
  const PartMode part = unit.part;
  bin(ctx_part_mode, part == PartMode::whole);
  if (part == PartMode::whole || unit.is_intra) return;
  const bool rows = part == PartMode::two_rows || part == PartMode::upper_quarter || part == PartMode::lower_quarter;
  bin(ctx_part_mode + 1, rows);
  if (unit.log2 == picture().log2_min_cb) {
    if (!rows && unit.log2 > 3) bin(ctx_part_mode + 2, part == PartMode::two_columns);
    return;
  }
  if (!picture().amp) return;
  const bool halves = part == PartMode::two_rows || part == PartMode::two_columns;
  bin(ctx_part_mode + 3, halves);
  if (!halves) cabac_->bypass(part == PartMode::lower_quarter || part == PartMode::right_quarter);
}

void SliceEncoder::write_intra_modes(const CodingUnit& unit) {
  const unsigned parts = unit.has_quarters() ? 4 : 1;
  for (unsigned i = 0; i < parts; ++i) bin(ctx_prev_intra_luma, modes_[i].candidate >= 0);
  for (unsigned i = 0; i < parts; ++i) {
    const CodedMode& mode = modes_[i];
    if (mode.candidate < 0) {
      cabac_->bypass_bits(mode.rest, 5);
      continue;
    }
    cabac_->bypass(mode.candidate > 0);
    if (mode.candidate > 0) cabac_->bypass(mode.candidate > 1);
  }
  bin(ctx_intra_chroma, chroma_index_ < 4);
  if (chroma_index_ < 4) cabac_->bypass_bits(chroma_index_, 2);
}

void SliceEncoder::write_motion(const CodingUnit& unit, const PredictionBlock& block, const CodedMotion& coded, bool is_skipped) {
  const bool is_merged = coded.merge >= 0;
  if (!is_skipped) bin(ctx_merge_flag, is_merged);
  if (is_merged) return write_merge_index(static_cast<unsigned>(coded.merge));
  const Motion& motion = coded.motion;
  if (slice_->type == SliceType::b) {
    const bool bi = motion.uses(0) && motion.uses(1);
    if (block.area.width + block.area.height != 12) bin(ctx_inter_pred + unit.depth, bi);
    if (!bi) bin(ctx_inter_pred + 4, motion.uses(1));
  }
  for (unsigned list = 0; list < 2; ++list) {
    if (!motion.uses(list)) continue;
    write_reference(list, static_cast<unsigned>(motion.index[list]));
    if (!(list && slice_->mvd_l1_zero && motion.uses(0))) write_mvd(coded.difference[list]);
    bin(ctx_mvp, coded.candidate[list]);
  }
}

void SliceEncoder::write_merge_index(unsigned index) {
  const unsigned last = slice_->max_merge_candidates - 1u;
  if (!last) return;
  bin(ctx_merge_idx, index > 0);
  for (unsigned i = 1; i < last && i <= index; ++i) cabac_->bypass(i < index);
}

void SliceEncoder::write_reference(unsigned list, unsigned index) {
  const unsigned last = slice_->active[list] - 1u;
  for (unsigned i = 0; i < last && i <= index; ++i) {
    if (i < 2) bin(ctx_ref_idx + i, i < index);
    else cabac_->bypass(i < index);
  }
}

void SliceEncoder::write_mvd(Mv difference) {
  const std::array<int, 2> value{difference.x, difference.y};
  for (const int one : value) bin(ctx_mvd_greater0, one != 0);
  for (const int one : value)
    if (one) bin(ctx_mvd_greater1, std::abs(one) > 1);
  for (const int one : value) {
    if (!one) continue;
    if (std::abs(one) > 1) write_exp_golomb(static_cast<uint32_t>(std::abs(one)) - 2, 1);
    cabac_->bypass(one < 0);
  }
}

// 9.3.3.5.
void SliceEncoder::write_exp_golomb(uint32_t value, unsigned order) {
  for (; value >= 1u << order; ++order) {
    cabac_->bypass(true);
    value -= 1u << order;
  }
  cabac_->bypass(false);
  cabac_->bypass_bits(value, order);
}

void SliceEncoder::write_tree(const CodingUnit& unit, const TransformNode& node) {
  const CodedNode& coded = nodes_[next_node_++];
  if (!inferred_split(unit, node)) bin(ctx_split_transform + 5 - node.log2, coded.splits);
  TransformNode here = node;
  if (node.log2 > 2) {
    here.cbf_cb = coded.coded[1], here.cbf_cr = coded.coded[2];
    if (node.cbf_cb) bin(ctx_cbf_chroma + node.depth, here.cbf_cb);
    if (node.cbf_cr) bin(ctx_cbf_chroma + node.depth, here.cbf_cr);
  }
  if (!coded.splits) return write_leaf(unit, here, coded);
  for (unsigned i = 0; i < 4; ++i) write_tree(unit, here.child(i));
}

void SliceEncoder::write_leaf(const CodingUnit& unit, const TransformNode& node, const CodedNode& coded) {
  const bool cbf_luma = coded.coded[0], cbf_chroma = node.cbf_cb || node.cbf_cr;
  if (unit.is_intra || node.depth || cbf_chroma) bin(ctx_cbf_luma + (node.depth ? 0 : 1), cbf_luma);
  if ((cbf_luma || cbf_chroma) && picture().qp_delta && !quantization_.coded) write_qp_delta();
  for (unsigned component = 0; component < 3; ++component) {
    if (!coded.coded[component]) continue;
    const unsigned log2 = component ? node.chroma_log2() : node.log2;
    const unsigned mode = component ? unit.chroma_mode : unit.luma_modes[part_of(unit, node)];
    const auto levels = std::span<const int16_t>(levels_).subspan(coded.levels[component], size_t{1} << 2 * log2);
    ResidualWriter(*cabac_, contexts_, picture())
        .write(transform_block(unit, component, log2, mode), coded.skip_transform[component], levels);
  }
}

void SliceEncoder::write_qp_delta() {
  const int offset = 6 * (picture().luma_bits - 8), range = 52 + offset;
  int delta = quantization_.qp - quantization_.predicted;
  // 7.4.9.14: -(26 + offset / 2) to 25 + offset / 2.
  if (delta > 25 + offset / 2) delta -= range;
  if (delta < -26 - offset / 2) delta += range;
  const auto magnitude = static_cast<uint32_t>(std::abs(delta));
  for (unsigned i = 0; i < 5 && i <= magnitude; ++i) bin(ctx_qp_delta + (i ? 1 : 0), i < magnitude);
  if (magnitude >= 5) write_exp_golomb(magnitude - 5, 0);
  if (delta) cabac_->bypass(delta < 0);
  change_qp(delta);
}

}  // namespace softgen::media::hevc
