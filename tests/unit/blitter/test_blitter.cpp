// SPDX-License-Identifier: GPL-2.0-or-later
#include <array>

#include "hw/blitter/rop.h"
#include "hw/defs/gen9/set.h"
#include "tests/catch.h"
#include "tests/unit/blitter/fixture.h"

using namespace softgen;
using namespace softgen::test;
using Fixture = BlitFixture;

TEST_CASE("all 256 raster operations follow the truth table") {
  alignas(32) std::array<uint8_t, 32> p, s, d, out;
  for (unsigned i = 0; i < 32; ++i) p[i] = 0xf0, s[i] = 0xcc, d[i] = 0xaa;
  bool same = true;
  for (unsigned rop = 0; rop < 256; ++rop) {
    blitter::apply_rop(static_cast<uint8_t>(rop), reinterpret_cast<std::byte*>(out.data()), reinterpret_cast<std::byte*>(p.data()),
                       reinterpret_cast<std::byte*>(s.data()), reinterpret_cast<std::byte*>(d.data()), 32);
    // 0xF0, 0xCC, 0xAA are the truth table's own columns.
    for (const uint8_t byte : out) same &= byte == rop;
  }
  CHECK(same);
  CHECK_FALSE(blitter::rop_uses_destination(0xcc));
  CHECK_FALSE(blitter::rop_uses_pattern(0xcc));
  CHECK(blitter::rop_uses_source(0xcc));
  CHECK(blitter::rop_uses_destination(0x5a));
  CHECK(blitter::rop_uses_pattern(0x5a));
  CHECK_FALSE(blitter::rop_uses_source(0x5a));
}

TEST_CASE_METHOD(Fixture, "every rectangle command equals the per-pixel reference") {
  constexpr unsigned first_seed = 20261121;
  struct Row {
    unsigned opcode;
    size_t dwords;
  };
  const Row rows[] = {{0x50, 7},  {0x51, 8}, {0x52, 10}, {0x53, 10}, {0x54, 10}, {0x55, 12}, {0x56, 12}, {0x57, 14},
                      {0x58, 14}, {0x71, 8}, {0x72, 6},  {0x73, 12}, {0x74, 10}, {0x75, 10}, {0x76, 10}, {0x77, 8}};
  for (const Row& row : rows) {
    const unsigned value = first_seed + row.opcode;
    seed(value);
    for (int i = 0; i < 40; ++i) {
      swctrl = below(4);
      put_clip();
      static constexpr unsigned common[] = {0xcc, 0xf0, 0x00, 0xff, 0x55, 0x66, 0x88, 0xee, 0x5a, 0xb8, 0xaa};
      const unsigned rop = coin() ? common[below(std::size(common))] : below(256);
      const bool immediate = row.opcode == 0x71 || row.opcode == 0x72 || row.opcode == 0x74 || row.opcode == 0x75 || row.opcode == 0x77;
      const size_t extra = !immediate ? 0 : row.opcode == 0x71 ? below(240) + 1 : 16u << below(3);
      auto dw = start(row.opcode, row.dwords + extra, rop);
      for (size_t k = 6; k < dw.size(); ++k) dw[k] = random();
      switch (row.opcode) {
        case 0x51: put64(dw, 6, pattern_base + 256 * below(8)); break;
        case 0x52:
          put64(dw, 6, pattern_base + 8 * below(8));
          dw[1] |= random() & 1u << 31;
          break;
        case 0x53:
        case 0x74: put_source(dw, 6); break;
        case 0x73:
          put_source(dw, 6);
          dw[0] = (dw[0] & ~(7u << 17)) | (const unsigned[]){0u, 1u, 5u}[below(3)] << 17;
          dw[10] &= 0x7f7f7f7f;
          break;
        case 0x54:
        case 0x75:
          put64(dw, 6, bitmap_base + below(100));
          dw[0] |= below(8) << 17;
          break;
        case 0x55:
          put_source(dw, 6);
          put64(dw, 10, pattern_base);
          break;
        case 0x56:
          put64(dw, 6, bitmap_base + below(100));
          dw[0] |= below(8) << 17;
          put64(dw, 10, pattern_base);
          break;
        case 0x57:
          put_source(dw, 6);
          put64(dw, 10, pattern_base + 8 * below(8));
          break;
        case 0x58:
          put64(dw, 6, bitmap_base + below(100));
          dw[0] |= below(8) << 17;
          put64(dw, 10, pattern_base);
          break;
        case 0x71: dw[0] |= below(8) << 17; break;
        case 0x76:
          put64(dw, 6, pattern_base);
          dw[0] = (dw[0] & ~(7u << 17)) | (coin() ? 5u : 0u) << 17;
          break;
        case 0x77: dw[0] = (dw[0] & ~(7u << 17)) | (coin() ? 5u : 0u) << 17; break;
      }
      INFO("opcode " << row.opcode << " seed " << value << " round " << i << " rop " << rop);
      REQUIRE(same(dw));
    }
  }
}

