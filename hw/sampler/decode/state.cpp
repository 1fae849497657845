// SPDX-License-Identifier: GPL-2.0-or-later
// SAMPLER_STATE (SKL PRM vol 2d).
#include "hw/sampler/state.h"

#include "hw/base/log.h"
#include "hw/defs/gen11/all.h"
#include "hw/defs/gen12/all.h"
#include "hw/defs/gen9/all.h"

namespace softgen::sampler {
namespace {

template <class Mode>
AddressMode address_mode(Mode mode) {
  constexpr auto last = requires { Mode::MIRROR_101; } ? AddressMode::mirror_101 : AddressMode::half_border;
  const auto code = static_cast<uint32_t>(mode);
  return code <= static_cast<uint32_t>(last) ? static_cast<AddressMode>(code) : AddressMode::clamp;
}

template <class Filter>
TexelFilter texel_filter(Filter filter) {
  switch (filter) {
    case Filter::MAPFILTER_NEAREST: return TexelFilter::nearest;
    case Filter::MAPFILTER_ANISOTROPIC: return TexelFilter::anisotropic;
    default: return TexelFilter::linear;
  }
}

template <class Filter>
MipFilter mip_filter(Filter filter) {
  switch (filter) {
    case Filter::MIPFILTER_NEAREST: return MipFilter::nearest;
    case Filter::MIPFILTER_LINEAR: return MipFilter::linear;
    default: return MipFilter::none;
  }
}

template <class Packed>
Reduction reduction(const Packed& s) {
  if (!s.reduction_type_enable) return Reduction::average;
  switch (s.reduction_type) {
    case Packed::ReductionType::MINIMUM: return Reduction::minimum;
    case Packed::ReductionType::MAXIMUM: return Reduction::maximum;
    default: return Reduction::average;
  }
}

template <class Packed>
bool skips_srgb(const Packed& s) {
  if constexpr (requires { s.srgb_decode; }) return s.srgb_decode == Packed::SRGBDECODE::SKIP_DECODE_EXT;
  return false;
}

/// Gen11's manuals at hand have these fields' names alone (Mesa genxml/gen11.xml).
template <class Packed>
void count_missing(const Packed& s) {
  if constexpr (requires { s.force_gather4_behavior; }) {
    if (s.force_gather4_behavior) unimplemented("sampler with Force gather4 Behavior");
    if (s.return_filter_weight_for_null_texels) unimplemented("sampler with Return Filter Weight for Null Texels");
    if (s.return_filter_weight_for_border_texels) unimplemented("sampler with Return Filter Weight for Border Texels");
  }
}

}  // namespace

template <class G>
State decode_state(const StateDwords& dwords) {
  using Packed = typename G::SAMPLER_STATE;
  static_assert(Packed::dwords == std::tuple_size_v<StateDwords>);
  const Packed s = Packed::unpack(dwords);
  count_missing(s);
  return {
      .mode_u = address_mode(s.tcx_address_control_mode),
      .mode_v = address_mode(s.tcy_address_control_mode),
      .mode_r = address_mode(s.tcz_address_control_mode),
      .seamless = s.cube_surface_control_mode == Packed::CubeSurfaceControlMode::OVERRIDE,
      .non_normalized = static_cast<bool>(s.non_normalized_coordinate_enable),
      .mag_filter = texel_filter(s.mag_mode_filter),
      .min_filter = texel_filter(s.min_mode_filter),
      .mag_rounding = {static_cast<bool>(s.u_address_mag_filter_rounding_enable), static_cast<bool>(s.v_address_mag_filter_rounding_enable),
                       static_cast<bool>(s.r_address_mag_filter_rounding_enable)},
      .min_rounding = {static_cast<bool>(s.u_address_min_filter_rounding_enable), static_cast<bool>(s.v_address_min_filter_rounding_enable),
                       static_cast<bool>(s.r_address_min_filter_rounding_enable)},
      .mip_filter = mip_filter(s.mip_mode_filter),
      .max_taps = 2 * (static_cast<unsigned>(s.maximum_anisotropy) + 1),
      .shadow_function = static_cast<ShadowFunction>(s.shadow_function),
      .reduction = reduction(s),
      .preclamp = s.lod_preclamp_mode == Packed::LODPreClampMode::CLAMP_MODE_OGL,
      .skips_srgb = skips_srgb(s),
      .lod_bias = s.texture_lod_bias,
      .min_lod = s.min_lod,
      .max_lod = s.max_lod,
      .border_color = static_cast<uint32_t>(s.border_color_pointer)};
}

template State decode_state<defs::Gen9>(const StateDwords& dwords);
template State decode_state<defs::Gen11>(const StateDwords& dwords);
template State decode_state<defs::Gen12>(const StateDwords& dwords);

}  // namespace softgen::sampler
