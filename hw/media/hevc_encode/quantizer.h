// SPDX-License-Identifier: GPL-2.0-or-later
// From residuals to levels: forward transforms, quantization and sign hiding. What a decoder makes of the levels is hw/media/hevc/transform.h.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "hw/media/hevc/parameters.h"
#include "hw/media/hevc/residual.h"

namespace softgen::media::hevc {

/// HCP_FQM_STATE: 65536 / scaling factor, by intra and inter, in raster order. Rounding: of 32.
/// 16x16 and 32x32 have 8x8's factors but for DC: those are all that i965-va-driver sends of theirs (gen9_hevc_encoder.c, gen9_hevc_pak_add_fm_state()).
struct ForwardQuantizer {
  std::array<std::array<uint16_t, 16>, 2> size4;
  std::array<std::array<uint16_t, 64>, 2> size8;
  std::array<std::array<uint16_t, 2>, 2> dc;  ///< of 16x16 and 32x32
  std::array<uint8_t, 2> rounding{11, 6};
};

/// One block, in rows of 1 << block.log2.
using Levels = std::span<int16_t>;

/// `values`: residuals become coefficients.
void forward_transform(const TransformBlock& block, bool skip_transform, unsigned bits, Levels values);
/// `values`: coefficients become levels. False: all are 0.
bool quantize(const ForwardQuantizer& by, const TransformBlock& block, unsigned bits, bool hides_signs, Levels values);

}  // namespace softgen::media::hevc
