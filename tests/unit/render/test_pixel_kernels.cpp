// SPDX-License-Identifier: GPL-2.0-or-later
// The vector code of the pixel stage compared with the general code, for each instruction set of this host.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>
#include <random>
#include <vector>

#include "hw/base/host_cpu.h"
#include "hw/defs/gen9/set.h"
#include "hw/render/depth_stencil.h"
#include "hw/render/fill.h"
#include "hw/render/output_merger.h"
#include "hw/surface/standard_tiling.h"
#include "tests/catch.h"
#include "tests/ref/color_codes.h"
#include "tests/unit/memory/mapped.h"
#include "tests/unit/render/decoded.h"

using namespace softgen;
using namespace softgen::render;
using namespace softgen::render::test;

namespace {

constexpr uint64_t base = 0x10000, blend_at = 0x20000, cc_at = 0x21000;
constexpr uint32_t seed = 20261121;

struct Fixture : memory::test::Mapped {
  surface::Surface surface;
  StateStore store{defs::gen9::commands};
  State state;
  std::mt19937 random{seed};

  Fixture() : Mapped(base, 0x40000) {
    surface.type = surface::SurfaceType::two_d;
    surface.tiling = surface::Tiling::y;
    surface.base = base;
    surface.width = surface.height = 16;
    surface.pitch = 128;
    const uint32_t blend[] = {0x78240000, blend_at | 1}, cc[] = {0x780e0000, cc_at | 1};
    store.accept({0, defs::gen9::commands.find("3DSTATE_BLEND_STATE_POINTERS"), blend});
    store.accept({0, defs::gen9::commands.find("3DSTATE_CC_STATE_POINTERS"), cc});
    state.refresh(store);
  }
  uint32_t any() { return static_cast<uint32_t>(random()); }
  /// Mostly in and around 0 to 1, with NaNs and values halfway between two codes.
  float value() {
    switch (any() % 8) {
      case 0: return std::bit_cast<float>(any());
      case 1: return static_cast<float>((any() % 255 + 0.5) / 255);
      case 2: return any() & 1 ? -0.0f : 1.0f;
      default: return static_cast<float>(any() % 4096) / 2048 - 0.5f;
    }
  }
};

std::vector<const PixelKernels*> builds() {
  const auto all = all_pixel_kernels();
  return {all.tables.begin(), all.tables.begin() + all.count};
}

}  // namespace

