// SPDX-License-Identifier: GPL-2.0-or-later
// Motion vector prediction and direct modes (H.264 8.4.1).
#pragma once

#include <array>
#include <cstdint>

#include "hw/media/avc/context.h"
#include "hw/media/avc/motion_record.h"

namespace softgen::media::avc {

/// Where a partition lies in its macroblock, in samples.
struct Partition {
  uint8_t x, y, width, height;
};

class Motion {
 public:
  Motion(Context& context, const MotionBuffers& buffers) : c_(context), buffers_(buffers) {}

  /// mvpLX of a partition whose reference index is `ref`.
  Mv predict(unsigned list, int ref, const Partition& partition) const;
  /// Of P_Skip; reference 0.
  Mv predict_skip() const;
  /// References and vectors of the 8x8 blocks of `mask`.
  void direct(unsigned mask) const;
  void set(unsigned list, const Partition& partition, Mv mv) const;

  /// Which picture index `ref` of a list is, for the current macroblock; -1: none.
  int8_t picture(unsigned list, int ref) const;
  int32_t poc(int8_t picture) const;
  /// Of the current macroblock: its field's or the frame's.
  int32_t current_poc() const;
  bool long_term(unsigned list, int ref) const;
  /// Of another view's picture of the same access unit (Annex H).
  bool in_other_view(unsigned list, int ref) const;
  /// Of implicit weighted prediction (8.4.2.3.1), both references used.
  std::array<int, 2> implicit_weights(int ref0, int ref1) const;

 private:
  /// td of a pair of references, and DistScaleFactor (8-197 to 8-202); td 0: there is none.
  struct Distance {
    int td = 0, factor = 0;
  };
  Distance distance(int ref0, int ref1) const;
  struct Candidate {
    int ref = -2;  ///< -2: not available
    Mv mv;
  };
  struct Colocated {
    bool used = false, first_ref = false;
    Mv mv;
    uint8_t part = 0;  ///< with the lower bits of `poc`, its reference
    uint16_t poc = 0;
    int scale = 0;  ///< 1: frame to field, -1: field to frame
  };
  struct Spatial;
  Candidate candidate(unsigned list, const Location& at) const;
  Candidate diagonal(unsigned list, const Partition& partition) const;
  Colocated colocated(unsigned block) const;
  Colocated of_record(unsigned frame, bool bottom, uint32_t x, uint32_t row, unsigned block_x, unsigned at_y, int scale) const;
  MotionRecord record(unsigned frame, bool bottom, uint32_t x, uint32_t row) const;
  MotionRecord::Coding coding_of(unsigned frame) const;
  bool bottom_is_nearer(unsigned frame) const;
  void spatial(unsigned mask) const;
  void temporal(unsigned mask) const;
  void temporal_block(unsigned block) const;
  int8_t coded_from(const Colocated& col) const;
  int index_in_list0(int8_t picture) const;

  Context& c_;
  const MotionBuffers& buffers_;
};

}  // namespace softgen::media::avc
