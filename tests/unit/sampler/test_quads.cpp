// SPDX-License-Identifier: GPL-2.0-or-later
#include <bit>
#include <random>

#include "hw/memory/ggtt.h"
#include "hw/memory/sparse_memory.h"
#include "hw/sampler/quads.h"
#include "tests/catch.h"

using namespace softgen;
using sampler::Filter;
using sampler::QuadSampler;
using sampler::Texture;

TEST_CASE("a quad is sampled as its four pixels are") {
  constexpr uint64_t base = 0x10000;
  constexpr uint32_t seed = 20261121;
  INFO("seed " << seed);
  std::mt19937 random(seed);
  memory::SparseMemory memory{1 << 20};
  memory::Ggtt ggtt;
  memory::View view{memory, nullptr};
  for (uint32_t page = base >> 12; page < 0x40; ++page) ggtt.set_pte(page, uint64_t{page} << 12 | 1);
  view.set_space(memory::AddressSpace::ggtt(ggtt));
  for (uint64_t at = base; at < 0x40000; at += 4) view.store<uint32_t>(at, static_cast<uint32_t>(random()));
  using F = surface::SurfaceFormat;
  constexpr F formats[] = {F::R8G8B8A8_UNORM, F::B8G8R8A8_UNORM, F::R8G8B8X8_UNORM, F::R8G8B8A8_UNORM_SRGB, F::B8G8R8X8_UNORM_SRGB};
  constexpr surface::Tiling tilings[] = {surface::Tiling::linear, surface::Tiling::x, surface::Tiling::y};
  unsigned sampled = 0;
  for (unsigned round = 0; round < 4000; ++round) {
    const auto any = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
    surface::Surface s;
    s.type = surface::SurfaceType::two_d;
    s.format = surface::find_format(formats[any(5)]);
    s.tiling = tilings[any(3)];
    s.base = base;
    s.width = 1 + any(60), s.height = 1 + any(60);
    s.pitch = 512;
    s.array = any(2);
    s.mip_count = static_cast<uint8_t>(any(4));
    if (any(4) == 0) s.select = {surface::ShaderChannelSelect::SCS_ALPHA, surface::ShaderChannelSelect::SCS_ONE, surface::ShaderChannelSelect::SCS_ZERO, surface::ShaderChannelSelect::SCS_RED};
    sampler::State state{};
    using Mode = defs::gen9::TextureCoordinateMode;
    constexpr Mode modes[] = {Mode::TCM_WRAP, Mode::TCM_MIRROR, Mode::TCM_CLAMP};
    state.tcx_address_control_mode = modes[any(3)], state.tcy_address_control_mode = modes[any(3)];
    state.non_normalized_coordinate_enable = any(8) == 0;
    state.mag_mode_filter = static_cast<sampler::State::MagModeFilter>(any(2)), state.min_mode_filter = static_cast<sampler::State::MinModeFilter>(any(2));
    state.mip_mode_filter = any(3) == 0 ? sampler::State::MipModeFilter::MIPFILTER_NONE : any(2) ? sampler::State::MipModeFilter::MIPFILTER_NEAREST : sampler::State::MipModeFilter::MIPFILTER_LINEAR;
    state.u_address_mag_filter_rounding_enable = any(2), state.u_address_min_filter_rounding_enable = any(2);
    state.v_address_mag_filter_rounding_enable = any(2), state.v_address_min_filter_rounding_enable = any(2);
    state.max_lod = 14;
    const Texture texture(s);
    const Filter filter(view, texture, state, {});
    const QuadSampler quads(filter);
    REQUIRE(quads.possible());
    float u[4], v[4];
    for (unsigned i = 0; i < 4; ++i) {
      u[i] = any(16) ? static_cast<float>(any(4096)) / 1024 - 2 : std::bit_cast<float>(static_cast<uint32_t>(random()));
      v[i] = static_cast<float>(any(4096)) / 1024 - 2;
    }
    const auto lod = filter.finish_lod(static_cast<float>(any(1024)) / 256 - 1, 0, 0);
    const sampler::Offsets offsets{static_cast<int>(any(16)) - 8, static_cast<int>(any(16)) - 8, 0};
    float out[4][4];
    if (!quads.sample(view, u, v, offsets, lod, out)) continue;
    ++sampled;
    for (unsigned i = 0; i < 4; ++i) {
      const auto expected = filter.sample({u[i], v[i], 0, 0}, offsets, {lod.unclamped, 1, 0, 0}, lod, nullptr);
      INFO("round " << round << " lane " << i);
      for (unsigned c = 0; c < 4; ++c) REQUIRE(std::bit_cast<uint32_t>(out[c][i]) == expected[c]);
    }
  }
  CHECK(sampled > 2000);
}
