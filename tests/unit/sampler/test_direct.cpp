// SPDX-License-Identifier: GPL-2.0-or-later
// Messages answered directly, compared with the same messages sent one by one.
#include <bit>
#include <cmath>
#include <cstring>

#include "hw/defs/gen9/all.h"
#include "hw/eu/isa/gen9/isa.h"
#include "hw/iface/engine.h"
#include "hw/sampler/filter.h"
#include "hw/sampler/sampler.h"
#include "hw/surface/surface.h"
#include "tests/catch.h"
#include "tests/unit/sampler/random_texels.h"

using namespace softgen;

namespace {

constexpr uint64_t table = sampler::test::RandomTexels::base, surface_at = table + 64, sampler_at = table + 128, texels_at = table + 0x1000,
                   end = 0x40000;
using SurfaceState = defs::gen9::RENDER_SURFACE_STATE;
using F = defs::gen9::SurfaceFormat;

/// One surface, one sampler and one message; the surface's memory is in one piece or scattered.
struct Round {
  explicit Round(sampler::test::SeededTexels& t, bool loads = false) : random(t), env{t.view, bases, stop} {
    bases.decode_surface = surface::decode_surface<defs::Gen9>;
    bases.binding_table = static_cast<uint32_t>(table);
    bases.sampler_state = static_cast<uint32_t>(sampler_at);
    t.view.store<uint32_t>(table, static_cast<uint32_t>(surface_at));
    constexpr F formats[] = {F::R8G8B8A8_UNORM,      F::B8G8R8A8_UNORM, F::R8G8B8A8_UNORM_SRGB, F::R8G8B8X8_UNORM,
                             F::B8G8R8A8_UNORM_SRGB, F::B8G8R8X8_UNORM, F::B8G8R8X8_UNORM_SRGB, F::R8G8_UNORM};
    SurfaceState s{};
    s.surface_type = SurfaceState::SurfaceType::SURFTYPE_2D;
    s.surface_format = formats[random.any(3) ? random.any(3) : random.any(std::size(formats))];
    constexpr F loaded[] = {F::R32G32B32A32_UINT, F::R8G8B8A8_UINT, F::R8G8B8A8_UNORM};
    if (loads) s.surface_format = loaded[random.any(std::size(loaded))];
    s.tile_mode = random.any(4)   ? SurfaceState::TileMode::YMAJOR
                  : random.any(2) ? SurfaceState::TileMode::XMAJOR
                                  : SurfaceState::TileMode::LINEAR;
    s.surface_vertical_alignment = SurfaceState::SurfaceVerticalAlignment::VALIGN_4;
    s.surface_horizontal_alignment = SurfaceState::SurfaceHorizontalAlignment::HALIGN_4;
    s.width = size(), s.height = size();
    s.surface_pitch = 511;
    s.mip_count_lod = random.any(2);
    s.surface_base_address = texels_at;
    using Select = defs::gen9::ShaderChannelSelect;
    const bool turned = random.any(4) == 0, constants = random.any(4) == 0;
    s.shader_channel_select_red = turned ? Select::SCS_ALPHA : Select::SCS_RED;
    s.shader_channel_select_green = constants ? Select::SCS_ONE : Select::SCS_GREEN;
    s.shader_channel_select_blue = Select::SCS_BLUE;
    s.shader_channel_select_alpha = turned ? Select::SCS_RED : constants && random.any(2) ? Select::SCS_ZERO : Select::SCS_ALPHA;
    const auto dwords = s.pack();
    t.view.write(surface_at, dwords.data(), sizeof dwords);
    set_sampler();
    set_message(loads);
  }

  uint32_t size() { return random.any(3) ? random.any(60) : (1u << random.any(6)) - 1; }

  void set_sampler() {
    using State = defs::gen9::SAMPLER_STATE;
    using Mode = defs::gen9::TextureCoordinateMode;
    State state{};
    constexpr Mode modes[] = {Mode::TCM_CLAMP, Mode::TCM_WRAP, Mode::TCM_MIRROR};
    state.tcx_address_control_mode = modes[random.any(4) ? random.any(2) : 2],
    state.tcy_address_control_mode = modes[random.any(4) ? random.any(2) : 2];
    state.non_normalized_coordinate_enable = random.any(8) == 0;
    const uint32_t filter = random.any(3);  // nearest, linear, anisotropic
    state.mag_mode_filter = static_cast<State::MagModeFilter>(filter),
    state.min_mode_filter = static_cast<State::MinModeFilter>(random.any(8) ? filter : random.any(3));
    state.maximum_anisotropy = static_cast<State::MaximumAnisotropy>(random.any(8));
    state.mip_mode_filter = random.any(3)   ? State::MipModeFilter::MIPFILTER_NONE
                            : random.any(2) ? State::MipModeFilter::MIPFILTER_NEAREST
                                            : State::MipModeFilter::MIPFILTER_LINEAR;
    state.u_address_mag_filter_rounding_enable = state.u_address_min_filter_rounding_enable = random.any(2);
    state.v_address_mag_filter_rounding_enable = state.v_address_min_filter_rounding_enable = random.any(2);
    state.max_lod = 14;
    const auto dwords = state.pack();
    random.view.write(sampler_at, dwords.data(), sizeof dwords);
  }