TEST_CASE_METHOD(Fixture, "commands that use the setup state equal the per-pixel reference") {
  constexpr unsigned value = 77;
  INFO("seed " << value);
  seed(value);
  for (int i = 0; i < 150; ++i) {
    swctrl = below(4);
    const bool mono = coin();
    auto setup = start(mono ? 0x11 : 0x01, 10, coin() ? 0xf0 : below(256));
    if (mono) setup[1] |= random() & 1u << 31;
    const bool tiled = setup[0] >> 11 & 1;
    setup[2] = xy(static_cast<int>(below(100)), static_cast<int>(below(50)));
    setup[3] = xy(static_cast<int>(100 + below(100)), static_cast<int>(50 + below(50)));
    setup[6] = random(), setup[7] = random();
    if (mono) setup[8] = random(), setup[9] = random();
    else put64(setup, 8, pattern_base);
    REQUIRE(same(setup));
    const uint32_t tiled_bit = tiled ? 1u << 11 : 0;
    const int x = static_cast<int>(below(150)), y = static_cast<int>(below(90)), w = static_cast<int>(below(90)),
              h = static_cast<int>(below(40));
    INFO("round " << i);
    REQUIRE(same({header(0x24, tiled_bit, 2), xy(x, y)}));
    REQUIRE(same({header(0x25, tiled_bit | below(8) << 12 | below(8) << 8, 3), xy(x, y), xy(x + w, y + h)}));
    REQUIRE(
        same({header(0x26, tiled_bit | below(2) << 16, 5), xy(x, y), xy(x + w, y + h), static_cast<uint32_t>(bitmap_base + below(99)), 0}));
    std::vector<uint32_t> text(3 + 1 + below(200));
    text[0] = header(0x31, tiled_bit | below(2) << 16, text.size());
    text[1] = xy(x, y), text[2] = xy(x + w, y + h);
    for (size_t k = 3; k < text.size(); ++k) text[k] = random();
    REQUIRE(same(text));
  }
}

TEST_CASE_METHOD(Fixture, "short blits and state commands are executed on request, long ones are left alone") {
  seed(20261128);
  const auto fill = [](int x1, int y1, int x2, int y2) {
    return std::vector<uint32_t>{header(0x50, 3u << 20, 7), 0x03f0'0000 | 1024, xy(x1, y1), xy(x2, y2), destination_base, 0, 0x1234'5678};
  };
  const auto shortly = [&](const std::vector<uint32_t>& dwords) {
    const std::optional<ExecResult> result = execute_short(dwords);
    if (result) reference.execute(dwords, 0);
    CHECK(std::memcmp(ram.get(), model.data(), size) == 0);
    return result == ExecResult::done;
  };
  CHECK(shortly(fill(3, 4, 4, 5)));
  CHECK(shortly(fill(0, 0, 16, 16)));
  CHECK(shortly(fill(5, 5, 5, 70)));
  CHECK(shortly({header(0x03, 0, 3), xy(1, 2), xy(30, 40)}));
  CHECK_FALSE(shortly(fill(0, 0, 17, 16)));
  CHECK_FALSE(shortly(fill(0, 0, 1, 17)));
  CHECK_FALSE(shortly(fill(-32768, -32768, 32767, 32767)));
}

TEST_CASE_METHOD(Fixture, "linear COLOR_BLT and SRC_COPY_BLT equal the per-pixel reference") {
  constexpr unsigned value = 5;
  INFO("seed " << value);
  seed(value);
  for (int i = 0; i < 60; ++i) {
    const uint32_t dw1 = below(4) << 24 | (coin() ? 0xf0u : below(256)) << 16 | (600 + below(600));
    std::vector<uint32_t> color = {
        header(0x40, below(4) << 20, 6), dw1, below(600) | below(80) << 16, static_cast<uint32_t>(destination_base + below(5000)), 0,
        static_cast<uint32_t>(random())};
    REQUIRE(same(color));
    std::vector<uint32_t> copy = {header(0x43, below(4) << 20, 8),
                                  (dw1 & ~0xff0000u) | (coin() ? 0xccu : below(256)) << 16,
                                  below(600) | below(80) << 16,
                                  static_cast<uint32_t>(destination_base + below(5000)),
                                  0,
                                  600 + below(600),
                                  static_cast<uint32_t>(source_base + below(5000)),
                                  0};
    REQUIRE(same(copy));
  }
}

