// SPDX-License-Identifier: GPL-2.0-or-later
// Colour space conversions as registers hold them. SKL PRM vol 2c, CSC_COEFF; i915 display/intel_color.c, ilk_update_pipe_csc.
#pragma once

#include <array>
#include <cstdint>

#include "hw/display/pixel.h"

namespace softgen::display {

/// CSC registers in the order of their offsets: RY_GY, BY, RU_GU, BU, RV_GV, BV; pre-offsets and post-offsets HI, ME, LO.
struct CscRegs {
  std::array<uint32_t, 6> coefficients{};
  uint32_t mode = 0;  ///< CSC_MODE
  std::array<uint32_t, 3> pre{}, post{};
  bool operator==(const CscRegs&) const = default;
};

/// `value`: 16 bits, a coefficient of CSC_COEFF.
float csc_coefficient(uint32_t value);

/// A conversion as its registers say.
struct ColorMatrix {
  ColorMatrix() = default;
  explicit ColorMatrix(const CscRegs& regs);
  Pixel apply(const Pixel& in) const;
  /// The channels do not mix.
  bool separable() const { return m[1] == 0 && m[2] == 0 && m[3] == 0 && m[5] == 0 && m[6] == 0 && m[7] == 0; }

  std::array<float, 9> m{1, 0, 0, 0, 1, 0, 0, 0, 1};
  std::array<float, 3> pre{}, post{};
};

}  // namespace softgen::display
