// SPDX-License-Identifier: GPL-2.0-or-later
#include <array>
#include <cstring>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "hw/surface/ccs.h"
#include "tests/catch.h"
#include "tests/unit/memory/mapped.h"

using namespace softgen;
using namespace softgen::surface;

namespace {

constexpr uint64_t ccs_base = 0x10000, ccs_end = 0x30000;

Surface target(SurfaceFormat format = SurfaceFormat::B8G8R8A8_UNORM) {
  Surface s;
  s.type = SurfaceType::two_d;
  s.format = find_format(format);
  s.tiling = Tiling::y;
  s.width = s.height = 512;
  s.pitch = 512 * s.format->block_bytes();
  s.aux = AuxMode::ccs_e;
  s.aux_base = ccs_base;
  s.aux_pitch = 128;
  s.aux_qpitch = 512;
  return s;
}

}  // namespace

TEST_CASE("which surfaces have a CCS") {
  CHECK(Ccs(target(), 0));
  CHECK(Ccs(target(), 0).compresses());
  Surface s = target();
  s.aux = AuxMode::none;
  CHECK_FALSE(Ccs(s, 0));
  s.aux = AuxMode::hiz;
  CHECK_FALSE(Ccs(s, 0));
  s.aux = AuxMode::ccs_d;
  CHECK(Ccs(s, 0));
  CHECK_FALSE(Ccs(s, 0).compresses());
  s.samples = 4;  // an MCS
  CHECK_FALSE(Ccs(s, 0));
  s = target();
  s.tiling = Tiling::x;
  CHECK_FALSE(Ccs(s, 0));
  s = target();
  s.x_offset = 4;
  CHECK_FALSE(Ccs(s, 0));
  CHECK_FALSE(Ccs(target(SurfaceFormat::R8G8_UNORM), 0));
  CHECK_FALSE(Ccs(target(SurfaceFormat::R10G10B10A2_UNORM), 0).compresses());
}

TEST_CASE("CCS elements: a tile's bits, wider formats, levels and slices") {
  const Ccs ccs(target(), 0);
  // Mesa docs/isl/ccs.rst, Sky Lake: bits 11 to -3 are u6 u5 u4 v6 v5 v4 v3 v2 v1 u3 u2 u1, then v0 u0.
  const auto bit_of = [&](uint32_t u, uint32_t v) { return (ccs.address(u, v, 0) - ccs_base) * 8 + Ccs::shift(u, v); };
  const std::array<unsigned, 7> u_places{0, 2, 3, 4, 11, 12, 13}, v_places{1, 5, 6, 7, 8, 9, 10};
  for (unsigned i = 0; i < 7; ++i) {
    CHECK(bit_of(1u << i, 0) == 2ull << u_places[i]);
    CHECK(bit_of(0, 1u << i) == 2ull << v_places[i]);
  }
  CHECK(ccs.width() == 8);
  CHECK(Ccs(target(SurfaceFormat::R16G16B16A16_FLOAT), 0).width() == 4);
  CHECK(Ccs(target(SurfaceFormat::R32G32B32A32_FLOAT), 0).width() == 2);
  // Level 1 is below level 0, level 2 to its right; multiples of 128 by 64 pixels.
  Surface s = target();
  s.width = s.height = 200, s.aux_pitch = 256;
  CHECK(Ccs(s, 1).address(0, 0, 0) == Ccs(s, 0).address(0, 256 / 4, 0));
  CHECK(Ccs(s, 2).address(0, 0, 0) == Ccs(s, 1).address(128 / 8, 0, 0));
  CHECK(Ccs(s, 0).address(0, 0, 1) == ccs_base + 2 * 4096);
  CHECK(Ccs(s, 0).address(128, 0, 0) == ccs_base + 4096);
}

TEST_CASE("filling a rectangle equals writing each of its pairs") {
  memory::test::Mapped mapped(ccs_base, ccs_end);
  memory::View& view = mapped.view;
  const std::array<CcsRect, 5> rects{{{0, 0, 512, 512}, {64, 32, 128, 64}, {8, 4, 16, 8}, {9, 5, 300, 77}, {120, 60, 121, 61}}};
  for (const auto format : {SurfaceFormat::B8G8R8A8_UNORM, SurfaceFormat::R32G32B32A32_FLOAT}) {
    Surface s = target(format);
    s.aux_pitch = 512;
    for (const unsigned lod : {0u, 1u, 3u})
      for (const CcsRect& r : rects) {
        const Ccs ccs(s, lod);
        view.fill(ccs_base, 0, ccs_end - ccs_base);
        ccs.fill(view, r, 0, CcsCode::clear);
        size_t wrong = 0, set = 0;
        for (uint32_t row = 0; row < 128; ++row)
          for (uint32_t column = 0; column < 512 / ccs.width(); ++column) {
            const bool in = column >= r.x0 / ccs.width() && column * ccs.width() < r.x1 && row >= r.y0 / 4 && row * 4 < r.y1;
            set += in;
            wrong += (ccs.read(view, column, row, 0) == CcsCode::clear) != in;
          }
        CHECK(wrong == 0);
        size_t bits = 0;
        for (uint64_t at = ccs_base; at < ccs_end; ++at) bits += static_cast<size_t>(__builtin_popcount(view.load<uint8_t>(at)));
        CHECK(bits == 2 * set);
      }
  }
}

