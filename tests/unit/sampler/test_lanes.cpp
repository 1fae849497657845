// SPDX-License-Identifier: GPL-2.0-or-later
#include <bit>
#include <cmath>
#include <random>

#include "hw/base/host_cpu.h"
#include "hw/sampler/lanes.h"
#include "hw/sampler/lod.h"
#include "tests/catch.h"
#include "tests/unit/sampler/random_texels.h"

using namespace softgen;
using sampler::Filter;
using sampler::LaneRequest;
using sampler::LaneSampler;
using sampler::Texture;

namespace {

constexpr uint64_t base = sampler::test::RandomTexels::base, end = 0x40000;
using F = surface::SurfaceFormat;
using Select = surface::ShaderChannelSelect;

/// In one piece of host memory or in pages that are not.
struct Memory : sampler::test::RandomTexels {
  Memory(std::mt19937& random, bool scattered) : RandomTexels(random, end, scattered ? 1 : 0) {}
};

struct Round {
  explicit Round(std::mt19937& r) : random(r) {
    constexpr F formats[] = {F::R8G8B8A8_UNORM,
                             F::B8G8R8A8_UNORM,
                             F::R8G8B8X8_UNORM,
                             F::R8G8B8A8_UNORM_SRGB,
                             F::B8G8R8X8_UNORM_SRGB,
                             F::R32_FLOAT,
                             F::R24_UNORM_X8_TYPELESS,
                             F::R8_UNORM,
                             F::R8G8_UNORM,
                             F::L8A8_UNORM_SRGB,
                             F::A8_UNORM,
                             F::I8_UNORM,
                             F::L8_UNORM_SRGB};
    constexpr surface::Tiling tilings[] = {surface::Tiling::linear, surface::Tiling::x, surface::Tiling::y, surface::Tiling::yf};
    s.type = surface::SurfaceType::two_d;
    s.format = surface::find_format(formats[any(std::size(formats))]);
    s.tiling = tilings[any(s.format->block_bytes() == 1 ? 3 : 4)];
    s.base = base;
    s.width = any(4) ? 1 + any(60) : 1u << any(6), s.height = any(4) ? 1 + any(60) : 1u << any(6);
    s.pitch = 512;
    s.array = any(2);
    s.mip_count = static_cast<uint8_t>(any(4));
    if (s.tiling == surface::Tiling::yf) {
      const surface::PageShape tile = surface::tile_shape(s.tiling, s.format->block_bytes());
      s.halign = static_cast<uint16_t>(tile.width / s.format->block_bytes()), s.valign = static_cast<uint16_t>(tile.height);
      s.mip_tail = static_cast<uint8_t>(any(2) ? any(4) : surface::no_mip_tail);
    }
    if (any(8) == 0) s.x_offset = 4, s.y_offset = 8;
    if (any(8) == 0) s.min_array_element = 1, s.qpitch = 64;
    if (any(4) == 0) s.select = {Select::SCS_ALPHA, Select::SCS_ONE, Select::SCS_ZERO, Select::SCS_RED};
    choose_state();
    choose_request();
  }
  void choose_state() {
    using Mode = sampler::AddressMode;
    constexpr Mode modes[] = {Mode::wrap, Mode::mirror, Mode::clamp};
    state.mode_u = modes[any(3)], state.mode_v = modes[any(3)];
    state.non_normalized = any(8) == 0;
    state.mag_filter = static_cast<sampler::TexelFilter>(any(3)), state.min_filter = static_cast<sampler::TexelFilter>(any(3));
    state.max_taps = 2 * (any(8) + 1);
    state.mip_filter = any(3) == 0 ? sampler::MipFilter::none : any(2) ? sampler::MipFilter::nearest : sampler::MipFilter::linear;
    state.mag_rounding.u = any(2), state.min_rounding.u = any(2);
    state.mag_rounding.v = any(2), state.min_rounding.v = any(2);
    state.max_lod = 14;
    state.lod_bias = any(4) ? 0 : static_cast<float>(any(1024)) / 256 - 2;
    if (any(4) == 0) state.preclamp = true, state.min_lod = static_cast<float>(any(512)) / 256;
    if (any(8) == 0) s.resource_min_lod = static_cast<float>(any(512)) / 256;
    if (any(8) == 0) s.base_mip_level = static_cast<float>(any(4)) / 2;
  }
  void choose_request() {
    // Quads whose levels of detail are near, far, and nowhere.
    const float spread = std::ldexp(1.0f, static_cast<int>(any(20)) - 14);
    // And they are neighbours, or not.
    const unsigned together = any(2) ? 4 : LaneRequest::max_channels;
    for (unsigned i = 0; i < LaneRequest::max_channels; ++i) {
      const unsigned at = i / together * together;
      u[i] = any(64) ? (i % together ? u[at] : static_cast<float>(any(4096)) / 1024 - 2) + static_cast<float>(any(5)) * spread
                     : std::bit_cast<float>(static_cast<uint32_t>(random()));
      v[i] = (i % together ? v[at] : static_cast<float>(any(4096)) / 1024 - 2) + static_cast<float>(any(5)) * spread;
    }
    request.tap.u = u, request.tap.v = v;
    request.tap.channels = any(2) ? 16 : 8;
    request.tap.mask = (any(2) ? ~0u : static_cast<uint32_t>(random())) & ((1u << request.tap.channels) - 1);
    for (int32_t& texels : request.tap.offset) texels = static_cast<int>(any(16)) - 8;
    request.has_lod = any(4) == 0, request.has_bias = any(4) == 0, request.level_zero = any(8) == 0;
    for (unsigned i = 0; i < LaneRequest::max_channels; ++i) {
      request.lod[i] = i % 4     ? request.lod[i - 1]
                       : any(32) ? static_cast<float>(any(2048)) / 256 - 2
                                 : std::bit_cast<float>(static_cast<uint32_t>(random()));
      request.bias[i] = i % 4 ? request.bias[i - 1] : static_cast<float>(any(1024)) / 256 - 2;
    }
  }
  uint32_t any(uint32_t n) { return static_cast<uint32_t>(random() % n); }
  /// As the general code has it.
  sampler::Lod lod(const Filter& filter, const Texture& texture, unsigned lane) const {
    const float detail = request.has_lod ? request.lod[lane] : this->detail(filter, lane).lod;
    return sampler::finish_lod(texture, state, detail, request.has_bias ? request.bias[lane] : 0, 0);
  }
  sampler::Detail detail(const Filter& filter, unsigned lane) const {
    const auto at = [&](unsigned n) { return sampler::Direction{u[(lane & ~3u) + n], v[(lane & ~3u) + n], 0}; };
    const auto less = [](const sampler::Direction& a, const sampler::Direction& b) {
      return sampler::Direction{a[0] - b[0], a[1] - b[1], 0};
    };
    return request.has_lod || request.level_zero ? sampler::Detail{} : detail_of(filter, at(0), less(at(1), at(0)), less(at(2), at(0)));
  }