TEST_CASE("eight colours at once are written as by the output merger") {
  INFO("seed " << seed);
  Fixture f;
  constexpr surface::SurfaceFormat formats[] = {surface::SurfaceFormat::R8G8B8A8_UNORM, surface::SurfaceFormat::B8G8R8A8_UNORM,
                                                surface::SurfaceFormat::B8G8R8X8_UNORM, surface::SurfaceFormat::B8G8R8A8_UNORM_SRGB,
                                                surface::SurfaceFormat::R32_UINT,       surface::SurfaceFormat::R32_FLOAT,
                                                surface::SurfaceFormat::R8G8B8A8_UINT,  surface::SurfaceFormat::R32_SINT};
  unsigned compared = 0, compared_blends = 0;
  for (unsigned round = 0; round < 6000; ++round) {
    f.surface.format = surface::find_format(formats[f.any() % 8]);
    using surface::Tiling;
    constexpr Tiling tilings[] = {Tiling::linear, Tiling::x, Tiling::y, Tiling::swizzled_x, Tiling::swizzled_y};
    f.surface.tiling = tilings[f.any() % std::size(tilings)];
    f.surface.pitch = f.surface.tiling == Tiling::x || f.surface.tiling == Tiling::swizzled_x ? 512 : 128;
    // No alpha test or coverage, and few logic operations: the general code does these.
    const uint32_t added = f.any() & 1 ? ~(7u << 18 | 7u << 5) : ~0u;  // the functions: the most common ones
    const uint32_t blend[] = {f.any() & (1u << 30 | 1u << 29), f.any() & added, f.any() & ~(f.any() % 8 ? 1u << 31 : 0u)};
    f.view.write(blend_at, blend, sizeof blend);
    for (unsigned i = 0; i < 4; ++i) f.view.store(cc_at + 8 + 4 * i, f.value());
    f.state.refresh(f.store, f.view);
    OutputMerger merger(f.state);
    merger.set_target(0, f.state.decoder->target_blend(f.view, f.state, 0));
    const RenderTarget rt(f.surface);
    const auto kernel = merger.color_kernel(rt, 0);
    if (!kernel) continue;
    ++compared;
    float source[8][8];
    for (auto& component : source)
      for (float& v : component) v = f.value();
    const uint32_t lanes = f.any() & 0xff;
    const auto pixel = [](unsigned i) { return std::array{4 + 2 * (i / 4) + (i & 1), 6 + (i >> 1 & 1)}; };
    const auto fill = [&] {
      std::mt19937 old(round);
      for (unsigned i = 0; i < 8; ++i) f.view.store<uint32_t>(rt.level->address(pixel(i)[0], pixel(i)[1], 0), static_cast<uint32_t>(old()));
    };
    const auto result = [&] {
      std::array<uint32_t, 8> out;
      for (unsigned i = 0; i < 8; ++i) out[i] = f.view.load<uint32_t>(rt.level->address(pixel(i)[0], pixel(i)[1], 0));
      return out;
    };
    fill();
    for (unsigned i = 0; i < 8; ++i) {
      PixelColor color;
      for (unsigned c = 0; c < 4; ++c)
        color.source0[c] = std::bit_cast<uint32_t>(source[c][i]), color.source1[c] = std::bit_cast<uint32_t>(source[4 + c][i]);
      if (lanes >> i & 1) merger.write(f.view, rt, merger.mode(rt, 0), pixel(i)[0], pixel(i)[1], 0, 1, color);
    }
    const auto expected = result();
    if (kernel->has_codes()) {
      fill();
      const ColorCodes codes = color_codes(*kernel);
      compared_blends += codes.blends;
      const auto old = result();
      for (unsigned i = 0; i < 8; ++i) {
        INFO("round " << round << ", pixel " << i << ", blend " << blend[0] << ' ' << blend[1] << ' ' << blend[2]);
        REQUIRE(expected[i] ==
                (lanes >> i & 1 ? ref::written_pixel(codes, {source[0][i], source[1][i], source[2][i], source[3][i]}, old[i]) : old[i]));
      }
    }
    for (const PixelKernels* build : builds()) {
      fill();
      ColorPixels pixels{};
      pixels.lanes = lanes, pixels.owns_rows = round % 2;
      for (unsigned c = 0; c < 4; ++c) pixels.source[c] = source[c], pixels.source1[c] = source[4 + c];
      for (unsigned quad = 0; quad < 2; ++quad) REQUIRE(rt.quad_rows(f.view, 4 + 2 * quad, 6, 0, pixels.rows + 2 * quad) == 0xf);
      build->write_color(*kernel, pixels);
      INFO("round " << round << ", blend " << blend[0] << ' ' << blend[1] << ' ' << blend[2]);
      REQUIRE(result() == expected);
    }
  }
  CHECK(compared > 2000);
  CHECK(compared_blends > 5);
}

