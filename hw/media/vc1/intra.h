// SPDX-License-Identifier: GPL-2.0-or-later
// Intra blocks: prediction of DC and AC from the blocks around (SMPTE 421M 8.1.3, 8.3.6.6).
#pragma once

#include <array>
#include <cstdint>

#include "hw/media/vc1/coefficients.h"
#include "hw/media/vc1/motion.h"
#include "hw/media/vc1/picture.h"

namespace softgen::media::vc1 {

/// DCSTEPSIZE of a quantizer.
constexpr int dc_step(unsigned quantizer) {
  return quantizer < 3 ? static_cast<int>(2 * quantizer) : quantizer < 5 ? 8 : static_cast<int>(quantizer / 2 + 6);
}

/// A block of the macroblock `at`: reads it, and leaves coefficients in `block`, ready for the transform. The macroblock's intra bits and quantizer are set.
/// False: there is no such code.
bool read_intra_block(CoefficientReader& coefficients, Picture& picture, Position at, unsigned index, bool is_coded, bool predicts_ac,
                      int16_t* block);

}  // namespace softgen::media::vc1
