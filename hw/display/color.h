// SPDX-License-Identifier: GPL-2.0-or-later
// The pipe's colour stages: palettes (gamma, degamma) and the colour space conversion. SKL PRM vol 12, "Pipe Color Gamut Enhancement";
// i915 display/intel_color.c (bdw_load_luts, ilk_load_csc_matrix).
#pragma once

#include <array>
#include <cstdint>

#include "hw/display/pixel.h"
#include "hw/display/plane.h"

namespace softgen::display {

constexpr unsigned prec_palette_entries = 1024;

/// CSC registers in the order of their offsets: RY_GY, BY, RU_GU, BU, RV_GV, BV; pre-offsets and post-offsets HI, ME, LO.
struct CscRegs {
  std::array<uint32_t, 6> coefficients{};
  uint32_t mode = 0;  ///< CSC_MODE
  std::array<uint32_t, 3> pre{}, post{};
  bool operator==(const CscRegs&) const = default;
};

/// The last of the 513 points of the 12-bit interpolated gamma: red, green, blue, 0x10000 is 1.0.
using GcMax = std::array<uint32_t, 3>;

/// The look-up tables; writes take effect at once.
struct Palettes {
  LegacyPalette legacy{};                                ///< LGC_PALETTE
  std::array<uint32_t, prec_palette_entries> precise{};  ///< PAL_PREC_DATA
  GcMax gc_max{};                                        ///< PAL_GC_MAX
};

/// Both stages of a pipe, compiled from registers for one frame.
class ColorPipe {
 public:
  ColorPipe() = default;
  /// gamma_mode: GAMMA_MODE[1:0], 0 8-bit, 1 10-bit, 2 12-bit interpolated, 3 split. The palettes are kept by reference.
  ColorPipe(uint32_t gamma_mode, const CscRegs& csc, const Palettes& palettes);

  Pixel apply(const Pixel& in, bool gamma, bool csc) const;
  /// Per-channel tables for 8-bit sources when the channels do not mix; identity: nothing changes at all.
  struct Table8 {
    bool separable = false, identity = false;
    std::array<std::array<uint8_t, 256>, 3> channel{};
  };
  Table8 table8(bool gamma, bool csc) const;

 private:
  enum class Step : uint8_t { none, legacy, precise, interpolated, degamma, gamma };
  Pixel look_up(const Pixel& in, Step step) const;
  uint16_t interpolate(uint16_t in, unsigned channel) const;
  Pixel convert(const Pixel& in) const;

  const Palettes* palettes_ = nullptr;
  Step before_ = Step::none, after_ = Step::none;  ///< palette steps around the CSC
  std::array<float, 9> matrix_{1, 0, 0, 0, 1, 0, 0, 0, 1};
  std::array<float, 3> pre_{}, post_{};
};

/// `value`: 16 bits, a coefficient of CSC_COEFF.
float csc_coefficient(uint32_t value);

}  // namespace softgen::display
