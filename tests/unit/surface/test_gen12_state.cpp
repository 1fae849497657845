// SPDX-License-Identifier: GPL-2.0-or-later
// What Gen12's surface states say otherwise than Gen9's and Gen11's.
#include <cstring>

#include "hw/defs/gen11/all.h"
#include "hw/defs/gen12/all.h"
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

TEST_CASE("Gen12: there is no W tiling") {
  State s = target(State::AuxiliarySurfaceMode::AUX_NONE);
  s.tile_mode = static_cast<State::TileMode>(1);
  CHECK(decoded(s).tiling == Tiling::linear);
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

TEST_CASE("Gen12: a depth buffer of a null or reserved type is null, whatever else its packet says") {
  defs::gen12::_3DSTATE_DEPTH_BUFFER depth;
  depth.surface_format = decltype(depth)::SurfaceFormat::D32_FLOAT;
  depth.surface_pitch = 511, depth.surface_base_address = 0x9000;
  for (const uint32_t type : {4u, 5u, 6u, 7u}) {
    depth.surface_type = static_cast<decltype(depth)::SurfaceType>(type);
    CHECK(decode_depth_buffer<defs::Gen12>(depth.pack(), 1).is_null());
  }
}
