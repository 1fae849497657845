// SPDX-License-Identifier: GPL-2.0-or-later
// SAMPLER_STATE as plain values, the same for all generations (SKL PRM vol 2d, SAMPLER_STATE).
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace softgen::sampler {

/// Texture Coordinate Mode. mirror_101 mirrors at the centres of the outermost texels.
enum class AddressMode : uint8_t { wrap, mirror, clamp, cube, clamp_border, mirror_once, half_border, mirror_101 };
/// Within a level. MAPFILTER_MONO is not there: it filters as linear.
enum class TexelFilter : uint8_t { nearest, linear, anisotropic };
/// Between levels.
enum class MipFilter : uint8_t { none, nearest, linear };
/// Shadow Function: what the prefilter operation tests.
enum class ShadowFunction : uint8_t { always, never, less, equal, less_equal, greater, not_equal, greater_equal };
enum class Reduction : uint8_t { average, minimum, maximum };

/// Coordinates are rounded to eight bits of fraction, else truncated.
struct Rounding {
  bool u = false, v = false, r = false;
};

struct State {
  AddressMode mode_u = AddressMode::wrap, mode_v = AddressMode::wrap, mode_r = AddressMode::wrap;
  bool seamless = false;        ///< cubes are filtered across their edges, whatever the modes say
  bool non_normalized = false;  ///< coordinates are texels
  TexelFilter mag_filter = TexelFilter::nearest, min_filter = TexelFilter::nearest;
  Rounding mag_rounding, min_rounding;
  MipFilter mip_filter = MipFilter::none;
  unsigned max_taps = 2;  ///< of anisotropic filters
  ShadowFunction shadow_function = ShadowFunction::always;
  Reduction reduction = Reduction::average;
  bool preclamp = false;    ///< LOD PreClamp Mode OGL: levels of detail are clamped before they select minification or magnification
  bool skips_srgb = false;  ///< codes of sRGB formats are taken as UNORM
  float lod_bias = 0, min_lod = 0, max_lod = 0;
  uint32_t border_color = 0;  ///< offset from dynamic_state, of SAMPLER_BORDER_COLOR_STATE
};

/// The dwords of a SAMPLER_STATE, on all generations.
using StateDwords = std::array<uint32_t, 4>;

/// Decodes a SAMPLER_STATE; a reserved address mode is read as clamp, a reserved filter within a level as linear, one between levels as none. A part of the
/// platform (hw/gt/parts.h).
using DecodeState = State (*)(const StateDwords& dwords);

/// That of a generation, by its traits (defs::Gen9).
template <class G>
State decode_state(const StateDwords& dwords);

}  // namespace softgen::sampler