TEST_CASE_METHOD(Fixture, "fast copies between all tilings and depths equal the byte-wise reference") {
  constexpr unsigned value = 99;
  INFO("seed " << value);
  seed(value);
  for (const unsigned depth : {0u, 1u, 3u, 4u, 5u})
    for (unsigned to = 0; to < 5; ++to)
      for (unsigned from = 0; from < 5; ++from)
        for (int i = 0; i < 12; ++i) {
          const auto method = [](unsigned t) { return t == 4 ? 3u : t == 3 ? 2u : t; };  // linear, X, Y, Yf, Ys
          const auto pitch = [&](unsigned t) { return t ? 1024u / 4 * (1 + below(2)) : 1024 + 16 * below(64); };
          const int scale = depth == 5 ? 4 : depth == 4 ? 2 : 1;
          std::vector<uint32_t> dw(10);
          dw[0] = header(0x42, method(from) << 20 | method(to) << 13, 10);
          dw[1] = (from == 3 ? 1u << 31 : 0) | (to == 3 ? 1u << 30 : 0) | depth << 24 | pitch(to);
          const int x = static_cast<int>(below(100)) / scale, y = static_cast<int>(below(80));
          dw[2] = xy(x, y), dw[3] = xy(x + static_cast<int>(below(120)) / scale, y + static_cast<int>(below(80)));
          put64(dw, 4, destination_base);
          dw[6] = xy(static_cast<int>(below(100)) / scale, static_cast<int>(below(80)));
          // Also whole tiles, and operands with the same position in their tiles.
          if (i / 2 == 4) dw[2] = 0, dw[3] = xy(256 / scale, 128), dw[6] = xy(0, 64);
          if (i / 2 == 5) dw[6] = dw[2];
          dw[7] = pitch(from);
          put64(dw, 8, source_base + (from == 0 ? below(64) : 0));
          INFO("depth " << depth << " to " << to << " from " << from);
          REQUIRE(same(dw));
        }
}

TEST_CASE_METHOD(Fixture, "a tiled pitch that is no whole number of tiles is rounded down to one") {
  for (unsigned i = 0; i < 200; ++i) {
    seed(1700 + i);
    INFO("seed " << 1700 + i);
    const bool to_tiled = i % 4 & 1, from_tiled = i % 4 & 2;
    const auto pitch = [&](bool tiled) { return tiled ? 1024 / 4 + below(128) : 1024; };
    std::vector<uint32_t> dw = {header(0x53, 3u << 20 | (to_tiled ? 1u << 11 : 0) | (from_tiled ? 1u << 15 : 0), 10),
                                3u << 24 | 0xccu << 16 | pitch(to_tiled),
                                0,
                                xy(static_cast<int>(below(200)), 1 + static_cast<int>(below(60))),
                                static_cast<uint32_t>(destination_base),
                                0,
                                xy(static_cast<int>(below(40)), static_cast<int>(below(10))),
                                pitch(from_tiled),
                                static_cast<uint32_t>(source_base),
                                0};
    REQUIRE(same(dw));
  }
}

TEST_CASE_METHOD(Fixture, "overlapping copies read everything before it is overwritten") {
  constexpr unsigned value = 123;
  INFO("seed " << value);
  seed(value);
  for (int i = 0; i < 200; ++i) {
    swctrl = (const uint32_t[]){0, 3}[below(2)];
    const bool tiled = coin();
    std::vector<uint32_t> dw(10);
    dw[0] = header(0x53, 3u << 20 | (tiled ? 1u << 11 | 1u << 15 : 0), 10);
    dw[1] = below(4) << 24 | (below(4) ? 0xccu : below(256)) << 16;
    const uint32_t pitch = tiled_or_linear_pitch(tiled);
    dw[1] |= pitch, dw[7] = pitch;
    const int x = static_cast<int>(60 + below(60)), y = static_cast<int>(30 + below(30));
    dw[2] = xy(x, y), dw[3] = xy(x + static_cast<int>(below(120)), y + static_cast<int>(below(90)));
    dw[6] = xy(x + static_cast<int>(below(41)) - 20, y + static_cast<int>(below(21)) - 10);
    put64(dw, 4, destination_base), put64(dw, 8, destination_base);
    INFO("round " << i << " tiled " << tiled);
    REQUIRE(same(dw));
  }
}

TEST_CASE_METHOD(Fixture, "a negative pitch turns a linear copy upside down") {
  seed(1);
  std::vector<uint32_t> dw(10);
  dw[0] = header(0x53, 3u << 20, 10);
  dw[1] = 3u << 24 | 0xccu << 16 | static_cast<uint16_t>(-512);
  dw[2] = xy(3, 0), dw[3] = xy(90, 40);
  put64(dw, 4, destination_base + 50 * 512);
  dw[7] = 512;
  put64(dw, 8, source_base);
  CHECK(same(dw));
}

