// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's surfaces: what crocus writes, layouts of levels by Mesa's isl, and bit 6 of tiled addresses.
#include <random>
#include <set>

#include "hw/defs/gen5/all.h"
#include "hw/surface/surface.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"

using namespace softgen;
using namespace softgen::surface;
using State = defs::gen5::RENDER_SURFACE_STATE;

namespace {

Surface decoded(const State& s) {
  const auto dwords = s.pack();
  return decode_surface<defs::Gen5>(dwords);
}

State image(State::SurfaceType type, uint32_t width, uint32_t height, uint32_t depth, uint32_t pitch) {
  State s;
  s.surface_type = type;
  s.surface_format = SurfaceFormat::R8G8B8A8_UNORM;
  s.width = width - 1, s.height = height - 1, s.depth = depth - 1;
  s.surface_pitch = pitch - 1;
  s.surface_base_address = 0x10000;
  return s;
}

}  // namespace

TEST_CASE("Ironlake's render target of 64x64, X-tiled") {
  State s = image(State::SurfaceType::SURFTYPE_2D, 64, 64, 1, 512);
  s.tiled_surface = 1;
  const Surface surface = decoded(s);
  CHECK(surface.tiling == Tiling::swizzled_x);
  CHECK(surface.pitch == 512);
  CHECK(surface.view_extent == 1);
  const Level level(surface, 0);
  // i915's I915_BIT_6_SWIZZLE_9_10: row 1 is at 512 (bit 9), row 3 has both bits, so none is changed.
  CHECK(level.address(0, 0, 0) == 0x10000);
  CHECK(level.address(0, 1, 0) == 0x10000 + 512 + 64);
  CHECK(level.address(16, 1, 0) == 0x10000 + 512);
  CHECK(level.address(0, 2, 0) == 0x10000 + 1024 + 64);
  CHECK(level.address(0, 3, 0) == 0x10000 + 1536);
  CHECK(level.address(0, 9, 0) == 0x10000 + 4096 + 512 + 64);
}

TEST_CASE("swizzled tiles hold each byte of a page once, and move as their addresses say") {
  std::mt19937 random(5);
  INFO("seed 5");
  for (const Tiling tiling : {Tiling::swizzled_x, Tiling::swizzled_y}) {
    const PageShape page = page_shape(tiling, 4);
    std::vector<std::byte> memory(4096), linear(4096), back(4096);
    for (std::byte& b : memory) b = static_cast<std::byte>(random());
    page_to_linear(tiling, 4, memory.data(), {0, 0, page.width, page.height}, linear.data(), page.width);
    std::set<uint64_t> seen;
    for (uint32_t y = 0; y < page.height; ++y)
      for (uint32_t x = 0; x < page.width; ++x) {
        const uint64_t at = offset(tiling, 4, x, y, page.width);
        seen.insert(at);
        REQUIRE(at < 4096);
        REQUIRE(linear[y * page.width + x] == memory[at]);
      }
    CHECK(seen.size() == 4096);
    linear_to_page(tiling, 4, back.data(), {0, 0, page.width, page.height}, linear.data(), page.width);
    CHECK(back == memory);
  }
}

TEST_CASE("levels and slices of Ironlake's 2D surfaces are isl's") {
  State s = image(State::SurfaceType::SURFTYPE_2D, 100, 50, 4, 512);
  const Surface surface = decoded(s);
  CHECK(surface.qpitch == 50 + 26 + 22);  // 25 rows aligned to 2
  const auto at = [&](unsigned lod) { return level_origin(surface, lod); };
  CHECK(at(1).y == 50);
  CHECK((at(2).x == 52 && at(2).y == 50));
  CHECK((at(3).x == 52 && at(3).y == 62));
  CHECK(Level(surface, 0).address(0, 0, 3) == 0x10000 + 3 * 98 * 512);
}

TEST_CASE("linear 1D surfaces of Ironlake have their levels and slices below each other, too") {
  const Surface surface = decoded(image(State::SurfaceType::SURFTYPE_1D, 32, 1, 5, 128));
  const auto place = [&](unsigned lod, uint32_t slice) { return Level(surface, lod).address(3, 0, slice) - 0x10000; };
  CHECK(place(0, 0) == 3 * 4);
  CHECK(place(0, 1) == (2 + 2 + 22) * 128 + 3 * 4);
  CHECK(place(1, 0) == 2 * 128 + 3 * 4);
  CHECK(place(2, 0) == 2 * 128 + (16 + 3) * 4);
  CHECK(place(3, 4) == 4 * 26 * 128 + 4 * 128 + (16 + 3) * 4);
}

