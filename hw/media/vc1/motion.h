// SPDX-License-Identifier: GPL-2.0-or-later
// Motion vectors: their codes, prediction and range (SMPTE 421M 8.3.5, 8.4.5).
#pragma once

#include "hw/media/bits/bit_reader.h"
#include "hw/media/vc1/picture.h"

namespace softgen::media::vc1 {

/// A vector in the making: sums of hostile ones leave 16 bits.
struct Sum {
  int x = 0, y = 0;
};

constexpr int median(int a, int b, int c) {
  const int lower = a < b ? a : b, upper = a < b ? b : a;
  return c < lower ? lower : c > upper ? upper : c;
}
constexpr Sum median(Sum a, Sum b, Sum c) { return {median(a.x, b.x, c.x), median(a.y, b.y, c.y)}; }

/// HYBRIDPRED, 8.3.5.3.5: the stream says which neighbour predicts where one of these two is far from the prediction.
bool is_hybrid(Sum predicted, Sum above, Sum left);

/// MVRANGE: vectors reach from -x to x - 1, and so on. Quarter samples.
constexpr Sum vector_range(const MotionParams& motion) { return {1 << (motion.range + 8 + motion.range / 2), 1 << (motion.range + 7)}; }
/// Vectors wrap at their range (4.11), a power of 2.
constexpr int16_t wrapped(int value, int range) { return static_cast<int16_t>(((value + range) & (2 * range - 1)) - range); }

/// MVDATA.
struct VectorData {
  int x = 0, y = 0;  ///< the differential, quarter samples
  bool intra = false, has_coefficients = false;
};
/// False: there is no such code.
bool read_vector_data(BitReader& bits, const PictureParams& picture, VectorData& data);

/// Where a macroblock is, and where its slice begins.
struct Position {
  uint32_t x, y, first_row;
  bool has_above() const { return y > first_row; }
};

/// P pictures: predicts luma block `block` (or all four, when the macroblock has one vector), reads HYBRIDPRED, and adds the differential.
Vector predict_vector(BitReader& bits, const Picture& picture, Position at, unsigned block, bool is_one, const VectorData& data);
/// B pictures: `direction` 0 forward, 1 backward.
Vector predict_b_vector(const Picture& picture, Position at, unsigned direction, const VectorData& data);
/// B pictures: both vectors of direct prediction.
std::array<Vector, 2> direct_vectors(const Picture& picture, Position at);

/// A component of the stored vector in `direction`: its part by BFRACTION.
int direct_component(const MotionParams& motion, int value, int direction);
Vector direct_vector(const MotionParams& motion, Vector stored, int direction);

/// The vector that stands for four, of the blocks that are not intra (8.3.5.4.4). False: at most one is not.
bool combined_vector(const std::array<Vector, 4>& vectors, uint8_t intra, Vector& combined);
/// Chroma's vector of luma's, in quarter samples of chroma.
Vector chroma_vector(Vector luma);

}  // namespace softgen::media::vc1
