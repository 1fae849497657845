// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/defs/gen9/all.h"
#include "hw/surface/mip_tail.h"
#include "hw/surface/surface.h"

#include <algorithm>
#include <bit>
#include <random>
#include <set>
#include <vector>

#include "hw/base/failure_log.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"

using namespace softgen;
using namespace softgen::surface;
using State = defs::gen9::RENDER_SURFACE_STATE;

namespace {

State image(State::SurfaceType type, SurfaceFormat format, uint32_t width, uint32_t height, uint32_t depth, State::TileMode tile,
            uint32_t pitch, uint32_t qpitch) {
  State s;
  s.surface_type = type;
  s.surface_format = format;
  s.width = width - 1, s.height = height - 1, s.depth = depth - 1;
  s.tile_mode = tile;
  s.surface_pitch = pitch - 1;
  s.surface_qpitch = qpitch / 4;
  s.surface_base_address = 0x10'0000;
  s.surface_horizontal_alignment = State::SurfaceHorizontalAlignment::HALIGN_4;
  s.surface_vertical_alignment = State::SurfaceVerticalAlignment::VALIGN_4;
  s.mip_tail_start_lod = 15;
  return s;
}

Surface decoded(const State& s) {
  const auto dwords = s.pack();
  return decode_surface<defs::Gen9>(dwords);
}

}  // namespace

