// SPDX-License-Identifier: GPL-2.0-or-later

#include "hw/sampler/lane_kernels.h"
#include "hw/sampler/lane_loads.h"
#include "tests/catch.h"
#include "tests/unit/sampler/random_texels.h"

using namespace softgen;
using namespace softgen::sampler;

namespace {

constexpr uint64_t base = sampler::test::RandomTexels::base;
using F = surface::SurfaceFormat;
using Select = surface::ShaderChannelSelect;
using Type = surface::SurfaceType;

struct Fixture : sampler::test::SeededTexels {
  explicit Fixture(uint32_t seed) : SeededTexels(seed, 0x80000) {}

  surface::Surface surface() {
    constexpr F formats[] = {
        F::R8G8B8A8_UNORM, F::B8G8R8A8_UNORM_SRGB, F::R8G8B8A8_UINT,  F::R8_UINT,   F::B8G8R8X8_UNORM, F::R32G32B32A32_FLOAT, F::R32_UINT,
        F::R32G32_SINT,    F::R16G16B16A16_FLOAT,  F::R16_SINT,       F::BC1_UNORM, F::YCRCB_NORMAL,   F::R9G9B9E5_SHAREDEXP, F::A8_UNORM,
        F::I8_UNORM,       F::L8A8_UNORM,          F::R32G32B32_FLOAT};
    constexpr surface::Tiling tilings[] = {surface::Tiling::linear, surface::Tiling::x, surface::Tiling::y};
    constexpr Type types[] = {Type::one_d, Type::two_d, Type::two_d, Type::three_d, Type::cube, Type::buffer};
    surface::Surface s;
    s.type = types[any(std::size(types))];
    s.format = surface::find_format(formats[any(std::size(formats))]);
    const bool odd = s.format->block_bytes() == 12;  // never tiled
    s.tiling = odd || s.type == Type::one_d || s.type == Type::buffer ? surface::Tiling::linear : tilings[any(3)];
    s.base = base;
    s.width = 1 + any(28), s.height = s.type == Type::one_d ? 1 : 1 + any(28),
    s.depth = s.type == Type::three_d || s.type == Type::cube ? 1 + any(2) : 1;
    s.pitch = odd ? 1200 : 512;
    s.qpitch = 64;
    if (s.type == Type::one_d || s.type == Type::two_d) s.array = any(2), s.depth = s.array ? 1 + any(2) : 1;
    s.mip_count = s.type == Type::buffer ? 0 : static_cast<uint8_t>(any(3));
    s.entries = any(100);
    if (s.type == Type::buffer) s.pitch = s.format->block_bytes();
    if (s.type == Type::two_d && s.mip_count == 0 && s.format->kind == surface::FormatKind::plain && any(3) == 0)
      s.samples = 4, s.log2_samples = 2, s.interleaved = any(2);
    if (any(3) == 0) s.select = {Select::SCS_ALPHA, Select::SCS_ONE, Select::SCS_ZERO, Select::SCS_RED};
    return s;
  }
  /// Mostly within the surface, sometimes far away.
  uint32_t coordinate(uint32_t size) { return any(8) ? any(size + 2) : static_cast<uint32_t>(random()); }
};

}  // namespace

TEST_CASE("eight texels at once equal single ones") {
  constexpr uint32_t seed = 20261122;
  INFO("seed " << seed);
  Fixture f(seed);
  for (unsigned round = 0; round < 6000; ++round) {
    const surface::Surface s = f.surface();
    const Texture texture(s);
    const LaneLoads loads(texture);
    uint32_t u[8], v[8], r[8], lod[8], sample[8];
    for (unsigned i = 0; i < 8; ++i) {
      u[i] = f.coordinate(s.type == Type::buffer ? 100 : s.width), v[i] = f.coordinate(s.type == Type::one_d ? s.depth : s.height),
      r[i] = f.coordinate(s.depth);
      lod[i] = f.any(4), sample[i] = f.any(5);
    }
    const Offsets offsets{static_cast<int>(f.any(4)) - 2, static_cast<int>(f.any(4)) - 2, static_cast<int>(f.any(2))};
    const bool has_lod = f.any(2), has_sample = f.any(2);
    const uint32_t enabled = 1 + f.any(255);
    uint32_t values[4][8];
    for (auto& component : values) std::fill(std::begin(component), std::end(component), 0xdeadbeef);
    loads.load(f.view, texture, nullptr, {u, v, r, has_lod ? lod : nullptr, has_sample ? sample : nullptr}, offsets, enabled,
               {values[0], values[1], values[2], values[3]});
    for (unsigned i = 0; i < 8; ++i) {
      INFO("round " << round << " lane " << i << " format " << s.format->name);
      const auto whole = [](uint32_t dword) { return int64_t{static_cast<int32_t>(dword)}; };
      const bool layered = s.array || s.type == Type::cube;
      const int64_t x = whole(u[i]) + offsets.u, y = s.type == Type::one_d ? 0 : whole(v[i]) + offsets.v;
      const int64_t slice = s.type == Type::one_d     ? (s.array ? whole(v[i]) : 0)
                            : s.type == Type::three_d ? whole(r[i]) + offsets.r
                            : layered                 ? whole(r[i])
                                                      : 0;
      const unsigned level = has_lod ? lod[i] : 0;
      const bool there =
          s.is_buffer() || (level < texture.levels() && (!has_sample || sample[i] < s.samples) && x >= 0 && y >= 0 && slice >= 0 &&
                            x < texture.extent(level).width && y < texture.extent(level).height && slice < texture.slices(level));
      Word4 expected{0xdeadbeef, 0xdeadbeef, 0xdeadbeef, 0xdeadbeef};
      if (enabled >> i & 1) {
        expected = {};
        if (s.is_buffer()) expected = texture.swizzle(texture.load_buffer(f.view, u[i]));
        else if (there) expected = texture.swizzle(texture.load(f.view, level, x, y, slice, has_sample ? sample[i] : 0));
      }
      for (unsigned c = 0; c < 4; ++c) REQUIRE(values[c][i] == expected[c]);
    }
  }
}
