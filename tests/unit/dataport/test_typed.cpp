// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "hw/base/failure_log.h"
#include "hw/defs/gen12/all.h"
#include "hw/surface/binding.h"
#include "hw/surface/format.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"
#include "tests/unit/dataport/fixture.h"
#include "tests/unit/memory/aux_tables.h"

using namespace softgen;
using namespace softgen::dataport::test;

namespace {

constexpr uint32_t selects = 4u << 25 | 5u << 22 | 6u << 19 | 7u << 16;
constexpr uint32_t typed_read = 0x05, typed_write = 0x0d, simd8_low = 1 << 4, red_only = 0xe;

/// R32_UINT, 2D, linear, 8x4 with levels of 4x2 below it at row 4, and of 2x1 to the right of that.
Fixture levels(uint32_t min_lod, uint32_t mip_count) {
  return Fixture({1u << 29 | 0xd7u << 18 | 1 << 16 | 1 << 14, 0, 3 << 16 | 7, 63, 0, min_lod << 4 | mip_count, 0, selects, pixels});
}
constexpr uint64_t level1 = pixels + 4 * 64, level2 = level1 + 16;

}  // namespace

TEST_CASE("typed messages access the level that is the sum of Surface Min LOD and their own LOD") {
  auto f = levels(1, 1);
  // Channels 0 to 3: u, v, r and LOD a register each. The third is outside of level 2, the fourth beyond the last level.
  const std::array<Grf, 5> payload{Grf{{1, 1, 2, 0}}, Grf{{1, 0, 0, 0}}, Grf{}, Grf{{0, 1, 1, 2}}, Grf{{41, 42, 43, 44}}};
  CHECK(f.send(typed_write, simd8_low | red_only, false, 8, 0xf, payload, {}) == SendResult::done);
  CHECK(f.view.load<uint32_t>(level1 + 64 + 4) == 41);
  CHECK(f.view.load<uint32_t>(level2 + 4) == 42);
  for (uint64_t at = pixels; at < pixels + 0x1000; at += 4)
    if (at != level1 + 64 + 4 && at != level2 + 4) REQUIRE(f.view.load<uint32_t>(at) == 0);
  Grf answer{{9, 9, 9, 9}};
  CHECK(f.send(typed_read, simd8_low | red_only, false, 8, 0xf, std::span(payload).first(4), std::span(&answer, 1)) == SendResult::done);
  CHECK(answer.dw[0] == 41);
  CHECK(answer.dw[1] == 42);
  CHECK(answer.dw[2] == 0);
  CHECK(answer.dw[3] == 0);
}

TEST_CASE("typed messages without a LOD access the surface's first level") {
  auto f = levels(2, 0);
  const std::array<Grf, 3> payload{Grf{{1, 2}}, Grf{}, Grf{{41, 42}}};
  CHECK(f.send(typed_write, simd8_low | red_only, false, 8, 3, payload, {}) == SendResult::done);
  CHECK(f.view.load<uint32_t>(level2 + 4) == 41);
  CHECK(f.view.load<uint32_t>(level2 + 8) == 0);
}

