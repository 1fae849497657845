// SPDX-License-Identifier: GPL-2.0-or-later
// Messages to a sampler with their surfaces and states, sent one by one or answered directly.
#pragma once

#include <array>
#include <random>

#include "hw/defs/gen9/all.h"
#include "hw/eu/isa/gen9/isa.h"
#include "hw/sampler/filter.h"
#include "hw/sampler/sampler.h"
#include "tests/catch.h"
#include "tests/unit/iface/thread_memory.h"

namespace softgen::sampler::test {

constexpr uint64_t table = 0x10000, surface_at = table + 64, sampler_at = table + 128, ccs_at = 0x11000, texels_at = 0x12000, end = 0x20000;
using SurfaceState = defs::gen9::RENDER_SURFACE_STATE;
constexpr uint32_t one = 0x3f800000, sample_type = 0, ld_type = 7;

/// One binding, one sampler of zeros, registers of a kernel, and a unit.
struct MessageFixture : iface::test::ThreadMemory {
  Sampler unit{decode_state<defs::Gen9>};
  Grf registers[32]{};

  MessageFixture() : ThreadMemory(table, end) {
    bind(table, surface_at);
    bases.sampler_state = static_cast<uint32_t>(sampler_at);
  }
  /// 32x32 texels, a control surface at ccs_at, and the first two words of a clear colour.
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
    return surface::decode_surface<defs::Gen9>(dwords);
  }
  /// A surface of random R8G8B8A8_UNORM texels, and SAMPLER_STATE.
  void set_random(const StateDwords& sampler) {
    set(defs::gen9::SurfaceFormat::R8G8B8A8_UNORM, SurfaceState::AuxiliarySurfaceMode::AUX_NONE, 0, 0);
    std::mt19937 random(3);
    for (uint64_t at = texels_at; at < texels_at + 0x1000; at += 4) view.store<uint32_t>(at, static_cast<uint32_t>(random()));
    view.write(sampler_at, sampler.data(), sizeof sampler);
  }
  MessageForm form(uint32_t type) const {
    return {eu::gen9_isa().message(static_cast<unsigned>(Sfid::sampler), 1u << 17 | type << 12 | 4u << 25 | 4u << 20),
            {2, 4},
            {},
            {10, 4},
            8,
            false};
  }
  /// Red and green of texel (0, 0), by a message.
  std::array<uint32_t, 2> sent(uint32_t type) { return sent(unit, type); }
  std::array<uint32_t, 2> sent(Sampler& to, uint32_t type) {
    const MessageForm f = form(type);
    const Message message{.op = f.op,
                          .exec_size = 8,
                          .exec_mask = 0xff,
                          .dispatch_mask = 0xff,
                          .payload = {registers + 2, 4},
                          .payload2 = {},
                          .response = {registers + 10, 4},
                          .end_of_thread = false};
    to.send(message, env);
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

}  // namespace softgen::sampler::test
