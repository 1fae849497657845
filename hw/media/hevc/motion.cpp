// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/hevc/motion.h"

#include <algorithm>
#include <cstdlib>

namespace softgen::media::hevc {

Mv scale_mv(Mv mv, int to_distance, int from_distance) {
  if (!from_distance) return mv;
  const int factor = std::clamp((to_distance * ((16384 + std::abs(from_distance) / 2) / from_distance) + 32) >> 6, -4096, 4095);
  const auto scale = [factor](int value) {
    const int product = factor * value;
    return static_cast<int16_t>(std::clamp((product < 0 ? -1 : 1) * ((std::abs(product) + 127) >> 8), -32768, 32767));
  };
  return {scale(mv.x), scale(mv.y)};
}

struct MotionPredictor::MergeList {
  std::array<Motion, 6> at{};
  unsigned count = 0, limit = 5;
  void add(const Motion& motion) {
    if (count < limit) at[count++] = motion;
  }
};

void MotionPredictor::begin(const PictureInfo& info, const SliceParameters& slice, std::span<const StoredMotion> collocated) {
  info_ = &info, slice_ = &slice, collocated_ = collocated;
  all_before_ = true;
  for (unsigned list = 0; list < (slice.type == SliceType::b ? 2 : 1); ++list)
    for (unsigned i = 0; i < slice.active[list]; ++i) all_before_ &= slice.lists[list][i].poc_distance >= 0;
}

// 6.4.2.
const Motion* MotionPredictor::neighbour(const PredictionBlock& block, int x, int y) const {
  const Rectangle& area = block.area;
  const bool same = x >= block.cb_x && y >= block.cb_y && x < block.cb_x + block.cb_size && y < block.cb_y + block.cb_size;
  if (same) {
    const bool is_later = area.width * 2 == block.cb_size && area.height * 2 == block.cb_size && block.part == 1 &&
                          y >= block.cb_y + area.height && x < block.cb_x + area.width;
    if (is_later) return nullptr;
  } else if (!info_->is_available(area.x, area.y, x, y)) {
    return nullptr;
  }
  const size_t cell = info_->cell_index(x, y);
  return info_->cells[cell].is(Cell::inter) ? &info_->motions[cell] : nullptr;
}

const Motion* MotionPredictor::merge_neighbour(const PredictionBlock& block, int x, int y) const {
  const unsigned level = info_->parameters().log2_parallel_merge;
  if (block.area.x >> level == x >> level && block.area.y >> level == y >> level) return nullptr;
  return neighbour(block, x, y);
}

// 8.5.3.2.3.
void MotionPredictor::add_spatial(const PredictionBlock& block, MergeList& to) const {
  const auto& [x, y, width, height] = block.area;
  const Motion* const a1 = block.second_beside ? nullptr : merge_neighbour(block, x - 1, y + height - 1);
  if (a1) to.add(*a1);
  const Motion* const b1 = block.second_below ? nullptr : merge_neighbour(block, x + width - 1, y - 1);
  if (b1 && !(a1 && *a1 == *b1)) to.add(*b1);
  const Motion* const b0 = merge_neighbour(block, x + width, y - 1);
  if (b0 && !(b1 && *b1 == *b0)) to.add(*b0);
  const Motion* const a0 = merge_neighbour(block, x - 1, y + height);
  if (a0 && !(a1 && *a1 == *a0)) to.add(*a0);
  if (to.count >= 4) return;
  const Motion* const b2 = merge_neighbour(block, x - 1, y - 1);
  if (b2 && !(a1 && *a1 == *b2) && !(b1 && *b1 == *b2)) to.add(*b2);
}

// 8.5.3.2.4.
void MotionPredictor::add_combined(MergeList& to) const {
  static constexpr uint8_t pairs[12][2] = {{0, 1}, {1, 0}, {0, 2}, {2, 0}, {1, 2}, {2, 1}, {0, 3}, {3, 0}, {1, 3}, {3, 1}, {2, 3}, {3, 2}};
  const unsigned originals = to.count;
  if (originals < 2) return;
  for (unsigned i = 0; i < originals * (originals - 1) && i < 12 && to.count < to.limit; ++i) {
    const Motion &first = to.at[pairs[i][0]], &second = to.at[pairs[i][1]];
    if (!first.uses(0) || !second.uses(1)) continue;
    if (first.frame[0] == second.frame[1] && first.mv[0] == second.mv[1]) continue;
    to.add({.mv = {first.mv[0], second.mv[1]}, .index = {first.index[0], second.index[1]}, .frame = {first.frame[0], second.frame[1]}});
  }
}

// 8.5.3.2.5.
void MotionPredictor::add_zero(MergeList& to) const {
  const bool is_b = slice_->type == SliceType::b;
  const unsigned references = is_b ? std::min(slice_->active[0], slice_->active[1]) : slice_->active[0];
  for (unsigned i = 0; to.count < to.limit; ++i) {
    const unsigned index = i < references ? i : 0;
    const auto reference = static_cast<int8_t>(index);
    to.add({.mv = {},
            .index = {reference, is_b ? reference : static_cast<int8_t>(-1)},
            .frame = {frame_of(0, index), is_b ? frame_of(1, index) : uint8_t{0}}});
  }
}

Motion MotionPredictor::merge(const PredictionBlock& original, unsigned index) const {
  PredictionBlock block = original;
  if (info_->parameters().log2_parallel_merge > 2 && block.cb_size == 8)
    block = {.area = {block.cb_x, block.cb_y, 8, 8}, .cb_x = block.cb_x, .cb_y = block.cb_y, .cb_size = 8};
  MergeList candidates;
  candidates.limit = slice_->max_merge_candidates;
  add_spatial(block, candidates);
  if (candidates.count < candidates.limit && slice_->temporal_mvp) {
    Motion motion;
    for (unsigned list = 0; list < (slice_->type == SliceType::b ? 2 : 1); ++list) {
      const Candidate found = temporal(block.area, list, 0);
      if (found.found) motion.mv[list] = found.mv, motion.index[list] = 0, motion.frame[list] = frame_of(list, 0);
    }
    if (motion.uses(0) || motion.uses(1)) candidates.add(motion);
  }
  if (slice_->type == SliceType::b) add_combined(candidates);
  add_zero(candidates);
  Motion motion = candidates.at[std::min(index, candidates.limit - 1)];
  if (motion.uses(0) && motion.uses(1) && original.area.width + original.area.height == 12) motion.index[1] = -1;
  return motion;
}

// 8.5.3.2.7.
MotionPredictor::Candidate MotionPredictor::temporal(const Rectangle& area, unsigned list, unsigned reference) const {
  if (collocated_.empty()) return {};
  const int x = area.x + area.width, y = area.y + area.height;
  const unsigned log2 = info_->parameters().log2_ctb;
  Candidate found;
  if (area.y >> log2 == y >> log2 && info_->contains(x, y)) found = temporal_at(x, y, list, reference);
  return found.found ? found : temporal_at(area.x + area.width / 2, area.y + area.height / 2, list, reference);
}

// 8.5.3.2.8.
MotionPredictor::Candidate MotionPredictor::temporal_at(int x, int y, unsigned list, unsigned reference) const {
  const size_t at = StoredMotionLayout(info_->parameters()).index(static_cast<uint32_t>(x), static_cast<uint32_t>(y));
  if (at >= collocated_.size()) return {};
  const StoredMotion& stored = collocated_[at];
  const bool has0 = stored.flags[0] & StoredMotion::used, has1 = stored.flags[1] & StoredMotion::used;
  if (!has0 && !has1) return {};
  const unsigned from = !has0 ? 1 : !has1 ? 0 : all_before_ ? list : slice_->collocated_from_l0 ? 1 : 0;
  const Reference& target = slice_->lists[list][reference];
  if (target.is_long_term != ((stored.flags[from] & StoredMotion::long_term) != 0)) return {};
  const int distance = stored.poc_distance[from];
  if (target.is_long_term || distance == target.poc_distance) return {stored.mv[from], true};
  return {scale_mv(stored.mv[from], target.poc_distance, distance), true};
}

MotionPredictor::Candidate MotionPredictor::same_reference(const Motion* motion, unsigned list, unsigned reference) const {
  if (!motion) return {};
  for (const unsigned from : {list, 1 - list})
    if (motion->uses(from) && motion->frame[from] == frame_of(list, reference)) return {motion->mv[from], true};
  return {};
}

MotionPredictor::Candidate MotionPredictor::scaled_reference(const Motion* motion, unsigned list, unsigned reference) const {
  if (!motion) return {};
  const Reference& target = slice_->lists[list][reference];
  for (const unsigned from : {list, 1 - list}) {
    if (!motion->uses(from)) continue;
    const Reference& other = slice_->lists[from][static_cast<size_t>(motion->index[from])];
    if (other.is_long_term != target.is_long_term) continue;
    return {target.is_long_term ? motion->mv[from] : scale_mv(motion->mv[from], target.poc_distance, other.poc_distance), true};
  }
  return {};
}

// 8.5.3.2.6, 8.5.3.2.7.
Mv MotionPredictor::predict(const PredictionBlock& block, unsigned list, unsigned reference, unsigned candidate) const {
  const auto& [x, y, width, height] = block.area;
  const std::array<const Motion*, 2> left{neighbour(block, x - 1, y + height), neighbour(block, x - 1, y + height - 1)};
  const std::array<const Motion*, 3> above{neighbour(block, x + width, y - 1), neighbour(block, x + width - 1, y - 1),
                                           neighbour(block, x - 1, y - 1)};
  const bool is_scaled = left[0] || left[1];
  Candidate a, b;
  for (const Motion* const motion : left)
    if (!a.found) a = same_reference(motion, list, reference);
  for (const Motion* const motion : left)
    if (!a.found) a = scaled_reference(motion, list, reference);
  for (const Motion* const motion : above)
    if (!b.found) b = same_reference(motion, list, reference);
  if (!is_scaled && b.found) a = b;
  if (!is_scaled) {
    b = {};
    for (const Motion* const motion : above)
      if (!b.found) b = scaled_reference(motion, list, reference);
  }
  std::array<Mv, 3> found{};
  unsigned count = 0;
  if (a.found) found[count++] = a.mv;
  if (b.found && !(a.found && a.mv == b.mv)) found[count++] = b.mv;
  if (count < 2 && candidate >= count && slice_->temporal_mvp) {
    const Candidate c = temporal(block.area, list, reference);
    if (c.found) found[count++] = c.mv;
  }
  return candidate < count ? found[candidate] : Mv{};
}

}  // namespace softgen::media::hevc
