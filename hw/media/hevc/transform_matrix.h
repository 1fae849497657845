// SPDX-License-Identifier: GPL-2.0-or-later
// The matrix of the cosine transform (H.265 8.6.4.2).
#pragma once

#include <cstdint>

namespace softgen::media::hevc {
namespace {

/// Element (k, n) is the cosine of (2n + 1) k pi / 64, which is that of an angle in the first quarter with a sign.
constexpr int8_t cosines[33] = {64, 90, 90, 90, 89, 88, 87, 85, 83, 82, 80, 78, 75, 73, 70, 67, 64,
                                61, 57, 54, 50, 46, 43, 38, 36, 31, 25, 22, 18, 13, 9,  4,  0};

constexpr int8_t matrix_element(unsigned frequency, unsigned position) {
  unsigned angle = (2 * position + 1) * frequency % 128;
  if (angle > 64) angle = 128 - angle;
  return angle <= 32 ? cosines[angle] : static_cast<int8_t>(-cosines[64 - angle]);
}

}  // namespace
}  // namespace softgen::media::hevc
