// SPDX-License-Identifier: GPL-2.0-or-later
// Macroblocks of P and B interlaced frame pictures (SMPTE 421M 10.7, 10.8).
#include <algorithm>

#include "hw/media/vc1/frame_motion.h"
#include "hw/media/vc1/slice.h"

namespace softgen::media::vc1 {
namespace {

enum class Vectors : uint8_t { one, two_fields, four, four_fields, intra };
/// What MBMODE stands for (tables 160 to 167).
struct FrameMode {
  Vectors vectors;
  bool field_transform, has_vector, has_coefficients;
};
constexpr FrameMode frame_mode_values[9] = {
    {Vectors::one, false, true, true},        {Vectors::one, true, true, true},          {Vectors::one, false, true, false},
    {Vectors::one, false, false, true},       {Vectors::one, true, false, true},         {Vectors::two_fields, false, false, true},
    {Vectors::two_fields, true, false, true}, {Vectors::two_fields, true, false, false}, {Vectors::intra, false, false, false}};
constexpr FrameMode four_vector_values[7] = {{Vectors::four, false, false, true},       {Vectors::four, true, false, true},
                                             {Vectors::four, false, false, false},      {Vectors::four_fields, false, false, true},
                                             {Vectors::four_fields, true, false, true}, {Vectors::four_fields, true, false, false},
                                             {Vectors::intra, false, false, false}};
constexpr int shared_modes = 8;  ///< of pictures without and with four vectors

FrameMode mode_of(bool has_four, int code) {
  return has_four && code >= shared_modes ? four_vector_values[code - shared_modes] : frame_mode_values[code];
}

}  // namespace

bool SliceDecoder::frame_macroblock() {
  const bool skipped = flag(params_.raw.skip, plane_skip), has_four = params_.type == PictureType::p && params_.four_vectors;
  FrameMode mode{Vectors::one, false, false, false};
  if (!skipped) {
    const int code = (has_four ? tables().four_vector_frame_mode : tables().frame_mode)[params_.tables.mode & 3].take(bits_);
    if (code < 0) return false;
    mode = mode_of(has_four, code);
  }
  if (mode.vectors == Vectors::intra) return frame_intra();
  Macroblock& macroblock = here();
  macroblock.field_transform = mode.field_transform;
  macroblock.field_vectors = mode.vectors == Vectors::two_fields || mode.vectors == Vectors::four_fields;
  const bool has_two = mode.vectors == Vectors::two_fields;
  if (params_.type == PictureType::b) {
    if (!frame_b_vectors(skipped, has_two, mode.has_vector, mode.has_coefficients)) return false;
  } else {
    if (mode.has_coefficients && !read_interlaced_pattern()) return false;
    if (!(has_two || mode.vectors == Vectors::one ? frame_p_vectors(has_two, mode.has_vector) : frame_four_vectors())) return false;
  }
  return !pattern_ || inter_blocks();
}

// FIELDTX, CBPPRESENT.
bool SliceDecoder::frame_intra() {
  Macroblock& macroblock = here();
  macroblock.intra = all_blocks;
  macroblock.field_transform = bits_.flag();
  if (bits_.flag() && !read_interlaced_pattern()) return false;
  const bool predicts_ac = bits_.flag();
  macroblock.quantizer = read_quantizer();
  return blocks(pattern_, predicts_ac);
}

/// Reads a differential where there is one, and sets the vectors of `count` blocks from `block` on.
bool SliceDecoder::frame_vector(unsigned direction, unsigned block, unsigned count, bool has_vector) {
  FieldVectorData data;
  if (has_vector && !read_field_vector_data(bits_, params_, data)) return false;
  const Vector vector = predict_frame_vector(picture_, at_, block, direction, data);
  std::fill_n(here().vectors(direction).begin() + block, count, vector);
  return true;
}

bool SliceDecoder::frame_p_vectors(bool has_two, bool has_vector) {
  Macroblock& macroblock = here();
  if (!has_two) {
    if (!frame_vector(0, 0, 4, has_vector)) return false;
    predictor_.macroblock(at_.x, at_.y, 0, macroblock.forward[0], false);
    return true;
  }
  const int pattern = read_two_vector_pattern();
  if (pattern < 0 || !frame_vector(0, 0, 2, pattern & 2) || !frame_vector(0, 2, 2, pattern & 1)) return false;
  predictor_.frame_blocks(at_.x, at_.y, {0, 0}, macroblock.forward, true, false);
  return true;
}

bool SliceDecoder::frame_four_vectors() {
  const int pattern = read_four_vector_pattern();
  if (pattern < 0) return false;
  for (unsigned block = 0; block < 4; ++block)
    if (!frame_vector(0, block, 1, pattern >> (3 - block) & 1)) return false;
  const Macroblock& macroblock = here();
  predictor_.frame_blocks(at_.x, at_.y, {0, 0}, macroblock.forward, macroblock.field_vectors, false);
  return true;
}

// 10.8: DIRECTBBIT, BMVTYPE, MVSW, CBPCY, the patterns of differentials, MVDATA.
bool SliceDecoder::frame_b_vectors(bool skipped, bool has_two, bool has_vector, bool has_coefficients) {
  const bool direct = flag(params_.raw.direct, plane_direct);
  unsigned type = 2;
  bool switches = false;
  if (!direct) {
    type = read_three(bits_);
    switches = has_two && type != 2 && bits_.flag();
  }
  if (has_coefficients && !read_interlaced_pattern()) return false;
  if (direct) {
    frame_direct(has_two);
    return true;
  }
  // The shorter code is for the nearer reference.
  const bool interpolates = type == 2;
  const unsigned direction = !interpolates && (type == 0) == (params_.motion.scale >= 128);
  if (interpolates) return frame_interpolated(skipped, has_two);
  return has_two ? frame_two_vectors(direction, switches) : frame_one_vector(direction, has_vector);
}

bool SliceDecoder::frame_interpolated(bool skipped, bool has_two) {
  Macroblock& macroblock = here();
  int pattern = 0;
  if (has_two) pattern = read_four_vector_pattern();
  else if (!skipped) pattern = read_two_vector_pattern();
  if (pattern < 0) return false;
  if (!has_two) {
    if (!frame_vector(0, 0, 4, pattern & 2) || !frame_vector(1, 0, 4, pattern & 1)) return false;
    predict_both(false);
    return true;
  }
  // The first field's forward and backward vectors, then the second one's.
  for (unsigned i = 0; i < 4; ++i)
    if (!frame_vector(i & 1, i & 2, 2, pattern >> (3 - i) & 1)) return false;
  macroblock.field_vectors = true;
  predict_both(true);
  return true;
}

void SliceDecoder::predict_both(bool of_fields) {
  const Macroblock& macroblock = here();
  for (const unsigned direction : {0u, 1u}) {
    const auto& vectors = macroblock.vectors(direction);
    if (of_fields) predictor_.frame_blocks(at_.x, at_.y, {direction, direction}, vectors, true, direction);
    else predictor_.macroblock(at_.x, at_.y, direction, vectors[0], direction);
  }
}

/// Each field has its vector; with MVSW the second one's is of the other direction.
bool SliceDecoder::frame_two_vectors(unsigned direction, bool switches) {
  Macroblock& macroblock = here();
  const int pattern = read_two_vector_pattern();
  const unsigned second = switches ? 1 - direction : direction;
  if (pattern < 0 || !frame_vector(direction, 0, 2, pattern & 2) || !frame_vector(second, 2, 2, pattern & 1)) return false;
  auto &one = macroblock.vectors(direction), &other = macroblock.vectors(1 - direction);
  // What is not in the stream is left for the neighbours.
  if (switches) {
    one[2] = one[3] = one[0];
    other[0] = other[1] = other[2];
  } else {
    for (const unsigned block : {0u, 2u}) frame_vector(1 - direction, block, 2, false);
  }
  const auto& lower = macroblock.vectors(second);
  predictor_.frame_blocks(at_.x, at_.y, {direction, second}, {one[0], one[1], lower[2], lower[3]}, true, false);
  return true;
}

/// Chosen as FFmpeg has it: for its neighbours a macroblock of one direction has field vectors, and those of the other direction are the top field's prediction.
bool SliceDecoder::frame_one_vector(unsigned direction, bool has_vector) {
  if (!frame_vector(direction, 0, 4, has_vector)) return false;
  Macroblock& macroblock = here();
  macroblock.field_vectors = true;
  frame_vector(1 - direction, 0, 4, false);
  predictor_.macroblock(at_.x, at_.y, direction, macroblock.vectors(direction)[0], false);
  return true;
}

void SliceDecoder::frame_direct(bool of_fields) {
  const MotionParams& motion = params_.motion;
  const StoredMotion stored = picture_.stored_at(at_.x, at_.y);
  for (const int direction : {0, 1}) {
    const Vector upper = direct_vector(motion, stored.vector, direction);
    const Vector lower = of_fields ? direct_vector(motion, stored.second, direction) : upper;
    here().vectors(static_cast<unsigned>(direction)) = {upper, upper, lower, lower};
  }
  predict_both(of_fields);
}

}  // namespace softgen::media::vc1
