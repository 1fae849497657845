// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/hevc_encode/slice_encoder.h"

#include <algorithm>

namespace softgen::media::hevc {

bool SliceEncoder::begin(const SliceParameters& slice, std::span<const StoredMotion> collocated, avc::GolombWriter& to) {
  if (!begin_slice(slice, collocated)) return false;
  bits_ = &to;
  cabac_.emplace(to);
  is_first_ = true;
  qp_sum_ = 0;
  return true;
}

bool SliceEncoder::encode(uint32_t ctb, const TreeRecord& tree) {
  if (!is_first_) cabac_->terminate(false);
  enter_ctb(ctb, is_first_);
  is_first_ = false;
  tree_ = &tree, next_unit_ = 0;
  if (picture().sao && (slice_->sao_luma || slice_->sao_chroma)) write_no_sao(ctb);
  const unsigned log2 = picture().log2_ctb;
  quadtree(static_cast<int>(ctb % info_.ctb_columns() << log2), static_cast<int>(ctb / info_.ctb_columns() << log2), log2, 0, 0);
  keep_contexts(ctb);
  info_.ctbs[ctb].is_whole = true;
  if (slice_->type != SliceType::i) store_motion(ctb);
  return next_unit_ <= tree.units.size();
}

void SliceEncoder::end() {
  cabac_->terminate(true);
  segment_contexts_ = contexts_;
  bits_->align(false);
}

void SliceEncoder::write_no_sao(uint32_t ctb) {
  const uint32_t columns = info_.ctb_columns();
  const auto may_merge = [&](uint32_t from) {
    return info_.ctbs[from].slice_address == slice_address_ && info_.tile_of(from) == info_.tile_of(ctb);
  };
  if (ctb % columns && may_merge(ctb - 1)) bin(ctx_sao_merge, false);
  if (ctb >= columns && may_merge(ctb - columns)) bin(ctx_sao_merge, false);
  if (slice_->sao_luma) bin(ctx_sao_type, false);
  if (slice_->sao_chroma) bin(ctx_sao_type, false);
}

/// `path`: quarters on the way, two bits each.
void SliceEncoder::quadtree(int x, int y, unsigned log2, unsigned depth, unsigned path) {
  bool splits = depth == 0 ? tree_->split0 : depth == 1 ? tree_->split1 >> path & 1 : depth == 2 ? tree_->split2 >> path & 1 : false;
  if (log2 <= picture().log2_min_cb) splits = false;
  else if (!fits(x, y, 1 << log2)) splits = true;
  else bin(split_context(x, y, depth), splits);
  if (begins_quantization_group(log2)) begin_quantization_group(x, y);
  if (!splits) return coding_unit(x, y, log2, depth);
  const int half = 1 << (log2 - 1);
  for (unsigned i = 0; i < 4; ++i) {
    const int to_x = x + static_cast<int>(i & 1) * half, to_y = y + static_cast<int>(i >> 1) * half;
    if (info_.contains(to_x, to_y)) quadtree(to_x, to_y, log2 - 1, depth + 1, path * 4 + i);
  }
}

CodingUnit SliceEncoder::unit_of(const UnitRecord& record, int x, int y, unsigned log2, unsigned depth) const {
  CodingUnit unit{.x = x, .y = y, .log2 = log2, .depth = depth};
  unit.is_intra = slice_->type == SliceType::i || !record.is_inter;
  unit.bypass = picture().transquant_bypass && record.bypass;
  const auto part = static_cast<PartMode>(record.part);
  const bool is_smallest = log2 == picture().log2_min_cb;
  switch (part) {
    case PartMode::whole: break;
    case PartMode::two_rows:
    case PartMode::two_columns:
      if (!unit.is_intra) unit.part = part;
      break;
    case PartMode::quarters:
      if (is_smallest && (unit.is_intra ? log2 > picture().log2_min_tb : log2 > 3)) unit.part = part;
      break;
    default:
      if (!unit.is_intra && picture().amp && !is_smallest) unit.part = part;
      break;
  }
  return unit;
}

void SliceEncoder::coding_unit(int x, int y, unsigned log2, unsigned depth) {
  static constexpr UnitRecord missing{};
  const size_t index = next_unit_++;
  const UnitRecord& record = index < tree_->units.size() ? tree_->units[index] : missing;
  CodingUnit unit = unit_of(record, x, y, log2, depth);
  begin_unit(unit, false);
  if (unit.is_intra) choose_modes(unit, record);
  else choose_motion(unit, record);
  const int lowest = -6 * (picture().luma_bits - 8);
  if (picture().qp_delta && !quantization_.coded) quantization_.qp = std::clamp<int>(record.qp, lowest, 51);
  nodes_.clear(), levels_.clear(), next_node_ = 0;
  const std::array<bool, 3> coded = code_tree(unit, record, TransformNode::root(unit), 0);
  const bool any = coded[0] || coded[1] || coded[2];
  if (!any && !quantization_.coded) quantization_.qp = quantization_.predicted;
  const bool is_skipped = !unit.is_intra && unit.is_merged && unit.part == PartMode::whole && !any;
  if (is_skipped) mark_cells(unit, static_cast<uint8_t>(Cell::inter | Cell::skipped | (unit.bypass ? Cell::unfiltered : 0)));
  write_unit(unit, is_skipped);
  qp_sum_ += static_cast<uint32_t>(quantization_.qp);
  end_unit(unit);
}

}  // namespace softgen::media::hevc