TEST_CASE("the depth test of blocks equals that of single pixels") {
  INFO("seed " << seed);
  for (const uint32_t format : {1u, 3u, 5u}) {  // D32_FLOAT, D24_UNORM_X8_UINT, D16_UNORM
    const uint32_t bytes = format == 5 ? 2 : 4;
    Fixture f;
    const uint32_t buffer[] = {
        0x78050006, 1u << 29 | 1u << 28 | format << 18 | 127, static_cast<uint32_t>(base), 0, 15u << 18 | 15u << 4, 0, 0, 8};
    f.store.accept({0, defs::gen9::commands.find("3DSTATE_DEPTH_BUFFER"), buffer});
    for (unsigned round = 0; round < 200; ++round) {
      const uint32_t tests[] = {0x784e0002, (round & 7) << 5 | (f.any() & 3), 0, 0};
      f.store.accept({0, defs::gen9::commands.find("3DSTATE_WM_DEPTH_STENCIL"), tests});
      f.state.refresh(f.store);
      const DepthStencil depth(f.state);
      REQUIRE(depth.tests_blocks());
      const uint64_t mask = uint64_t{f.any()} << 32 | f.any();
      const double a = f.value() * 0.1, b = f.value() * 0.1, c = f.value();
      if (!std::isfinite(a + b + c)) continue;
      std::array<uint32_t, 64> old, expected, got;
      const auto at = [&](unsigned i) { return base + surface::offset_y((8 + i % 8) * bytes, i / 8, 128); };
      const auto load = [&](unsigned i) { return bytes == 2 ? f.view.load<uint16_t>(at(i)) : f.view.load<uint32_t>(at(i)); };
      const auto store = [&](unsigned i, uint32_t v) {
        bytes == 2 ? f.view.store(at(i), static_cast<uint16_t>(v)) : f.view.store(at(i), v);
      };
      for (unsigned i = 0; i < 64; ++i) {
        const double z = a * (8 + i % 8 + 0.5) + b * (i / 8 + 0.5) + c;
        const auto near = static_cast<float>(std::min(std::max(z, 0.0), 1.0));
        old[i] = format == 1 ? std::bit_cast<uint32_t>(f.any() & 1 ? near : f.value())
                             : static_cast<uint32_t>(near * (bytes == 2 ? 65533.0 : 16777215.0)) + f.any() % 3;
        store(i, old[i]);
      }
      uint64_t passed = 0;
      for (unsigned i = 0; i < 64; ++i) {
        const double z = a * (8 + i % 8 + 0.5) + b * (i / 8 + 0.5) + c + 1e-7;
        if (mask >> i & 1 && depth.test_and_write(f.view, {8 + i % 8, i / 8, 0, 0, std::min(std::max(z, 0.0), 1.0), true}))
          passed |= uint64_t{1} << i;
      }
      for (unsigned i = 0; i < 64; ++i) expected[i] = load(i), store(i, old[i]);
      REQUIRE(depth.test_block(f.view, depth.kernel({a, b, c, 1e-7, 0, 1}), {8, 0, 0, 8.5, 0.5, true}, mask) == passed);
      for (unsigned i = 0; i < 64; ++i) got[i] = load(i);
      REQUIRE(got == expected);
    }
  }
}

