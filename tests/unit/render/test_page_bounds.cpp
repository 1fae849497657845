// SPDX-License-Identifier: GPL-2.0-or-later
// Surfaces of a hostile guest, drawn to by each of the fast paths: none may access a byte beyond the page that it looked up.
// Guest pages are between inaccessible ones, so that a stray access is a SIGSEGV.
#include <algorithm>
#include <array>
#include <random>

#include "hw/base/log.h"
#include "hw/defs/gen5/all.h"
#include "hw/defs/gen5/set.h"
#include "hw/defs/gen9/all.h"
#include "hw/render/color_control.h"
#include "hw/render/depth_stencil.h"
#include "hw/render/fill.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"
#include "tests/unit/memory/isolated.h"
#include "tests/unit/render/decoded.h"

using namespace softgen;
using namespace softgen::render;
using namespace softgen::render::test;
using SurfaceState = defs::gen9::RENDER_SURFACE_STATE;
using surface::SurfaceFormat;

namespace {

constexpr uint64_t base = 0x10000, aux_base = 0x90000;
constexpr uint32_t pages = 0xc0;

struct Fixture : memory::test::Isolated {
  StateStore store{defs::gen9::commands};
  State state;
  const StopFlag flag;
  const StopReasons never{flag, 0};
  Fixture() : Isolated(pages) { quiet_log(); }

  template <typename Packet>
  void accept(const char* name, const Packet& packet) {
    store.accept({0, defs::gen9::commands.find(name), packet.pack()});
    state.refresh(store);
  }
  /// 64x64 of this format, tested and written, at a base and with a pitch (bytes) of the guest's choice.
  void depth_buffer(gen9::_3DSTATE_DEPTH_BUFFER::SurfaceFormat format, uint64_t at, uint32_t pitch) {
    gen9::_3DSTATE_DEPTH_BUFFER d{};
    d.surface_type = gen9::_3DSTATE_DEPTH_BUFFER::SurfaceType::SURFTYPE_2D;
    d.surface_format = format;
    d.depth_write_enable = true;
    d.surface_pitch = pitch - 1;
    d.surface_base_address = at;
    d.width = d.height = 63;
    d.surface_qpitch = 64 / 4;
    accept("3DSTATE_DEPTH_BUFFER", d);
    gen9::_3DSTATE_WM_DEPTH_STENCIL tests{};
    tests.depth_test_enable = tests.depth_buffer_write_enable = true;
    tests.depth_test_function = gen9::CompareFunction::COMPAREFUNCTION_ALWAYS;
    accept("3DSTATE_WM_DEPTH_STENCIL", tests);
  }
};

SurfaceState image(SurfaceFormat format, SurfaceState::TileMode tiling, uint64_t at, uint32_t pitch) {
  SurfaceState s{};
  s.surface_type = SurfaceState::SurfaceType::SURFTYPE_2D;
  s.surface_format = format;
  s.width = s.height = 63;
  s.tile_mode = tiling;
  s.surface_base_address = at;
  s.surface_pitch = pitch - 1;
  s.surface_qpitch = 64 / 4;
  s.surface_horizontal_alignment = SurfaceState::SurfaceHorizontalAlignment::HALIGN_4;
  s.surface_vertical_alignment = SurfaceState::SurfaceVerticalAlignment::VALIGN_4;
  s.mip_tail_start_lod = 15;
  return s;
}

surface::Surface decoded(const SurfaceState& s) { return surface::decode_surface<defs::Gen9>(s.pack()); }

/// Also pitches that are not multiples of a tile; with the largest, 64 rows still fit into the memory.
constexpr uint32_t pitches[] = {1, 4, 127, 128, 132, 160, 255, 256, 257, 400, 511, 512, 520, 640, 1016, 1024, 1028};
constexpr uint64_t bases[] = {base, base + 4, base + 16, base + 64, base + 0x200, base + 0xe10, base + 0xfc0};
constexpr SurfaceState::TileMode tilings[] = {SurfaceState::TileMode::LINEAR, SurfaceState::TileMode::WMAJOR,
                                              SurfaceState::TileMode::XMAJOR, SurfaceState::TileMode::YMAJOR};

surface::Surface standard_tiled(SurfaceState::TiledResourceMode mode, SurfaceFormat format, uint64_t at, uint32_t pitch) {
  SurfaceState state = image(format, SurfaceState::TileMode::YMAJOR, at, pitch);
  state.tiled_resource_mode = mode;
  return decoded(state);
}
surface::Surface yf_tiled(SurfaceFormat format, uint64_t at, uint32_t pitch) {
  return standard_tiled(SurfaceState::TiledResourceMode::_4KB, format, at, pitch);
}

surface::Surface swizzled(surface::Surface s) {
  s.tiling = s.tiling == surface::Tiling::x ? surface::Tiling::swizzled_x : surface::Tiling::swizzled_y;
  return s;
}

}  // namespace

