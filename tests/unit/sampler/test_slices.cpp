// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <bit>
#include <cmath>

#include "hw/sampler/lod.h"
#include "hw/sampler/slices.h"
#include "tests/catch.h"
#include "tests/unit/sampler/random_texels.h"

using namespace softgen;
using namespace softgen::sampler;

namespace {

constexpr uint64_t base = sampler::test::RandomTexels::base;
using F = surface::SurfaceFormat;
using Mode = sampler::AddressMode;

struct Fixture : sampler::test::SeededTexels {
  explicit Fixture(uint32_t seed) : SeededTexels(seed, 0x100000) {}
  surface::Surface surface(bool cube) {
    constexpr F formats[] = {F::R8G8B8A8_UNORM, F::B8G8R8X8_UNORM_SRGB, F::R24_UNORM_X8_TYPELESS, F::R8_UNORM};
    surface::Surface s;
    s.type = cube ? surface::SurfaceType::cube : surface::SurfaceType::two_d;
    s.format = surface::find_format(formats[any(std::size(formats))]);
    s.tiling = any(2) ? surface::Tiling::y : surface::Tiling::x;
    s.base = base;
    s.width = s.height = 1 + any(32);
    if (!cube) s.height = 1 + any(32);
    s.depth = 2 + any(2);
    s.array = true;
    if (cube && any(2)) s.array = false, s.depth = 1;
    s.pitch = 512;
    s.qpitch = 64;
    s.mip_count = static_cast<uint8_t>(any(4));
    return s;
  }
  State sampler(bool nearest) {
    State state{};
    constexpr Mode modes[] = {Mode::wrap, Mode::mirror, Mode::clamp};
    state.mode_u = nearest && any(2) ? Mode::cube : modes[any(3)], state.mode_v = modes[any(3)];
    if (!nearest) state.mag_filter = static_cast<TexelFilter>(any(2)), state.min_filter = static_cast<TexelFilter>(any(2));
    state.mip_filter = any(3) == 0 ? MipFilter::none : any(2) ? MipFilter::nearest : MipFilter::linear;
    state.min_rounding.u = any(2), state.mag_rounding.v = any(2);
    state.max_lod = 14;
    return state;
  }
};

struct Channels {
  alignas(64) float u[16], v[16], r[16], a[16];
  Direction direction(unsigned i) const { return {u[i], v[i], r[i]}; }
};

/// Two quads, whose pixels lie beside each other.
Channels channels(Fixture& f, bool cube) {
  Channels c{};
  const auto value = [&] { return static_cast<float>(f.any(2048)) / 1024 - 1; };
  const float layer = static_cast<float>(f.any(5)) - 1;
  float at[3] = {value(), value(), value()};
  for (unsigned i = 0; i < 8; ++i) {
    if (i == 4 && f.any(2)) at[0] = value(), at[1] = value();
    const float step = 1 / 64.0f;
    c.u[i] = at[0] + (i & 1 ? step : 0), c.v[i] = at[1] + (i & 2 ? step : 0), c.r[i] = cube ? at[2] : layer;
    c.a[i] = layer;
  }
  if (f.any(8) == 0) c.r[2] = c.a[2] = layer + 1;
  return c;
}

}  // namespace

TEST_CASE("channels on one slice of an array or a cube are sampled like single ones") {
  constexpr uint32_t seed = 20261123;
  INFO("seed " << seed);
  Fixture f(seed);
  unsigned sampled = 0;
  for (unsigned round = 0; round < 4000; ++round) {
    const bool cube = f.any(2);
    const Texture texture(f.surface(cube));
    const State state = f.sampler(cube);
    const Filter filter(f.view, texture, state, {});
    SliceSamplers slices(texture, state);
    REQUIRE(slices.possible());
    const Channels c = channels(f, cube);
    SliceRequest request;
    request.u = c.u, request.v = c.v, request.r = c.r;
    if (cube && texture.surface().array) request.a = c.a;
    LaneRequest& lanes = request.lanes;
    lanes.tap.mask = 1 + f.any(255);
    lanes.has_lod = f.any(3) == 0, lanes.has_bias = f.any(3) == 0;
    for (unsigned i = 0; i < 16; ++i) lanes.lod[i] = static_cast<float>(round % 5), lanes.bias[i] = static_cast<float>(round % 3) / 2;
    alignas(64) float out[4][16] = {};
    for (unsigned i = 0; i < 4; ++i) lanes.out[i] = out[i];
    const bool has_lod = lanes.has_lod;
    if (!slices.sample(f.view, texture, request)) continue;
    ++sampled;
    for (unsigned i = 0; i < 8; ++i) {
      if (!(lanes.tap.mask >> i & 1)) continue;
      const unsigned first = i & ~3u;
      Direction dx, dy;
      for (size_t k = 0; k < 3; ++k)
        dx[k] = c.direction(first + 1)[k] - c.direction(first)[k], dy[k] = c.direction(first + 2)[k] - c.direction(first)[k];
      Detail detail = detail_of(filter, c.direction(i), c.direction(first), dx, dy);
      if (has_lod) detail.lod = lanes.lod[i];
      const Lod lod = finish_lod(texture, state, detail.lod, lanes.has_bias ? lanes.bias[i] : 0, 0);
      const Word4 expected = filter.sample({c.u[i], c.v[i], c.r[i], cube ? c.a[i] : c.r[i]}, {}, detail, lod, nullptr);
      INFO("round " << round << " lane " << i << " format " << texture.surface().format->name << (cube ? " cube" : " array"));
      for (unsigned k = 0; k < 4; ++k) REQUIRE(std::bit_cast<uint32_t>(out[k][i]) == expected[k]);
    }
  }
  CHECK(sampled > 2000);
}

TEST_CASE("a cube with linear filters is not sampled slice by slice") {
  Fixture f(1);
  State state = f.sampler(true);
  state.mag_filter = TexelFilter::linear;
  CHECK_FALSE(SliceSamplers(Texture(f.surface(true)), state).possible());
}