TEST_CASE("the stencil test of blocks equals that of single pixels") {
  INFO("seed " << seed);
  constexpr uint64_t stencil_base = base + 0x4000;
  Fixture f;
  const uint32_t depth_buffer[] = {
      0x78050006, 1u << 29 | 1u << 28 | 1u << 27 | 3u << 18 | 127, static_cast<uint32_t>(base), 0, 15u << 18 | 15u << 4, 0, 0, 8};
  const uint32_t stencil_buffer[] = {0x78060003, 1u << 31 | 127, static_cast<uint32_t>(stencil_base), 0, 16};
  f.store.accept({0, defs::gen9::commands.find("3DSTATE_DEPTH_BUFFER"), depth_buffer});
  f.store.accept({0, defs::gen9::commands.find("3DSTATE_STENCIL_BUFFER"), stencil_buffer});
  for (unsigned round = 0; round < 2000; ++round) {
    defs::gen9::_3DSTATE_WM_DEPTH_STENCIL state;
    const auto op = [&] { return static_cast<defs::gen9::StencilOperation>(f.any() % 8); };
    const auto function = [&] { return static_cast<defs::gen9::CompareFunction>(f.any() % 8); };
    const auto mask8 = [&] { return f.any() & 1 ? 0xffu : f.any() & 0xff; };
    state.stencil_test_enable = true, state.stencil_buffer_write_enable = f.any() % 4 != 0, state.double_sided_stencil_enable = f.any() & 1;
    state.depth_test_enable = f.any() & 1, state.depth_buffer_write_enable = f.any() & 1, state.depth_test_function = function();
    state.stencil_test_function = function(), state.backface_stencil_test_function = function();
    state.stencil_fail_op = op(), state.stencil_pass_depth_fail_op = op(), state.stencil_pass_depth_pass_op = op();
    state.backface_stencil_fail_op = op(), state.backface_stencil_pass_depth_fail_op = op(),
    state.backface_stencil_pass_depth_pass_op = op();
    state.stencil_test_mask = mask8(), state.stencil_write_mask = mask8(), state.stencil_reference_value = f.any() % 4;
    state.backface_stencil_test_mask = mask8(), state.backface_stencil_write_mask = mask8(),
    state.backface_stencil_reference_value = f.any() % 4;
    auto packet = state.pack();
    packet[0] |= packet.size() - 2;
    f.store.accept({0, defs::gen9::commands.find("3DSTATE_WM_DEPTH_STENCIL"), packet});
    f.state.refresh(f.store);
    const bool y_tiled = f.any() & 1;  // as Gen12 has them
    f.state.depth.buffers.stencil.tiling = y_tiled ? surface::Tiling::y : surface::Tiling::w;
    const DepthStencil tests(f.state);
    REQUIRE(tests.tests_blocks());
    REQUIRE(tests.holds_block(8, 8, 0));
    const bool front = f.any() & 1;
    const uint64_t mask = f.any() & 1 ? ~uint64_t{0} : uint64_t{f.any()} << 32 | f.any();
    const auto depth_at = [](uint32_t x, uint32_t y) { return base + surface::offset_y(x * 4, y, 128); };
    const auto stencil_at = [&](uint32_t x, uint32_t y) {
      return stencil_base + (y_tiled ? surface::offset_y(x, y, 128) : surface::offset_w(x, y, 128));
    };
    struct Codes {
      std::array<uint32_t, 64> depth;
      std::array<uint8_t, 64> stencil;
      bool operator==(const Codes&) const = default;
    };
    const auto kept = [&] {
      Codes now;
      for (uint32_t i = 0; i < 64; ++i)
        now.depth[i] = f.view.load<uint32_t>(depth_at(8 + i % 8, 8 + i / 8)),
        now.stencil[i] = f.view.load<uint8_t>(stencil_at(8 + i % 8, 8 + i / 8));
      return now;
    };
    const auto put = [&](const Codes& codes) {
      for (uint32_t i = 0; i < 64; ++i)
        f.view.store(depth_at(8 + i % 8, 8 + i / 8), codes.depth[i]), f.view.store(stencil_at(8 + i % 8, 8 + i / 8), codes.stencil[i]);
    };
    Codes old;
    for (auto& z : old.depth) z = 8388606 + f.any() % 4;
    for (auto& code : old.stencil) code = static_cast<uint8_t>(f.any() & 1 ? f.any() : f.any() % 4);
    put(old);
    uint64_t passed = 0;
    for (uint32_t i = 0; i < 64; ++i)
      if (mask >> i & 1 && tests.test_and_write(f.view, {8 + i % 8, 8 + i / 8, 0, 0, 0.5, front})) passed |= uint64_t{1} << i;
    const Codes expected = kept();
    put(old);
    INFO("round " << round);
    REQUIRE(tests.test_block(f.view, tests.kernel({0, 0, 0.5, 0, 0, 1}), {8, 8, 0, 8.5, 8.5, front}, mask) == passed);
    REQUIRE(kept() == expected);
  }
}

TEST_CASE("a block's coverage is where no edge is negative") {
  INFO("seed " << seed);
  std::mt19937 random(seed);
  for (unsigned round = 0; round < 500; ++round) {
    std::array<BlockEdge, 3> edges;
    const int32_t scale = 1 << random() % 24;
    for (BlockEdge& e : edges)
      e = {static_cast<int32_t>(random()) % (8 * scale), static_cast<int32_t>(random()) % scale, static_cast<int32_t>(random()) % scale};
    uint64_t expected = 0;
    for (int i = 0; i < 64; ++i)
      if (std::all_of(edges.begin(), edges.end(),
                      [&](const BlockEdge& e) { return e.corner + int64_t{e.a} * (i % 8) + int64_t{e.b} * (i / 8) >= 0; }))
        expected |= uint64_t{1} << i;
    for (const PixelKernels* build : builds()) REQUIRE(build->coverage(edges.data(), edges.size()) == expected);
  }
}

TEST_CASE("linear targets where four pixels side by side may be in two pages have no vector code") {
  Fixture f;
  f.surface.format = surface::find_format(surface::SurfaceFormat::R8G8B8A8_UNORM);
  f.surface.tiling = surface::Tiling::linear;
  const OutputMerger merger(f.state);
  CHECK(merger.color_kernel(RenderTarget(f.surface), 0));
  f.surface.base = base + 8;
  CHECK_FALSE(merger.color_kernel(RenderTarget(f.surface), 0));
  f.surface.base = base, f.surface.pitch = 72;
  CHECK_FALSE(merger.color_kernel(RenderTarget(f.surface), 0));
}

