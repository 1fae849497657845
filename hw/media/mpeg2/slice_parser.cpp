// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/mpeg2/slice_parser.h"

#include <algorithm>

#include "hw/media/mpeg2/block.h"
#include "hw/media/mpeg2/vlc.h"

namespace softgen::media::mpeg2 {
namespace {

constexpr unsigned start_code_zeros = 23;  ///< what follows a slice's last macroblock (6.2.4)
constexpr int all_blocks = 0x3f;

}  // namespace

int SliceParser::read_increment() {
  int increment = 0;
  for (;;) {
    const int code = take(bits_, address_increments);
    if (code < 0 || bits_.over()) return -1;
    if (code != address_escape) return increment + code;
    // More than a picture has: the loop ends by the stream, the sum stays bounded.
    increment = std::min(increment + 33, 1 << 20);
  }
}

SliceResult SliceParser::parse(BitReader bits, const SliceParams& slice, const StopFlag& stop) {
  bits_ = bits;
  mb_.scale_code = slice.scale_code;
  scale_ = quantiser_scale(slice.scale_code, picture_.q_scale_type);
  predictors_ = {};
  mb_.motion = {};
  reset_dc();
  const uint32_t end = std::min<uint32_t>(slice.end, picture_.width * picture_.height);
  uint32_t address = slice.first;
  // The first increment repeats the position where the packet lets the slice begin.
  if (read_increment() < 0) return SliceResult::broken;
  for (;;) {
    if (address >= end) return SliceResult::broken;
    if (const SliceResult result = read_macroblock(address); result != SliceResult::whole) return result;
    if (bits_.over()) return SliceResult::broken;
    ++address;
    if (!bits_.left() || !bits_.peek(start_code_zeros)) return SliceResult::whole;
    if (address % picture_.width == 0 && stop.aborting()) return SliceResult::aborted;
    const int increment = read_increment();
    if (increment < 0 || static_cast<uint32_t>(increment) > end - address) return SliceResult::broken;
    for (const uint32_t next = address + static_cast<uint32_t>(increment) - 1; address < next; ++address)
      if (!skip(address)) return SliceResult::aborted;
  }
}

int SliceParser::middle_dc() const { return 1 << (7 + picture_.intra_dc_precision); }

void SliceParser::reset_dc() { dc_.fill(middle_dc()); }

// 7.6.6. In P pictures the vector is 0; in B pictures vectors and directions are as before.
bool SliceParser::skip(uint32_t address) {
  reset_dc();
  Motion& motion = mb_.motion;
  motion.type = picture_.is_frame() ? MotionType::frame : MotionType::field;
  motion.select = {};
  for (auto& select : motion.select) select.fill(static_cast<uint8_t>(picture_.parity()));
  if (picture_.type != CodingType::b) predictors_ = {}, motion.used = {true, false};
  for (unsigned direction = 0; direction < 2; ++direction) motion.vector[direction] = predictors_[direction];
  mb_.address = address, mb_.type = 0, mb_.pattern = 0, mb_.broken = false, mb_.field_dct = false;
  return sink_.macroblock(mb_);
}

SliceResult SliceParser::read_macroblock(uint32_t address) {
  if (!read_modes() || !read_motion()) return SliceResult::broken;
  const bool intra = mb_.type & mb_intra;
  if (!intra) reset_dc();
  mb_.pattern = intra ? all_blocks : 0;
  if (mb_.type & mb_pattern) {
    mb_.pattern = take(bits_, block_patterns);
    if (mb_.pattern < 0) return SliceResult::broken;
  }
  mb_.broken = !read_blocks();
  if (mb_.broken && intra) return SliceResult::broken;
  mb_.address = address;
  if (!sink_.macroblock(mb_)) return SliceResult::aborted;
  return mb_.broken ? SliceResult::broken : SliceResult::whole;
}

// macroblock_modes(), 6.2.5.1, and the scale.
bool SliceParser::read_modes() {
  mb_.type = take(bits_, mb_types[static_cast<unsigned>(picture_.type) - 1]);
  if (mb_.type < 0) return false;
  const bool is_frame = picture_.is_frame(), moves = mb_.type & (mb_forward | mb_backward);
  mb_.motion.type = is_frame ? MotionType::frame : MotionType::field;
  if (moves && !(is_frame && picture_.frame_pred_frame_dct)) {
    static constexpr MotionType frame_types[] = {MotionType::frame, MotionType::field, MotionType::frame, MotionType::dual_prime};
    static constexpr MotionType field_types[] = {MotionType::field, MotionType::field, MotionType::half_field, MotionType::dual_prime};
    const uint32_t code = bits_.take(2);
    if (!code) return false;
    mb_.motion.type = (is_frame ? frame_types : field_types)[code];
  }
  mb_.field_dct = is_frame && !picture_.frame_pred_frame_dct && (mb_.type & (mb_intra | mb_pattern)) && bits_.flag();
  if (mb_.type & mb_quant) {
    mb_.scale_code = static_cast<uint8_t>(bits_.take(5));
    scale_ = quantiser_scale(mb_.scale_code, picture_.q_scale_type);
  }
  return true;
}

bool SliceParser::read_motion() {
  const bool intra = mb_.type & mb_intra, conceals = intra && picture_.concealment_motion_vectors;
  mb_.motion.used = {(mb_.type & mb_forward) != 0, (mb_.type & mb_backward) != 0};
  if ((mb_.motion.used[0] || conceals) && !read_vectors(bits_, picture_, 0, mb_.motion, predictors_)) return false;
  if (mb_.motion.used[1] && !read_vectors(bits_, picture_, 1, mb_.motion, predictors_)) return false;
  if (conceals) bits_.skip(1);  // marker_bit
  if (intra && !conceals) predictors_ = {};
  if (!intra && !mb_.motion.used[0] && !mb_.motion.used[1]) {
    // A P macroblock without a vector: it is 0, and of the frame, or of the field of the same parity (7.6.3.5).
    predictors_ = {};
    mb_.motion.used[0] = true;
    mb_.motion.vector[0] = {};
    mb_.motion.select[0].fill(static_cast<uint8_t>(picture_.parity()));
  }
  // What a skipped one behind an intra one would do in a B picture is not defined.
  if (intra) mb_.motion.used = {true, false};
  return true;
}

bool SliceParser::read_blocks() {
  for (unsigned index = 0; index < 6; ++index)
    if (mb_.pattern >> (5 - index) & 1 && !read_one_block(index)) return false;
  return true;
}

bool SliceParser::read_one_block(unsigned index) {
  auto& block = mb_.blocks[index];
  block.fill(0);
  const bool intra = mb_.type & mb_intra;
  if (intra) {
    int& predictor = dc_[index < 4 ? 0 : index - 3];
    if (!read_dc(bits_, index >= 4, predictor)) return false;
    block[0] = values_ == BlockValues::levels ? static_cast<int16_t>(predictor - middle_dc()) : restored_dc(predictor, picture_);
  }
  return values_ == BlockValues::levels ? read_levels(bits_, picture_, intra, block.data())
                                        : read_block(bits_, picture_, intra, scale_, block.data());
}

}  // namespace softgen::media::mpeg2