TEST_CASE_METHOD(Fixture, "a reset ends a huge blit, a pause leaves it resumable") {
  seed(2);
  std::vector<uint32_t> dw = {header(0x50, 3u << 20, 7),
                              3u << 24 | 0xf0u << 16 | 0x7ffcu,
                              0,
                              xy(32767, 32767),
                              static_cast<uint32_t>(destination_base),
                              0,
                              0x12345678};
  stop.request(StopFlag::reset);
  CHECK(execute(dw) == ExecResult::aborted);
  stop.clear(StopFlag::reset);
  stop.request(StopFlag::pause);
  CHECK(execute(dw) == ExecResult::preempted);
  stop.clear(StopFlag::pause);

  // Progress is in the context image: another engine may go on with it.
  std::vector<std::byte> image(blitter.context_size());
  blitter::ContextState half;
  half.progress = 10;
  std::memcpy(image.data(), &half, sizeof half);
  blitter.restore_context(image);
  dw[1] = 3u << 24 | 0xf0u << 16 | 1024, dw[3] = xy(64, 20);
  CHECK(execute(dw) == ExecResult::done);
  const auto pixel = [&](unsigned row) {
    uint32_t v;
    std::memcpy(&v, ram.get() + destination_base + row * 1024, 4);
    return v;
  };
  uint32_t untouched;
  std::memcpy(&untouched, &model[destination_base + 9 * 1024], 4);
  CHECK(pixel(9) == untouched);
  CHECK(pixel(10) == 0x12345678);
  CHECK(pixel(19) == 0x12345678);
  blitter.save_context(image);
  std::memcpy(&half, image.data(), sizeof half);
  CHECK(half.progress == 0);
}

TEST_CASE_METHOD(Fixture, "setup state survives a context switch, and a damaged image gives the defaults") {
  seed(3);
  std::vector<uint32_t> setup = {header(0x11, 3u << 20, 10),
                                 1u << 31 | 3u << 24 | 0xf0u << 16 | 1024,
                                 0,
                                 0,
                                 static_cast<uint32_t>(destination_base),
                                 0,
                                 0,
                                 0xabcdef01,
                                 0,
                                 0};
  CHECK(same(setup));
  std::vector<std::byte> image(blitter.context_size());
  blitter.save_context(image);
  blitter.reset_context();
  const std::vector<uint32_t> pixel = {header(0x24, 0, 2), xy(5, 5)};
  execute(pixel);
  CHECK(std::memcmp(ram.get(), model.data(), size) == 0);
  blitter.restore_context(image);
  CHECK(same(pixel));
  std::fill(image.begin(), image.end(), std::byte{0xff});
  blitter.restore_context(image);
  execute({header(0x24, 0, 2), xy(6, 6)});
  CHECK(std::memcmp(ram.get(), model.data(), size) == 0);
}

TEST_CASE_METHOD(Fixture, "random dwords never leave guest memory") {
  constexpr unsigned value = 31;
  INFO("seed " << value);
  seed(value);
  const unsigned opcodes[] = {0x01, 0x03, 0x11, 0x24, 0x25, 0x26, 0x31, 0x40, 0x42, 0x43, 0x50, 0x51, 0x52, 0x53,
                              0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x71, 0x72, 0x73, 0x74, 0x75, 0x76, 0x77};
  for (int i = 0; i < 3000; ++i) {
    const unsigned opcode = opcodes[below(std::size(opcodes))];
    const uint32_t bare = 2u << 29 | opcode << 22;
    const defs::Command* command = defs::gen9::commands.find(defs::EngineClass::copy, bare);
    REQUIRE(command);
    std::vector<uint32_t> dw(command->dwords + (command->variable ? below(20) : 0));
    for (auto& d : dw) d = random();
    // Small rectangles, so that the test ends; XY_SCANLINES_BLT and the text commands have theirs a dword
    // earlier.
    const size_t first = opcode < 0x40 ? 1 : 2;
    for (size_t k = first; k < std::min(dw.size(), first + 2); ++k)
      dw[k] = xy(static_cast<int>(below(200)) - 60, static_cast<int>(below(200)) - 60);
    dw[0] = header(opcode, dw[0] & 0x3fff00, dw.size());
    if (opcode == 0x40 || opcode == 0x43) dw[2] &= 0x007f03ff;
    swctrl = below(4);
    set_swctrl(swctrl);
    if (opcode != 0x42 || (dw[1] >> 24 & 7) < 6) execute(dw);
  }
  SUCCEED();
}
