// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/mpeg2/quantiser.h"

#include <algorithm>
#include <cstdlib>

namespace softgen::media::mpeg2 {
namespace {

constexpr int max_level = 2047;
constexpr unsigned fraction_bits = 3;

/// The mean of the block, in steps of 8 divided by the precision.
int16_t dc_level(int coefficient, unsigned precision, unsigned eighths) {
  const int step = 8 >> precision;
  const int level = (coefficient + static_cast<int>(eighths) * step) / (step << fraction_bits);
  return static_cast<int16_t>(std::clamp(level, 0, (256 << precision) - 1));
}

}  // namespace

// A decoder's step is matrix * scale / 16, so the level is coefficient * reciprocal / (4096 * scale).
bool quantise(const Quantiser& quantiser, const PictureParams& picture, bool intra, unsigned scale,
              std::span<const int16_t, 64> coefficients, std::array<int16_t, 64>& levels) {
  const Rounding& rounding = quantiser.rounding;
  const auto& reciprocal = quantiser.reciprocal[!intra];
  const uint64_t step = uint64_t{4096} << fraction_bits;
  const uint64_t divisor = step * scale;
  bool coded = false;
  for (unsigned i = 0; i < levels.size(); ++i) {
    if (intra && !i) {
      levels[0] = dc_level(coefficients[0], picture.intra_dc_precision, rounding.intra_dc);
      coded = true;
      continue;
    }
    const unsigned sixteenths = intra ? rounding.intra_ac : i ? rounding.inter_ac : rounding.inter_dc;
    const uint64_t product = static_cast<uint64_t>(std::abs(int{coefficients[i]})) * reciprocal[i] + divisor * sixteenths / 16;
    if (product < divisor) {
      levels[i] = 0;
      continue;
    }
    const int level = static_cast<int>(std::min<uint64_t>(product / divisor, max_level));
    levels[i] = static_cast<int16_t>(coefficients[i] < 0 ? -level : level);
    coded = true;
  }
  return coded;
}

}  // namespace softgen::media::mpeg2
