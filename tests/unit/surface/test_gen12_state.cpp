// SPDX-License-Identifier: GPL-2.0-or-later
// What Gen12's surface states say otherwise than Gen9's and Gen11's.
#include <cstring>
#include <tuple>

#include "hw/defs/gen11/all.h"
#include "hw/defs/gen12/all.h"
#include "hw/defs/gen9/all.h"
#include "hw/surface/ccs.h"
#include "hw/surface/mcs.h"
#include "hw/surface/surface.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"
#include "tests/unit/memory/mapped.h"

using namespace softgen;
using namespace softgen::surface;
using State = defs::gen12::RENDER_SURFACE_STATE;

namespace {

State target(State::AuxiliarySurfaceMode mode, State::NumberOfMultisamples samples = State::NumberOfMultisamples::MULTISAMPLECOUNT_1) {
  State s;
  s.surface_type = State::SurfaceType::SURFTYPE_2D;
  s.surface_format = SurfaceFormat::R8G8B8A8_UNORM;
  s.tile_mode = State::TileMode::YMAJOR;
  s.width = s.height = 63;
  s.surface_pitch = 511;
  s.surface_base_address = 0x10'0000;
  s.auxiliary_surface_mode = mode;
  s.auxiliary_surface_base_address = 0x20'0000;
  s.number_of_multisamples = samples;
  return s;
}

Surface decoded(const State& s) {
  const auto dwords = s.pack();
  return decode_surface<defs::Gen12>(dwords);
}

}  // namespace

TEST_CASE("Gen12: auxiliary modes by the number of samples") {
  using Mode = State::AuxiliarySurfaceMode;
  constexpr auto four = State::NumberOfMultisamples::MULTISAMPLECOUNT_4;
  CHECK_FALSE(decoded(target(Mode::AUX_NONE)).aux_mapped);
  const Surface ccs = decoded(target(Mode::AUX_CCS_E));
  CHECK(ccs.aux == AuxMode::ccs_e);
  CHECK(ccs.aux_mapped);
  CHECK_FALSE(Mcs(ccs));
  CHECK(Mcs(decoded(target(Mode::AUX_CCS_E, four))));
  const Surface compressed = decoded(target(Mode::AUX_MCS_LCE, four));
  CHECK(compressed.aux == AuxMode::mcs_lce);
  CHECK(Mcs(compressed));
  // HiZ is no auxiliary mode of Gen12.
  const Surface hiz = decoded(target(static_cast<Mode>(3)));
  CHECK(hiz.aux == AuxMode::none);
  CHECK_FALSE(hiz.aux_mapped);
}

// piglit's framebuffer-blit-levels read stencil: stale codes in recycled memory said "clear".
TEST_CASE("Gen12: a stencil buffer's CCS is ignored") {
  State s = target(State::AuxiliarySurfaceMode::AUX_CCS_E);
  s.surface_format = SurfaceFormat::R8_UINT;
  CHECK(decoded(s).aux_mapped);
  s.depth_stencil_resource = true;
  CHECK_FALSE(decoded(s).aux_mapped);
}

TEST_CASE("Gen12: the clear colour stands in memory, and each fast clear converts it") {
  memory::test::Mapped memory{0x3000};
  State s = target(State::AuxiliarySurfaceMode::AUX_CCS_E);
  Surface plain = decoded(s);
  CHECK(plain.clear_address == 0);
  CHECK(plain.clear_color == Word4{});
  s.clear_value_address_enable = true;
  s.clear_value_address = 0x3040;
  Surface surface = decoded(s);
  CHECK(surface.clear_address == 0x3040);
  const std::array<float, 4> color{1, 0.5f, 0, 1};
  memory.view.write(0x3040, color.data(), sizeof color);
  read_clear_color(memory.view, surface);
  CHECK(std::memcmp(surface.clear_color.data(), color.data(), sizeof color) == 0);
  convert_clear_color(memory.view, surface);
  CHECK(memory.view.load<uint32_t>(0x3050) == 0xff0080ff);
  CHECK(memory.view.load<uint32_t>(0x3054) == 0);
}

TEST_CASE("Gen12: of depth of 24 bits the sampler takes the raw clear colour") {  // Mesa isl.c, isl_get_sampler_clear_field_offset
  memory::test::Mapped memory{0x3000};
  State s = target(State::AuxiliarySurfaceMode::AUX_CCS_E);
  s.clear_value_address_enable = true;
  s.clear_value_address = 0x3040;
  memory.view.store<uint32_t>(0x3040, 0xbfffff);
  memory.view.store<uint32_t>(0x3050, 0x123456);
  const auto sampled = [&](SurfaceFormat format) {
    s.surface_format = format;
    Surface surface = decoded(s);
    read_clear_color(memory.view, surface);
    uint32_t texel = 0;
    store_clear_color(surface, ClearUse::sampling, reinterpret_cast<std::byte*>(&texel));
    return texel;
  };
  CHECK(sampled(SurfaceFormat::R24_UNORM_X8_TYPELESS) == 0xbfffff);
  CHECK(sampled(SurfaceFormat::R8G8B8A8_UNORM) == 0x123456);
}