TEST_CASE("colours of copied buffers are stored as by the output merger") {
  INFO("seed " << seed);
  Fixture f;
  unsigned compared = 0;
  for (unsigned round = 0; round < 2000; ++round) {
    constexpr surface::SurfaceFormat formats[] = {surface::SurfaceFormat::R32G32B32A32_UINT, surface::SurfaceFormat::R32G32B32A32_SINT,
                                                  surface::SurfaceFormat::R8G8B8A8_UINT,     surface::SurfaceFormat::R32G32B32A32_FLOAT,
                                                  surface::SurfaceFormat::R32G32_UINT,       surface::SurfaceFormat::R8G8B8A8_SINT,
                                                  surface::SurfaceFormat::R32_UINT,          surface::SurfaceFormat::R8G8_UINT,
                                                  surface::SurfaceFormat::R32G32B32_UINT,    surface::SurfaceFormat::R8_UINT};
    f.surface.format = surface::find_format(formats[f.any() % std::size(formats)]);
    f.surface.tiling = f.any() % 4 ? surface::Tiling::linear : surface::Tiling::y;
    const uint32_t page = 4096 / f.surface.format->block_bytes();
    f.surface.width = page - 5 + f.any() % 8, f.surface.height = 1 + f.any() % 2;
    f.surface.pitch = 4224 + 4 * (f.any() % 4 ? 0 : f.any() % 4);
    f.surface.base = base + 0x1000 + 4 * (f.any() % 4 ? 4 * (f.any() % 8) : f.any() % 8);
    const uint32_t blend[] = {f.any() % 8 ? 0 : f.any() & (1u << 31 | 1u << 27), f.any() % 8 ? 0 : f.any() & 0xf,
                              f.any() % 8 ? 0 : f.any()};
    f.view.write(blend_at, blend, sizeof blend);
    f.state.refresh(f.store, f.view);
    OutputMerger merger(f.state);
    merger.set_target(0, f.state.decoder->target_blend(f.view, f.state, 0));
    const RenderTarget rt(f.surface);
    if (!merger.copies_words(rt, 0)) continue;
    ++compared;
    REQUIRE(f.surface.base % f.surface.format->block_bytes() == 0);
    const uint32_t x = page - 8 + 2 * (f.any() % 6), y = f.any() % 2, pixels = f.any() & 3;
    std::array<surface::Word4, 2> words;
    for (auto& word : words)
      for (uint32_t& v : word) v = f.any() % 2 ? f.any() : f.any() % 300;
    const auto result = [&](auto&& write) {
      f.view.fill(base, 0x55, 0x8000);
      write();
      std::vector<std::byte> all(0x8000);
      f.view.read(base, all.data(), all.size());
      return all;
    };
    const auto expected = result([&] {
      for (unsigned i = 0; i < 2; ++i)
        if (pixels >> i & 1) merger.write(f.view, rt, merger.mode(rt, 0), x + i, y, 0, 1, {.source0 = words[i]});
    });
    INFO("round " << round << ", x " << x << ", pixels " << pixels);
    REQUIRE(result([&] { rt.write_words(f.view, x, y, 0, pixels, words); }) == expected);
  }
  CHECK(compared > 200);
}

TEST_CASE("fill writes all of a rectangle and nothing else") {
  Fixture f;
  f.surface.width = 300, f.surface.height = 70;
  using surface::Tiling;
  for (const Tiling tiling : {Tiling::linear, Tiling::x, Tiling::y, Tiling::yf, Tiling::ys}) {
    if (surface::is_standard(tiling)) f.surface.halign = f.surface.valign = tiling == Tiling::ys ? 128 : 32;
    f.view.fill(base, 0, 0x40000);
    f.surface.format = surface::find_format(surface::SurfaceFormat::R8G8B8A8_UNORM);
    f.surface.tiling = tiling;
    f.surface.pitch = 1536;
    const surface::Level level(f.surface, 0);
    const uint32_t value = 0x12345678;
    const PixelRect rect{3, 5, 277, 69};
    const StopFlag stop;
    fill(f.view, f.surface, level, rect, 0, 0, reinterpret_cast<const std::byte*>(&value), {stop, StopFlag::dropping});
    for (int32_t y = 0; y < 70; ++y)
      for (int32_t x = 0; x < 300; ++x) {
        const bool in = x >= rect.x0 && x < rect.x1 && y >= rect.y0 && y < rect.y1;
        REQUIRE(f.view.load<uint32_t>(level.address(static_cast<uint32_t>(x), static_cast<uint32_t>(y), 0)) == (in ? value : 0));
      }
  }
}