TEST_CASE("levels of Ironlake's 3D surfaces have 2^l slices a row") {
  // Mesa isl.c, get_image_offset_sa_gfx4_3d: 16x16x8.
  const Surface surface = decoded(image(State::SurfaceType::SURFTYPE_3D, 16, 16, 8, 256));
  const auto place = [&](unsigned lod, uint32_t slice) { return Level(surface, lod).address(0, 0, slice) - 0x10000; };
  CHECK(place(0, 7) == 7 * 16 * 256);
  CHECK(place(1, 0) == 128 * 256);          // behind eight slices of 16 rows
  CHECK(place(1, 1) == 128 * 256 + 8 * 4);  // beside it
  CHECK(place(1, 2) == (128 + 8) * 256);    // below
  CHECK(place(2, 1) == (128 + 16) * 256 + 4 * 4);
}

// crocus_state.c, upload_ubo_ssbo_surf_state: R32G32B32A32_FLOAT with a stride of 1, so that kernels count bytes.
TEST_CASE("entries of Ironlake's buffers follow each other by the pitch, though the format is larger") {
  State s = image(State::SurfaceType::SURFTYPE_BUFFER, 64, 1, 1, 1);
  s.surface_format = SurfaceFormat::R32G32B32A32_FLOAT;
  const Surface surface = decoded(s);
  CHECK(surface.pitch == 1);
  CHECK(surface.entries == 64 * 16);
  s.surface_pitch = 15;
  CHECK(decoded(s).entries == 64);
}

TEST_CASE("Ironlake's buffers, fields and depth buffers") {
  State s = image(State::SurfaceType::SURFTYPE_BUFFER, 1, 1, 1, 16);
  s.width = 0x7f, s.height = 0x1fff, s.depth = 2;
  CHECK(decoded(s).entries == (3u << 20));
  State field = image(State::SurfaceType::SURFTYPE_2D, 8, 8, 1, 64);
  field.vertical_line_stride = 1, field.vertical_line_stride_offset = 1;
  CHECK(decoded(field).base == 0x10040);
  CHECK(decoded(field).pitch == 128);

  defs::gen5::_3DSTATE_DEPTH_BUFFER depth;
  depth.surface_type = decltype(depth.surface_type)::SURFTYPE_2D;
  depth.surface_format = decltype(depth.surface_format)::D24_UNORM_S8_UINT;
  depth.tiled_surface = true, depth.tile_walk = decltype(depth.tile_walk)::TILEWALK_YMAJOR;
  depth.surface_pitch = 255, depth.surface_base_address = 0x2c000, depth.width = 63, depth.height = 63;
  const Surface buffer = decode_depth_buffer<defs::Gen5>(depth.pack(), 1);
  CHECK(buffer.tiling == Tiling::swizzled_y);
  CHECK(buffer.format->code == SurfaceFormat::R24_UNORM_X8_TYPELESS);
  CHECK(Level(buffer, 0).address(8, 0, 0) == 0x2c000 + 1024);
  CHECK(Level(buffer, 0).address(4, 0, 0) == 0x2c000 + 512 + 64);  // I915_BIT_6_SWIZZLE_9
}

TEST_CASE("random surface states of Ironlake decode to surfaces whose addresses can be asked for") {
  quiet_log();
  for (uint32_t seed = 1; seed <= 2000; ++seed) {
    std::mt19937 random(seed);
    INFO("seed " << seed);
    std::array<uint32_t, 6> dwords;
    for (uint32_t& dw : dwords) dw = static_cast<uint32_t>(random());
    const Surface surface = decode_surface<defs::Gen5>(dwords);
    if (surface.is_null() || surface.is_buffer()) continue;
    REQUIRE(surface.format);
    const Level level(surface, surface.mip_count);
    const Extent extent = level.extent();
    REQUIRE((extent.width >= 1 && extent.height >= 1));
    (void)level.address(extent.width - 1, extent.height - 1, surface.view_extent - 1);
  }
}
