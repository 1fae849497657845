// SPDX-License-Identifier: GPL-2.0-or-later
// Surfaces with fast-cleared pairs: texels have the clear colour of the surface state that a message names.
#include <bit>
#include <cstring>

#include "hw/iface/engine.h"
#include "hw/sampler/filter.h"
#include "hw/sampler/sampler.h"
#include "hw/surface/hiz_clear.h"
#include "tests/catch.h"
#include "tests/unit/memory/mapped.h"

using namespace softgen;

namespace {

constexpr uint64_t table = 0x10000, surface_at = table + 64, sampler_at = table + 128, ccs_at = 0x11000, texels_at = 0x12000, end = 0x20000;
using SurfaceState = defs::gen9::RENDER_SURFACE_STATE;
constexpr uint32_t one = 0x3f800000, sample_type = 0, ld_type = 7;

struct Fixture : memory::test::Mapped {
  ShaderBases bases;
  StopFlag stop;
  ThreadEnv env{view, bases, stop};
  sampler::Sampler unit;
  Grf registers[32]{};

  Fixture() : Mapped(table, end) {
    bases.binding_table = static_cast<uint32_t>(table);
    bases.sampler_state = static_cast<uint32_t>(sampler_at);
    view.store<uint32_t>(table, static_cast<uint32_t>(surface_at));
    view.fill(ccs_at, 0xff, 4096);        // all clear
    view.fill(texels_at, 0x80, 32 * 128);
    set_clear_color(0);
  }
  /// 32x32 texels of B8G8R8A8_UNORM: red is `red`, green 1.
  void set_clear_color(uint32_t red) { set(defs::gen9::SurfaceFormat::B8G8R8A8_UNORM, SurfaceState::AuxiliarySurfaceMode::AUX_CCS_E, red, one); }
  /// 32x32 texels of depth, whose HiZ buffer is at ccs_at.
  surface::Surface set_clear_depth(defs::gen9::SurfaceFormat format, float depth) {
    return set(format, SurfaceState::AuxiliarySurfaceMode::AUX_HIZ, std::bit_cast<uint32_t>(depth), 0);
  }
  surface::Surface set(defs::gen9::SurfaceFormat format, SurfaceState::AuxiliarySurfaceMode aux, uint32_t red, uint32_t green) {
    using Select = defs::gen9::ShaderChannelSelect;
    SurfaceState s{};
    s.surface_type = SurfaceState::SurfaceType::SURFTYPE_2D;
    s.surface_format = format;
    s.tile_mode = SurfaceState::TileMode::YMAJOR;
    s.surface_vertical_alignment = SurfaceState::SurfaceVerticalAlignment::VALIGN_4;
    s.surface_horizontal_alignment = SurfaceState::SurfaceHorizontalAlignment::HALIGN_16;
    s.width = s.height = 31;
    s.surface_pitch = 127;
    s.surface_base_address = texels_at;
    s.auxiliary_surface_mode = aux;
    s.auxiliary_surface_base_address = ccs_at;
    s.red_clear_color = static_cast<decltype(s.red_clear_color)>(red);
    s.green_clear_color = static_cast<decltype(s.green_clear_color)>(green);
    s.shader_channel_select_red = Select::SCS_RED, s.shader_channel_select_green = Select::SCS_GREEN;
    s.shader_channel_select_blue = Select::SCS_BLUE, s.shader_channel_select_alpha = Select::SCS_ALPHA;
    const auto dwords = s.pack();
    view.write(surface_at, dwords.data(), sizeof dwords);
    return surface::decode_surface(dwords);
  }
  MessageForm form(uint32_t type) const { return {Sfid::sampler, 1u << 17 | type << 12 | 4u << 25 | 4u << 20, 0, {2, 4}, {}, {10, 4}, 8, false}; }
  /// Red and green of texel (0, 0), by a message.
  std::array<uint32_t, 2> sent(uint32_t type) {
    const MessageForm f = form(type);
    const Message message{.sfid = f.sfid, .descriptor = f.descriptor, .ex_descriptor = 0, .exec_size = 8, .exec_mask = 0xff, .dispatch_mask = 0xff,
                          .payload = {registers + 2, 4}, .payload2 = {}, .response = {registers + 10, 4}, .end_of_thread = false};
    unit.send(message, env);
    return {registers[10].dw[0], registers[11].dw[0]};
  }
  std::array<uint32_t, 2> direct(uint32_t type) {
    DirectAnswer answer;
    unit.direct(form(type), env, answer);
    REQUIRE(answer.function);
    REQUIRE(answer.function(answer, registers, 0xff, env));
    return {registers[10].dw[0], registers[11].dw[0]};
  }
};

}  // namespace