TEST_CASE("Gen12: there is no W tiling") {
  State s = target(State::AuxiliarySurfaceMode::AUX_NONE);
  s.tile_mode = static_cast<State::TileMode>(1);
  CHECK(decoded(s).tiling == Tiling::linear);
}

TEST_CASE("depth and stencil buffers of type NULL may have a pitch and an address") {
  // Pitch 128, an address; the types are 7.
  const std::array<uint32_t, 8> depth{0x78050006, 7u << 29 | 127, 0x10'0000}, stencil{0x78060006, 7u << 29 | 127, 0x10'0000};
  CHECK(decode_depth_buffer<defs::Gen9>(depth, 1).is_null());
  CHECK(decode_depth_buffer<defs::Gen11>(depth, 4).is_null());
  CHECK(decode_depth_buffer<defs::Gen12>(depth, 2).is_null());
  CHECK(decode_stencil_buffer<defs::Gen12>(depth, stencil, 1).is_null());
}

TEST_CASE("Gen12: depth and stencil buffers have alignments of their own, and stencil has Y tiles") {
  const auto depth_of = [](uint32_t format, unsigned samples, bool compressed) {
    const std::array<uint32_t, 8> packet{
        0x78050006, 1u << 29 | format << 24 | (compressed ? 1u << 21 | 1u << 19 : 0) | 127, 0x10'0000, 0, 63u << 17 | 31u << 1, 0, 0, 8};
    return decode_depth_buffer<defs::Gen12>(packet, samples);
  };
  for (const auto& [format, samples, halign, valign] :
       {std::tuple{1u, 1u, 8u, 4u}, {3u, 4u, 8u, 4u}, {5u, 1u, 8u, 8u}, {5u, 4u, 8u, 8u}, {5u, 2u, 16u, 4u}, {5u, 8u, 16u, 4u}}) {
    const Surface s = depth_of(format, samples, false);
    CHECK(s.halign == halign);
    CHECK(s.valign == valign);
    CHECK_FALSE(s.aux_mapped);
  }
  CHECK(depth_of(1, 1, true).aux_mapped);
  const std::array<uint32_t, 8> none{}, stencil{0x78060006, 1u << 29 | 127, 0x10'0000, 0, 63u << 17 | 31u << 1, 0, 0, 16};
  const Surface s = decode_stencil_buffer<defs::Gen12>(none, stencil, 1);
  CHECK(s.tiling == Tiling::y);
  CHECK((s.width == 32 && s.height == 64 && s.halign == 16 && s.valign == 8));
  CHECK(s.format->code == SurfaceFormat::R8_UINT);
}

TEST_CASE("Gen12: formats have more uses") {
  const auto has = [](SurfaceFormat format, FormatUse use, const FormatSet& set) { return find_format(format, set)->is(use); };
  for (const SurfaceFormat format : {SurfaceFormat::R8_UNORM, SurfaceFormat::R16_FLOAT, SurfaceFormat::B5G6R5_UNORM,
                                     SurfaceFormat::R24_UNORM_X8_TYPELESS, SurfaceFormat::R8_UINT}) {
    CHECK(has(format, use_ccs_e, gen12_formats));
    CHECK_FALSE(has(format, use_ccs_e, gen11_formats));
    CHECK_FALSE(has(format, use_ccs_e, gen9_formats));
  }
  CHECK(has(SurfaceFormat::R10G10B10A2_UNORM, use_ccs_e, gen12_formats));
  CHECK(has(SurfaceFormat::R10G10B10_FLOAT_A2_UNORM, use_blend, gen12_formats));
  CHECK_FALSE(has(SurfaceFormat::R10G10B10_FLOAT_A2_UNORM, use_sample, gen11_formats));
  CHECK(has(SurfaceFormat::R16_UINT, use_typed_atomic, gen12_formats));
  CHECK_FALSE(has(SurfaceFormat::R16_UINT, use_typed_atomic, gen11_formats));
  CHECK(has(SurfaceFormat::A4B4G4R4_UNORM, use_blend, gen12_formats));
}

TEMPLATE_TEST_CASE("a depth buffer that is null, or of a reserved type, is none", "", defs::Gen9, defs::Gen11, defs::Gen12) {
  typename TestType::_3DSTATE_DEPTH_BUFFER depth{};
  using Packet = decltype(depth);
  for (unsigned type = 4; type < 8; ++type) {
    depth.surface_type = static_cast<typename Packet::SurfaceType>(type);
    depth.surface_format = Packet::SurfaceFormat::D32_FLOAT;
    depth.surface_pitch = 511, depth.surface_base_address = 0x10000;
    CHECK(decode_depth_buffer<TestType>(depth.pack(), 1).is_null());
  }
}
