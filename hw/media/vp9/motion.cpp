// SPDX-License-Identifier: GPL-2.0-or-later
// Prediction of motion vectors: VP9 specification, 6.4.22 (find_mv_refs, append_sub8x8_mvs).
#include <algorithm>
#include <cstdlib>

#include "hw/media/vp9/mode_contexts.h"
#include "hw/media/vp9/tables.h"

namespace softgen::media::vp9 {
namespace {

/// At most two different vectors.
class List {
 public:
  /// True: it is full.
  bool add(Mv mv) {
    if (count_ == 0) mv_[count_++] = mv;
    else if (count_ == 1 && !(mv == mv_[0])) mv_[count_++] = mv;
    return count_ == 2;
  }
  Mv operator[](unsigned i) const { return mv_[i]; }

 private:
  Mv mv_[2];
  unsigned count_ = 0;
};

Mv turned(Mv mv, bool turn) { return turn ? Mv{static_cast<int16_t>(-mv.row), static_cast<int16_t>(-mv.column)} : mv; }

/// Vectors of other references than the wanted one.
template <typename Motion>
bool add_different(const Motion& motion, const Mv (&mv)[2], int8_t wanted, const std::array<bool, 4>& bias, List& list) {
  const auto turns = [&](int8_t reference) { return bias[static_cast<size_t>(reference)] != bias[static_cast<size_t>(wanted)]; };
  if (motion.reference[0] <= intra_frame) return false;
  if (motion.reference[0] != wanted && list.add(turned(mv[0], turns(motion.reference[0])))) return true;
  return motion.reference[1] > intra_frame && motion.reference[1] != wanted && !(mv[1] == mv[0]) &&
         list.add(turned(mv[1], turns(motion.reference[1])));
}

/// The quarter next to a quarter of the block: of a candidate in the same row of blocks, or above.
constexpr uint8_t quarter_beside[4][2] = {{1, 2}, {1, 3}, {3, 2}, {3, 3}};

}  // namespace

const BlockInfo* ModeContexts::candidate(const BlockInfo& block, unsigned index) const {
  const int row = block.row + mv_candidates[block.size][index][0], column = block.column + mv_candidates[block.size][index][1];
  if (row < 0 || row >= static_cast<int>(frame_.rows) || column < static_cast<int>(contexts_.column_begin) ||
      column >= static_cast<int>(contexts_.column_end))
    return nullptr;
  return frame_.at(static_cast<uint32_t>(row), static_cast<uint32_t>(column));
}

unsigned ModeContexts::mode_context(const BlockInfo& block) const {
  static constexpr uint8_t weight[14] = {9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 0, 0, 3, 1};
  static constexpr uint8_t context[19] = {2, 3, 4, 1, 3, 0, 0, 0, 0, 5, 5, 0, 5, 0, 0, 0, 0, 0, 6};
  unsigned sum = 0;
  for (unsigned i = 0; i < 2; ++i)
    if (const BlockInfo* const other = candidate(block, i)) sum += weight[other->mode];
  return context[sum];
}

void ModeContexts::find_motion(const BlockInfo& block, int8_t reference, int quarter, Mv (&result)[2]) const {
  const StoredMotion* const previous = frame_.picture.use_previous_mvs && !frame_.side.previous.empty()
                                           ? &frame_.side.previous[block.row * frame_.columns + block.column]
                                           : nullptr;
  List list;
  const auto search = [&] {
    const BlockInfo* near[8];
    for (unsigned i = 0; i < 8; ++i) {
      near[i] = candidate(block, i);
      if (!near[i]) continue;
      const bool beside = mv_candidates[block.size][i][1] == 0;
      const unsigned of = quarter >= 0 && i < 2 && near[i]->size < block_8x8 ? quarter_beside[quarter][beside] : 3;
      if (near[i]->reference[0] == reference) {
        if (list.add(near[i]->mv[of][0])) return;
      } else if (near[i]->reference[1] == reference && list.add(near[i]->mv[of][1])) {
        return;
      }
    }
    if (previous && previous->reference[0] == reference) {
      if (list.add(previous->mv[0])) return;
    } else if (previous && previous->reference[1] == reference && list.add(previous->mv[1])) {
      return;
    }
    for (const BlockInfo* const other : near)
      if (other && add_different(*other, {other->mv[3][0], other->mv[3][1]}, reference, frame_.picture.sign_bias, list)) return;
    if (previous) add_different(*previous, {previous->mv[0], previous->mv[1]}, reference, frame_.picture.sign_bias, list);
  };
  search();
  for (unsigned i = 0; i < 2; ++i) result[i] = clamped(block, list[i]);
}

void ModeContexts::near_of_quarter(const BlockInfo& block, unsigned quarter, unsigned which, Mv& nearest, Mv& near) const {
  Mv list[2];
  find_motion(block, block.reference[which], static_cast<int>(quarter), list);
  const auto other = [&](std::initializer_list<Mv> candidates) {
    for (const Mv mv : candidates)
      if (!(mv == nearest)) return mv;
    return Mv{};
  };
  if (quarter == 0) {
    nearest = list[0], near = list[1];
  } else if (quarter < 3) {
    nearest = block.mv[0][which];
    near = other({list[0], list[1]});
  } else {
    nearest = block.mv[2][which];
    near = other({block.mv[1][which], block.mv[0][which], list[0], list[1]});
  }
}

// At most 16 samples beyond the picture.
Mv ModeContexts::clamped(const BlockInfo& block, Mv mv) const {
  constexpr int border = 16 << 3;
  const auto limit = [](int value, int at, int length, int whole) {
    return static_cast<int16_t>(std::clamp(value, -(at * 64) - border, std::max((whole - length - at) * 64 + border, -(at * 64) - border)));
  };
  return {limit(mv.row, block.row, static_cast<int>(height8(block.size)), static_cast<int>(frame_.rows)),
          limit(mv.column, block.column, static_cast<int>(width8(block.size)), static_cast<int>(frame_.columns))};
}

bool ModeContexts::has_eighths(Mv best) const {
  return frame_.picture.high_precision && std::abs(best.row) < 64 && std::abs(best.column) < 64;
}

Mv ModeContexts::lowered(Mv mv) const {
  if (has_eighths(mv)) return mv;
  const auto even = [](int16_t v) { return static_cast<int16_t>(v & 1 ? v + (v > 0 ? -1 : 1) : v); };
  return {even(mv.row), even(mv.column)};
}

}  // namespace softgen::media::vp9
