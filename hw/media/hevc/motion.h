// SPDX-License-Identifier: GPL-2.0-or-later
// Prediction of motion vectors (H.265 8.5.3.2): merge candidates, AMVP, and temporal ones from the collocated picture.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hw/media/hevc/inter.h"
#include "hw/media/hevc/picture_info.h"

namespace softgen::media::hevc {

/// A prediction block: of which coding block it is, and which of its parts.
struct PredictionBlock {
  Rectangle area;
  int cb_x, cb_y, cb_size;
  unsigned part = 0;
  bool second_beside = false, second_below = false;  ///< part 1 of a coding block that is cut once, vertically or horizontally
};

class MotionPredictor {
 public:
  /// `collocated`: empty: there is none.
  void begin(const PictureInfo& info, const SliceParameters& slice, std::span<const StoredMotion> collocated);
  Motion merge(const PredictionBlock& block, unsigned index) const;
  Mv predict(const PredictionBlock& block, unsigned list, unsigned reference, unsigned candidate) const;

 private:
  struct MergeList;
  struct Candidate {
    Mv mv;
    bool found = false;
  };
  const Motion* neighbour(const PredictionBlock& block, int x, int y) const;
  const Motion* merge_neighbour(const PredictionBlock& block, int x, int y) const;
  void add_spatial(const PredictionBlock& block, MergeList& to) const;
  void add_combined(MergeList& to) const;
  void add_zero(MergeList& to) const;
  Candidate temporal(const Rectangle& area, unsigned list, unsigned reference) const;
  Candidate temporal_at(int x, int y, unsigned list, unsigned reference) const;
  Candidate same_reference(const Motion* motion, unsigned list, unsigned reference) const;
  Candidate scaled_reference(const Motion* motion, unsigned list, unsigned reference) const;
  uint8_t frame_of(unsigned list, unsigned reference) const { return slice_->lists[list][reference].frame; }

  const PictureInfo* info_ = nullptr;
  const SliceParameters* slice_ = nullptr;
  std::span<const StoredMotion> collocated_;
  bool all_before_ = false;  ///< NoBackwardPredFlag
};

/// 8.5.3.2.8: by the distances of what it predicts and of what it was.
Mv scale_mv(Mv mv, int to_distance, int from_distance);

}  // namespace softgen::media::hevc
