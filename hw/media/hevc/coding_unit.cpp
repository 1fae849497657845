// SPDX-License-Identifier: GPL-2.0-or-later
// Coding units and their prediction (H.265 7.3.8.5 to 7.3.8.7, 7.3.8.9).
#include <algorithm>
#include <bit>

#include "hw/media/bits/bit_reader.h"
#include "hw/media/hevc/slice_decoder.h"

namespace softgen::media::hevc {

void SliceDecoder::coding_unit(int x, int y, unsigned log2, unsigned depth) {
  CodingUnit unit{.x = x, .y = y, .log2 = log2, .depth = depth};
  if (picture().transquant_bypass) unit.bypass = bin(ctx_transquant_bypass);
  bool is_skipped = false;
  if (slice_->type != SliceType::i) {
    is_skipped = bin(skip_context(x, y));
    unit.is_intra = !is_skipped && bin(ctx_pred_mode);
  }
  begin_unit(unit, is_skipped);
  if (is_skipped) predict_units(unit, true);
  else coded_unit(unit);
  end_unit(unit);
}

void SliceDecoder::coded_unit(CodingUnit& unit) {
  if (!unit.is_intra || unit.log2 == picture().log2_min_cb) unit.part = read_part_mode(unit);
  if (unit.is_intra) {
    const bool may_be_pcm =
        picture().pcm && unit.part == PartMode::whole && unit.log2 >= picture().log2_min_pcm && unit.log2 <= picture().log2_max_pcm;
    if (may_be_pcm && cabac_.terminate()) return read_pcm(unit);
    read_intra_modes(unit);
  } else {
    predict_units(unit, false);
    if (!(unit.part == PartMode::whole && unit.is_merged) && !bin(ctx_root_cbf)) return;
  }
  transform_tree(unit, TransformNode::root(unit));
}

// 9.3.3.7.
PartMode SliceDecoder::read_part_mode(const CodingUnit& unit) {
  if (bin(ctx_part_mode)) return PartMode::whole;
  if (unit.is_intra) return PartMode::quarters;
  const bool rows = bin(ctx_part_mode + 1);
  if (unit.log2 == picture().log2_min_cb) {
    if (rows) return PartMode::two_rows;
    return unit.log2 == 3 || bin(ctx_part_mode + 2) ? PartMode::two_columns : PartMode::quarters;
  }
  if (!picture().amp || bin(ctx_part_mode + 3)) return rows ? PartMode::two_rows : PartMode::two_columns;
  const bool second = cabac_.bypass();
  if (rows) return second ? PartMode::lower_quarter : PartMode::upper_quarter;
  return second ? PartMode::right_quarter : PartMode::left_quarter;
}

void SliceDecoder::read_pcm(const CodingUnit& unit) {
  const std::span<const uint8_t> bytes = cabac_.rest();
  BitReader reader(bytes);
  std::array<uint16_t, 32 * 32> samples;
  for (unsigned component = 0; component < 3; ++component) {
    const unsigned log2 = component ? unit.log2 - 1 : unit.log2, shift = component ? 1 : 0;
    const unsigned bits = component ? picture().pcm_chroma_bits : picture().pcm_luma_bits;
    for (unsigned i = 0; i < 1u << 2 * log2; ++i)
      samples[i] = static_cast<uint16_t>(reader.take(bits) << (picture().bits(component) - bits));
    sink_->store(component, unit.x >> shift, unit.y >> shift, log2, samples.data());
  }
  cabac_ = CabacDecoder(bytes.subspan(std::min<size_t>((reader.position() + 7) / 8, bytes.size())));
  if (picture().pcm_loop_filter_off) mark_cells(unit, Cell::intra | Cell::unfiltered);
}

void SliceDecoder::read_intra_modes(CodingUnit& unit) {
  const unsigned parts = unit.part == PartMode::quarters ? 4 : 1;
  const int size = unit.size() / (parts == 4 ? 2 : 1);
  std::array<bool, 4> predicted{};
  for (unsigned i = 0; i < parts; ++i) predicted[i] = bin(ctx_prev_intra_luma);
  for (unsigned i = 0; i < parts; ++i) {
    const int x = unit.x + static_cast<int>(i & 1) * size, y = unit.y + static_cast<int>(i >> 1) * size;
    std::array<uint8_t, 3> candidates;
    intra_candidates(unit, x, y, candidates);
    if (predicted[i]) {
      unit.luma_modes[i] = candidates[!cabac_.bypass() ? 0 : cabac_.bypass() ? 2 : 1];
    } else {
      unsigned mode = cabac_.bypass_bits(5);
      std::sort(candidates.begin(), candidates.end());
      for (const uint8_t candidate : candidates) mode += mode >= candidate;
      unit.luma_modes[i] = static_cast<uint8_t>(mode);
    }
    set_intra_mode(x, y, size, unit.luma_modes[i]);
  }
  unit.chroma_mode = chroma_mode_of(bin(ctx_intra_chroma) ? cabac_.bypass_bits(2) : 4, unit.luma_modes[0]);
}

void SliceDecoder::predict_units(CodingUnit& unit, bool is_skipped) {
  const PredictionBlocks blocks = blocks_of(unit);
  for (const PredictionBlock& block : blocks.all()) {
    unit.is_merged = is_skipped || bin(ctx_merge_flag);
    const Motion motion = unit.is_merged ? predictor_.merge(block, read_merge_index()) : read_motion(unit, block);
    set_motion(block, motion);
    sink_->predict_inter(block.area, motion, *slice_);
  }
}

unsigned SliceDecoder::read_merge_index() {
  const unsigned last = slice_->max_merge_candidates - 1u;
  if (!last || !bin(ctx_merge_idx)) return 0;
  unsigned index = 1;
  while (index < last && cabac_.bypass()) ++index;
  return index;
}

Motion SliceDecoder::read_motion(const CodingUnit& unit, const PredictionBlock& block) {
  std::array<bool, 2> uses{true, false};
  if (slice_->type == SliceType::b) {
    const bool bi = block.area.width + block.area.height != 12 && bin(ctx_inter_pred + unit.depth);
    const bool second = !bi && bin(ctx_inter_pred + 4);
    uses = {!second, bi || second};
  }
  Motion motion;
  for (unsigned list = 0; list < 2; ++list) {
    if (!uses[list]) continue;
    const unsigned reference = read_reference(list);
    const Mv difference = list && slice_->mvd_l1_zero && uses[0] ? Mv{} : read_mvd();
    const Mv predicted = predictor_.predict(block, list, reference, bin(ctx_mvp));
    motion.mv[list] = {static_cast<int16_t>(predicted.x + difference.x), static_cast<int16_t>(predicted.y + difference.y)};
    motion.index[list] = static_cast<int8_t>(reference);
    motion.frame[list] = slice_->lists[list][reference].frame;
  }
  return motion;
}

unsigned SliceDecoder::read_reference(unsigned list) {
  const unsigned last = slice_->active[list] - 1u;
  unsigned index = 0;
  while (index < last && (index < 2 ? bin(ctx_ref_idx + index) : cabac_.bypass())) ++index;
  return index;
}

Mv SliceDecoder::read_mvd() {
  std::array<bool, 2> greater0, greater1{};
  for (bool& flag : greater0) flag = bin(ctx_mvd_greater0);
  for (unsigned i = 0; i < 2; ++i) greater1[i] = greater0[i] && bin(ctx_mvd_greater1);
  std::array<int32_t, 2> value{};
  for (unsigned i = 0; i < 2; ++i) {
    if (!greater0[i]) continue;
    value[i] = greater1[i] ? static_cast<int32_t>(exp_golomb(1)) + 2 : 1;
    if (cabac_.bypass()) value[i] = -value[i];
  }
  return {static_cast<int16_t>(value[0]), static_cast<int16_t>(value[1])};
}

// 9.3.3.5. No valid value has more than 16 ones before it.
uint32_t SliceDecoder::exp_golomb(unsigned order) {
  uint32_t value = 0;
  for (unsigned i = 0; i < 16 && cabac_.bypass(); ++i) value += 1u << order++;
  return value + cabac_.bypass_bits(order);
}

}  // namespace softgen::media::hevc