  std::mt19937& random;
  surface::Surface s;
  sampler::State state{};
  float u[LaneRequest::max_channels], v[LaneRequest::max_channels];
  LaneRequest request;
};

bool same(float a, uint32_t b) { return std::bit_cast<uint32_t>(a) == b || (std::isnan(a) && std::isnan(std::bit_cast<float>(b))); }

}  // namespace

TEST_CASE("the channels of a message are sampled like single ones") {
  constexpr uint32_t seed = 20261121;
  INFO("seed " << seed);
  std::mt19937 random(seed);
  Memory memories[] = {Memory(random, false), Memory(random, true)};
  const auto kernels = sampler::all_lane_kernels();
  for (unsigned round = 0; round < 6000; ++round) {
    Round r(random);
    memory::View& view = memories[round % 2].view;
    const Texture texture(r.s);
    const Filter filter(view, texture, r.state, {});
    LaneSampler lanes(texture, r.state, *kernels.tables[round % 3 % kernels.count]);
    REQUIRE(lanes.possible());
    constexpr float untouched = 12345;
    alignas(64) float out[4][LaneRequest::max_channels];
    for (unsigned c = 0; c < 4; ++c) std::fill(std::begin(out[c]), std::end(out[c]), untouched), r.request.out[c] = out[c];
    const unsigned missing = r.any(8);
    if (missing < 4) r.request.out[missing] = nullptr;
    // Repeated until the sampler looks for the surface's memory.
    for (unsigned times = 0; times < 20; ++times) REQUIRE(lanes.sample(view, r.request));
    for (unsigned i = 0; i < LaneRequest::max_channels; ++i) {
      INFO("round " << round << " lane " << i << " format " << r.s.format->name);
      const bool wanted = i < r.request.tap.channels && (r.request.tap.mask >> i & 1);
      sampler::Word4 expected{};
      if (wanted)
        expected = filter.sample({r.u[i], r.v[i], 0, 0}, {r.request.tap.offset[0], r.request.tap.offset[1], 0}, r.detail(filter, i),
                                 r.lod(filter, texture, i), nullptr);
      for (unsigned c = 0; c < 4; ++c) {
        if (!wanted || c == missing) REQUIRE(out[c][i] == untouched);
        else REQUIRE(same(out[c][i], expected[c]));
      }
    }
  }
}

