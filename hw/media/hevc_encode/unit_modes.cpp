// SPDX-License-Identifier: GPL-2.0-or-later
// How a coding unit's modes and motion are coded: candidates, merging, and predictors of motion vectors. Makes inter prediction's samples.
#include <algorithm>
#include <bit>
#include <cstdlib>

#include "hw/media/hevc_encode/slice_encoder.h"

namespace softgen::media::hevc {
namespace {

/// About the bits of a motion vector difference.
unsigned cost_of(Mv difference) {
  const auto bits = [](int value) { return 2 * static_cast<unsigned>(std::bit_width(static_cast<unsigned>(std::abs(value)))); };
  return bits(difference.x) + bits(difference.y);
}

Mv subtract(Mv a, Mv b) { return {static_cast<int16_t>(a.x - b.x), static_cast<int16_t>(a.y - b.y)}; }

}  // namespace

void SliceEncoder::choose_modes(CodingUnit& unit, const UnitRecord& record) {
  const unsigned parts = unit.has_quarters() ? 4 : 1;
  const int size = unit.size() / (parts == 4 ? 2 : 1);
  for (unsigned i = 0; i < parts; ++i) {
    const int x = unit.x + static_cast<int>(i & 1) * size, y = unit.y + static_cast<int>(i >> 1) * size;
    const uint8_t mode = unit.luma_modes[i] = record.luma_modes[i];
    std::array<uint8_t, 3> candidates;
    intra_candidates(unit, x, y, candidates);
    CodedMode& coded = modes_[i] = {};
    for (unsigned k = 0; k < 3; ++k)
      if (candidates[k] == mode) coded.candidate = static_cast<int>(k);
    coded.rest = mode;
    for (const uint8_t candidate : candidates) coded.rest = static_cast<uint8_t>(coded.rest - (candidate < mode));
    set_intra_mode(x, y, size, mode);
  }
  chroma_index_ = std::min<uint8_t>(record.chroma_mode, 4);
  unit.chroma_mode = chroma_mode_of(chroma_index_, unit.luma_modes[0]);
}

/// Indices within the lists, and no two lists for blocks of 8x4 and 4x8.
Motion SliceEncoder::legal_motion(const UnitRecord& record, const PredictionBlock& block) const {
  Motion motion = record.motions[block.part];
  if (slice_->type == SliceType::p || (!motion.uses(0) && !motion.uses(1))) motion.index = {std::max<int8_t>(motion.index[0], 0), -1};
  if (motion.uses(0) && motion.uses(1) && block.area.width + block.area.height == 12) motion.index[1] = -1;
  for (unsigned list = 0; list < 2; ++list) {
    if (!motion.uses(list)) {
      motion.mv[list] = {}, motion.frame[list] = 0;
      continue;
    }
    motion.index[list] = std::min(motion.index[list], static_cast<int8_t>(slice_->active[list] - 1));
    motion.frame[list] = slice_->lists[list][static_cast<size_t>(motion.index[list])].frame;
  }
  return motion;
}

SliceEncoder::CodedMotion SliceEncoder::code_motion(const PredictionBlock& block, const Motion& motion) const {
  CodedMotion coded{.motion = motion};
  for (unsigned i = 0; i < slice_->max_merge_candidates && coded.merge < 0; ++i)
    if (predictor_.merge(block, i) == motion) coded.merge = static_cast<int>(i);
  if (coded.merge >= 0) return coded;
  for (unsigned list = 0; list < 2; ++list) {
    if (!motion.uses(list)) continue;
    const auto reference = static_cast<unsigned>(motion.index[list]);
    std::array<Mv, 2> differences;
    for (unsigned i = 0; i < 2; ++i) differences[i] = subtract(motion.mv[list], predictor_.predict(block, list, reference, i));
    coded.candidate[list] = cost_of(differences[1]) < cost_of(differences[0]);
    coded.difference[list] = differences[coded.candidate[list]];
    if (list == 0 || !slice_->mvd_l1_zero || !motion.uses(0)) continue;
    // The stream has no difference here: the vector is its predictor.
    coded.difference[list] = {};
    coded.motion.mv[list] = predictor_.predict(block, list, reference, coded.candidate[list]);
  }
  return coded;
}

void SliceEncoder::choose_motion(CodingUnit& unit, const UnitRecord& record) {
  const PredictionBlocks blocks = blocks_of(unit);
  for (const PredictionBlock& block : blocks.all()) {
    CodedMotion& coded = motions_[block.part];
    coded = code_motion(block, legal_motion(record, block));
    unit.is_merged = coded.merge >= 0;
    set_motion(block, coded.motion);
    input_.samples->predict_inter(block.area, coded.motion, *slice_);
  }
}

}  // namespace softgen::media::hevc
