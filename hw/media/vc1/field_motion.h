// SPDX-License-Identifier: GPL-2.0-or-later
// Motion vectors of field pictures (SMPTE 421M 10.3.5, 10.4.5): their codes, and prediction from neighbours whose vectors lead to either field.
#pragma once

#include "hw/media/bits/bit_reader.h"
#include "hw/media/vc1/motion.h"
#include "hw/media/vc1/picture.h"

namespace softgen::media::vc1 {

/// MVDATA of field pictures.
struct FieldVectorData {
  int x = 0, y = 0;          ///< the differential, quarter samples
  bool other_field = false;  ///< not the field that most neighbours are predicted from
};
/// False: there is no such code.
bool read_field_vector_data(BitReader& bits, const PictureParams& picture, FieldVectorData& data);

/// A vector, and whether it leads to the field of the other parity.
struct FieldVector {
  Vector vector;
  bool opposite = false;
};

/// Predicts luma block `block` (or all four, when the macroblock has one vector) in `direction`, and adds the differential. In P pictures it reads HYBRIDPRED.
FieldVector predict_field_vector(BitReader& bits, const Picture& picture, Position at, unsigned block, bool is_one, unsigned direction,
                                 const FieldVectorData& data);
/// Both vectors of direct prediction.
std::array<FieldVector, 2> direct_field_vectors(const Picture& picture, Position at);

/// The vector that stands for four: of those that lead to the field of most, the same field's of two and two. `opposite`: by block.
FieldVector combined_field_vector(const std::array<Vector, 4>& vectors, uint8_t opposite);

}  // namespace softgen::media::vc1
