// SPDX-License-Identifier: GPL-2.0-or-later
// The pipe's colour stages: palettes (gamma, degamma) and the colour space conversion. SKL PRM vol 12, "Pipe Color Gamut Enhancement";
// i915 display/intel_color.c (bdw_load_luts, ilk_load_csc_matrix).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "hw/display/csc.h"
#include "hw/display/pixel.h"
#include "hw/display/plane.h"

namespace softgen::display {

constexpr unsigned prec_palette_entries = 1024;

/// The last of the 513 points of the 12-bit interpolated gamma: red, green, blue, 0x10000 is 1.0.
using GcMax = std::array<uint32_t, 3>;

/// The look-up tables; writes take effect at once.
struct Palettes {
  LegacyPalette legacy{};                                ///< LGC_PALETTE
  std::array<uint32_t, prec_palette_entries> precise{};  ///< PAL_PREC_DATA
  GcMax gc_max{};                                        ///< PAL_GC_MAX
  std::array<uint32_t, 18> super_fine{};                 ///< PAL_PREC_MULTI_SEG_DATA: nine points
  std::array<uint32_t, 35> degamma{};                    ///< PRE_CSC_GAMC_DATA: 33 points of [0, 1], and two above
};

/// Palettes as look-up tables. split: the halves of the precise one. multi_segment, linear: of Gen11.
enum class ColorStep : uint8_t { none, legacy, precise, interpolated, split_degamma, split_gamma, linear, multi_segment };

struct ColorStages {
  ColorStep before = ColorStep::none, after = ColorStep::none;  ///< palette steps around the CSC
  ColorMatrix csc;
  std::optional<ColorMatrix> output;  ///< after all, with the CSC
};

/// The stages of a pipe, for one frame.
class ColorPipe {
 public:
  ColorPipe() = default;
  /// The palettes are kept by reference.
  ColorPipe(const ColorStages& stages, const Palettes& palettes) : palettes_(&palettes), stages_(stages) {}

  Pixel apply(const Pixel& in, bool gamma, bool csc) const;
  /// Per-channel tables for 8-bit sources when the channels do not mix; identity: nothing changes at all.
  struct Table8 {
    bool separable = false, identity = false;
    std::array<std::array<uint8_t, 256>, 3> channel{};
  };
  Table8 table8(bool gamma, bool csc) const;

 private:
  Pixel look_up(const Pixel& in, ColorStep step) const;
  uint16_t interpolate(uint16_t in, unsigned channel) const;
  uint16_t multi_segment(uint16_t in, unsigned channel) const;
  uint16_t linear(uint16_t in) const;

  const Palettes* palettes_ = nullptr;
  ColorStages stages_;
};

}  // namespace softgen::display