TEST_CASE("a depth clear with a pitch that is not a multiple of tiles stays within its pages") {
  using Format = gen9::_3DSTATE_DEPTH_BUFFER::SurfaceFormat;
  for (const Format format : {Format::D32_FLOAT, Format::D16_UNORM})
    for (const uint32_t pitch : pitches)
      for (const uint64_t at : bases) {
        Fixture f;
        f.depth_buffer(format, at, pitch);
        DepthOperation op;
        op.clear_depth = op.whole_surface = true;
        op.sample_mask = 1;
        CAPTURE(static_cast<int>(format), pitch, at);
        DepthStencil(f.state).clear(f.view, [&](const PixelRect& rect, const FillPart& part) { part(f.view, rect); }, f.never, op);
      }
}

TEST_CASE("depth tests by blocks stay within their pages") {
  using Format = gen9::_3DSTATE_DEPTH_BUFFER::SurfaceFormat;
  for (const Format format : {Format::D32_FLOAT, Format::D24_UNORM_X8_UINT, Format::D16_UNORM})
    for (const uint32_t pitch : pitches)
      for (const uint64_t at : bases) {
        Fixture f;
        f.depth_buffer(format, at, pitch);
        const DepthStencil tests(f.state);
        REQUIRE(tests.uses_depth());
        if (!tests.tests_blocks()) continue;
        const DepthKernel kernel = tests.kernel({.a = 0, .b = 0, .c = 0.5, .bias = 0, .low = 0, .high = 1});
        CAPTURE(static_cast<int>(format), pitch, at);
        for (uint32_t y = 0; y < 64; y += 8)
          for (uint32_t x = 0; x < 64; x += 8)
            if (tests.holds_block(x, y, 0)) tests.test_block(f.view, kernel, {x, y, 0, x + 0.5, y + 0.5, true}, ~uint64_t{0});
      }
}

TEST_CASE("colours are written within their pages, whatever the target's base and pitch") {
  Fixture f;
  const OutputMerger merger(DrawState{});
  for (const auto format : {SurfaceFormat::R8G8B8A8_UNORM, SurfaceFormat::R32_UINT})
    for (const auto tiling : tilings)
      for (const uint32_t pitch : pitches)
        for (const uint64_t at : bases) {
          const RenderTarget rt(decoded(image(format, tiling, at, pitch)));
          REQUIRE(rt.level);
          CAPTURE(static_cast<int>(format), static_cast<int>(tiling), pitch, at);
          if (!merger.color_kernel(rt, 0)) continue;
          for (uint32_t y = 0; y < 64; y += 2)
            for (uint32_t x = 0; x < 64; x += 4) {
              std::byte* rows[2];
              REQUIRE(rt.quad_rows(f.view, x, y, 0, rows) == 15);
              // Two quads side by side, as in the target writer.
              for (std::byte* const row : rows) std::memset(row, 0x5a, 16);
            }
          for (uint32_t y = 0; y < 64; y += 8)
            for (uint32_t x = 0; x < 64; x += 8) {
              rt.fill_block(f.view, x, y, 0, ~uint64_t{0}, 0x12345678);
              rt.fill_block(f.view, x, y, 0, 0x8040201008040201, 0x12345678);
            }
        }
}

