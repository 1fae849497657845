// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <random>
#include <set>

#include "hw/base/host_cpu.h"
#include "hw/render/color_control.h"
#include "hw/render/pixel_kernels.h"
#include "tests/catch.h"
#include "tests/unit/memory/mapped.h"
#include "tests/unit/surface/two_d.h"

using namespace softgen;
using namespace softgen::render;
using surface::CcsCode;

namespace {

constexpr uint64_t base = 0x10000, ccs_base = 0x50000, end = 0x60000;

struct Fixture : memory::test::Mapped {
  surface::Surface surface;

  Fixture() : Mapped(base, end) {
    surface = surface::test::y_tiled(surface::SurfaceFormat::B8G8R8A8_UNORM, base, 128, 512, 128);
    surface.depth = surface.view_extent = 2;
    surface.aux = surface::AuxMode::ccs_e;
    surface.aux_base = ccs_base;
    surface.aux_pitch = 128;
    surface.aux_qpitch = 256;
  }
  void noise(const RenderTarget& rt, uint32_t x0, uint32_t y0, uint32_t slice) {
    std::mt19937 random(1);
    for (uint32_t y = y0; y < y0 + 4; ++y)
      for (uint32_t x = x0; x < x0 + 8; ++x) view.store(rt.level->address(x, y, slice), static_cast<uint32_t>(random()));
  }
};

}  // namespace

TEST_CASE("touched pairs are compressed where they are smooth, and no other pair is coded") {
  for (const auto tiling : {surface::Tiling::y, surface::Tiling::yf}) {
    Fixture f;
    f.surface.tiling = tiling;
    const RenderTarget rt(f.surface);
    f.noise(rt, 16, 8, 1);
    TouchedPairs touched;
    touched.add(f.view, rt, 1, {5, 3, 33, 12});
    touched.encode(f.view);
    for (uint32_t row = 0; row < 32; ++row)
      for (uint32_t column = 0; column < 16; ++column) {
        const bool in = column <= 4 && row <= 2, noisy = column == 2 && row == 2;
        REQUIRE(rt.ccs.read(f.view, column, row, 1) == (in && !noisy ? CcsCode::compressed : CcsCode::pass_through));
        REQUIRE(rt.ccs.read(f.view, column, row, 0) == CcsCode::pass_through);
      }
  }
}

TEST_CASE("writes over a fast clear leave pass-through with CCS_D and in pairs that do not compress") {
  Fixture f;
  for (const auto mode : {surface::AuxMode::ccs_d, surface::AuxMode::ccs_e}) {
    f.surface.aux = mode;
    const RenderTarget rt(f.surface);
    rt.ccs.fill(f.view, {0, 0, 128, 128}, 0, CcsCode::clear);
    TouchedPairs touched;
    touched.add(f.view, rt, 0, {64, 64, 80, 65});
    f.noise(rt, 64, 64, 0);
    touched.add(f.view, rt, 0, {88, 100, 89, 128});
    touched.encode(f.view);
    const CcsCode smooth = mode == surface::AuxMode::ccs_e ? CcsCode::compressed : CcsCode::pass_through;
    CHECK(rt.ccs.read(f.view, 8, 16, 0) == CcsCode::pass_through);
    CHECK(rt.ccs.read(f.view, 9, 16, 0) == smooth);
    CHECK(rt.ccs.read(f.view, 11, 25, 0) == smooth);
    CHECK(rt.ccs.read(f.view, 11, 31, 0) == smooth);
    CHECK(rt.ccs.read(f.view, 10, 16, 0) == CcsCode::clear);
    CHECK(rt.ccs.read(f.view, 8, 17, 0) == CcsCode::clear);
    CHECK(rt.ccs.read(f.view, 11, 24, 0) == CcsCode::clear);
  }
}

TEST_CASE("pixels drawn over a fast clear keep the clear colour around them, also when more is drawn") {
  Fixture f;
  f.surface.clear_color = {0x3f800000, 0, 0, 0x3f800000};
  const uint32_t red = 0xffff0000, drawn = 0x12345678;
  const RenderTarget rt(f.surface);
  const auto at = [&](uint32_t x, uint32_t y) { return rt.level->address(x, y, 0); };
  f.view.fill(base, 0x77, ccs_base - base);
  rt.ccs.fill(f.view, {0, 0, 128, 128}, 0, CcsCode::clear);
  TouchedPairs touched;
  touched.add(f.view, rt, 0, {0, 0, 10, 10});
  f.view.store(at(9, 9), drawn);
  touched.add(f.view, rt, 0, {9, 9, 20, 10});
  touched.encode(f.view);
  CHECK(f.view.load<uint32_t>(at(9, 9)) == drawn);
  CHECK(f.view.load<uint32_t>(at(0, 0)) == red);
  CHECK(f.view.load<uint32_t>(at(15, 11)) == red);
  CHECK(f.view.load<uint32_t>(at(23, 8)) == red);
  CHECK(f.view.load<uint32_t>(at(24, 8)) == 0x77777777);
  CHECK(rt.ccs.read(f.view, 3, 2, 0) == CcsCode::clear);
  CHECK(rt.ccs.read(f.view, 2, 2, 0) == CcsCode::compressed);
}

