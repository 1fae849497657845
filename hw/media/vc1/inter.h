// SPDX-License-Identifier: GPL-2.0-or-later
// Prediction from references (SMPTE 421M 8.3.6.5, 8.4.5): bicubic and bilinear interpolation, range reduction, intensity compensation.
#pragma once

#include <array>
#include <cstdint>

#include "hw/media/vc1/picture.h"

namespace softgen::media::vc1 {

class Predictor {
 public:
  explicit Predictor(Picture& picture);

  /// A whole macroblock by one vector. `average`: with the samples that are there.
  void macroblock(uint32_t x, uint32_t y, unsigned direction, Vector luma, bool average);
  void luma_block(uint32_t x, uint32_t y, unsigned block, Vector vector);
  /// `vector`: luma's.
  void chroma(uint32_t x, uint32_t y, unsigned direction, Vector vector, bool average);

 private:
  void luma(int x, int y, unsigned size, unsigned direction, Vector vector, bool average);

  Picture& picture_;
  /// Changes of the references' samples: range, then intensity. By direction, luma and chroma.
  std::array<std::array<std::array<uint8_t, 256>, 2>, 2> changes_;
  std::array<bool, 2> is_changed_{};
};

/// A sample under intensity compensation (8.3.8).
uint8_t compensated(Compensation by, bool is_chroma, int sample);

}  // namespace softgen::media::vc1