TEST_CASE("a reset does not wait for clear colours, and what it left out is done the next time") {
  Fixture f;
  f.stop.request(StopFlag::reset);
  f.sent(sample_type);
  CHECK(f.view.load<uint32_t>(texels_at) == 0x80808080);
  f.stop.clear(StopFlag::reset);
  CHECK(f.sent(sample_type) == std::array<uint32_t, 2>{0, one});
  CHECK(f.view.load<uint32_t>(texels_at + 31 * 16) != 0x80808080);
}

TEST_CASE("texels of fast-cleared pairs have the clear colour") {
  for (const uint32_t type : {sample_type, ld_type})
    for (const bool answered : {false, true}) {
      if (answered && type == ld_type) continue;  // formats with arithmetic have no such answer
      INFO("type " << type << " answered directly " << answered);
      Fixture f;
      const auto texel = [&] { return answered ? f.direct(type) : f.sent(type); };
      using Two = std::array<uint32_t, 2>;
      CHECK(texel() == Two{0, one});
      // Another clear colour, and no other clear.
      f.set_clear_color(one);
      CHECK(texel() == Two{one, one});
      // Drawn over: seen once the texture cache is invalidated, at the latest.
      f.view.store<uint64_t>(ccs_at, 0);
      f.view.fill(texels_at, 0, 32 * 128);
      f.unit.invalidate_textures();
      CHECK(texel() == Two{0, 0});
      f.view.store<uint64_t>(ccs_at, ~uint64_t{0});
      f.unit.invalidate_textures();
      CHECK(texel() == Two{one, one});
    }
}

TEST_CASE("texels of a depth slice that HiZ says is clear have the clear value of the surface state") {
  using Format = defs::gen9::SurfaceFormat;
  for (const Format format : {Format::R32_FLOAT, Format::R24_UNORM_X8_TYPELESS, Format::R16_UNORM})
    for (const bool answered : {false, true}) {
      Fixture f;
      const surface::Surface cleared = f.set_clear_depth(format, 0.0f);
      if (answered && format == Format::R16_UNORM) continue;  // not among the formats that are answered directly
      INFO("format " << cleared.format->name << ", answered directly " << answered);
      const auto depth = [&] { return answered ? f.direct(sample_type)[0] : f.sent(sample_type)[0]; };
      // As a clear with 0 leaves it.
      f.view.fill(texels_at, 0, 32 * 128);
      const auto hiz = surface::HizClear::of_texture(cleared, 0);
      REQUIRE(hiz);
      hiz->mark(f.view, 0, 0);
      CHECK(depth() == 0);
      // Another clear value, and no other clear.
      f.set_clear_depth(format, 1.0f);
      CHECK(depth() == one);
      const unsigned bytes = cleared.format->block_bytes();
      CHECK(f.view.load<uint16_t>(texels_at + surface::offset_y(31 * bytes, 31, 128) + bytes - 2) != 0);
      // Drawn to: it has a depth of its own.
      hiz->forget(f.view, 0);
      f.set_clear_depth(format, 0.0f);
      f.unit.invalidate_textures();
      CHECK(depth() == one);
    }
}