TEST_CASE("quads and blocks of a target have the addresses of their pixels in the surface") {
  Fixture f;
  const OutputMerger merger(DrawState{});
  constexpr auto format = SurfaceFormat::R8G8B8A8_UNORM;
  const surface::Surface x = decoded(image(format, SurfaceState::TileMode::XMAJOR, base, 512)),
                         y = decoded(image(format, SurfaceState::TileMode::YMAJOR, base, 256));
  for (const surface::Surface& s : {x, y, yf_tiled(format, base, 256), swizzled(x), swizzled(y)}) {
    const RenderTarget rt(s);
    CAPTURE(surface::tiling_name(s.tiling));
    REQUIRE(merger.color_kernel(rt, 0));
    for (uint32_t y = 0; y < 64; ++y)
      for (uint32_t x = 0; x < 64; ++x) {
        const uint64_t at = rt.level->address(x, y, 0);
        std::byte* rows[2];
        REQUIRE(rt.quad_rows(f.view, x & ~1u, y & ~1u, 0, rows) == 15);
        REQUIRE(rows[y & 1] + 4 * (x & 1) == f.view.at(at));
        f.view.store<uint32_t>(at, 0);
        rt.fill_block(f.view, x & ~7u, y & ~7u, 0, uint64_t{1} << (y % 8 * 8 + x % 8), 0x5eed);
        REQUIRE(f.view.load<uint32_t>(at) == 0x5eed);
      }
  }
}

TEST_CASE("colours of Ironlake's swizzled targets are written within their pages, wherever levels and slices begin") {
  using State = defs::gen5::RENDER_SURFACE_STATE;
  Fixture f;
  const OutputMerger merger(DrawState{});
  constexpr unsigned seed = 5;
  std::mt19937 random(seed);
  INFO("seed " << seed);
  unsigned quads = 0;
  for (unsigned round = 0; round < 2000; ++round) {
    State s;
    s.surface_type = random() % 2 ? State::SurfaceType::SURFTYPE_2D : State::SurfaceType::SURFTYPE_3D;
    s.surface_format = defs::gen5::SurfaceFormat::B8G8R8A8_UNORM;
    s.tiled_surface = true, s.tile_walk = random() % 2 ? State::TileWalk::TILEWALK_YMAJOR : State::TileWalk::TILEWALK_XMAJOR;
    s.surface_base_address = static_cast<uint32_t>(base + random() % 0x4000);
    s.width = random() % 200, s.height = random() % 200, s.depth = random() % 16, s.surface_pitch = random() % 2048;
    s.mip_count_lod = random() % 6, s.minimum_array_element = random() % 4, s.render_target_view_extent = random() % 4;
    s.x_offset = random() % 128, s.y_offset = random() % 16;
    const RenderTarget rt(surface::decode_surface<defs::Gen5>(s.pack()));
    if (!rt.level || !merger.color_kernel(rt, 0)) continue;
    for (uint32_t y = 0; y < std::min(rt.level->extent().height, 40u); y += 2)
      for (uint32_t x = 0; x < std::min(rt.level->extent().width, 80u); x += 4) {
        std::byte* rows[2];
        const uint32_t there = rt.quad_rows(f.view, x, y, random() % 4, rows);
        for (unsigned row = 0; row < (there & 0xc ? 2 : 1); ++row) std::memset(rows[row], 0x5a, 16);
        ++quads;
      }
  }
  CHECK(quads > 10000);
}

TEST_CASE("a target in a mip tail is written pixel by pixel") {
  Fixture f;
  SurfaceState state = image(SurfaceFormat::R8G8B8A8_UNORM, SurfaceState::TileMode::YMAJOR, base, 256);
  state.tiled_resource_mode = SurfaceState::TiledResourceMode::_4KB;
  state.mip_tail_start_lod = 2;
  const OutputMerger merger(DrawState{});
  for (const unsigned level : {1u, 2u}) {
    state.mip_count_lod = level;
    CHECK(merger.color_kernel(RenderTarget(decoded(state)), 0).has_value() == (level == 1));
  }
}