TEST_CASE("payloads have barycentrics, depth and W of the pixels' centres") {
  INFO("seed " << seed);
  Fixture f;
  for (unsigned round = 0; round < 2000; ++round) {
    CenterPlanes planes;
    planes.modes = f.any() & 63, planes.depth = f.any() & 1, planes.w = f.any() & 1;
    const auto plane = [&] { return CenterPlanes::Plane{f.value() * 0.01, f.value() * 0.01, f.value()}; };
    planes.perspective = {plane(), plane()}, planes.linear = {plane(), plane()}, planes.z = plane();
    planes.one_over_w = round % 3 ? plane() : CenterPlanes::Plane{0, round & 1 ? -0.0 : 0.0, f.value()};
    planes.bias = f.value(), planes.low = 0.25f, planes.high = 0.75f;
    std::array<uint32_t, 4> quads;
    for (uint32_t& quad : quads) quad = (f.any() & 0x3ffe) | (f.any() & 0x3ffe) << 16;
    if (round & 1) quads[1] = quads[0] + 2;
    if (round & 2) quads[2] = quads[0] ^ (2u << 16), quads[3] = quads[1] ^ (2u << 16);
    std::vector<float> expected;
    const auto each = [&](auto&& value) {
      for (const uint32_t quad : quads)
        for (uint32_t i = 0; i < 4; ++i) expected.push_back(value((quad & 0xffff) + (i & 1), (quad >> 16) + (i >> 1)));
    };
    // From the corner of 4x4 pixels, in floats.
    const auto at = [](const CenterPlanes::Plane& p, uint32_t x, uint32_t y) {
      const auto corner = static_cast<float>(p[0] * (x & ~3u) + p[1] * (y & ~3u) + p[2]);
      const float right = static_cast<float>(p[0]) * (static_cast<float>(x & 3) + 0.5f),
                  down = static_cast<float>(p[1]) * (static_cast<float>(y & 3) + 0.5f);
      return corner + (right + down);
    };
    for (unsigned mode = 0; mode < 6; ++mode) {
      if (!(planes.modes >> mode & 1)) continue;
      std::array<std::vector<float>, 2> both;
      for (unsigned k = 0; k < 2; ++k) {
        each([&](uint32_t x, uint32_t y) {
          return at((mode < 3 ? planes.perspective : planes.linear)[k], x, y) * (mode < 3 ? 1.0f / at(planes.one_over_w, x, y) : 1.0f);
        });
        both[k].assign(expected.end() - 16, expected.end());
        expected.resize(expected.size() - 16);
      }
      for (unsigned pair = 0; pair < 2; ++pair)
        for (const auto& of : both) expected.insert(expected.end(), of.begin() + 8 * pair, of.begin() + 8 * pair + 8);
    }
    if (planes.depth)
      each([&](uint32_t x, uint32_t y) {
        const double z = planes.z[0] * (x + 0.5) + planes.z[1] * (y + 0.5) + planes.z[2] + planes.bias;
        return static_cast<float>(std::min(std::max(z, planes.low), planes.high));
      });
    if (planes.w) each([&](uint32_t x, uint32_t y) { return 1.0f / at(planes.one_over_w, x, y); });
    REQUIRE(planes.registers(quads.size()) * 8 == expected.size());
    for (const PixelKernels* build : builds()) {
      std::vector<float> got(expected.size() + 8, -1.0f);
      const CenterThread thread{quads.data(), got.data()};
      build->center_planes(planes, &thread, 1, quads.size());
      INFO("round " << round);
      REQUIRE(std::equal(expected.begin(), expected.end(), got.begin(), [](float a, float b) {
        return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b) || (std::isnan(a) && std::isnan(b));
      }));
      REQUIRE(std::all_of(got.end() - 8, got.end(), [](float v) { return v == -1.0f; }));
      // Interpolation at a given position gives the same value at the centre.
      if (!(planes.modes & 1)) continue;
      std::array<double, 16> x, y;
      std::array<float, 16> i, j;
      for (unsigned n = 0; n < 16; ++n) x[n] = (quads[n / 4] & 0xffff) + (n & 1) + 0.5, y[n] = (quads[n / 4] >> 16) + (n >> 1 & 1) + 0.5;
      build->interpolate({planes.perspective[0].data(), planes.perspective[1].data(), planes.one_over_w.data()}, x.data(), y.data(), 16,
                         i.data(), j.data());
      const auto same = [](float a, float b) {
        return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b) || (std::isnan(a) && std::isnan(b));
      };
      for (unsigned n = 0; n < 16; ++n) {
        REQUIRE(same(i[n], got[n / 8 * 16 + n % 8]));
        REQUIRE(same(j[n], got[n / 8 * 16 + 8 + n % 8]));
      }
    }
  }
}

