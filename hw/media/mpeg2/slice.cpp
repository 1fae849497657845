// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/mpeg2/slice.h"

#include <algorithm>

#include "hw/media/mpeg2/block.h"
#include "hw/media/mpeg2/idct.h"
#include "hw/media/mpeg2/vlc.h"

namespace softgen::media::mpeg2 {
namespace {

constexpr unsigned start_code_zeros = 23;  ///< what follows a slice's last macroblock (6.2.4)
constexpr int all_blocks = 0x3f;

}  // namespace

int SliceDecoder::read_increment() {
  int increment = 0;
  for (;;) {
    const int code = take(bits_, address_increments);
    if (code < 0 || bits_.over()) return -1;
    if (code != address_escape) return increment + code;
    // More than a picture has: the loop ends by the stream, the sum stays bounded.
    increment = std::min(increment + 33, 1 << 20);
  }
}

SliceResult SliceDecoder::decode(BitReader bits, const SliceParams& slice, const StopFlag& stop) {
  bits_ = bits;
  scale_ = quantiser_scale(slice.scale_code, picture_.q_scale_type);
  predictors_ = {};
  motion_ = {};
  reset_dc();
  const uint32_t end = std::min<uint32_t>(slice.end, picture_.width * picture_.height);
  uint32_t address = slice.first;
  // The first increment repeats the position where the packet lets the slice begin.
  if (read_increment() < 0) return SliceResult::broken;
  for (;;) {
    if (address >= end) return SliceResult::broken;
    if (!macroblock(address) || bits_.over()) return SliceResult::broken;
    ++address;
    if (!bits_.left() || !bits_.peek(start_code_zeros)) return SliceResult::whole;
    if (address % picture_.width == 0 && stop.aborting()) return SliceResult::aborted;
    const int increment = read_increment();
    if (increment < 0 || static_cast<uint32_t>(increment) > end - address) return SliceResult::broken;
    for (const uint32_t next = address + static_cast<uint32_t>(increment) - 1; address < next; ++address) skip(address);
  }
}

void SliceDecoder::reset_dc() { dc_.fill(1 << (7 + picture_.intra_dc_precision)); }

// 7.6.6. In P pictures the vector is 0; in B pictures vectors and directions are as before.
void SliceDecoder::skip(uint32_t address) {
  reset_dc();
  motion_.type = picture_.is_frame() ? MotionType::frame : MotionType::field;
  motion_.select = {};
  for (auto& select : motion_.select) select.fill(static_cast<uint8_t>(picture_.parity()));
  if (picture_.type != CodingType::b) predictors_ = {}, motion_.used = {true, false};
  for (unsigned direction = 0; direction < 2; ++direction) motion_.vector[direction] = predictors_[direction];
  predict_block(address);
}

void SliceDecoder::predict_block(uint32_t address) {
  predict(picture_, references_, motion_, address % picture_.width, address / picture_.width, frame_);
  done_[address] = 1;
}

bool SliceDecoder::macroblock(uint32_t address) {
  if (!read_modes() || !read_motion()) return false;
  if (!(type_ & mb_intra)) reset_dc();
  pattern_ = type_ & mb_intra ? all_blocks : 0;
  if (type_ & mb_pattern) {
    pattern_ = take(bits_, block_patterns);
    if (pattern_ < 0) return false;
  }
  const bool good = read_blocks();
  if (!good && (type_ & mb_intra)) return false;
  if (!(type_ & mb_intra)) predict_block(address);
  if (!good) return false;
  reconstruct(address);
  done_[address] = 1;
  return true;
}

// macroblock_modes(), 6.2.5.1, and the scale.
bool SliceDecoder::read_modes() {
  type_ = take(bits_, mb_types[static_cast<unsigned>(picture_.type) - 1]);
  if (type_ < 0) return false;
  const bool is_frame = picture_.is_frame(), moves = type_ & (mb_forward | mb_backward);
  motion_.type = is_frame ? MotionType::frame : MotionType::field;
  if (moves && !(is_frame && picture_.frame_pred_frame_dct)) {
    static constexpr MotionType frame_types[] = {MotionType::frame, MotionType::field, MotionType::frame, MotionType::dual_prime};
    static constexpr MotionType field_types[] = {MotionType::field, MotionType::field, MotionType::half_field, MotionType::dual_prime};
    const uint32_t code = bits_.take(2);
    if (!code) return false;
    motion_.type = (is_frame ? frame_types : field_types)[code];
  }
  field_dct_ = is_frame && !picture_.frame_pred_frame_dct && (type_ & (mb_intra | mb_pattern)) && bits_.flag();
  if (type_ & mb_quant) scale_ = quantiser_scale(bits_.take(5), picture_.q_scale_type);
  return true;
}

bool SliceDecoder::read_motion() {
  const bool intra = type_ & mb_intra, conceals = intra && picture_.concealment_motion_vectors;
  motion_.used = {(type_ & mb_forward) != 0, (type_ & mb_backward) != 0};
  if ((motion_.used[0] || conceals) && !read_vectors(bits_, picture_, 0, motion_, predictors_)) return false;
  if (motion_.used[1] && !read_vectors(bits_, picture_, 1, motion_, predictors_)) return false;
  if (conceals) bits_.skip(1);  // marker_bit
  if (intra && !conceals) predictors_ = {};
  if (!intra && !motion_.used[0] && !motion_.used[1]) {
    // A P macroblock without a vector: it is 0, and of the frame, or of the field of the same parity (7.6.3.5).
    predictors_ = {};
    motion_.used[0] = true;
    motion_.vector[0] = {};
    motion_.select[0].fill(static_cast<uint8_t>(picture_.parity()));
  }
  // What a skipped one behind an intra one would do in a B picture is not defined.
  if (intra) motion_.used = {true, false};
  return true;
}

bool SliceDecoder::read_blocks() {
  for (unsigned index = 0; index < 6; ++index)
    if (pattern_ >> (5 - index) & 1 && !read_one_block(index)) return false;
  return true;
}

bool SliceDecoder::read_one_block(unsigned index) {
  auto& block = blocks_[index];
  block.fill(0);
  const bool intra = type_ & mb_intra;
  if (intra) {
    int& predictor = dc_[index < 4 ? 0 : index - 3];
    if (!read_dc(bits_, index >= 4, predictor)) return false;
    block[0] = restored_dc(predictor, picture_);
  }
  return read_block(bits_, picture_, intra, scale_, block.data());
}

void SliceDecoder::reconstruct(uint32_t address) {
  const uint32_t x = address % picture_.width * 16, y = address / picture_.width * 16;
  const auto write = type_ & mb_intra ? put_block : add_block;
  for (unsigned index = 0; index < 6; ++index) {
    if (!(pattern_ >> (5 - index) & 1)) continue;
    int16_t* const block = blocks_[index].data();
    inverse_dct(block);
    if (index < 4) {
      const uint32_t row = y + (field_dct_ ? index / 2 : index / 2 * 8);
      write(block, frame_.luma.at(x + index % 2 * 8, row), 1, frame_.luma.stride() << field_dct_);
    } else {
      write(block, frame_.chroma.at(x + index - 4, y / 2), 2, frame_.chroma.stride());
    }
  }
}

}  // namespace softgen::media::mpeg2