TEST_CASE("fills stay within their pages, whatever format, tiling, base and pitch") {
  Fixture f;
  const std::array<std::byte, 16> texel{};
  for (const auto format : {SurfaceFormat::R8_UNORM, SurfaceFormat::R16_UINT, SurfaceFormat::R32_UINT, SurfaceFormat::R16G16B16A16_UNORM})
    for (const auto tiling : tilings)
      for (const uint32_t pitch : pitches)
        for (const uint64_t at : bases) {
          const surface::Surface s = decoded(image(format, tiling, at, pitch));
          const surface::Level level(s, 0);
          CAPTURE(static_cast<int>(format), static_cast<int>(tiling), pitch, at);
          fill(f.view, s, level, {0, 0, 64, 64}, 0, 0, texel.data(), f.never);
          fill(f.view, s, level, {3, 5, 61, 50}, 0, 0, texel.data(), f.never);
        }
}

TEST_CASE("a fill of Yf and Ys tiles stays within its pages, whatever the pitch and the base") {
  Fixture f;
  const std::array<std::byte, 16> texel{};
  for (const auto mode : {SurfaceState::TiledResourceMode::_4KB, SurfaceState::TiledResourceMode::_64KB})
    for (const auto format : {SurfaceFormat::R8_UNORM, SurfaceFormat::R8G8B8A8_UNORM, SurfaceFormat::R32G32B32A32_UINT})
      for (const uint32_t pitch : pitches)
        for (const uint64_t at : bases) {
          const surface::Surface s = standard_tiled(mode, format, at, pitch);
          CAPTURE(static_cast<int>(mode), static_cast<int>(format), pitch, at);
          for (const PixelRect& rect : {PixelRect{0, 0, 64, 64}, PixelRect{3, 5, 61, 50}})
            fill(f.view, s, surface::Level(s, 0), rect, 0, 0, texel.data(), f.never);
        }
}

TEST_CASE("fills of 16-byte elements terminate, whatever the pitch") {
  Fixture f;
  const std::array<std::byte, 16> texel{};
  for (const auto tiling : tilings)
    for (const uint32_t pitch : {8u, 520u, 536u, 1032u, 1025u}) {
      CAPTURE(static_cast<int>(tiling), pitch);
      const surface::Surface s = decoded(image(SurfaceFormat::R32G32B32A32_FLOAT, tiling, base, pitch));
      fill(f.view, s, surface::Level(s, 0), {0, 0, 64, 64}, 0, 0, texel.data(), f.never);
    }
}

TEST_CASE("a color control surface is expanded and encoded within its pages, whatever base and alignment the pixels have") {
  Fixture f;
  for (const auto format : {SurfaceFormat::R8G8B8A8_UNORM, SurfaceFormat::R16G16B16A16_UNORM, SurfaceFormat::R32G32B32A32_UINT})
    for (const uint64_t at : bases)
      for (const uint32_t lod : {0u, 2u}) {
        SurfaceState state = image(format, SurfaceState::TileMode::YMAJOR, at, 1024 + 64);
        // With HALIGN_4 level 2 begins at element 100: of 4 bytes each, in the middle of a pair.
        state.width = state.height = 199, state.surface_qpitch = 320 / 4;
        state.mip_count_lod = lod;
        state.auxiliary_surface_mode = static_cast<decltype(state.auxiliary_surface_mode)>(surface::AuxMode::ccs_e);
        state.auxiliary_surface_base_address = aux_base | 0xabc;
        const RenderTarget rt(decoded(state));
        CAPTURE(static_cast<int>(format), at, lod);
        if (!rt.ccs) continue;
        // All "clear": add() writes the clear colour where nothing has been drawn.
        rt.ccs.fill(f.view, {0, 0, rt.level->extent().width, rt.level->extent().height}, 0, surface::CcsCode::clear);
        TouchedPairs touched;
        for (int32_t y = 0; y < 128; y += 64)
          for (int32_t x = 0; x < 128; x += 64) {
            touched.add(f.view, rt, 0, {x + 3, y + 1, x + 62, y + 63});
            touched.encode(f.view);
          }
      }
}
