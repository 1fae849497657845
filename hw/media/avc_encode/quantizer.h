// SPDX-License-Identifier: GPL-2.0-or-later
// Forward transforms and quantization. What a decoder makes of the levels is hw/media/avc/transform.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "hw/media/avc/transform.h"

namespace softgen::media::avc {

/// Samples that are `step` apart in rows that are `stride` apart.
struct Block {
  const uint8_t* at;
  ptrdiff_t stride;
  ptrdiff_t step = 1;
};

/// The core transform of `source` - `prediction`, in raster order.
void forward4(const Block& source, const Block& prediction, std::array<int32_t, 16>& to);
void forward8(const Block& source, const Block& prediction, std::array<int32_t, 64>& to);
/// Hadamard transforms of DC coefficients.
void forward_luma_dc(std::array<int32_t, 16>& dc);
void forward_chroma_dc(std::array<int32_t, 4>& dc);
/// Half of the sum of the absolute Hadamard-transformed differences; 4x4, or a multiple of 8 by one of 4.
uint32_t satd(const Block& source, const Block& prediction, unsigned width, unsigned height);
/// The same by transforms of 8x8, in the same unit: a quarter of the sum. Multiples of 8 by 8; samples lie together.
uint32_t satd8(const Block& source, const Block& prediction, unsigned width, unsigned height);

/// Factors that undo a picture's LevelScale: by list, QP % 6 and position.
class Quantizer {
 public:
  void set(const LevelScale& scale);
  /// Levels have at most 11 bits and a sign, so that CAVLC has a code for each in every profile (9.2.2.1). Rounds up from a third (intra) or a sixth less.
  int16_t level4(int32_t coefficient, unsigned list, unsigned place, unsigned qp) const {
    return level(coefficient, by4_[list][qp % 6][place], bits4 + qp / 6, list < 3);
  }
  int16_t level8(int32_t coefficient, unsigned list, unsigned place, unsigned qp) const {
    return level(coefficient, by8_[list][qp % 6][place], bits8 + qp / 6, list == 0);
  }
  int16_t luma_dc_level(int32_t coefficient, unsigned qp) const { return level(coefficient, by4_[0][qp % 6][0], bits4 + 2 + qp / 6, true); }
  int16_t chroma_dc_level(int32_t coefficient, unsigned list, unsigned qp) const {
    return level(coefficient, by4_[list][qp % 6][0], bits4 + 1 + qp / 6, list < 3);
  }

 private:
  static constexpr unsigned bits4 = 20, bits8 = 24;
  static constexpr int64_t max_level = 2047;
  static int16_t level(int32_t coefficient, int64_t factor, unsigned bits, bool intra) {
    const int64_t rounding = (int64_t{1} << bits) / (intra ? 3 : 6);
    const int64_t size = ((coefficient < 0 ? -int64_t{coefficient} : coefficient) * factor + rounding) >> bits;
    const auto limited = static_cast<int16_t>(size < max_level ? size : max_level);
    return coefficient < 0 ? static_cast<int16_t>(-limited) : limited;
  }

  std::array<std::array<std::array<int64_t, 16>, 6>, 6> by4_{};
  std::array<std::array<std::array<int64_t, 64>, 6>, 2> by8_{};
};

}  // namespace softgen::media::avc