TEST_CASE("levels of a 2D mip tree have isl's positions") {
  // Mesa isl/tests/isl_surf_get_image_offset_test.c: 512x512 and an array of 1024x1024, all levels.
  const Surface a =
      decoded(image(State::SurfaceType::SURFTYPE_2D, SurfaceFormat::R8G8B8A8_UNORM, 512, 512, 1, State::TileMode::YMAJOR, 2048, 772));
  const uint32_t expect[][2] = {{0, 0},     {0, 512},   {256, 512}, {256, 640}, {256, 704},
                                {256, 736}, {256, 752}, {256, 760}, {256, 764}, {256, 768}};
  for (unsigned lod = 0; lod < 10; ++lod) {
    CHECK(level_origin(a, lod).x == expect[lod][0]);
    CHECK(level_origin(a, lod).y == expect[lod][1]);
  }
  const Surface b =
      decoded(image(State::SurfaceType::SURFTYPE_2D, SurfaceFormat::R8G8B8A8_UNORM, 1024, 1024, 6, State::TileMode::YMAJOR, 4096, 1540));
  for (uint32_t slice = 0; slice < 6; ++slice)
    CHECK(Level(b, 10).address(0, 0, slice) == 0x10'0000 + offset_y(512 * 4, slice * 1540 + 1536, 4096));
}

TEST_CASE("block formats count in blocks") {
  auto s = image(State::SurfaceType::SURFTYPE_2D, SurfaceFormat::BC1_UNORM, 100, 60, 1, State::TileMode::YMAJOR, 256, 64);
  const Surface bc = decoded(s);
  // 25 x 15 blocks, aligned to 28 x 16; level 1: 13 x 8 blocks, aligned 16 x 8.
  CHECK(level_origin(bc, 1).y == 16);
  CHECK(level_origin(bc, 2).x == 16);
  CHECK(Level(bc, 0).address(3, 5, 0) == 0x10'0000 + offset_y(24, 5, 256));
}

TEST_CASE("a surface with one tile more than its width, for media compression's control data, keeps its elements' places") {
  // KBL PRM vol 3, "Media Memory Compression": 1920x1088 of 8 bits are 16 tiles wide when compression is off, 17 else.
  auto s = image(State::SurfaceType::SURFTYPE_2D, SurfaceFormat::R8_UNORM, 1920, 1088, 1, State::TileMode::YMAJOR, 17 * 128, 1088);
  const Surface plain = decoded(s);
  s.memory_compression_enable = true;
  const Surface compressible = decoded(s);
  for (const Surface* surface : {&plain, &compressible}) {
    CHECK(surface->width == 1920);
    CHECK(Level(*surface, 0).address(1919, 1087, 0) == 0x10'0000 + offset_y(1919, 1087, 17 * 128));
    CHECK(Level(*surface, 0).address(0, 32, 0) == 0x10'0000 + 17 * 4096);
  }
}

namespace {

/// A 2D surface of whole tiles of Yf or Ys whose levels from `tail` on share a tile.
Surface standard_tiled(SurfaceFormat format, uint32_t width, uint32_t height, uint32_t pitch, uint32_t qpitch, bool yf, unsigned tail,
                       unsigned levels) {
  State s = image(State::SurfaceType::SURFTYPE_2D, format, width, height, 2, State::TileMode::YMAJOR, pitch, qpitch);
  s.tiled_resource_mode = yf ? State::TiledResourceMode::_4KB : State::TiledResourceMode::_64KB;
  s.mip_tail_start_lod = tail;
  s.mip_count_lod = levels - 1;
  return decoded(s);
}

}  // namespace

TEST_CASE("levels of a mip tail are in their slots") {
  // Mesa isl.c, skl_std_y_2d_miptail_offset_el, for 64x64: levels 0 and 1 have tiles of their own, 2 to 6 share the one right of level 1.
  const Surface s = standard_tiled(SurfaceFormat::R8G8B8A8_UNORM, 64, 64, 256, 96, true, 2, 7);
  const uint32_t expect[][2] = {{0, 0}, {0, 64}, {32 + 16, 64}, {32 + 8, 64 + 16}, {32, 64 + 24}, {32, 64 + 16}, {32 + 8, 64 + 8}};
  for (unsigned lod = 0; lod < std::size(expect); ++lod) {
    INFO("level " << lod);
    CHECK(level_origin(s, lod).x == expect[lod][0]);
    CHECK(level_origin(s, lod).y == expect[lod][1]);
  }
  CHECK(Level(s, 6).address(0, 0, 1) == 0x10'0000 + offset(Tiling::yf, 4, (32 + 8) * 4, 96 + 64 + 8, 256));
  // A level that no slot is left for is where the last one is.
  CHECK(level_origin(standard_tiled(SurfaceFormat::R8G8B8A8_UNORM, 64, 64, 256, 96, true, 0, 15), 14).x == 0);
}

TEST_CASE("depth buffers of Yf and Ys tiling have its alignment and its mip tail") {
  using Depth = defs::gen9::_3DSTATE_DEPTH_BUFFER;
  for (const auto mode : {Depth::TiledResourceMode::TILEYF, Depth::TiledResourceMode::TILEYS}) {
    const bool yf = mode == Depth::TiledResourceMode::TILEYF;
    Depth depth;
    depth.surface_type = Depth::SurfaceType::SURFTYPE_2D;
    depth.surface_format = Depth::SurfaceFormat::D32_FLOAT;
    depth.width = depth.height = 255;
    depth.surface_pitch = 1023;
    depth.surface_base_address = 0x10'0000;
    depth.surface_qpitch = 384 / 4;
    depth.tiled_resource_mode = mode;
    depth.mip_tail_start_lod = 4;
    depth.lod = 4;
    const Surface s = decode_depth_buffer<defs::Gen9>(depth.pack(), 1);
    const uint32_t tile = yf ? 32 : 128;
    CHECK(s.tiling == (yf ? Tiling::yf : Tiling::ys));
    CHECK(s.halign == tile);
    CHECK(s.valign == tile);
    const Origin slot = mip_tail_slot(s.tiling, 4, 0);
    CHECK(level_origin(s, 4).x == 128 + slot.x);
    CHECK(level_origin(s, 4).y == 256 + (yf ? 64 + 32 : 128 + 128) + slot.y);
    CHECK(decode_depth_buffer<defs::Gen9>(depth.pack(), 4).mip_tail == no_mip_tail);
  }
}

TEST_CASE("the levels of a mip tail fill one tile without sharing a place") {
  struct Case {
    SurfaceFormat format;
    uint32_t bytes;
  };
  const Case cases[] = {{SurfaceFormat::R8_UNORM, 1},
                        {SurfaceFormat::R16_UNORM, 2},
                        {SurfaceFormat::R8G8B8A8_UNORM, 4},
                        {SurfaceFormat::R32G32_FLOAT, 8},
                        {SurfaceFormat::R32G32B32A32_FLOAT, 16}};
  for (const Case& c : cases)
    for (const bool yf : {true, false}) {
      const PageShape tile = tile_shape(yf ? Tiling::yf : Tiling::ys, c.bytes);
      const Origin first = mip_tail_slot(yf ? Tiling::yf : Tiling::ys, c.bytes, 0);
      const uint32_t width = tile.width / c.bytes - first.x, height = tile.height - first.y;
      const unsigned levels = static_cast<unsigned>(std::bit_width(std::max(width, height)));
      const Surface surface = standard_tiled(c.format, width, height, tile.width, tile.height, yf, 0, levels);
      INFO(c.bytes << " bytes " << tiling_name(surface.tiling));
      std::set<uint64_t> seen;
      size_t count = 0;
      for (unsigned lod = 0; lod < levels; ++lod) {
        const Level level(surface, lod);
        for (uint32_t y = 0; y < level.extent().height; ++y)
          for (uint32_t x = 0; x < level.extent().width; ++x, ++count) seen.insert(level.address(x, y, 0));
      }
      CHECK(seen.size() == count);
      CHECK(*seen.begin() >= surface.base);
      CHECK(*seen.rbegin() < surface.base + tile_bytes(surface.tiling, c.bytes));
    }
}

TEST_CASE("no two elements of a surface share a place") {
  struct Case {
    State::SurfaceType type;
    SurfaceFormat format;
    uint32_t width, height, depth, levels, samples;
    State::TileMode tile;
    uint32_t pitch, qpitch;
    bool interleaved;
  };
  using T = State::SurfaceType;
  using M = State::TileMode;
  const Case cases[] = {
      {T::SURFTYPE_2D, SurfaceFormat::R8G8B8A8_UNORM, 37, 29, 5, 6, 1, M::YMAJOR, 256, 96, false},
      {T::SURFTYPE_2D, SurfaceFormat::R16_UNORM, 61, 33, 3, 6, 1, M::XMAJOR, 512, 96, false},
      {T::SURFTYPE_2D, SurfaceFormat::R8_UINT, 70, 40, 2, 6, 1, M::WMAJOR, 256, 128, false},
      {T::SURFTYPE_2D, SurfaceFormat::R32G32B32_FLOAT, 19, 21, 2, 5, 1, M::LINEAR, 240, 64, false},
      {T::SURFTYPE_3D, SurfaceFormat::R8G8B8A8_UNORM, 16, 16, 16, 5, 1, M::YMAJOR, 128, 32, false},
      {T::SURFTYPE_CUBE, SurfaceFormat::R32G32B32A32_FLOAT, 16, 16, 2, 5, 1, M::YMAJOR, 256, 32, false},
      {T::SURFTYPE_1D, SurfaceFormat::R8_UNORM, 300, 1, 4, 9, 1, M::LINEAR, 1, 1024, false},
      {T::SURFTYPE_1D, SurfaceFormat::R8_UNORM, 300, 1, 4, 9, 1, M::YMAJOR, 384, 44, false},
      {T::SURFTYPE_2D, SurfaceFormat::R8G8B8A8_UNORM, 33, 17, 3, 1, 4, M::YMAJOR, 256, 20, false},
      {T::SURFTYPE_2D, SurfaceFormat::R32_FLOAT, 33, 17, 3, 1, 2, M::YMAJOR, 384, 32, true},
      {T::SURFTYPE_2D, SurfaceFormat::R32_FLOAT, 33, 17, 3, 1, 4, M::YMAJOR, 384, 64, true},
      {T::SURFTYPE_2D, SurfaceFormat::R32_FLOAT, 33, 17, 2, 1, 8, M::YMAJOR, 768, 64, true},
      {T::SURFTYPE_2D, SurfaceFormat::R8_UINT, 33, 17, 2, 1, 16, M::WMAJOR, 384, 128, true},
  };
  for (const Case& c : cases) {
    State s = image(c.type, c.format, c.width, c.height, c.depth, c.tile, c.pitch, c.qpitch);
    s.number_of_multisamples = static_cast<State::NumberOfMultisamples>(std::countr_zero(c.samples));
    s.multisampled_surface_storage_format = static_cast<State::MultisampledSurfaceStorageFormat>(c.interleaved);
    const Surface surface = decoded(s);
    REQUIRE(surface.format);
    std::set<uint64_t> seen;
    size_t count = 0;
    const unsigned bytes = surface.format->block_bytes();
    for (unsigned lod = 0; lod < c.levels; ++lod) {
      const Level level(surface, lod);
      const Extent e = level.extent();
      CHECK(e.width == std::max(c.width >> lod, 1u));
      const uint32_t slices = c.type == T::SURFTYPE_CUBE ? e.depth * 6 : e.depth;
      for (uint32_t z = 0; z < slices; ++z)
        for (uint32_t y = 0; y < e.height; ++y)
          for (uint32_t x = 0; x < e.width; ++x)
            for (unsigned sample = 0; sample < c.samples; ++sample) {
              seen.insert(level.address(x, y, z, sample));
              ++count;
            }
    }
    INFO(surface.format->name << " " << tiling_name(surface.tiling) << " samples " << c.samples);
    CHECK(seen.size() == count);
    // Whole elements apart (but for the one that splits into columns).
    if (c.format != SurfaceFormat::R32G32B32_FLOAT)
      CHECK(std::all_of(seen.begin(), seen.end(), [&](uint64_t a) { return a % bytes == 0; }));
  }
}

TEST_CASE("interleaved samples: 4x as the manual's figure has them") {
  // Rows of the first 2x2 pixels: sample 0 of the four, sample 1 right of them, 2 below, 3 both.
  for (uint32_t y = 0; y < 2; ++y)
    for (uint32_t x = 0; x < 2; ++x)
      for (unsigned s = 0; s < 4; ++s) {
        const Origin p = interleaved_position(4, x, y, s);
        CHECK(p.x == x + (s & 1) * 2);
        CHECK(p.y == y + (s >> 1) * 2);
      }
  CHECK(interleaved_position(16, 2, 2, 0).x == 8);
  CHECK(interleaved_position(16, 2, 2, 0).y == 8);
  CHECK(interleaved_position(8, 0, 0, 7).x == 6);
}

TEST_CASE("fields of RENDER_SURFACE_STATE") {
  State s = image(State::SurfaceType::SURFTYPE_2D, SurfaceFormat::B8G8R8A8_UNORM, 640, 480, 3, State::TileMode::XMAJOR, 2560, 480);
  s.surface_array = true;
  s.minimum_array_element = 2;
  s.render_target_view_extent = 2;
  s.x_offset = 3, s.y_offset = 2;
  s.shader_channel_select_red = ShaderChannelSelect::SCS_BLUE;
  s.shader_channel_select_green = ShaderChannelSelect::SCS_ONE;
  s.shader_channel_select_blue = ShaderChannelSelect::SCS_ZERO;
  s.shader_channel_select_alpha = ShaderChannelSelect::SCS_ALPHA;
  s.auxiliary_surface_mode = State::AuxiliarySurfaceMode::AUX_CCS_E;
  s.auxiliary_surface_base_address = 0x77000;
  s.auxiliary_surface_pitch = 1;
  s.red_clear_color = 0x3f800000;
  const Surface d = decoded(s);
  CHECK(d.array);
  CHECK(d.min_array_element == 2);
  CHECK(d.view_extent == 3);
  CHECK(level_origin(d, 0).x == 12);
  CHECK(level_origin(d, 0).y == 8);
  CHECK(d.aux == AuxMode::ccs_e);
  CHECK(d.aux_base == 0x77000);
  CHECK(d.aux_pitch == 256);
  CHECK(d.clear_color[0] == 0x3f800000);
  CHECK(swizzle(d, {1, 2, 3, 4}) == Word4{3, 0x3f800000, 0, 4});
}

TEST_CASE("buffers have 31-bit sizes in three fields") {
  State s;
  s.surface_type = State::SurfaceType::SURFTYPE_BUFFER;
  s.surface_format = SurfaceFormat::RAW;
  const uint64_t entries = 0x12345678;
  s.width = (entries - 1) & 0x7f, s.height = (entries - 1) >> 7 & 0x3fff, s.depth = (entries - 1) >> 21;
  s.surface_base_address = 0x1000;
  const Surface b = decoded(s);
  CHECK(b.is_buffer());
  CHECK(b.entries == entries);
  CHECK(b.pitch == 1);
  CHECK(entry_address(b, 16) == 0x1010);
}

TEST_CASE("reserved types and formats give a null surface") {
  quiet_log();
  clear_failure_counts();
  State s = image(State::SurfaceType::SURFTYPE_2D, static_cast<SurfaceFormat>(0x3ff), 4, 4, 1, State::TileMode::LINEAR, 64, 4);
  CHECK(decoded(s).is_null());
  s.surface_format = SurfaceFormat::R8_UNORM;
  s.surface_type = static_cast<State::SurfaceType>(6);
  CHECK(decoded(s).is_null());
  CHECK(failure_count(Failure::guest_error, "surface state with a reserved type, format or sample count") == 2);
  CHECK(decode_surface<defs::Gen9>({}).type == SurfaceType::one_d);
  constexpr unsigned seed = 4;
  std::mt19937 random(seed);
  for (int i = 0; i < 20000; ++i) {
    std::array<uint32_t, 16> dwords;
    for (auto& dw : dwords) dw = random();
    const Surface any = decode_surface<defs::Gen9>(dwords);
    if (!any.is_null() && !any.is_buffer()) Level(any, random() % 16).address(random(), random(), random(), random() % 16);
  }
}

TEST_CASE("depth and stencil buffers from their packets") {
  defs::gen9::_3DSTATE_DEPTH_BUFFER depth;
  depth.surface_type = decltype(depth)::SurfaceType::SURFTYPE_2D;
  depth.surface_format = decltype(depth)::SurfaceFormat::D16_UNORM;
  depth.width = 99, depth.height = 49, depth.depth = 1;
  depth.surface_pitch = 511, depth.surface_qpitch = 128 / 4;
  depth.surface_base_address = 0x5000;
  depth.lod = 1;
  defs::gen9::_3DSTATE_STENCIL_BUFFER stencil;
  stencil.stencil_buffer_enable = true;
  stencil.surface_pitch = 255, stencil.surface_qpitch = 256 / 4;
  stencil.surface_base_address = 0x9000;
  const Surface d = decode_depth_buffer<defs::Gen9>(depth.pack(), 4),
                s = decode_stencil_buffer<defs::Gen9>(depth.pack(), stencil.pack(), 4);
  CHECK(d.format->code == SurfaceFormat::R16_UNORM);
  CHECK(d.tiling == Tiling::y);
  CHECK(d.halign == 8);
  CHECK(d.interleaved);
  CHECK(d.mip_count == 1);
  CHECK(s.tiling == Tiling::w);
  CHECK(Level(s, 0).address(1, 1, 1, 3) == 0x9000 + offset_w(3, 256 + 3, 256));
  stencil.stencil_buffer_enable = false;
  CHECK(decode_stencil_buffer<defs::Gen9>(depth.pack(), stencil.pack(), 1).is_null());
}

TEST_CASE("a stencil buffer alone has its size from a depth packet without memory") {
  defs::gen9::_3DSTATE_DEPTH_BUFFER depth;  // as Mesa's isl_emit_depth_stencil.c writes it
  depth.surface_type = decltype(depth)::SurfaceType::SURFTYPE_2D;
  depth.surface_format = decltype(depth)::SurfaceFormat::D32_FLOAT;
  depth.width = 99, depth.height = 49;
  defs::gen9::_3DSTATE_STENCIL_BUFFER stencil;
  stencil.stencil_buffer_enable = true;
  stencil.surface_pitch = 255;
  stencil.surface_base_address = 0x9000;
  quiet_log();
  clear_failure_counts();
  CHECK(decode_depth_buffer<defs::Gen9>(depth.pack(), 1).is_null());
  CHECK(decode_stencil_buffer<defs::Gen9>(depth.pack(), stencil.pack(), 1).width == 100);
  CHECK(failure_counts().empty());
}

// Mesa isl.c, isl_tiling_get_info: the pixels that share a tile of 64 KiB, which is what a sparse image binds.
TEST_CASE("samples of Ys surfaces share tiles of fewer pixels") {
  const struct {
    SurfaceFormat format;
    unsigned samples;
    uint32_t width, height;
  } cases[] = {{SurfaceFormat::R8_UNORM, 2, 128, 256},        {SurfaceFormat::R8_UNORM, 16, 64, 64},
               {SurfaceFormat::R32_FLOAT, 2, 64, 128},        {SurfaceFormat::R32_FLOAT, 4, 64, 64},
               {SurfaceFormat::R32_FLOAT, 8, 32, 64},         {SurfaceFormat::R16G16B16A16_FLOAT, 4, 64, 32},
               {SurfaceFormat::R32G32B32A32_FLOAT, 8, 16, 32}};
  for (const auto& c : cases) {
    const uint32_t element = find_format(c.format)->block_bytes();
    CAPTURE(element, c.samples);
    State state = image(State::SurfaceType::SURFTYPE_2D, c.format, c.width * 2, c.height * 2, 2, State::TileMode::YMAJOR,
                        c.width * 2 * element, c.height * 2);
    state.tiled_resource_mode = State::TiledResourceMode::_64KB;
    state.number_of_multisamples = static_cast<decltype(state.number_of_multisamples)>(std::countr_zero(c.samples));
    quiet_log();
    clear_failure_counts();
    const Surface s = decoded(state);
    CHECK(failure_counts().empty());
    CHECK((s.halign == c.width && s.valign == c.height && s.pitch == c.width * 2 * element));
    const Level level(s, 0);
    std::set<uint64_t> found;
    for (uint32_t slice = 0; slice < 2; ++slice)
      for (uint32_t y = 0; y < c.height * 2; ++y)
        for (uint32_t x = 0; x < c.width * 2; ++x)
          for (unsigned sample = 0; sample < c.samples; ++sample) {
            const uint64_t at = level.address(x, y, slice, sample) - s.base;
            const bool right = at % element == 0 && at >> 16 == slice * 4 + y / c.height * 2 + x / c.width;
            if (!right || !found.insert(at).second) FAIL(x << " " << y << " " << slice << " " << sample << ": " << at);
          }
  }
}

namespace {

/// The inline offsets, and code that accesses memory up to a tile's end from a pointer, rely on this.
void check_legal(const Surface& s) {
  CAPTURE(tiling_name(s.tiling), s.format->name, s.base, s.pitch);
  if (s.tiling == Tiling::linear) return;
  const unsigned element = std::max(s.format->block_bytes(), 1u);
  CHECK(s.base % (s.tiling == Tiling::ys ? 65536 : 4096) == 0);
  CHECK(s.pitch % tile_pitch(s.tiling, element) == 0);
  CHECK(s.pitch >= tile_pitch(s.tiling, element));
}

}  // namespace

TEST_CASE("a tiled surface begins at a page and has rows of whole tiles, whatever its state says; a linear one keeps what it has") {
  quiet_log();
  std::mt19937 random(14);
  for (const auto format :
       {SurfaceFormat::R8_UNORM, SurfaceFormat::R16_UNORM, SurfaceFormat::R8G8B8_UNORM, SurfaceFormat::R8G8B8A8_UNORM,
        SurfaceFormat::R16G16B16_FLOAT, SurfaceFormat::R32G32_FLOAT, SurfaceFormat::R32G32B32_FLOAT, SurfaceFormat::R32G32B32A32_FLOAT,
        SurfaceFormat::R64G64B64_FLOAT, SurfaceFormat::R64G64B64A64_FLOAT, SurfaceFormat::BC1_UNORM, SurfaceFormat::R1_UNORM})
    for (unsigned tile = 0; tile < 4; ++tile)
      for (unsigned resource = 0; resource < 4; ++resource)
        for (unsigned i = 0; i < 16; ++i) {
          State state =
              image(State::SurfaceType::SURFTYPE_2D, format, 64, 64, 1, static_cast<State::TileMode>(tile), random() % 4096 + 1, 64);
          state.tiled_resource_mode = static_cast<State::TiledResourceMode>(resource);
          state.surface_base_address = 0x10'0000 + random() % 0x20000;
          const Surface s = decoded(state);
          REQUIRE_FALSE(s.is_null());
          check_legal(s);
          if (s.tiling == Tiling::linear) {
            CHECK(s.base == state.surface_base_address);
            CHECK(s.pitch == state.surface_pitch + 1);
          }
          // The common cases inline and the general one agree.
          const Level level(s, 0);
          const unsigned element = std::max(s.format->block_bytes(), 1u);
          for (unsigned n = 0; n < 8; ++n) {
            const uint32_t x = random() % 200, y = random() % 200;
            CHECK(level.address(x, y, 0) == s.base + offset(s.tiling, element, x * element, y, s.pitch));
          }
        }
}

TEST_CASE("depth, stencil and control surfaces are of whole tiles, too") {
  quiet_log();
  for (uint32_t pitch = 1; pitch < 1100; pitch += 37)
    for (const uint64_t base : {0x10'0000ull, 0x10'0004ull, 0x10'0ffcull}) {
      defs::gen9::_3DSTATE_DEPTH_BUFFER depth{};
      depth.surface_type = defs::gen9::_3DSTATE_DEPTH_BUFFER::SurfaceType::SURFTYPE_2D;
      depth.surface_format = defs::gen9::_3DSTATE_DEPTH_BUFFER::SurfaceFormat::D16_UNORM;
      depth.surface_pitch = pitch - 1, depth.surface_base_address = base;
      defs::gen9::_3DSTATE_STENCIL_BUFFER stencil{};
      stencil.stencil_buffer_enable = true;
      stencil.surface_pitch = pitch - 1, stencil.surface_base_address = base;
      check_legal(decode_depth_buffer<defs::Gen9>(depth.pack(), 1));
      check_legal(decode_stencil_buffer<defs::Gen9>(depth.pack(), stencil.pack(), 1));
      State state = image(State::SurfaceType::SURFTYPE_2D, SurfaceFormat::R8G8B8A8_UNORM, 64, 64, 1, State::TileMode::YMAJOR, 256, 64);
      state.auxiliary_surface_base_address = base, state.auxiliary_surface_pitch = pitch % 512;
      const Surface s = decoded(state);
      CHECK(s.aux_base % 4096 == 0);
      CHECK(s.aux_pitch % 128 == 0);
      CHECK(s.aux_pitch >= 128);
    }
}
