// SPDX-License-Identifier: GPL-2.0-or-later
// Macroblocks of P and B field pictures (SMPTE 421M 10.3, 10.4).
#include <algorithm>

#include "hw/media/vc1/slice.h"

namespace softgen::media::vc1 {
namespace {

/// MBMODE: intra ones, one vector, four vectors. The lowest bit says that intra and four-vector macroblocks have coefficients, and others a vector.
constexpr int first_one_vector = 2, first_four_vectors = 6, has_no_coefficients = 2;

}  // namespace

bool SliceDecoder::field_macroblock() {
  const bool mixed = params_.motion.mixed;
  const int mode = (mixed ? tables().mixed_field_mode : tables().field_mode)[params_.tables.mode & 7].take(bits_);
  if (mode < 0) return false;
  if (mode < first_one_vector) return field_intra(mode & 1);
  const bool has_four = mode >= first_four_vectors;
  if (!(has_four ? field_four_vectors() : field_one_vector(mode & 1))) return false;
  const bool has_coefficients = has_four ? mode & 1 : !(mode & has_no_coefficients);
  return !has_coefficients || (read_interlaced_pattern() && inter_blocks());
}

bool SliceDecoder::read_interlaced_pattern() {
  const int code = tables().interlaced_pattern[params_.tables.pattern & 7].take(bits_);
  pattern_ = static_cast<unsigned>(code + 1);
  return code >= 0;
}

bool SliceDecoder::field_intra(bool has_coefficients) {
  Macroblock& macroblock = here();
  macroblock.intra = all_blocks;
  macroblock.quantizer = read_quantizer();
  const bool predicts_ac = bits_.flag();
  if (has_coefficients && !read_interlaced_pattern()) return false;
  return blocks(pattern_, predicts_ac);
}

/// Predicts a block, or the macroblock, in `direction`, and keeps the vector for the neighbours.
void SliceDecoder::field_predict(unsigned direction, unsigned block, bool is_one, const FieldVectorData& data) {
  const FieldVector found = predict_field_vector(bits_, picture_, at_, block, is_one, direction, data);
  Macroblock& macroblock = here();
  std::array<Vector, 4>& vectors = macroblock.vectors(direction);
  const auto mask = static_cast<uint8_t>(is_one ? all_luma : 1u << block);
  if (is_one) vectors.fill(found.vector);
  else vectors[block] = found.vector;
  uint8_t& opposite = macroblock.opposite[direction];
  opposite = static_cast<uint8_t>(found.opposite ? opposite | mask : opposite & ~mask);
}

bool SliceDecoder::field_one_vector(bool has_vector) {
  if (!(params_.type == PictureType::b ? field_b_vectors(has_vector) : field_p_vector(has_vector))) return false;
  Macroblock& macroblock = here();
  macroblock.chroma = chroma_vector(macroblock.forward[0]);
  macroblock.chroma_opposite = macroblock.opposite[0];
  return true;
}

bool SliceDecoder::field_p_vector(bool has_vector) {
  FieldVectorData data;
  if (has_vector && !read_field_vector_data(bits_, params_, data)) return false;
  field_predict(0, 0, true, data);
  const Macroblock& macroblock = here();
  predictor_.macroblock(at_.x, at_.y, field_reference(params_.field, 0, macroblock.opposite[0]), macroblock.forward[0], false);
  return true;
}

// FORWARDMB, BMVTYPE ("0", "10", "11": backward, direct, interpolated) and INTERPMVP, 10.4.5.
bool SliceDecoder::field_b_vectors(bool has_vector) {
  enum Type : unsigned { backward, direct, interpolated, forward };
  const unsigned type = flag(params_.raw.forward, plane_forward) ? forward : read_three(bits_);
  const bool has_second = type == interpolated && bits_.flag();
  std::array<FieldVectorData, 2> data;
  if (type != direct && has_vector && !read_field_vector_data(bits_, params_, data[type == backward])) return false;
  if (has_second && !read_field_vector_data(bits_, params_, data[1])) return false;
  Macroblock& macroblock = here();
  if (type == direct) {
    const std::array<FieldVector, 2> vectors = direct_field_vectors(picture_, at_);
    macroblock.forward.fill(vectors[0].vector), macroblock.backward.fill(vectors[1].vector);
    macroblock.opposite.fill(vectors[0].opposite ? all_luma : 0);
  } else {
    // The direction that is not used gets its prediction, for the neighbours.
    for (const unsigned direction : {0u, 1u}) field_predict(direction, 0, true, data[direction]);
  }
  const bool uses_forward = type != backward;
  if (uses_forward)
    predictor_.macroblock(at_.x, at_.y, field_reference(params_.field, 0, macroblock.opposite[0]), macroblock.forward[0], false);
  if (type != forward)
    predictor_.macroblock(at_.x, at_.y, field_reference(params_.field, 1, macroblock.opposite[1]), macroblock.backward[0], uses_forward);
  return true;
}

// In B fields all four have one direction.
bool SliceDecoder::field_four_vectors() {
  const bool is_b = params_.type == PictureType::b;
  const unsigned direction = is_b && !flag(params_.raw.forward, plane_forward);
  const int pattern = read_four_vector_pattern();
  if (pattern < 0) return false;
  Macroblock& macroblock = here();
  const std::array<Vector, 4>& vectors = macroblock.vectors(direction);
  for (unsigned block = 0; block < 4; ++block) {
    FieldVectorData data;
    if (pattern >> (3 - block) & 1 && !read_field_vector_data(bits_, params_, data)) return false;
    field_predict(direction, block, false, data);
    const bool opposite = macroblock.opposite[direction] >> block & 1;
    predictor_.luma_block(at_.x, at_.y, block, field_reference(params_.field, direction, opposite), vectors[block]);
  }
  const FieldVector combined = combined_field_vector(vectors, macroblock.opposite[direction]);
  predictor_.chroma(at_.x, at_.y, field_reference(params_.field, direction, combined.opposite), combined.vector);
  macroblock.chroma = chroma_vector(combined.vector);
  macroblock.chroma_opposite = combined.opposite;
  if (is_b) field_predict(1 - direction, 0, true, {});
  return true;
}

}  // namespace softgen::media::vc1
