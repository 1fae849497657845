// SPDX-License-Identifier: GPL-2.0-or-later
// Motion vectors (ISO/IEC 13818-2, 7.6.3) and prediction (7.6.4 to 7.6.7).
#pragma once

#include <array>
#include <cstdint>

#include "hw/media/bits/bit_reader.h"
#include "hw/media/mpeg2/picture.h"

namespace softgen::media::mpeg2 {

/// Half samples.
struct Vector {
  int x = 0, y = 0;
};

/// What a macroblock is predicted from. The codes of frame_motion_type and field_motion_type overlap; these do not.
enum class MotionType : uint8_t { frame, field, half_field /* 16x8 */, dual_prime };

struct Motion {
  MotionType type = MotionType::frame;
  std::array<bool, 2> used{};                      ///< forward, backward
  std::array<std::array<Vector, 2>, 2> vector;     ///< [direction][first, second]
  std::array<std::array<uint8_t, 2>, 2> select{};  ///< motion_vertical_field_select
  Vector differential;                             ///< dmvector
};

/// PMV of 7.6.3, [direction][first, second].
using VectorPredictors = std::array<std::array<Vector, 2>, 2>;

/// motion_vectors(s): false when there is no such code.
bool read_vectors(BitReader& bits, const PictureParams& picture, unsigned direction, Motion& motion, VectorPredictors& predictors);

/// 7.6.3.6, dual prime: the vector into the field of the other parity. `distance`: fields between, `is_bottom`: the predicted field.
Vector opposite_vector(Vector vector, Vector differential, int distance, bool is_bottom);

/// Fields between the predicted field of a frame and the opposite one that it is predicted from.
inline int dual_prime_distance(const PictureParams& picture, bool is_bottom) { return is_bottom != picture.top_field_first ? 1 : 3; }

/// Predicts macroblock (x, y) of the picture into `to`.
void predict(const PictureParams& picture, const References& references, const Motion& motion, uint32_t x, uint32_t y, Frame<uint8_t>& to);

}  // namespace softgen::media::mpeg2
