// SPDX-License-Identifier: GPL-2.0-or-later
// The colocated block of direct prediction (H.264 8.4.1.2.1, tables 8-6 and 8-8).
#include <cstdlib>

#include "hw/media/avc/motion.h"

namespace softgen::media::avc {

// `row`: of macroblocks in the field or frame that was coded.
MotionRecord Motion::record(unsigned frame, bool bottom, uint32_t x, uint32_t row) const {
  const PictureParams& p = c_.picture.params;
  if (bottom) row += p.frame_height_mbs / 2;
  const size_t at = (size_t{row} * p.width_mbs + x) * MotionRecord::bytes;
  const std::span<const uint8_t> bytes = buffers_[frame % max_frames];
  return at + MotionRecord::bytes <= bytes.size() ? MotionRecord(bytes.data() + at) : MotionRecord();
}

MotionRecord::Coding Motion::coding_of(unsigned frame) const { return record(frame, false, 0, 0).coding(); }

Motion::Colocated Motion::of_record(unsigned frame, bool bottom, uint32_t x, uint32_t row, unsigned block_x, unsigned at_y,
                                    int scale) const {
  const MotionRecord found = record(frame, bottom, x, row);
  const unsigned block_y = at_y / 4;
  const MotionRecord::Block block = found.block(block_y / 2 * 2 + block_x / 2);
  if (!block.used) return {};
  return {true, block.first_ref, found.mv(block_y * 4 + block_x), block.part, block.poc, scale};
}

bool Motion::bottom_is_nearer(unsigned frame) const {
  const PictureParams& p = c_.picture.params;
  const int64_t current = std::min(p.current_poc[0], p.current_poc[1]);
  return std::abs(p.poc[frame][0] - current) >= std::abs(p.poc[frame][1] - current);
}

// `block`: of the current macroblock; a corner with direct_8x8_inference.
Motion::Colocated Motion::colocated(unsigned block) const {
  using Coding = MotionRecord::Coding;
  const PictureParams& p = c_.picture.params;
  const RefEntry& entry = c_.slice.list[1][0];
  const unsigned frame = entry.frame % max_frames, block_x = block % 4, y = block / 4 * 4, lower = y / 8;
  const bool fields = coding_of(frame) == Coding::field_picture;
  if (p.field()) {
    if (fields) return of_record(frame, entry.bottom, c_.x, c_.y, block_x, y, 0);
    if (record(frame, false, c_.x, c_.y * 2).coding() == Coding::field_mb)
      return of_record(frame, false, c_.x, c_.y * 2 + p.bottom(), block_x, y, 0);
    return of_record(frame, false, c_.x, c_.y * 2 + lower, block_x, y * 2 % 16, 1);
  }
  const unsigned half = c_.y % 2 * 8 + lower * 4;
  if (!c_.mb->field) {
    if (fields) return of_record(frame, bottom_is_nearer(frame), c_.x, c_.y / 2, block_x, half, -1);
    if (record(frame, false, c_.x, c_.y).coding() != Coding::field_mb) return of_record(frame, false, c_.x, c_.y, block_x, y, 0);
    return of_record(frame, false, c_.x, c_.y / 2 * 2 + bottom_is_nearer(frame), block_x, half, -1);
  }
  if (fields) return of_record(frame, c_.y % 2, c_.x, c_.y / 2, block_x, y, 0);
  if (record(frame, false, c_.x, c_.y).coding() == Coding::field_mb) return of_record(frame, false, c_.x, c_.y, block_x, y, 0);
  return of_record(frame, false, c_.x, c_.y / 2 * 2 + lower, block_x, y * 2 % 16, 1);
}

}  // namespace softgen::media::avc