  void set_message(bool loads) {
    const unsigned channels = random.any(2) ? 16 : 8, width = channels / 8, components = 1 + random.any(4);
    mask = (random.any(2) ? ~0u : static_cast<uint32_t>(random.random())) & ((1u << channels) - 1);
    const unsigned first = 2 + random.any(8), payload = width * (loads ? 1 + random.any(4) : 2),
                   response = random.any(3) ? 40 + random.any(2) : first - random.any(2);
    const uint32_t type = loads ? (random.any(2) ? 7 : 26) : random.any(3) ? 0 : 24;
    const uint32_t descriptor = (channels == 16 ? 2u : 1u) << 17 | type << 12 | payload << 25 | components * width << 20;
    form = {eu::gen9_isa().message(static_cast<unsigned>(Sfid::sampler), descriptor),
            {first, payload},
            {},
            {response, components * width},
            channels,
            false};
    for (Grf& g : registers)
      for (uint32_t& dword : g.dw) dword = static_cast<uint32_t>(random.random());
    if (loads) place_texels(first, payload);
    else place_channels(first, width);
  }

  /// Mostly some of one row, of small levels and slices.
  void place_texels(unsigned first, unsigned count) {
    const uint32_t start = random.any(60);
    for (unsigned n = 0; n < count; ++n)
      for (uint32_t i = 0; i < 8; ++i)
        registers[first + n].dw[i] = random.any(32) ? (random.any(2) ? start + i : random.any(2)) : static_cast<uint32_t>(random.random());
  }

  /// Next to each other, or anywhere; in rows of two by four quads.
  void place_channels(unsigned first, unsigned width) {
    const float spread = std::ldexp(1.0f, static_cast<int>(random.any(12)) - 10);
    const float at[2] = {static_cast<float>(random.any(4096)) / 1024 - 2, static_cast<float>(random.any(4096)) / 1024 - 2};
    for (unsigned n = 0; n < 2; ++n)
      for (unsigned i = 0; i < 8 * width; ++i) {
        const unsigned place = n ? i >> 1 & 1 : (i >> 2) * 2 + (i & 1);
        const float value = random.any(64) ? at[n] + static_cast<float>(place) * spread * (random.any(32) ? 1.0f : 0.3f)
                                           : std::bit_cast<float>(static_cast<uint32_t>(random.random()));
        registers[first + n * width + i / 8].dw[i % 8] = std::bit_cast<uint32_t>(value);
      }
  }

  /// As the EU does without a direct answer.
  void send(Grf (&file)[128]) {
    Grf payload[8];
    std::copy_n(file + form.payload.first, form.payload.count, payload);
    const Message message{.op = form.op,
                          .exec_size = form.channels,
                          .exec_mask = mask,
                          .dispatch_mask = mask,
                          .payload = {payload, form.payload.count},
                          .payload2 = {},
                          .response = {file + form.response.first, form.response.count},
                          .end_of_thread = false};
    unit.send(message, env);
  }

  sampler::test::SeededTexels& random;
  ShaderBases bases;
  StopFlag stop;
  ThreadEnv env;
  sampler::Sampler unit{sampler::decode_state<defs::Gen9>};
  MessageForm form{};
  uint32_t mask = 0;
  Grf registers[128];
};

}  // namespace

TEST_CASE("direct answers equal those of sent messages") {
  constexpr uint32_t seed = 20261122;
  const bool loads = GENERATE(false, true);
  INFO("seed " << seed << " loads " << loads);
  sampler::test::SeededTexels scattered(seed, end, 3), whole(seed + 1, end, 0);
  unsigned direct = 0;
  for (unsigned round = 0; round < 6000; ++round) {
    Round r(round % 4 ? whole : scattered, loads);
    DirectAnswer answer;
    r.unit.direct(r.form, r.env, answer);
    if (!answer.function) continue;
    static Grf sent[128], answered[128];
    std::copy_n(r.registers, 128, sent);
    r.send(sent);
    // Repeated until the sampler looks for the surface's memory.
    for (unsigned times = 0; times < 24; ++times) {
      INFO("round " << round << " time " << times << " descriptor " << r.form.op.descriptor << " mask " << r.mask);
      std::copy_n(r.registers, 128, answered);
      if (!answer.function(answer, answered, r.mask, r.env)) break;
      ++direct;
      REQUIRE(std::memcmp(sent, answered, sizeof sent) == 0);
    }
  }
  CHECK(direct > 60000);
}
