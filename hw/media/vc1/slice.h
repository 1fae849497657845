// SPDX-License-Identifier: GPL-2.0-or-later
// One slice: whole rows of macroblocks (SMPTE 421M 7.1.3), decoded into the picture but for the filters.
#pragma once

#include <cstdint>

#include "hw/iface/engine.h"
#include "hw/media/bits/bit_reader.h"
#include "hw/media/vc1/coefficients.h"
#include "hw/media/vc1/field_motion.h"
#include "hw/media/vc1/inter.h"
#include "hw/media/vc1/motion.h"
#include "hw/media/vc1/picture.h"
#include "hw/media/vc1/vlc.h"

namespace softgen::media::vc1 {

enum class SliceResult : uint8_t { whole, broken, aborted };

class SliceDecoder {
 public:
  SliceDecoder(Picture& picture, BitReader bits)
      : picture_(picture), params_(picture.params), bits_(bits), coefficients_(bits_, picture.params), predictor_(picture) {}
  SliceDecoder(const SliceDecoder&) = delete;
  SliceDecoder& operator=(const SliceDecoder&) = delete;

  /// Rows [first_row, end_row); as far as they are in the picture.
  SliceResult decode(uint32_t first_row, uint32_t end_row, const StopFlag& stop);

 private:
  // Each false: the stream is broken.
  bool macroblock();
  bool intra_picture_macroblock();
  bool p_macroblock();
  bool p_one_vector(bool skipped);
  bool p_four_vectors(bool skipped);
  bool b_macroblock();
  bool b_intra(const VectorData& data);
  // Of P and B fields (field_slice.cpp).
  bool field_macroblock();
  bool field_intra(bool has_coefficients);
  bool field_one_vector(bool has_vector);
  bool field_p_vector(bool has_vector);
  bool field_b_vectors(bool has_vector);
  bool field_four_vectors();
  void field_predict(unsigned direction, unsigned block, bool is_one, const FieldVectorData& data);
  // Of both, and of P and B interlaced frames (frame_slice.cpp).
  bool read_interlaced_pattern();
  /// Less than 0: the stream is broken.
  int read_four_vector_pattern() { return tables().four_vector_pattern[params_.tables.four_vectors & 3].take(bits_); }
  int read_two_vector_pattern() { return tables().two_vector_pattern[params_.tables.two_vectors & 3].take(bits_); }
  bool frame_macroblock();
  bool frame_intra();
  bool frame_vector(unsigned direction, unsigned block, unsigned count, bool has_vector);
  bool frame_p_vectors(bool has_two, bool has_vector);
  bool frame_four_vectors();
  bool frame_b_vectors(bool skipped, bool has_two, bool has_vector, bool has_coefficients);
  bool frame_interpolated(bool skipped, bool has_two);
  bool frame_two_vectors(unsigned direction, bool switches);
  bool frame_one_vector(unsigned direction, bool has_vector);
  void frame_direct(bool of_fields);
  void predict_both(bool of_fields);
  bool read_pattern();
  bool read_transform();
  /// `coded`: bits of the pattern's order, luma first.
  bool blocks(unsigned coded, bool predicts_ac);
  /// Quantizer, transform and blocks of an inter macroblock whose pattern is read.
  bool inter_blocks();
  bool inter_block(unsigned index, BlockTransform& transform);

  bool flag(bool is_raw, uint8_t plane) { return is_raw ? bits_.flag() : (flags_ & plane) != 0; }
  Quantizer read_quantizer();
  Quantizer picture_quantizer() const { return {params_.quantizer.step, false}; }
  bool has_intra_neighbour() const;
  void predict_b(const VectorData& forward, const VectorData& backward, bool direct, bool uses_forward, bool uses_backward);
  void put_intra(unsigned index, const int16_t* block);
  unsigned predicted_coded(unsigned block) const;
  Macroblock& here() { return picture_.at(at_.x, at_.y); }

  Picture& picture_;
  const PictureParams& params_;
  BitReader bits_;
  CoefficientReader coefficients_;
  Predictor predictor_;
  Position at_{};
  // Of the macroblock.
  uint8_t flags_ = 0;
  unsigned pattern_ = 0;
  BlockTransform transform_;
};

}  // namespace softgen::media::vc1