TEST_CASE("the fast path gives the results of the general path") {
  constexpr uint32_t seed = 20261122;
  INFO("seed " << seed);
  std::mt19937 random(seed);
  Memory memory(random, false);
  const auto kernels = sampler::all_lane_kernels();
  unsigned ways[3] = {}, of_yf[3] = {}, with_levels[2] = {}, anisotropic[2] = {};
  for (unsigned round = 0; round < 12000; ++round) {
    Round r(random);
    constexpr F formats[] = {F::R8G8B8A8_UNORM, F::B8G8R8A8_UNORM, F::R24_UNORM_X8_TYPELESS};
    r.s.format = surface::find_format(formats[r.any(3)]);
    const bool yf = r.any(2);
    r.s.tiling = yf ? surface::Tiling::yf : surface::Tiling::y;
    r.s.halign = r.s.valign = yf ? 32 : 4;
    r.s.mip_tail = static_cast<uint8_t>(yf && r.any(2) ? r.any(4) : surface::no_mip_tail);
    if (r.any(2)) r.state.mip_filter = sampler::MipFilter::none;
    for (sampler::AddressMode* mode : {&r.state.mode_u, &r.state.mode_v})
      if (r.any(4)) *mode = sampler::AddressMode::clamp;
    r.request.has_lod = r.request.has_bias = r.request.level_zero = false;
    r.state.mag_filter = r.state.min_filter = static_cast<sampler::TexelFilter>(r.any(3));
    r.state.min_rounding.u = r.state.mag_rounding.u;
    r.state.min_rounding.v = r.state.mag_rounding.v;
    if (r.any(2)) r.s.width = 64 + r.any(60), r.s.height = 64 + r.any(60);
    const Texture texture(r.s);
    LaneSampler lanes(texture, r.state, *kernels.tables[round % kernels.count]);
    REQUIRE(lanes.possible());
    std::vector<sampler::LanePlain> levels;
    sampler::LanePlainLevels all_levels;
    const auto shortest = lanes.shortest(r.request.tap.channels, levels, all_levels);
    if (!shortest) continue;
    for (unsigned times = 0; times < 20; ++times) lanes.find_texels(memory.view, levels);
    sampler::LanePlain& plain = levels[0];
    REQUIRE(plain.memory);
    all_levels.level = levels.data();
    all_levels.likely = static_cast<int32_t>(r.any(static_cast<uint32_t>(levels.size())));
    // Coordinates in registers 0 to 3, components in 8 to 15, some of them not wanted.
    alignas(64) uint32_t registers[24][8];
    alignas(64) float expected[4][LaneRequest::max_channels];
    for (unsigned c = 0; c < 4; ++c)
      for (unsigned i = 0; i < 16; ++i)
        registers[8 + 2 * c + i / 8][i % 8] = static_cast<uint32_t>(random()),
                                         expected[c][i] = std::bit_cast<float>(registers[8 + 2 * c + i / 8][i % 8]);
    for (unsigned i = 0; i < 16; ++i)
      registers[i / 8][i % 8] = std::bit_cast<uint32_t>(r.u[i]), registers[2 + i / 8][i % 8] = std::bit_cast<uint32_t>(r.v[i]);
    plain.u = 0, plain.v = 16;
    float* out[4] = {};
    for (unsigned c = 0; c < 4; ++c) {
      const uint8_t from = lanes.decode().from[c];
      if (from >= sampler::LaneDecode::zero || plain.to[from] != sampler::LanePlain::nowhere || r.any(4) == 0) continue;
      plain.to[from] = static_cast<int32_t>(8 * (8 + 2 * c));
      out[c] = expected[c];
    }
    r.request.tap.offset[0] = r.request.tap.offset[1] = 0;
    for (unsigned c = 0; c < 4; ++c) r.request.out[c] = out[c];
    REQUIRE(lanes.sample(memory.view, r.request));
    const void* state = lanes.needs_lod() ? static_cast<const void*>(&all_levels) : &plain;
    if (!shortest(state, registers[0], r.request.tap.mask)) continue;
    ++ways[round % kernels.count], of_yf[round % kernels.count] += yf;
    with_levels[yf] += lanes.needs_lod();
    anisotropic[yf] += r.state.mag_filter == sampler::TexelFilter::anisotropic;
    INFO("round " << round);
    for (unsigned c = 0; c < 4; ++c)
      for (unsigned i = 0; i < 16; ++i) REQUIRE(registers[8 + 2 * c + i / 8][i % 8] == std::bit_cast<uint32_t>(expected[c][i]));
  }
  for (unsigned n = 0; n < kernels.count; ++n) CHECK((ways[n] > 100 && of_yf[n] > 100));
  for (unsigned yf = 0; yf < 2; ++yf)
    if (kernels.best().plain[yf].levels[0][1]) CHECK((with_levels[yf] > 100 && anisotropic[yf] > 100));
}