// dEQP-VK.image.store.without_format.*.b5g6r5_unorm_pack16*
TEST_CASE("typed writes follow the surface's channel selects") {
  constexpr uint32_t blue_first = 6u << 25 | 5u << 22 | 4u << 19 | 7u << 16, r8g8b8a8_uint = 0xcau << 18;
  Fixture f({1u << 29 | r8g8b8a8_uint | 1 << 16 | 1 << 14, 0, 3 << 16 | 7, 63, 0, 0, 0, blue_first, pixels});
  const std::array<Grf, 6> payload{Grf{{2}}, Grf{{1}}, Grf{{10}}, Grf{{20}}, Grf{{30}}, Grf{{40}}};
  CHECK(f.send(typed_write, simd8_low, false, 8, 1, payload, {}) == SendResult::done);
  CHECK(f.view.load<uint32_t>(pixels + 64 + 8) == (40u << 24 | 10u << 16 | 20u << 8 | 30u));
  // Mesa 25: zeros for what the format lacks.
  constexpr uint32_t red_alone = 4u << 25 | 1u << 16, r32_uint = 0xd7u << 18;
  Fixture single({1u << 29 | r32_uint | 1 << 16 | 1 << 14, 0, 3 << 16 | 7, 63, 0, 0, 0, red_alone, pixels});
  clear_failure_counts();
  CHECK(single.send(typed_write, simd8_low, false, 8, 1, payload, {}) == SendResult::done);
  CHECK(single.view.load<uint32_t>(pixels + 64 + 8) == 10);
  CHECK(failure_counts().empty());
}

