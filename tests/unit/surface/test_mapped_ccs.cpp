// SPDX-License-Identifier: GPL-2.0-or-later
// Control surfaces that the aux map finds.
#include "hw/surface/mapped_ccs.h"

#include <array>
#include <cstring>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "hw/base/bits.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"
#include "tests/unit/memory/aux_tables.h"
#include "tests/unit/memory/mapped.h"

using namespace softgen;
using namespace softgen::surface;

namespace {

// Tables, pixels of 256 KiB, and their control surface.
constexpr uint64_t level3 = 0x1'0000, level2 = 0x1'8000, level1 = 0x2'0000, control = 0x3'0000, pixels = 0x10'0000, pixels_end = 0x14'0000;

struct Fixture : memory::test::Mapped {
  Fixture() : Mapped(0x1'0000, pixels_end) {
    quiet_log();
    memory::test::use_aux_tables(view, level3, level2, level1);
    for (uint64_t block = 0; block < 4; ++block)  // in another order than the pixels
      memory::test::set_control(view, level1, pixels + block * 0x1'0000, control + (3 - block) * 0x100);
  }
};

Surface target(SurfaceFormat format = SurfaceFormat::R8G8B8A8_UNORM, uint32_t width = 256, uint32_t height = 256) {
  Surface s;
  s.type = SurfaceType::two_d;
  s.format = find_format(format, gen12_formats);
  s.tiling = Tiling::y;
  s.width = width, s.height = height;
  s.base = pixels;
  s.pitch = align_up(width * s.format->block_bytes(), 512u);
  s.qpitch = height;
  s.aux = AuxMode::ccs_e;
  s.aux_mapped = true;
  return s;
}

}  // namespace

TEST_CASE("which surfaces have a CCS by the aux map") {
  CHECK(Ccs(target(), 0).width() == 8);
  CHECK(Ccs(target(), 0).compresses());
  CHECK(Ccs(target(SurfaceFormat::R8_UNORM), 0).width() == 32);
  CHECK(Ccs(target(SurfaceFormat::R8_UNORM), 0).compresses());
  CHECK(Ccs(target(SurfaceFormat::R16_UNORM), 0).width() == 16);
  CHECK(Ccs(target(SurfaceFormat::R32G32B32A32_FLOAT, 64), 0).width() == 2);
  CHECK_FALSE(Ccs(target(SurfaceFormat::R32G32B32_FLOAT), 0));
  Surface s = target();
  s.tiling = Tiling::ys;
  CHECK_FALSE(Ccs(s, 0));
  s.tiling = Tiling::yf;
  CHECK(Ccs(s, 0).width() == 8);
  s = target(SurfaceFormat::R8_UNORM);
  s.tiling = Tiling::yf;
  CHECK_FALSE(Ccs(s, 0));
  s = target();
  s.samples = 4;
  CHECK_FALSE(Ccs(s, 0));
  // Level 2 of a surface of bytes may begin amid a pair.
  s = target(SurfaceFormat::R8_UNORM, 80);
  s.halign = 16;
  CHECK(Ccs(s, 1));
  CHECK_FALSE(Ccs(s, 2));
}

TEST_CASE_METHOD(Fixture, "each pair has a code of its own, found by any of its bytes") {
  for (const auto& [format, tiling] :
       {std::pair{SurfaceFormat::R8_UNORM, Tiling::y}, std::pair{SurfaceFormat::R8G8B8A8_UNORM, Tiling::y},
        std::pair{SurfaceFormat::R32G32B32A32_FLOAT, Tiling::y}, std::pair{SurfaceFormat::R16_UNORM, Tiling::yf},
        std::pair{SurfaceFormat::R8G8B8A8_UNORM, Tiling::yf}}) {
    CAPTURE(find_format(format)->name, tiling_name(tiling));
    Surface s = target(format, format == SurfaceFormat::R32G32B32A32_FLOAT ? 64 : 256, 128);
    s.tiling = tiling;
    const Ccs ccs(s, 0);
    const Level level(s, 0);
    view.fill(control, 0, 0x400);
    std::set<std::pair<uint64_t, unsigned>> places;
    for (uint32_t row = 0; row < s.height / 4; ++row)
      for (uint32_t column = 0; column < s.width / ccs.width(); ++column) {
        const uint64_t first = level.address(column * ccs.width(), row * 4, 0);
        const uint64_t last = level.address((column + 1) * ccs.width() - 1, row * 4 + 3, 0);
        const mapped::CodePlace place = mapped::place_of(view, s.tiling, first);
        places.insert({place.byte, place.shift});
        if (first < pixels + 0x1'0000) {
          CHECK(mapped::place_from(s.tiling, control + 0x300, first - pixels).byte == place.byte);
          CHECK(mapped::place_from(s.tiling, control + 0x300, first - pixels).shift == place.shift);
        }
        CHECK(mapped::place_of(view, s.tiling, last).byte == place.byte);
        CHECK(mapped::place_of(view, s.tiling, last).shift == place.shift);
        ccs.write(view, column, row, 0, CcsCode::clear);
        CHECK(mapped::read_at(view, s.tiling, first) == CcsCode::clear);
        CHECK(ccs.read(view, column, row, 0) == CcsCode::clear);
        ccs.write(view, column, row, 0, CcsCode::pass_through);
      }
    CHECK(places.size() == s.height / 4 * (s.width / ccs.width()));
    std::vector<std::byte> all(0x400);
    view.read(control, all.data(), all.size());
    CHECK(all == std::vector<std::byte>(0x400));
  }
}

TEST_CASE_METHOD(Fixture, "filling, and what is reported as clear, equal single pairs") {
  Surface s = target();
  s.halign = 16, s.mip_count = 2, s.qpitch = 160, s.height = 64;
  const unsigned lod = GENERATE(0u, 1u, 2u);
  const uint32_t slice = GENERATE(0u, 1u);
  const Ccs ccs(s, lod);
  const uint32_t width = 256u >> lod, height = 64u >> lod;
  for (const CcsRect& rect : {CcsRect{0, 0, width, height}, CcsRect{8, 4, 16, 8}, CcsRect{9, 3, 35, 16}, CcsRect{0, 8, 0, 16}}) {
    view.fill(control, 0, 0x400);
    ccs.fill(view, rect, slice, CcsCode::clear);
    const auto inside = [&](uint32_t column, uint32_t row) {
      return rect.x0 < rect.x1 && column * 8 + 7 >= rect.x0 && column * 8 < rect.x1 && row * 4 + 3 >= rect.y0 && row * 4 < rect.y1;
    };
    std::map<std::pair<uint32_t, uint32_t>, int> reported;
    ccs.each_clear(view, {0, 0, width, height}, slice, [&](const CcsRect& clear) {
      for (uint32_t y = clear.y0; y < clear.y1; y += 4)
        for (uint32_t x = clear.x0; x < clear.x1; x += 8) ++reported[{x / 8, y / 4}];
    });
    for (uint32_t row = 0; row < height / 4; ++row)
      for (uint32_t column = 0; column < width / 8; ++column) {
        CHECK((ccs.read(view, column, row, slice) == CcsCode::clear) == inside(column, row));
        CHECK(reported[{column, row}] == (inside(column, row) ? 1 : 0));
      }
    // A partial resolve leaves what is not clear, a full one nothing.
    ccs.resolve(view, rect, slice, true);
    ccs.each_clear(view, {0, 0, width, height}, slice, [](const CcsRect&) { FAIL("still clear"); });
    ccs.resolve(view, {0, 0, width, height}, slice, false);
    std::vector<std::byte> all(0x400);
    view.read(control, all.data(), all.size());
    CHECK(all == std::vector<std::byte>(0x400));
  }
}

TEST_CASE_METHOD(Fixture, "codes of 2x2 pairs are updated by themselves") {
  Surface s = target();
  // The level begins at an even pair of memory, or at odd ones.
  s.halign = 8, s.width = s.height = GENERATE(128u, 72u), s.mip_count = 2;
  const Ccs ccs(s, s.width == 128 ? 0 : 2);
  ccs.fill(view, {0, 0, 64, 32}, 0, CcsCode::clear);
  ccs.update(view, 2, 4, 0, 0b1011, 0b0010);
  CHECK(ccs.read(view, 2, 4, 0) == CcsCode::pass_through);
  CHECK(ccs.read(view, 3, 4, 0) == CcsCode::compressed);
  CHECK(ccs.read(view, 2, 5, 0) == CcsCode::clear);
  CHECK(ccs.read(view, 3, 5, 0) == CcsCode::pass_through);
  for (const auto& [column, row] : {std::pair{1u, 4u}, {4u, 4u}, {2u, 3u}, {2u, 6u}})
    CHECK(ccs.read(view, column, row, 0) == CcsCode::clear);
}

TEST_CASE_METHOD(Fixture, "memory that the map does not name has no codes") {
  view.store<uint64_t>(level1 + (pixels / 0x1'0000 + 1) * 8, 0);
  const Ccs ccs(target(), 0);
  CHECK(ccs.covers(view, {0, 0, 64, 64}, 0));
  CHECK_FALSE(ccs.covers(view, {0, 0, 256, 128}, 0));
  ccs.fill(view, {0, 64, 256, 128}, 0, CcsCode::clear);
  CHECK(ccs.read(view, 0, 16, 0) == CcsCode::pass_through);
  ccs.each_clear(view, {0, 0, 256, 128}, 0, [](const CcsRect&) { FAIL("no code says so"); });
  ccs.update(view, 0, 16, 0, 15, 15);
  CHECK(mapped::read_at(view, Tiling::y, pixels + 0x1'0000) == CcsCode::pass_through);
  std::array<std::byte, 64> line{};
  mapped::claim(view, Tiling::y, pixels + 0x1'0000, line.data());
}

TEST_CASE_METHOD(Fixture, "clear pairs get the surface's clear colour, whatever it is by now") {
  Surface s = target();
  s.tiling = GENERATE(Tiling::y, Tiling::yf);
  s.clear_color = {0x3f800000, 0, 0x3f800000, 0x3f800000};
  const Ccs ccs(s, 0);
  const Level level(s, 0);
  ccs.fill(view, {0, 0, 128, 64}, 0, CcsCode::clear);
  CHECK(expand_clears(view, ccs, s, ClearUse::rendering, level, {0, 0, 256, 256}, 0));
  for (const auto& [x, y, expected] : {std::tuple{0u, 0u, 0xffff00ffu}, {127u, 63u, 0xffff00ffu}, {128u, 63u, 0u}, {127u, 64u, 0u}})
    CHECK(view.load<uint32_t>(level.address(x, y, 0)) == expected);
  s.clear_color[0] = 0;
  CHECK(expand_clears(view, ccs, s, ClearUse::rendering, level, {0, 0, 256, 256}, 0));
  CHECK(view.load<uint32_t>(level.address(127, 63, 0)) == 0xffff0000);
}

TEST_CASE_METHOD(Fixture, "a pair is claimed once") {
  Surface s = target();
  s.tiling = GENERATE(Tiling::y, Tiling::yf);
  const Ccs ccs(s, 0);
  const Level level(s, 0);
  ccs.fill(view, {0, 0, 64, 32}, 0, CcsCode::clear);
  std::array<uint32_t, 16> line;
  line.fill(0x1234'5678);
  mapped::claim(view, s.tiling, level.address(11, 6, 0), reinterpret_cast<const std::byte*>(line.data()));
  for (uint32_t y = 0; y < 12; ++y)
    for (uint32_t x = 0; x < 24; ++x) CHECK(view.load<uint32_t>(level.address(x, y, 0)) == (x / 8 == 1 && y / 4 == 1 ? 0x1234'5678u : 0u));
  CHECK(ccs.read(view, 1, 1, 0) == CcsCode::pass_through);
  CHECK(ccs.read(view, 0, 1, 0) == CcsCode::clear);
  view.store<uint32_t>(level.address(11, 6, 0), 7);
  mapped::claim(view, s.tiling, level.address(11, 6, 0), reinterpret_cast<const std::byte*>(line.data()));
  CHECK(view.load<uint32_t>(level.address(11, 6, 0)) == 7);
}

TEST_CASE_METHOD(Fixture, "a control surface that lies in its own pixels or tables is the guest's own affair") {
  view.store<uint64_t>(level1 + pixels / 0x1'0000 * 8, pixels | 1);
  view.store<uint64_t>(level1 + (pixels / 0x1'0000 + 1) * 8, level1 | 1);
  view.store<uint64_t>(level1 + (pixels / 0x1'0000 + 2) * 8, ~uint64_t{0});
  Surface s = target();
  const Ccs ccs(s, 0);
  ccs.fill(view, {0, 0, 256, 256}, 0, CcsCode::clear);
  expand_clears(view, ccs, s, ClearUse::rendering, Level(s, 0), {0, 0, 256, 256}, 0);
  ccs.resolve(view, {0, 0, 256, 256}, 0, false);
  SUCCEED();
}
