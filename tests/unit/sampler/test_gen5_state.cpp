// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's sampler states, and surface states that are 32 bytes apart.
#include "hw/defs/gen5/all.h"
#include "hw/sampler/bound.h"
#include "hw/sampler/state.h"
#include "hw/surface/surface.h"
#include "tests/catch.h"
#include "tests/unit/memory/mapped.h"

using namespace softgen;
using namespace softgen::sampler;
namespace gen5 = defs::gen5;

TEST_CASE("a sampler state of Ironlake") {
  gen5::SAMPLER_STATE s;
  s.tcx_address_control_mode = gen5::TextureCoordinateMode::TCM_CLAMP_BORDER;
  s.tcy_address_control_mode = gen5::TextureCoordinateMode::TCM_MIRROR;
  s.mag_mode_filter = gen5::SAMPLER_STATE::MagModeFilter::LINEAR, s.min_mode_filter = 2;
  s.mip_mode_filter = gen5::SAMPLER_STATE::MipModeFilter::LINEAR;
  s.maximum_anisotropy = gen5::SAMPLER_STATE::MaximumAnisotropy::RATIO_8_1;
  s.texture_lod_bias = -1.5, s.min_lod = 1.25, s.max_lod = 10;
  s.shadow_function = gen5::SAMPLER_STATE::ShadowFunction::LEQUAL;
  s.border_color_pointer = 0x1240, s.lod_preclamp_enable = true, s.u_address_mag_filter_rounding_enable = true;
  const State state = decode_state<defs::Gen5>(s.pack());
  CHECK(state.mode_u == AddressMode::clamp_border);
  CHECK(state.mode_v == AddressMode::mirror);
  CHECK(state.mode_r == AddressMode::wrap);
  CHECK(state.mag_filter == TexelFilter::linear);
  CHECK(state.min_filter == TexelFilter::anisotropic);
  CHECK(state.mip_filter == MipFilter::linear);
  CHECK(state.max_taps == 8);
  CHECK((state.lod_bias == -1.5f && state.min_lod == 1.25f && state.max_lod == 10));
  CHECK(state.shadow_function == ShadowFunction::less_equal);
  CHECK(state.border_color == 0x1244);
  CHECK((state.preclamp && state.mag_rounding.u && !state.mag_rounding.v));
}

TEST_CASE("the sampler reads a surface state at the end of a page, as Ironlake's may lie there") {
  memory::test::Mapped mapped{0x1000, 0x3000};  // nothing behind the first page
  gen5::RENDER_SURFACE_STATE s;
  s.surface_type = decltype(s.surface_type)::SURFTYPE_2D, s.surface_format = gen5::SurfaceFormat::R8G8B8A8_UNORM;
  s.width = 31, s.height = 15, s.surface_pitch = 127, s.surface_base_address = 0x3000;
  const auto dwords = s.pack();
  mapped.view.write(0x1fe0, dwords.data(), dwords.size() * 4);
  BoundCache cache;
  const auto& bound = cache.get({surface::decode_surface<defs::Gen5>, decode_state<defs::Gen5>}, mapped.view, 0x1fe0, BoundCache::nothing);
  CHECK(bound->texture.surface().width == 32);
  CHECK(bound->texture.surface().height == 16);
}