TEST_CASE("a full resolve leaves pass-through, a partial one compressed pairs") {
  memory::test::Mapped mapped(ccs_base, ccs_end);
  memory::View& view = mapped.view;
  const Ccs ccs(target(), 0);
  ccs.write(view, 0, 0, 0, CcsCode::clear);
  ccs.write(view, 1, 0, 0, CcsCode::compressed);
  ccs.write(view, 40, 40, 0, CcsCode::clear);
  ccs.resolve(view, {0, 0, 64, 64}, 0, true);
  CHECK(ccs.read(view, 0, 0, 0) == CcsCode::compressed);
  CHECK(ccs.read(view, 1, 0, 0) == CcsCode::compressed);
  CHECK(ccs.read(view, 2, 0, 0) == CcsCode::pass_through);
  CHECK(ccs.read(view, 40, 40, 0) == CcsCode::clear);
  ccs.resolve(view, {0, 0, 512, 512}, 0, false);
  for (uint64_t at = ccs_base; at < ccs_end; ++at) REQUIRE(view.load<uint8_t>(at) == 0);
}

TEST_CASE("clear pairs are found one by one as each_clear() reports them, and expanded to the clear colour") {
  constexpr unsigned seed = 5;
  INFO("seed " << seed);
  constexpr uint64_t pixels = 0x40000, pixels_end = 0xc0000;
  memory::test::Mapped mapped(ccs_base, pixels_end);
  std::mt19937 random(seed);
  for (const auto format : {SurfaceFormat::B8G8R8A8_UNORM, SurfaceFormat::R16G16B16A16_UINT, SurfaceFormat::R32G32B32A32_UINT})
    for (const auto& [type, tiling] :
         {std::pair{SurfaceType::two_d, Tiling::y}, {SurfaceType::two_d, Tiling::yf}, {SurfaceType::three_d, Tiling::yf}})
      for (const CcsRect& rect : {CcsRect{0, 0, 128, 128}, CcsRect{13, 9, 14, 10}, CcsRect{31, 21, 90, 101}}) {
        memory::View& view = mapped.view;
        Surface s = target(format);
        // A volume's tiles have eight slices; those of wider elements do not fit into the test's memory.
        if (type == SurfaceType::three_d && s.format->block_bytes() > 4) continue;
        s.type = type, s.tiling = tiling, s.base = pixels, s.width = s.height = 128, s.pitch = 128 * s.format->block_bytes(), s.halign = 16,
        s.valign = 4;
        s.depth = 2, s.array = true, s.qpitch = 128, s.aux_qpitch = 128, s.clear_color = {0x3f800000, 5, 6, 7};
        const Ccs ccs(s, 0);
        const Level level(s, 0);
        const uint32_t columns = 128 / ccs.width(), rows = 128 / Ccs::pair_rows;
        std::vector<bool> clear(columns * rows);
        view.fill(ccs_base, 0xff, ccs_end - ccs_base);
        view.fill(pixels, 0xaa, pixels_end - pixels);
        for (uint32_t row = 0; row < rows; ++row)
          for (uint32_t column = 0; column < columns; ++column) {
            // Mostly runs, sometimes single pairs.
            const uint32_t code = row < 12 ? 3 : row < 20 ? random() % 4 : row < 26 ? column / 5 % 4 : 0;
            ccs.write(view, column, row, 1, static_cast<CcsCode>(code));
            clear[row * columns + column] =
                code == 3 && column >= rect.x0 / ccs.width() && column * ccs.width() < rect.x1 && row >= rect.y0 / 4 && row * 4 < rect.y1;
          }
        std::vector<int> reported(columns * rows);
        ccs.each_clear(view, rect, 1, [&](const CcsRect& r) {
          for (uint32_t row = r.y0 / 4; row * 4 < r.y1; ++row)
            for (uint32_t column = r.x0 / ccs.width(); column * ccs.width() < r.x1; ++column) ++reported.at(row * columns + column);
        });
        bool any = false;
        for (size_t i = 0; i < clear.size(); ++i) {
          REQUIRE(reported[i] == clear[i]);
          any = any || clear[i];
        }
        CHECK(expand_clears(view, ccs, s, ClearUse::rendering, level, rect, 1) == any);
        std::array<std::byte, 16> expected{};
        encode(*s.format, s.clear_color, expected.data());
        for (uint32_t slice = 0; slice < 2; ++slice)
          for (uint32_t y = 0; y < 128; ++y)
            for (uint32_t x = 0; x < 128; ++x) {
              std::array<std::byte, 16> texel{}, old{};
              view.read(level.address(x, y, slice), texel.data(), s.format->block_bytes());
              std::memset(old.data(), 0xaa, s.format->block_bytes());
              REQUIRE(texel == (slice == 1 && clear[y / 4 * columns + x / ccs.width()] ? expected : old));
            }
      }
}

TEST_CASE("pairs compress when few of their bits differ") {
  std::array<std::byte, 128> pair{};
  const auto compresses = [&](unsigned element) { return pair_compresses(pair.data(), pair.data() + 64, element); };
  for (const unsigned element : {4u, 8u, 16u}) {
    const unsigned most = (512 - 16 * element) / (128 / element);
    for (const bool last : {false, true})
      for (unsigned bits = 0; bits <= 8 * element; ++bits) {
        for (size_t i = 0; i < pair.size(); ++i) pair[i] = static_cast<std::byte>(0x5a + i % element);
        for (unsigned b = 0; b < bits; ++b) pair[(last ? 128 : 64) - element + b / 8] ^= static_cast<std::byte>(1u << b % 8);
        CHECK(compresses(element) == (bits <= most));
      }
  }
}