TEST_CASE("4x4 colours at once are written as by halves") {
  INFO("seed " << seed);
  Fixture f;
  for (unsigned round = 0; round < 2000; ++round) {
    f.surface.format = surface::find_format(round & 1 ? surface::SurfaceFormat::B8G8R8A8_UNORM : surface::SurfaceFormat::B8G8R8X8_UNORM);
    const uint32_t blend[] = {0, round & 2 ? f.any() : 0, f.any() & ~(1u << 31)};
    f.view.write(blend_at, blend, sizeof blend);
    f.state.refresh(f.store, f.view);
    OutputMerger merger(f.state);
    merger.set_target(0, f.state.decoder->target_blend(f.view, f.state, 0));
    const RenderTarget rt(f.surface);
    const auto kernel = merger.color_kernel(rt, 0);
    if (!kernel) continue;
    float source[2][4][8];
    for (auto& half : source)
      for (auto& component : half)
        for (float& v : component) v = f.value();
    alignas(64) std::array<std::byte, 2048> old, expected, got;
    for (std::byte& b : old) b = static_cast<std::byte>(f.any());
    for (const PixelKernels* build : builds())
      for (const uint32_t row : {16u, 512u}) {
        expected = got = old;
        ColorSquare whole{.source = {}, .at = got.data(), .row = row};
        for (unsigned half = 0; half < 2; ++half) {
          ColorPixels pixels{.source = {}, .source1 = {}, .lanes = 0xff};
          for (unsigned c = 0; c < 4; ++c) pixels.source[c] = whole.source[half][c] = source[half][c];
          for (unsigned r = 0; r < 4; ++r) pixels.rows[r] = expected.data() + (2 * half + (r & 1)) * row + (r >> 1) * 8;
          build->write_color(*kernel, pixels);
        }
        build->write_square(*kernel, whole);
        INFO("round " << round << ", row " << row);
        REQUIRE(expected == got);
      }
  }
}

TEST_CASE("steps from a square's corner give the barycentrics of its payload") {
  INFO("seed " << seed);
  Fixture f;
  for (unsigned round = 0; round < 500; ++round) {
    CenterPlanes planes;
    planes.modes = 1u << round % 3;
    const auto plane = [&] { return CenterPlanes::Plane{f.value() * 0.01, f.value() * 0.01, f.value()}; };
    planes.perspective = {plane(), plane()}, planes.one_over_w = plane();
    const uint32_t at = (f.any() & 0x3ffc) | (f.any() & 0x3ffc) << 16;
    const std::array<uint32_t, 4> quads{at, at + 2, at + (2 << 16), at + 2 + (2 << 16)};
    for (const PixelKernels* build : builds()) {
      std::array<float, 32> expected;
      const CenterThread thread{quads.data(), expected.data()};
      build->center_planes(planes, &thread, 1, quads.size());
      std::array<float, 4> corner;
      build->square_corners(planes, {quads.data(), corner.data(), 0, 1});
      float steps[3][16];
      build->square_steps(planes, steps);
      INFO("round " << round);
      for (unsigned n = 0; n < 16; ++n)
        for (unsigned k = 0; k < 2; ++k) {
          const float got = (corner[k + 1] + steps[k + 1][n]) * (1.0f / (corner[0] + steps[0][n])),
                      want = expected[n / 8 * 16 + 8 * k + n % 8];
          REQUIRE(((std::isnan(got) && std::isnan(want)) || got == want));
        }
    }
  }
}