TEST_CASE("the same where the aux map says where the codes are") {
  const auto format = GENERATE(surface::SurfaceFormat::B8G8R8A8_UNORM, surface::SurfaceFormat::R8_UNORM);
  constexpr uint64_t control = end, tables = 0x70000, level2 = tables + 0x8000, level1 = tables + 0xe000;
  memory::test::Mapped memory(base, tables + 0x1'0000);
  memory::AddressSpace space = memory.view.space();
  space.aux_table = tables | 0xffff'0000'0000'0000;
  memory.view.set_space(space);
  memory.view.store<uint64_t>(tables, level2 | 1);
  memory.view.store<uint64_t>(level2, level1 | 1);
  for (uint64_t block = 1; block < 5; ++block) memory.view.store<uint64_t>(level1 + block * 8, control + block * 0x100 | 1);
  surface::Surface s = surface::test::y_tiled(format, base, 128, 512, 128);
  s.format = surface::find_format(format, surface::gen12_formats);
  s.aux = surface::AuxMode::ccs_e, s.aux_mapped = true;
  s.clear_color = {0x3f800000, 0, 0, 0x3f800000};
  const RenderTarget rt(s);
  const uint32_t width = rt.ccs.width(), red = format == surface::SurfaceFormat::R8_UNORM ? 0xffff'ffff : 0xffff'0000;
  CHECK(width == 32 / s.format->block_bytes());
  const auto at = [&](uint32_t x, uint32_t y) { return rt.level->address(x, y, 0); };
  rt.ccs.fill(memory.view, {0, 0, 128, 128}, 0, CcsCode::clear);
  TouchedPairs touched;
  touched.add(memory.view, rt, 0, {0, 0, 2, 5});
  std::mt19937 random(1);
  for (uint32_t y = 0; y < 4; ++y)
    for (uint32_t byte = 0; byte < 32; ++byte)
      memory.view.store(at(byte * width / 32, y) + byte % s.format->block_bytes(), static_cast<uint8_t>(random()));
  touched.add(memory.view, rt, 0, {1, 4, 3, 10});
  touched.encode(memory.view);
  CHECK(rt.ccs.read(memory.view, 0, 0, 0) == CcsCode::pass_through);
  CHECK(rt.ccs.read(memory.view, 0, 1, 0) == CcsCode::compressed);
  CHECK(rt.ccs.read(memory.view, 0, 2, 0) == CcsCode::compressed);
  CHECK(rt.ccs.read(memory.view, 0, 3, 0) == CcsCode::clear);
  CHECK(rt.ccs.read(memory.view, 1, 0, 0) == CcsCode::clear);
  CHECK(memory.view.load<uint32_t>(at(0, 8)) == red);
  CHECK(memory.view.load<uint32_t>(at(0, 12)) == 0);
}

TEST_CASE("objects outside of the level touch no pair") {
  Fixture f;
  f.surface.width = f.surface.height = 20;
  const RenderTarget rt(f.surface);
  TouchedPairs touched;
  touched.add(f.view, rt, 0, {20, 0, 64, 64});
  touched.add(f.view, rt, 0, {0, 40, 64, 64});
  touched.encode(f.view);
  for (uint64_t at = ccs_base; at < end; ++at) REQUIRE(f.view.load<uint8_t>(at) == 0);
  touched.add(f.view, rt, 0, {0, 0, 64, 64});
  touched.encode(f.view);
  CHECK(rt.ccs.read(f.view, 2, 4, 0) == CcsCode::compressed);
  CHECK(rt.ccs.read(f.view, 3, 0, 0) == CcsCode::pass_through);
  CHECK(rt.ccs.read(f.view, 0, 5, 0) == CcsCode::pass_through);
}

TEST_CASE("no two tiles share a byte of the CCS") {
  Fixture f;
  for (const auto format :
       {surface::SurfaceFormat::B8G8R8A8_UNORM, surface::SurfaceFormat::R16G16B16A16_FLOAT, surface::SurfaceFormat::R32G32B32A32_FLOAT}) {
    f.surface.format = surface::find_format(format);
    f.surface.width = f.surface.height = 150;
    f.surface.aux_qpitch = 772;
    std::set<uint64_t> seen;
    for (const unsigned lod : {0u, 1u, 2u, 3u}) {
      const surface::Ccs ccs(f.surface, lod);
      const uint32_t size = 150 >> lod, columns = 64 / ccs.width();
      for (uint32_t slice = 0; slice < 2; ++slice)
        for (uint32_t y = 0; y < size; y += 64)
          for (uint32_t x = 0; x < size; x += 64) {
            std::set<uint64_t> tile;
            for (uint32_t row = 0; row < 16; ++row)
              for (uint32_t column = 0; column < columns; ++column) tile.insert(ccs.address(x / ccs.width() + column, y / 4 + row, slice));
            for (const uint64_t at : tile) REQUIRE(seen.insert(at).second);
          }
    }
  }
}

TEST_CASE("all builds of pair_compresses equal the scalar code") {
  constexpr unsigned seed = 7;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  const auto builds = all_pixel_kernels();
  std::array<unsigned, 2> found{};
  for (unsigned round = 0; round < 3000; ++round) {
    const unsigned element = 4u << round % 3;
    std::array<uint64_t, 2> varies{random(), random()};
    if (round & 1) varies[0] &= random(), varies[1] &= random();
    if (element < 16) varies[1] = varies[0];
    if (element == 4) varies[0] = varies[1] = (varies[0] & 0xffffffff) * 0x100000001;
    std::array<uint64_t, 2> first{random(), random()};
    if (element < 16) first[1] = first[0];
    if (element == 4) first[0] = first[1] = (first[0] & 0xffffffff) * 0x100000001;
    std::array<uint64_t, 16> lines;
    for (unsigned i = 0; i < lines.size(); ++i) lines[i] = first[i % 2] ^ (i >= 2 ? varies[i % 2] & random() : 0);
    const auto* const line = reinterpret_cast<const std::byte*>(lines.data());
    const bool expected = surface::pair_compresses(line, line + 64, element);
    ++found[expected];
    for (size_t i = 0; i < builds.count; ++i) REQUIRE(builds.tables[i]->pair_compresses(line, line + 64, element) == expected);
  }
  CHECK(std::min(found[0], found[1]) > 300);
}
