// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/mpeg2/slice_writer.h"

#include <bit>
#include <cstdlib>

#include "hw/media/mpeg2/block.h"
#include "hw/media/mpeg2/codes.h"
#include "hw/media/mpeg2/vlc.h"

namespace softgen::media::mpeg2 {
namespace {

constexpr uint32_t start_code = 0x000001;
/// Rows of macroblocks that the start code alone can name: pictures above 2800 lines have an extension (6.2.4).
constexpr uint32_t plain_rows = 175, extended_row = 128;
constexpr uint32_t frame_motion = 2;  ///< frame_motion_type, table 6.17

bool is_zero(Vector v) { return !v.x && !v.y; }
bool same(Vector a, Vector b) { return a.x == b.x && a.y == b.y; }

}  // namespace

void SliceWriter::begin(const SliceHeader& header) {
  bits_.align();
  first_ = true, skipped_ = 0;
  scale_code_ = header.scale_code;
  predictors_ = {}, directions_ = {};
  reset_dc();
  if (header.is_inserted) return;
  bits_.put(start_code, 24);
  const bool extended = picture_.height > plain_rows;
  bits_.put((extended ? header.row % extended_row : header.row) + 1, 8);
  if (extended) bits_.put(header.row / extended_row, 3);
  bits_.put(header.scale_code, 5);
  // intra_slice_flag, intra_slice, reserved_bits.
  if (header.has_intra_flag) bits_.put(1u << 8 | uint32_t{header.intra} << 7, 9);
  bits_.put(0, 1);  // extra_bit_slice
}

// 7.6.6: in P pictures a vector of 0, in B pictures the vectors and directions of the one before.
bool SliceWriter::skips(const CodedMacroblock& coded) const {
  if (coded.intra || coded.pattern || !coded.may_skip) return false;
  if (picture_.type != CodingType::b) return is_zero(coded.motion.vector[0][0]);
  if (coded.motion.used != directions_) return false;
  for (unsigned d = 0; d < 2; ++d)
    if (directions_[d] && !same(coded.motion.vector[d][0], predictors_[d])) return false;
  return directions_[0] || directions_[1];
}

bool SliceWriter::macroblock(const CodedMacroblock& coded, uint32_t column, bool last) {
  if (!first_ && !last && skips(coded)) {
    ++skipped_;
    reset_dc();
    if (picture_.type != CodingType::b) predictors_ = {}, directions_ = {true, false};
    return false;
  }
  write_increment(first_ ? column + 1 : skipped_ + 1);
  first_ = false, skipped_ = 0;
  if (coded.intra) write_intra(coded);
  else write_inter(coded);
  return true;
}

// 7.6.6: the last macroblock of a slice is not a skipped one. It has the motion of those before, and no blocks.
void SliceWriter::end() {
  if (skipped_) {
    CodedMacroblock last;
    last.motion.used = directions_;
    for (unsigned d = 0; d < 2; ++d) last.motion.vector[d].fill(predictors_[d]);
    write_increment(skipped_);
    write_inter(last);
    skipped_ = 0;
  }
  bits_.align();
}

void SliceWriter::write_increment(uint32_t increment) {
  const WrittenCodes& codes = written_codes();
  for (; increment > address_escape - 1; increment -= address_escape - 1) put(bits_, codes.increments[address_escape]);
  put(bits_, codes.increments[increment]);
}

// macroblock_modes() and the scale.
void SliceWriter::write_modes(const CodedMacroblock& coded, int type) {
  const bool has_blocks = type & (mb_intra | mb_pattern);
  if (has_blocks && coded.scale_code != scale_code_) type |= mb_quant, scale_code_ = coded.scale_code;
  put(bits_, written_codes().mb_types[static_cast<size_t>(picture_.type) - 1][static_cast<size_t>(type)]);
  if (!picture_.frame_pred_frame_dct) {
    if (type & (mb_forward | mb_backward)) bits_.put(frame_motion, 2);
    if (has_blocks) bits_.put(0, 1);  // dct_type
  }
  if (type & mb_quant) bits_.put(scale_code_, 5);
}

void SliceWriter::write_intra(const CodedMacroblock& coded) {
  write_modes(coded, mb_intra);
  if (picture_.concealment_motion_vectors) {
    write_vector(0, {});
    bits_.put(1, 1);  // marker_bit
  } else {
    predictors_ = {};
  }
  directions_ = {};
  for (unsigned i = 0; i < blocks_per_macroblock; ++i) {
    write_dc(i < 4 ? 0 : i - 3, coded.levels[i][0]);
    write_block(coded.levels[i], true);
  }
}

void SliceWriter::write_inter(const CodedMacroblock& coded) {
  const Motion& motion = coded.motion;
  reset_dc();
  int type = (motion.used[0] ? mb_forward : 0) | (motion.used[1] ? mb_backward : 0) | (coded.pattern ? mb_pattern : 0);
  // A P macroblock with blocks needs no vector of 0, which sets the predictors to 0.
  const bool implied = picture_.type != CodingType::b && coded.pattern && is_zero(motion.vector[0][0]);
  if (implied) type &= ~mb_forward;
  write_modes(coded, type);
  if (implied) predictors_ = {};
  for (unsigned d = 0; d < 2; ++d)
    if (motion.used[d] && !implied) write_vector(d, motion.vector[d][0]);
  directions_ = motion.used;
  if (!coded.pattern) return;
  put(bits_, written_codes().block_patterns[coded.pattern]);
  for (unsigned i = 0; i < blocks_per_macroblock; ++i)
    if (coded.pattern >> (blocks_per_macroblock - 1 - i) & 1) write_block(coded.levels[i], false);
}

void SliceWriter::write_vector(unsigned direction, Vector vector) {
  Vector& predictor = predictors_[direction];
  write_component(picture_.f_code[direction][0], vector.x - predictor.x);
  write_component(picture_.f_code[direction][1], vector.y - predictor.y);
  predictor = vector;
}

// 7.6.3.1, the other way round.
void SliceWriter::write_component(unsigned f_code, int delta) {
  const unsigned residual_bits = f_code - 1;
  const int f = 1 << residual_bits;
  if (delta < -16 * f) delta += 32 * f;
  else if (delta >= 16 * f) delta -= 32 * f;
  const uint32_t magnitude = static_cast<uint32_t>(std::abs(delta));
  if (!magnitude) return put(bits_, written_codes().motion_codes[0]);
  const uint32_t code = (magnitude + static_cast<uint32_t>(f) - 1) >> residual_bits;
  put(bits_, written_codes().motion_codes[code]);
  bits_.put(delta < 0, 1);
  bits_.put(magnitude - 1, residual_bits);
}

// 7.2.1.
void SliceWriter::write_dc(unsigned component, int level) {
  const uint64_t before = bits_.bits();
  const int difference = level - dc_[component];
  dc_[component] = level;
  const unsigned size = static_cast<unsigned>(std::bit_width(static_cast<unsigned>(std::abs(difference))));
  put(bits_, written_codes().dc_sizes[component != 0][size]);
  bits_.put(static_cast<uint32_t>(difference < 0 ? difference - 1 : difference), size);
  coefficient_bits_ += bits_.bits() - before;
}

// 7.2.2: runs of zeros and levels in the order of the scan.
void SliceWriter::write_block(const std::array<int16_t, 64>& levels, bool intra) {
  constexpr unsigned run_bits = 6, level_bits = 12;
  const uint64_t before = bits_.bits();
  const auto& codes = written_codes().coefficients[intra && picture_.intra_vlc_format];
  const std::array<uint8_t, 64>& scan = scan_order(picture_.alternate_scan);
  unsigned run = 0;
  bool first = !intra;
  for (unsigned at = intra; at < scan.size(); ++at) {
    const int level = levels[scan[at]];
    if (!level) {
      ++run;
      continue;
    }
    const unsigned magnitude = static_cast<unsigned>(std::abs(level));
    const bool has_code = run < WrittenCodes::max_run && magnitude < WrittenCodes::max_level && codes.by_run[run][magnitude].length;
    if (first && !run && magnitude == 1) {
      bits_.put(2u | (level < 0), 2);  // an end cannot be here
    } else if (has_code) {
      put(bits_, codes.by_run[run][magnitude]);
      bits_.put(level < 0, 1);
    } else {
      put(bits_, codes.escape);
      bits_.put(run, run_bits);
      bits_.put(static_cast<uint32_t>(level), level_bits);
    }
    first = false, run = 0;
  }
  put(bits_, codes.end);
  coefficient_bits_ += bits_.bits() - before;
}

}  // namespace softgen::media::mpeg2