TEST_CASE("quads whose channels have different levels of detail do not use vector code") {
  std::mt19937 random(3);
  Memory memory(random, false);
  Round r(random);
  r.state.mip_filter = sampler::MipFilter::nearest;
  LaneSampler lanes(Texture(r.s), r.state);
  r.request.has_lod = true, r.request.tap.channels = 16, r.request.tap.mask = 0xffff;
  alignas(64) float out[LaneRequest::max_channels];
  for (float*& component : r.request.out) component = out;
  CHECK(lanes.sample(memory.view, r.request));
  r.request.lod[6] += 1;
  CHECK(!lanes.sample(memory.view, r.request));
  r.request.tap.mask = 0xff0f;
  CHECK(lanes.sample(memory.view, r.request));
}

TEST_CASE("surfaces with rows of partial tiles do not use vector code") {
  surface::Surface s;
  s.type = surface::SurfaceType::two_d;
  s.format = surface::find_format(F::R8G8B8A8_UNORM);
  s.width = s.height = 33;
  s.tiling = surface::Tiling::y;
  s.pitch = 132;
  CHECK(!LaneSampler(Texture(s), {}).possible());
  s.pitch = 256;
  CHECK(LaneSampler(Texture(s), {}).possible());
}

TEST_CASE("codes of 8 and 24 bits are converted to floats with a single rounding") {
  std::mt19937 random(1);
  Memory memory(random, false);
  sampler::State state{};
  surface::Surface s;
  s.type = surface::SurfaceType::two_d;
  s.base = base;
  s.pitch = 512;
  s.width = s.height = 1;
  for (const F format : {F::R8_UNORM, F::R24_UNORM_X8_TYPELESS}) {
    s.format = surface::find_format(format);
    const Texture texture(s);
    const unsigned bits = s.format->channel[0].bits;
    const auto all = sampler::all_lane_kernels();
    for (unsigned n = 0; n < all.count; ++n) {
      LaneSampler lanes(texture, state, *all.tables[n]);
      for (uint32_t code = 0; code < 1u << bits; code += bits == 8 ? 1 : 4093) {
        memory.view.store<uint32_t>(base, code);
        alignas(64) float out[4][LaneRequest::max_channels];
        LaneRequest request{};
        request.tap.mask = 0xff;
        const float zeros[LaneRequest::max_channels] = {};
        request.tap.u = request.tap.v = zeros;
        for (unsigned c = 0; c < 4; ++c) request.out[c] = out[c];
        lanes.sample(memory.view, request);
        REQUIRE(out[0][5] == surface::unorm_to_float(code, bits));
      }
    }
  }
}

TEST_CASE("sums of weighted codes are converted to floats with a single rounding") {
  uint32_t wrong = 0;
  for (uint32_t sum = 0; sum <= 255u << 16; ++sum) {
    const auto value = static_cast<float>(sum);
    wrong += std::fma(value, sampler::byte_sum_unit, value * sampler::byte_sum_rest) != value / 65280.0f;
  }
  CHECK(wrong == 0);
}

TEST_CASE("contiguous memory is found, and only that") {
  std::mt19937 random(2);
  Memory whole(random, false), scattered(random, true);
  REQUIRE(whole.view.piece(base + 4, 0x3000) == whole.view.at(base + 4));
  CHECK(whole.view.piece(base, end - base) != nullptr);
  CHECK(whole.view.piece(base, end - base + 1) == nullptr);
  CHECK(scattered.view.piece(base, 0x3000) == nullptr);
  CHECK(whole.view.faults() == 0);
  const auto before = whole.view.stamp();
  CHECK(before == whole.view.stamp());
  CHECK(before != scattered.view.stamp());
  whole.ggtt.set_pte(base >> 12, uint64_t{0x20} << 12 | 1);
  CHECK(before != whole.view.stamp());
}
