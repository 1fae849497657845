// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's SAMPLER_STATE (Mesa genxml/gen50.xml).
#include "hw/base/log.h"
#include "hw/defs/gen5/all.h"
#include "hw/sampler/state.h"

namespace softgen::sampler {
namespace {

using Packed = defs::gen5::SAMPLER_STATE;

AddressMode address_mode(defs::gen5::TextureCoordinateMode mode) {
  const auto code = static_cast<uint32_t>(mode);
  return code <= static_cast<uint32_t>(AddressMode::mirror_once) ? static_cast<AddressMode>(code) : AddressMode::clamp;
}

TexelFilter texel_filter(uint32_t code) {
  switch (static_cast<Packed::MagModeFilter>(code)) {
    case Packed::MagModeFilter::NEAREST: return TexelFilter::nearest;
    case Packed::MagModeFilter::ANISOTROPIC: return TexelFilter::anisotropic;
    default: return TexelFilter::linear;
  }
}

MipFilter mip_filter(Packed::MipModeFilter filter) {
  switch (filter) {
    case Packed::MipModeFilter::NEAREST: return MipFilter::nearest;
    case Packed::MipModeFilter::LINEAR: return MipFilter::linear;
    default: return MipFilter::none;
  }
}

/// Of the border's forms in memory the floats behind the first one: the sampler takes a border as floats, and clients write equal ones (crocus_state.c).
constexpr uint32_t border_floats = 4;  // bytes

}  // namespace

template <>
State decode_state<defs::Gen5>(const StateDwords& dwords) {
  static_assert(Packed::dwords == std::tuple_size_v<StateDwords>);
  const Packed s = Packed::unpack(dwords);
  if (s.chromakey_enable) unimplemented("Ironlake: sampler with ChromaKey Enable");
  return {.mode_u = address_mode(s.tcx_address_control_mode),
          .mode_v = address_mode(s.tcy_address_control_mode),
          .mode_r = address_mode(s.tcz_address_control_mode),
          .seamless = s.cube_surface_control_mode == Packed::CubeSurfaceControlMode::CUBECTRLMODE_OVERRIDE,
          .mag_filter = texel_filter(static_cast<uint32_t>(s.mag_mode_filter)),
          .min_filter = texel_filter(s.min_mode_filter),
          .mag_rounding = {s.u_address_mag_filter_rounding_enable, s.v_address_mag_filter_rounding_enable,
                           s.r_address_mag_filter_rounding_enable},
          .min_rounding = {s.u_address_min_filter_rounding_enable, s.v_address_min_filter_rounding_enable,
                           s.r_address_min_filter_rounding_enable},
          .mip_filter = mip_filter(s.mip_mode_filter),
          .max_taps = 2 * (static_cast<unsigned>(s.maximum_anisotropy) + 1),
          .shadow_function = static_cast<ShadowFunction>(s.shadow_function),
          .preclamp = s.lod_preclamp_enable,
          .lod_bias = s.texture_lod_bias,
          .min_lod = s.min_lod,
          .max_lod = s.max_lod,
          .border_color = s.border_color_pointer + border_floats};
}

}  // namespace softgen::sampler
