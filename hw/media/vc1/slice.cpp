// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vc1/slice.h"

#include <algorithm>

#include "hw/media/vc1/intra.h"
#include "hw/media/vc1/transform.h"
#include "hw/media/vc1/vlc.h"

namespace softgen::media::vc1 {
namespace {

constexpr unsigned whole_macroblock = 8;  ///< of TTMB's values

/// Where a block's samples begin, and how far apart they are.
template <typename T>
struct Place {
  T* samples;
  size_t step, stride;
};

template <typename T>
Place<T> place_of(Frame<T>& frame, Position at, unsigned index, bool field_transform) {
  if (index > 3) return {frame.chroma.at(at.x * 16 + index - 4, at.y * 8), 2, frame.chroma.stride()};
  if (field_transform) return {frame.luma.at(at.x * 16 + index % 2 * 8, at.y * 16 + index / 2), 1, 2 * frame.luma.stride()};
  return {frame.luma.at(at.x * 16 + index % 2 * 8, at.y * 16 + index / 2 * 8), 1, frame.luma.stride()};
}

}  // namespace

SliceResult SliceDecoder::decode(uint32_t first_row, uint32_t end_row, const StopFlag& stop) {
  end_row = std::min(end_row, params_.height);
  if (first_row >= end_row) return SliceResult::broken;
  picture_.begins_slice[first_row] = 1;
  for (uint32_t y = first_row; y < end_row; ++y) {
    if (stop.aborting()) return SliceResult::aborted;
    if (y > first_row) picture_.begins_slice[y] = 0;
    for (uint32_t x = 0; x < params_.width; ++x) {
      at_ = {x, y, first_row};
      here() = {};
      flags_ = picture_.flags[size_t{y} * params_.width + x];
      transform_ = {.code = params_.transform, .is_shared = !params_.block_transforms};
      pattern_ = 0;
      if (!macroblock() || bits_.over()) {
        here() = {};
        return SliceResult::broken;
      }
      here().done = true;
    }
  }
  return SliceResult::whole;
}

bool SliceDecoder::macroblock() {
  if (params_.is_intra()) return intra_picture_macroblock();
  if (params_.is_field()) return field_macroblock();
  if (params_.coding == Coding::frame) return frame_macroblock();
  return params_.type == PictureType::p ? p_macroblock() : b_macroblock();
}

// 7.1.3.1; 8.1.2.2 for the prediction of luma's bits.
bool SliceDecoder::intra_picture_macroblock() {
  Macroblock& macroblock = here();
  if (params_.coding == Coding::frame) macroblock.field_transform = flag(params_.raw.field_transform, plane_field_transform);
  const int code = tables().intra_pattern.take(bits_);
  if (code < 0) return false;
  const bool advanced = params_.advanced, predicts_ac = flag(!advanced || params_.raw.ac_prediction, plane_ac_prediction);
  if (advanced && params_.condition == Overlap::flagged) macroblock.smoothed = flag(params_.raw.overlap, plane_overlap);
  macroblock.quantizer = advanced ? read_quantizer() : picture_quantizer();
  pattern_ = static_cast<unsigned>(code);
  for (unsigned block = 0; block < 4; ++block) {
    const unsigned coded = (pattern_ >> (5 - block) & 1) ^ predicted_coded(block);
    macroblock.coded = static_cast<uint8_t>(macroblock.coded | coded << block);
    pattern_ = (pattern_ & ~(1u << (5 - block))) | coded << (5 - block);
  }
  macroblock.intra = all_blocks;
  return blocks(pattern_, predicts_ac);
}

unsigned SliceDecoder::predicted_coded(unsigned block) const {
  const int column = static_cast<int>(2 * at_.x + (block & 1)), row = static_cast<int>(2 * at_.y + (block >> 1));
  const auto coded = [&](int x, int y) -> unsigned {
    if (x < 0 || y < static_cast<int>(2 * at_.first_row)) return 0;
    return picture_.at(static_cast<uint32_t>(x) / 2, static_cast<uint32_t>(y) / 2).coded >> ((y & 1) * 2 + (x & 1)) & 1;
  };
  const unsigned above = coded(column, row - 1);
  return coded(column - 1, row - 1) == above ? coded(column - 1, row) : above;
}

// MQUANT, 7.1.3.6 and 8.3.6.
Quantizer SliceDecoder::read_quantizer() {
  const QuantizerParams& params = params_.quantizer;
  Quantizer found = picture_quantizer();
  if (params.use == AlternativeUse::choice) {
    if (bits_.flag()) found = {params.alternative, true};
  } else if (params.use == AlternativeUse::difference) {
    const uint32_t difference = bits_.take(3);
    found = {static_cast<uint8_t>(difference == 7 ? bits_.take(5) : params.step + difference), true};
  } else if (params.use == AlternativeUse::edges) {
    const uint8_t edges =
        static_cast<uint8_t>((at_.x ? 0 : left_edge) | (at_.y ? 0 : top_edge) | (at_.x + 1 == params_.width ? right_edge : 0) |
                             (at_.y + 1 == params_.height ? bottom_edge : 0));
    if (edges & params.edges) found = {params.alternative, true};
  }
  // There is no quantizer of 0.
  return found.step && found.step < 32 ? found : Quantizer{1, false};
}

bool SliceDecoder::read_pattern() {
  const int code = tables().inter_pattern[params_.tables.pattern].take(bits_);
  pattern_ = static_cast<unsigned>(std::max(code, 0));
  return code >= 0;
}

// TTMB, 8.3.6.2.1.
bool SliceDecoder::read_transform() {
  const unsigned rate = (params_.quantizer.step > 4) + (params_.quantizer.step > 12);
  const int code = tables().macroblock_transform[rate].take(bits_);
  if (code < 0) return false;
  transform_.code = static_cast<TransformCode>(code & 7);
  transform_.is_shared = static_cast<unsigned>(code) & whole_macroblock;
  return true;
}

bool SliceDecoder::p_macroblock() {
  const bool has_four = flag(params_.raw.vector_type, plane_vector_type), skipped = flag(params_.raw.skip, plane_skip);
  return has_four ? p_four_vectors(skipped) : p_one_vector(skipped);
}

bool SliceDecoder::p_one_vector(bool skipped) {
  Macroblock& macroblock = here();
  VectorData data;
  if (!skipped && !read_vector_data(bits_, params_, data)) return false;
  if (data.intra) {
    macroblock.intra = all_blocks;
  } else {
    macroblock.forward.fill(predict_vector(bits_, picture_, at_, 0, true, data));
    macroblock.chroma = chroma_vector(macroblock.forward[0]);
  }
  bool predicts_ac = false;
  if (!skipped) macroblock.quantizer = picture_quantizer();
  if (data.has_coefficients) {
    if (data.intra) predicts_ac = bits_.flag();
    if (!read_pattern()) return false;
    macroblock.quantizer = read_quantizer();
    if (params_.block_transforms && !data.intra && !read_transform()) return false;
  } else if (data.intra) {
    macroblock.quantizer = read_quantizer();
    predicts_ac = bits_.flag();
  }
  if (!data.intra) predictor_.macroblock(at_.x, at_.y, 0, macroblock.forward[0], false);
  return blocks(pattern_, predicts_ac);
}

bool SliceDecoder::p_four_vectors(bool skipped) {
  Macroblock& macroblock = here();
  unsigned coded = 0;
  if (!skipped && !read_pattern()) return false;
  for (unsigned block = 0; block < 4; ++block) {
    VectorData data;
    if (pattern_ >> (5 - block) & 1 && !read_vector_data(bits_, params_, data)) return false;
    if (data.intra) macroblock.intra = static_cast<uint8_t>(macroblock.intra | 1u << block);
    else macroblock.forward[block] = predict_vector(bits_, picture_, at_, block, false, data);
    if (data.has_coefficients) coded |= 1u << (5 - block);
  }
  coded |= pattern_ & 3;
  const bool has_chroma = combined_vector(macroblock.forward, macroblock.intra, macroblock.chroma);
  for (unsigned block = 0; block < 4; ++block)
    if (!(macroblock.intra >> block & 1)) predictor_.luma_block(at_.x, at_.y, block, 0, macroblock.forward[block]);
  if (has_chroma) {
    predictor_.chroma(at_.x, at_.y, 0, macroblock.chroma);
    macroblock.chroma = chroma_vector(macroblock.chroma);
  } else {
    macroblock.intra |= all_blocks & ~all_luma;
  }
  unsigned inter = 0;  // of the pattern
  for (unsigned block = 0; block < 6; ++block)
    if (!(macroblock.intra >> block & 1)) inter |= 1u << (5 - block);
  if (!macroblock.intra && !coded) return true;
  macroblock.quantizer = read_quantizer();
  const bool predicts_ac = has_intra_neighbour() && bits_.flag();
  if (params_.block_transforms && (coded & inter) && !read_transform()) return false;
  return blocks(coded, predicts_ac);
}

bool SliceDecoder::has_intra_neighbour() const {
  const Macroblock& macroblock = picture_.at(at_.x, at_.y);
  const uint8_t above = at_.has_above() ? picture_.at(at_.x, at_.y - 1).intra : 0, left = at_.x ? picture_.at(at_.x - 1, at_.y).intra : 0;
  const uint8_t own = macroblock.intra;
  // Bits of the blocks above and to the left of each block.
  const unsigned above_each = (above >> 2 & 3) | (own & 3) << 2 | (above & 48);
  const unsigned left_each = (left >> 1 & 5) | (own << 1 & 10) | (left & 48);
  return own & (above_each | left_each);
}

// 7.1.3.3, 8.4.
bool SliceDecoder::b_macroblock() {
  const bool direct = flag(params_.raw.direct, plane_direct), skipped = flag(params_.raw.skip, plane_skip);
  VectorData first, second;
  unsigned type = 2;
  if (!direct) {
    if (!skipped && !read_vector_data(bits_, params_, first)) return false;
    if (first.intra) return b_intra(first);
    // BMVTYPE: the shorter code is for the nearer reference.
    type = read_three(bits_);
  }
  const bool interpolates = type == 2, is_backward = !interpolates && (type == 0) == (params_.motion.scale >= 128);
  bool has_coefficients = !skipped && (direct || first.has_coefficients);
  // Of two vectors, the backward one comes first; without coefficients the other has no differential.
  if (interpolates && !direct && has_coefficients) {
    if (!read_vector_data(bits_, params_, second) || second.intra) return false;
    has_coefficients = second.has_coefficients;
  }
  predict_b(interpolates ? second : first, first, direct, !is_backward, interpolates || is_backward);
  if (!has_coefficients) return true;
  return read_pattern() && inter_blocks();
}

bool SliceDecoder::inter_blocks() {
  here().quantizer = read_quantizer();
  if (params_.block_transforms && !read_transform()) return false;
  return blocks(pattern_, false);
}

bool SliceDecoder::b_intra(const VectorData& data) {
  Macroblock& macroblock = here();
  macroblock.intra = all_blocks;
  bool predicts_ac;
  if (data.has_coefficients) {
    predicts_ac = bits_.flag();
    if (!read_pattern()) return false;
    macroblock.quantizer = read_quantizer();
  } else {
    macroblock.quantizer = read_quantizer();
    predicts_ac = bits_.flag();
  }
  return blocks(pattern_, predicts_ac);
}

// What a direction does not use is the vector of direct prediction, for the neighbours (8.4.5.4).
void SliceDecoder::predict_b(const VectorData& forward, const VectorData& backward, bool direct, bool uses_forward, bool uses_backward) {
  std::array<Vector, 2> vectors = direct_vectors(picture_, at_);
  if (!direct && uses_forward) vectors[0] = predict_b_vector(picture_, at_, 0, forward);
  if (!direct && uses_backward) vectors[1] = predict_b_vector(picture_, at_, 1, backward);
  here().forward.fill(vectors[0]);
  here().backward.fill(vectors[1]);
  if (uses_forward) predictor_.macroblock(at_.x, at_.y, 0, vectors[0], false);
  if (uses_backward) predictor_.macroblock(at_.x, at_.y, 1, vectors[1], uses_forward);
}

bool SliceDecoder::blocks(unsigned coded, bool predicts_ac) {
  Macroblock& macroblock = here();
  alignas(32) int16_t block[64];
  for (unsigned index = 0; index < 6; ++index) {
    const bool is_coded = coded >> (5 - index) & 1;
    if (macroblock.intra >> index & 1) {
      if (!read_intra_block(coefficients_, picture_, at_, index, is_coded, predicts_ac, block)) return false;
      inverse_transform(block, 8, 8);
      put_intra(index, block);
      macroblock.subblocks[index] = 15;
    } else if (is_coded && !inter_block(index, transform_)) {
      return false;
    }
  }
  return true;
}

bool SliceDecoder::inter_block(unsigned index, BlockTransform& transform) {
  Macroblock& macroblock = here();
  alignas(32) int16_t block[64];
  // The first block's halves are in TTMB, even if later blocks have patterns of their own.
  BlockTransform used = transform;
  if (params_.block_transforms && transform.is_first) used.is_shared = false;
  if (!coefficients_.read_inter(macroblock.quantizer, used, block, macroblock.transform[index], macroblock.subblocks[index])) return false;
  transform.is_first = false;
  if (params_.block_transforms && !transform.is_shared) transform.is_read = true;
  const Place<uint8_t> to = place_of(picture_.frame, at_, index, macroblock.field_transform);
  add_block(block, 8, 8, to.samples, to.step, to.stride);
  return true;
}

void SliceDecoder::put_intra(unsigned index, const int16_t* block) {
  if (params_.smooths()) {
    const Place<int16_t> to = place_of(picture_.differences, at_, index, here().field_transform);
    for (unsigned y = 0; y < 8; ++y)
      for (unsigned x = 0; x < 8; ++x) to.samples[y * to.stride + x * to.step] = block[8 * y + x];
    return;
  }
  const Place<uint8_t> to = place_of(picture_.frame, at_, index, here().field_transform);
  put_block(block, 8, params_.is_centred() ? 128 : 0, to.samples, to.step, to.stride);
}

}  // namespace softgen::media::vc1