// dEQP-VK.image.load_store.with_format.* with Mesa 25: R16G16B16A16_SNORM, R8G8B8A8_UNORM and R8_SNORM.
TEST_CASE("typed reads of formats that are converted by writes only give the element's bits") {
  const struct {
    uint32_t code, first, second;
  } rows[] = {{0x81, 0x4433'2211, 0x8877'6655}, {0xc7, 0x4433'2211, 0}, {0x141, 0x11, 0}};
  for (const auto& row : rows) {
    Fixture f({1u << 29 | row.code << 18 | 1 << 16 | 1 << 14, 0, 3 << 16 | 7, 63, 0, 0, 0, selects, pixels});
    f.view.store<uint64_t>(pixels, 0x8877'6655'4433'2211);
    const std::array<Grf, 2> payload{};
    std::array<Grf, 2> answer{};
    CHECK(f.send(typed_read, simd8_low | 0xc, false, 8, 1, payload, answer) == SendResult::done);
    CHECK(answer[0].dw[0] == row.first);
    CHECK(answer[1].dw[0] == row.second);
  }
}

// Clients do not resolve fast-cleared surfaces before typed messages where the aux map says where codes are.
TEST_CASE("typed messages see clear pairs, and what they write is seen") {
  constexpr uint64_t level3 = 0x8000, level2 = 0x1'0000, level1 = 0x1'8000, control = 0x1'a000, target = 0x2'0000, colors = 0x2'8040;
  softgen::iface::test::ThreadMemory memory({table, state, level3, level2, level1, control, target, colors - 0x40});
  memory.bind(table, state);
  memory.bases.decode_surface = surface::decode_surface<defs::Gen12>;
  softgen::memory::test::use_aux_tables(memory.view, level3, level2, level1);
  softgen::memory::test::set_control(memory.view, level1, target, control);
  memory.view.store<uint64_t>(control, ~uint64_t{0});  // the tile's upper 16 rows are clear
  // R32_UINT, Y tiles, 32x32, CCS_E, clear value address.
  const surface::SurfaceDwords words{
      1u << 29 | 0xd7u << 18 | 1 << 16 | 1 << 14 | 3 << 12, 0, 31 << 16 | 31, 127, 0, 0, 5, selects, target, 0, 1 << 10, 0, colors};
  memory.view.write(state, words.data(), sizeof words);
  memory.view.store<uint32_t>(colors, 1234);
  softgen::dataport::DataPort port;
  const auto send = [&](uint32_t type, std::span<const Grf> payload, std::span<Grf> response) {
    const uint32_t descriptor = type << 14 | (simd8_low | red_only) << 8 | static_cast<uint32_t>(response.size()) << 20 |
                                static_cast<uint32_t>(payload.size()) << 25;
    return port.send({eu::gen9_isa().message(static_cast<unsigned>(Sfid::dp_data1), descriptor), 8, 0xf, 0xf, payload, {}, response, false},
                     memory.env);
  };
  const std::array<Grf, 2> places{Grf{{0, 9, 31, 4}}, Grf{{0, 5, 15, 16}}};
  Grf answer{};
  CHECK(send(typed_read, places, std::span(&answer, 1)) == SendResult::done);
  CHECK(answer.dw[0] == 1234);
  CHECK(answer.dw[1] == 1234);
  CHECK(answer.dw[2] == 1234);
  CHECK(answer.dw[3] == 0);
  CHECK(memory.view.load<uint32_t>(target) == 0);  // a read changes nothing
  const std::array<Grf, 3> written{places[0], places[1], Grf{{1, 2, 3, 4}}};
  CHECK(send(typed_write, written, {}) == SendResult::done);
  // Another clear colour: what was written stays, as does what is in its pair.
  memory.view.store<uint32_t>(colors, 99);
  const std::array<Grf, 2> around{Grf{{0, 10, 30, 20}}, Grf{{0, 5, 15, 0}}};
  CHECK(send(typed_read, around, std::span(&answer, 1)) == SendResult::done);
  CHECK(answer.dw[0] == 1);
  CHECK(answer.dw[1] == 1234);
  CHECK(answer.dw[2] == 1234);
  CHECK(answer.dw[3] == 99);
}

// Tries every format code, in buffers and tiled images. Formats that hw/surface/formats.inc does not list for typed reads (T) or writes (W)
// must have no effect; R64G64B64A64_FLOAT and similar ones are twice as long as the longest element of these messages.
TEST_CASE("typed messages support the formats that hardware supports, and no others") {
  quiet_log();
  constexpr uint32_t codes = 512, simd4x2 = 0, simd8_high = 2 << 4;
  constexpr uint32_t buffer = 4u << 29, image = 1u << 29, tiled_y = 3 << 12;
  const std::array<Grf, 8> payload{
      Grf{{0, 1, 2, 3}}, Grf{}, Grf{}, Grf{}, Grf{{1, 2, 3, 4, 5, 6, 7, 8}}, Grf{{9, 9, 9, 9}}, Grf{{7, 7, 7, 7}}, Grf{{8, 8, 8, 8}}};
  for (uint32_t code = 0; code < codes; ++code)
    for (const uint32_t type : {buffer, image, image | tiled_y}) {
      const surface::Format* const format = surface::find_format(code);
      Fixture f({type | code << 18 | 1 << 16 | 1 << 14, 0, 3 << 16 | 7, type == buffer ? 31u : 255u, 0, 0, 0, selects, pixels});
      CAPTURE(code, type);
      for (const uint32_t mode : {simd4x2, simd8_low, simd8_high}) {
        f.view.fill(pixels, 0xa5, 0x2000);
        std::array<Grf, 4> response{};
        const auto sent = [&](uint32_t message, uint32_t control, std::span<Grf> answer) {
          return f.send(message, control, false, 8, 0xff, payload, answer);
        };
        CHECK(sent(typed_read, mode, response) == SendResult::done);
        const bool answered =
            std::ranges::any_of(response, [](const Grf& r) { return std::ranges::any_of(r.dw, [](uint32_t d) { return d != 0; }); });
        if (!format || !(format->is(surface::use_typed_read) || format->is(surface::use_typed_write))) CHECK_FALSE(answered);
        CHECK(sent(typed_write, mode, {}) == SendResult::done);
        const auto untouched = [&] {
          for (uint64_t at = pixels; at < pixels + 0x2000; at += 4)
            if (f.view.load<uint32_t>(at) != 0xa5a5a5a5) return false;
          return true;
        };
        CHECK(untouched() == (!format || !format->is(surface::use_typed_write)));
        if (format && format->is(surface::use_typed_write)) CHECK(format->block_bytes() <= 16);
        f.view.fill(pixels, 0xa5, 0x2000);
        CHECK(f.send(0x06, 5, false, 8, 0xff, payload, {}) == SendResult::done);
        CHECK(untouched() == (!format || format->block_bits != 32));
      }
    }
}
