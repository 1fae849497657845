// SPDX-License-Identifier: GPL-2.0-or-later
// Forward transforms and quantization. The decoder has their inverses (RFC 6386, section 14).
#pragma once

#include <array>
#include <cstdint>

#include "hw/media/vp8/picture.h"

namespace softgen::media::vp8 {

constexpr int max_index = 127;
/// Of a coefficient: the greatest that is written.
constexpr int max_level = 2047;

/// What an index is changed by for each kind of coefficient.
struct IndexDeltas {
  int y1_dc = 0, y2_dc = 0, y2_ac = 0, uv_dc = 0, uv_ac = 0;
};

/// Of any index; what is beyond 0 to 127 is cut.
Quantizer quantizer_of(int index, const IndexDeltas& delta);

/// Of 4x4 differences, in raster order.
void forward_transform(const std::array<int16_t, 16>& in, std::array<int16_t, 16>& out);
/// Of the 16 luma blocks' DCs.
void forward_walsh(const std::array<int16_t, 16>& in, std::array<int16_t, 16>& out);

/// In the order of tokens.
using Levels = std::array<int16_t, 16>;

/// From coefficient `first` on, in zigzag order; returns where the last level ends that is not 0. Chosen: 3/8 of a step is added before the division, as
/// i965-va-driver's curbe of the MbEnc kernel says ((48 * factor) >> 7).
unsigned quantize(const std::array<int16_t, 16>& in, const std::array<int16_t, 2>& factor, unsigned first, Levels& to);

/// As the decoder: what is 0 leaves `to` as it is.
void dequantize(const Levels& levels, const std::array<int16_t, 2>& factor, std::array<int16_t, 16>& to);

}  // namespace softgen::media::vp8
