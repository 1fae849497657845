// SPDX-License-Identifier: GPL-2.0-or-later
#include <cmath>
#include <random>

#include "hw/display/compose.h"
#include "hw/display/skl/planes.h"
#include "hw/memory/ggtt.h"
#include "hw/memory/sparse_memory.h"
#include "tests/catch.h"

using namespace softgen;
using namespace softgen::display;
using surface::Tiling;

namespace {

constexpr uint32_t enable = 1u << 31;
constexpr uint32_t tiling_bits[] = {0, 0, 1u << 10, 4u << 10, 5u << 10, 0};  // by surface::Tiling

struct Scene {
  Scene() : memory(64 << 20), view(memory, nullptr) {
    for (uint64_t page = 0; page < 16384; page++) ggtt.set_pte(page, (page << 12) | 1);
    view.set_space(memory::AddressSpace::ggtt(ggtt));
    frame.width = frame.source_width = 320;
    frame.height = frame.source_height = 200;
  }

  Layer& add(const PlaneRegs& regs, unsigned id = 0) {
    Layer layer;
    REQUIRE(skl_decode_plane(regs, layer.plane));
    return place(layer, id);
  }
  Layer& add(const CursorRegs& regs, const CursorPalette& palette = {}) {
    Layer layer;
    REQUIRE(decode_cursor(regs, palette, layer.plane));
    return place(layer, 4);
  }
  Layer& place(Layer& layer, unsigned id) {
    layer.id = id;
    layer.window = {layer.plane.x, layer.plane.y, layer.plane.width, layer.plane.height};
    frame.layers.push_back(layer);
    return frame.layers.back();
  }

  std::vector<uint32_t> render() {
    Composer composer(frame, view, palettes.legacy);
    std::vector<uint32_t> pixels(size_t{frame.width} * frame.height);
    for (uint32_t y = 0; y < frame.height; y++) composer.row(y, &pixels[size_t{y} * frame.width]);
    return pixels;
  }
  std::vector<uint32_t> render_slowly() {
    Composer composer(frame, view, palettes.legacy);
    std::vector<Pixel> row(frame.width);
    std::vector<uint32_t> pixels;
    for (uint32_t y = 0; y < frame.height; y++) {
      composer.deep_row(y, row.data());
      for (const Pixel& p : row) pixels.push_back(to_xrgb(p));
    }
    return pixels;
  }
  uint32_t hash() {
    FrameHash hash;
    const auto pixels = render();
    hash.add(std::as_bytes(std::span(pixels)));
    return hash.value();
  }
  // Stores one pixel's bytes where the layout puts them.
  void put(uint32_t base, Tiling tiling, uint32_t pitch, uint32_t bytes, uint32_t x, uint32_t y, uint64_t value) {
    const uint64_t at = tiling == Tiling::linear ? uint64_t{y} * pitch + x * bytes : surface::offset(tiling, bytes, x * bytes, y, pitch);
    REQUIRE(memory.write(base + at, &value, bytes));
  }

  memory::SparseMemory memory;
  memory::Ggtt ggtt;
  memory::View view;
  Palettes palettes;
  Frame frame;
};

uint32_t picture(uint32_t x, uint32_t y) { return 0xff000000u | ((x * 3) & 0xff) << 16 | ((y * 5) & 0xff) << 8 | ((x ^ y) & 0xff); }

PlaneRegs plane_8888(Tiling tiling, uint32_t base, uint32_t width, uint32_t height, uint32_t pitch) {
  PlaneRegs regs;
  regs.ctl = enable | 4u << 24 | tiling_bits[static_cast<unsigned>(tiling)];
  regs.surf = base;
  regs.size = (width - 1) | (height - 1) << 16;
  regs.stride = pitch / (tiling == Tiling::linear ? 64 : tiling == Tiling::x ? 512 : 128);
  return regs;
}

void fill(Scene& scene, Tiling tiling, uint32_t base, uint32_t width, uint32_t height, uint32_t pitch) {
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++) scene.put(base, tiling, pitch, 4, x, y, picture(x, y));
}

}  // namespace

TEST_CASE_METHOD(Scene, "every tiling shows the same picture") {
  for (Tiling tiling : {Tiling::linear, Tiling::x, Tiling::y, Tiling::yf}) {
    frame.layers.clear();
    fill(*this, tiling, 0x100000, 340, 230, 1536);
    PlaneRegs regs = plane_8888(tiling, 0x100000, 320, 200, 1536);
    regs.offset = 13 | 25u << 16;  // panned
    add(regs);
    const auto pixels = render();
    INFO("tiling " << surface::tiling_name(tiling));
    for (uint32_t y = 0; y < 200; y += 7)
      for (uint32_t x = 0; x < 320; x++) REQUIRE(pixels[y * 320 + x] == picture(x + 13, y + 25));
  }
}

TEST_CASE_METHOD(Scene, "without planes the bottom colour is shown, and black outside the source") {
  frame.bottom = {widen8(0x12), widen8(0x34), widen8(0x56), 0xffff};
  frame.source_width = 100;
  const auto pixels = render();
  CHECK(pixels[99] == 0xff123456);
  CHECK(pixels[100] == 0xff000000);
}

TEST_CASE_METHOD(Scene, "unmapped memory is black and nothing else") {
  for (uint64_t page = 0; page < 16384; page++) ggtt.set_pte(page, 0);
  ggtt.invalidate();
  add(plane_8888(Tiling::x, 0xfffff000, 320, 200, 0x1fe00));
  for (uint32_t p : render()) REQUIRE(p == 0xff000000);
}

TEST_CASE_METHOD(Scene, "rotation by 180 turns the picture") {
  fill(*this, Tiling::linear, 0x100000, 320, 200, 1280);
  PlaneRegs regs = plane_8888(Tiling::linear, 0x100000, 320, 200, 1280);
  regs.ctl |= 2;
  add(regs);
  const auto pixels = render();
  for (uint32_t y = 0; y < 200; y += 3)
    for (uint32_t x = 0; x < 320; x++) REQUIRE(pixels[y * 320 + x] == picture(319 - x, 199 - y));
}

TEST_CASE_METHOD(Scene, "rotation by 90 and 270 reads the driver's rotated view") {
  // A 96 x 64 picture, Y tiled: 3 tiles wide, 2 high. The driver maps it column by column, lowest tile first (i915 rotate_pages).
  for (uint32_t y = 0; y < 64; y++)
    for (uint32_t x = 0; x < 96; x++) put(0x100000, Tiling::y, 384, 4, x, y, picture(x, y));
  const uint32_t view_base = 0x800000;
  for (uint32_t column = 0, page = 0; column < 3; column++)
    for (int row = 1; row >= 0; row--, page++) ggtt.set_pte((view_base >> 12) + page, (0x100000 + (row * 3 + column) * 4096) | 1);
  ggtt.invalidate();
  frame.width = frame.source_width = 64;
  frame.height = frame.source_height = 96;
  for (unsigned rotation : {1u, 3u}) {
    frame.layers.clear();
    PlaneRegs regs = plane_8888(Tiling::y, view_base, 64, 96, 256);
    regs.stride = 2;  // tiles of a column
    regs.ctl |= rotation;
    add(regs);
    const auto pixels = render();
    INFO("rotation code " << rotation);
    for (uint32_t y = 0; y < 96; y++)
      for (uint32_t x = 0; x < 64; x++)
        REQUIRE(pixels[y * 64 + x] == (rotation == 1 ? picture(y, 63 - x) : picture(95 - y, x)));  // clockwise, counter-clockwise
  }
}

TEST_CASE_METHOD(Scene, "formats decode to the colours they encode") {
  struct Sample {
    const char* name;
    uint32_t ctl, bytes;
    uint64_t value;
    uint32_t xrgb;
  };
  // White, mid and pure colours; F16: 1.0 = 0x3c00, 0.5 = 0x3800.
  const Sample samples[] = {
      {"XRGB8888", 4u << 24, 4, 0x00c08040, 0xffc08040},
      {"XBGR8888", 4u << 24 | 1u << 20, 4, 0x004080c0, 0xffc08040},
      {"XRGB2101010", 2u << 24, 4, 1023u << 20 | 512u << 10 | 0, 0xffff8000},
      {"XBGR2101010", 2u << 24 | 1u << 20, 4, 1023u | 512u << 10, 0xffff8000},
      {"RGB565", 14u << 24, 2, 0x1fu << 11 | 0x20u << 5, 0xffff8200},
      {"XRGB16161616F", 6u << 24, 8, 0x0000'3c00'3800'0000, 0xffff8000},
      {"XBGR16161616F", 6u << 24 | 1u << 20, 8, 0x0000'0000'3800'3c00, 0xffff8000},
      {"XBGR16161616F beyond one", 6u << 24 | 1u << 20, 8, 0x0000'fc00'4400'bc00, 0xff00ff00},
      {"C8", 12u << 24, 1, 0x42, 0xff123456},
      {"XYUV limited", 8u << 24, 4, 0x00eb8080, 0xffffffff},
      {"XYUV full 709 red", 8u << 24 | 1u << 28 | 1u << 18, 4, 0x003663ff, 0xfffe0000},
      {"YUYV black", 0, 4, 0x80108010, 0xff000000},
      {"UYVY white", 1u << 16, 4, 0xeb80eb80, 0xffffffff},
      {"YVYU limited 601 blue", 2u << 16, 4, 0xf0296e29, 0xff0000ff},
      {"VYUY limited 601 blue", 3u << 16, 4, 0x29f0296e, 0xff0000ff},
  };
  palettes.legacy[0x42] = 0x123456;
  for (const Sample& s : samples) {
    frame.layers.clear();
    const bool pairs = (s.ctl >> 24 & 0xf) == 0;
    for (uint32_t x = 0; x < 320; x++)
      for (uint32_t y = 0; y < 2; y++) {
        if (pairs && (x & 1)) continue;
        put(0x100000, Tiling::linear, 2560, s.bytes, pairs ? x / 2 : x, y, s.value);
      }
    PlaneRegs regs;
    regs.ctl = enable | s.ctl;
    regs.surf = 0x100000;
    regs.stride = 40;
    regs.size = 319 | 1u << 16;
    add(regs);
    INFO(s.name);
    const auto pixels = render();
    for (uint32_t x = 0; x < 640; x++) {
      for (unsigned low = 0; low < 24; low += 8) {
        const int got = static_cast<int>(pixels[x] >> low & 0xff), want = static_cast<int>(s.xrgb >> low & 0xff);
        REQUIRE(std::abs(got - want) <= (s.ctl >> 24 & 0xf ? 0 : 1));
      }
    }
  }
}

TEST_CASE_METHOD(Scene, "NV12 takes chroma from its own plane") {
  for (uint32_t y = 0; y < 16; y++)
    for (uint32_t x = 0; x < 32; x++) put(0x100000, Tiling::y, 128, 1, x, y, 0x51);  // red in BT.601 limited range
  for (uint32_t y = 0; y < 8; y++)
    for (uint32_t x = 0; x < 16; x++) put(0x110000, Tiling::y, 128, 2, x, y, 0xf05a);
  PlaneRegs regs;
  regs.ctl = enable | 1u << 24 | 4u << 10;
  regs.surf = 0x100000;
  regs.stride = 1;
  regs.aux_dist = 0x10000 | 1;
  regs.size = 31 | 15u << 16;
  add(regs);
  const auto pixels = render();
  for (uint32_t y = 0; y < 16; y++)
    for (uint32_t x = 0; x < 32; x++) {
      CHECK((pixels[y * 320 + x] >> 16 & 0xff) >= 0xfd);
      CHECK((pixels[y * 320 + x] & 0xffff) <= 0x0101);
    }
}

TEST_CASE_METHOD(Scene, "YUV planes turned by 180 degrees equal those whose samples are turned in memory") {
  constexpr uint32_t width = 32, height = 16, half_turn = 2, nv12 = 1u << 24;
  std::mt19937 random(11);
  const auto fill = [&](uint32_t surface, uint32_t turned, uint32_t bytes, uint32_t columns, uint32_t rows, auto value, auto turn) {
    for (uint32_t y = 0; y < rows; y++)
      for (uint32_t x = 0; x < columns; x++) {
        const uint32_t v = value();
        put(surface, Tiling::y, 128, bytes, x, y, v);
        put(turned, Tiling::y, 128, bytes, columns - 1 - x, rows - 1 - y, turn(v));
      }
  };
  const auto shown = [&](uint32_t surface, uint32_t control) {
    PlaneRegs regs;
    regs.ctl = enable | 4u << 10 | control;
    regs.surf = surface;
    regs.stride = 1;
    regs.aux_dist = 0x10000 | 1;
    regs.size = (width - 1) | (height - 1) << 16;
    frame.layers.clear();
    add(regs);
    return render();
  };
  const auto same = [](uint32_t v) { return v; };
  // Y0 U Y1 V: the pixels of a pair change places.
  const auto pair_turned = [](uint32_t v) { return (v & 0xff00ff00) | (v & 0xff) << 16 | (v >> 16 & 0xff); };
  SECTION("NV12") {
    fill(0x100000, 0x140000, 1, width, height, [&] { return 64 + random() % 128; }, same);
    fill(0x110000, 0x150000, 2, width / 2, height / 2, [&] { return (64 + random() % 128) << 8 | (64 + random() % 128); }, same);
    CHECK(shown(0x100000, nv12 | half_turn) == shown(0x140000, nv12));
  }
  SECTION("YUYV") {
    fill(0x100000, 0x140000, 4, width / 2, height, [&] { return (random() & 0x3f3f3f3f) + 0x40404040; }, pair_turned);
    CHECK(shown(0x100000, half_turn) == shown(0x140000, 0));
  }
}

namespace {

// The same blend in real numbers, from the same memory.
struct Naive {
  double r, g, b;
  void over(uint32_t argb, Blend mode, double constant) {
    double a = mode == Blend::opaque ? 1.0 : (argb >> 24) / 255.0;
    const double scale = (mode == Blend::coverage ? a : 1.0) * constant;
    a *= constant;
    const auto mix = [&](double d, unsigned low) { return std::min(1.0, (argb >> low & 0xff) / 255.0 * scale + d * (1 - a)); };
    r = mix(r, 16), g = mix(g, 8), b = mix(b, 0);
  }
  bool close(uint32_t xrgb) const {
    return std::abs(r * 255 - (xrgb >> 16 & 0xff)) <= 0.51 && std::abs(g * 255 - (xrgb >> 8 & 0xff)) <= 0.51 &&
           std::abs(b * 255 - (xrgb & 0xff)) <= 0.51;
  }
};

}  // namespace

TEST_CASE_METHOD(Scene, "random stacks of planes equal a naive composition, on the fast path and off it") {
  std::mt19937 random(7);
  for (uint32_t i = 0; i < 0x40000; i += 4) {
    // Premultiplied, as clients store it: channels not above alpha.
    const uint32_t a = random() & 0xff;
    const auto c = [&] { return a ? random() % (a + 1) : 0; };
    const uint32_t argb = a << 24 | c() << 16 | c() << 8 | c();
    memory.write(0x200000 + i, &argb, 4);
  }
  fill(*this, Tiling::x, 0x100000, 320, 200, 1536);
  for (int round = 0; round < 20; round++) {
    frame.layers.clear();
    add(plane_8888(Tiling::x, 0x100000, 320, 200, 1536));
    struct Item {
      PlaneView plane;
      uint32_t base, pitch;
    };
    std::vector<Item> items;
    for (unsigned i = 1; i < 3; i++) {
      const uint32_t base = 0x200000 + (random() % 8) * 4096;
      PlaneRegs regs = plane_8888(Tiling::linear, base, 1 + random() % 200, 1 + random() % 150, 512);
      regs.ctl |= (random() % 4) << 4;
      if (random() & 1) regs.keymsk = 1u << 31, regs.keymax = (random() & 0xff) << 24;
      regs.pos = (random() % 400 - 60) & 0xffff;
      regs.pos |= (random() % 260 - 40) << 16;
      items.push_back({add(regs, i).plane, base, 512});
    }
    CursorRegs cursor;
    cursor.ctl = 0x27;
    cursor.base = 0x210000;
    cursor.pos = (random() % 300) | (random() & 0x8000) | (random() % 180) << 16;
    items.push_back({add(cursor).plane, 0x210000, 256});
    const auto pixels = render();
    CHECK(pixels == render_slowly());
    for (uint32_t y = 0; y < 200; y += 3)
      for (uint32_t x = 0; x < 320; x++) {
        const uint32_t p = picture(x, y);
        Naive want{(p >> 16 & 0xff) / 255.0, (p >> 8 & 0xff) / 255.0, (p & 0xff) / 255.0};
        for (const Item& item : items) {
          const int64_t u = int64_t{x} - item.plane.x, v = int64_t{y} - item.plane.y;
          if (u < 0 || v < 0 || u >= item.plane.width || v >= item.plane.height) continue;
          uint32_t argb;
          memory.read(item.base + v * item.pitch + u * 4, &argb, 4);
          want.over(argb, item.plane.blend, item.plane.constant_alpha / 65535.0);
        }
        INFO("round " << round << " x " << x << " y " << y);
        REQUIRE(want.close(pixels[y * 320 + x]));
      }
  }
}

TEST_CASE_METHOD(Scene, "cursors of two bits per pixel: colours, transparent and inverting pixels") {
  constexpr uint32_t below = 0x102030, image = 0x200000, size = 64;
  for (uint32_t y = 0; y < 100; y++)
    for (uint32_t x = 0; x < 100; x++) put(0x100000, Tiling::linear, 512, 4, x, y, below);
  add(plane_8888(Tiling::linear, 0x100000, 100, 100, 512));
  const auto code = [](uint32_t x, uint32_t y) { return (x / 3 + y) % 4; };
  for (uint32_t y = 0; y < size; y++)
    for (unsigned plane = 0; plane < 2; plane++)
      for (uint32_t byte = 0; byte < 8; byte++) {
        uint8_t bits = 0;
        for (uint32_t x = 0; x < 8; x++) bits |= static_cast<uint8_t>((code(byte * 8 + x, y) >> (1 - plane) & 1) << (7 - x));
        memory.write(image + y * 16 + plane * 8 + byte, &bits, 1);
      }
  const CursorPalette palette{0x111111, 0x222222, 0x333333, 0x444444};
  const uint32_t mode = GENERATE(4u, 5u, 6u);
  const bool turned = GENERATE(false, true);
  CursorRegs cursor;
  cursor.ctl = mode | (turned ? 1u << 15 : 0);
  cursor.base = image;
  cursor.pos = 10 | 20 << 16;
  add(cursor, palette);
  const auto pixels = render();
  CHECK(pixels == render_slowly());
  for (uint32_t y = 0; y < size; y++)
    for (uint32_t x = 0; x < size; x++) {
      const uint32_t c = turned ? code(size - 1 - x, size - 1 - y) : code(x, y);
      uint32_t want = palette[c];
      if (c == 2 && mode != 6) want = below;
      if (c == 3 && mode == 5) want = ~below & 0xffffff;
      INFO("mode " << mode << " turned " << turned << " x " << x << " y " << y);
      REQUIRE((pixels[(y + 20) * 320 + x + 10] & 0xffffff) == want);
    }
}

TEST_CASE_METHOD(Scene, "colour keys") {
  for (uint32_t y = 0; y < 4; y++)
    for (uint32_t x = 0; x < 8; x++) {
      put(0x100000, Tiling::linear, 64, 4, x, y, x & 1 ? 0x0000ff00 : 0x00ff0000);
      put(0x101000, Tiling::linear, 64, 4, x, y, x & 2 ? 0x000000ff : 0x00ffffff);
    }
  PlaneRegs below = plane_8888(Tiling::linear, 0x100000, 8, 4, 64), above = plane_8888(Tiling::linear, 0x101000, 8, 4, 64);
  SECTION("source: the plane's own pixels vanish") {
    above.ctl |= 1u << 21;
    above.keyval = 0x0000ff;
    above.keymsk = 0xffffff;
    add(below), add(above, 1);
    const auto pixels = render();
    CHECK(pixels[0] == 0xffffffff);
    CHECK(pixels[2] == 0xffff0000);
    CHECK(pixels[3] == 0xff00ff00);
  }
  SECTION("destination: the plane above shows where this one matches") {
    below.ctl |= 2u << 21;
    below.keyval = 0x00ff00;
    below.keymsk = 0xffffff;
    add(below), add(above, 1);
    const auto pixels = render();
    CHECK(pixels[0] == 0xffff0000);
    CHECK(pixels[1] == 0xffffffff);
    CHECK(pixels[3] == 0xff0000ff);
  }
}

TEST_CASE_METHOD(Scene, "scaling keeps constant areas and factor one") {
  fill(*this, Tiling::linear, 0x100000, 320, 200, 1280);
  Layer& layer = add(plane_8888(Tiling::linear, 0x100000, 320, 200, 1280));
  const auto straight = render();
  layer.scaled = true;
  CHECK(render() == straight);
  for (uint32_t i = 0; i < 64 * 64; i++) put(0x180000, Tiling::linear, 256, 4, i % 64, i / 64, 0x00336699);
  frame.layers.clear();
  for (Window window : {Window{10, 20, 200, 100}, Window{0, 0, 23, 31}, Window{300, 190, 64, 1}, Window{-5, -5, 1, 400}}) {
    frame.layers.clear();
    Layer& scaled = add(plane_8888(Tiling::linear, 0x180000, 64, 64, 256));
    scaled.scaled = true;
    scaled.window = window;
    const auto pixels = render();
    for (int32_t y = 0; y < 200; y++)
      for (int32_t x = 0; x < 320; x++) {
        const bool inside = x >= window.x && y >= window.y && x < window.x + static_cast<int32_t>(window.width) &&
                            y < window.y + static_cast<int32_t>(window.height);
        REQUIRE(pixels[y * 320 + x] == (inside ? 0xff336699 : 0xff000000));
      }
  }
}

TEST_CASE_METHOD(Scene, "the panel fitter scales the pipe into its window") {
  frame.source_width = 160;
  frame.source_height = 100;
  frame.bottom = {0xffff, 0, 0, 0xffff};
  frame.fitter = Window{20, 0, 280, 200};
  const auto pixels = render();
  CHECK(pixels[19] == 0xff000000);
  CHECK(pixels[20] == 0xffff0000);
  CHECK(pixels[299 + 199 * 320] == 0xffff0000);
  CHECK(pixels[300 + 199 * 320] == 0xff000000);
}

TEST_CASE_METHOD(Scene, "palettes: 8-bit, 10-bit, split, and only for planes that enable them") {
  fill(*this, Tiling::linear, 0x100000, 320, 200, 1280);
  for (unsigned i = 0; i < 256; i++) palettes.legacy[i] = (255 - i) << 16 | (255 - i) << 8 | (255 - i);
  for (unsigned i = 0; i < 1024; i++) palettes.precise[i] = (1023 - i) * 0x00100401u;
  PlaneRegs regs = plane_8888(Tiling::linear, 0x100000, 320, 200, 1280);
  SECTION("off") {
    frame.color = skl_color(0, {}, palettes);
    add(regs);
    CHECK(render()[5] == picture(5, 0));
  }
  regs.ctl |= 1u << 30;
  add(regs);
  SECTION("8-bit") {
    frame.color = skl_color(0, {}, palettes);
    CHECK(render()[5] == (picture(5, 0) ^ 0xffffff));
    CHECK(render() == render_slowly());
  }
  SECTION("10-bit") {
    frame.color = skl_color(1, {}, palettes);
    CHECK(render()[5] == (picture(5, 0) ^ 0xffffff));
  }
  SECTION("split: two inversions cancel") {
    for (unsigned i = 0; i < 512; i++) palettes.precise[i] = palettes.precise[512 + i] = (1023 - i * 1023 / 511) * 0x00100401u;
    frame.color = skl_color(3, {}, palettes);
    for (unsigned low = 0; low < 24; low += 8)
      CHECK(std::abs(static_cast<int>(render()[5] >> low & 0xff) - static_cast<int>(picture(5, 0) >> low & 0xff)) <= 1);
  }
}

namespace {

// As i915 packs an entry: the low 6 bits of each 16-bit channel, then the high 10.
void put_point(Palettes& palettes, unsigned index, uint32_t red, uint32_t green, uint32_t blue) {
  palettes.precise[2 * index] = (red & 63) << 24 | (green & 63) << 14 | (blue & 63) << 4;
  palettes.precise[2 * index + 1] = red >> 6 << 20 | green >> 6 << 10 | blue >> 6;
}

}  // namespace

TEST_CASE("12-bit gamma interpolates between 513 points, whose last is PAL_GC_MAX") {
  Palettes palettes;
  for (unsigned i = 0; i < 512; i++) put_point(palettes, i, i * 128, 0xffff - i * 128, i * 64);
  palettes.gc_max = {0x10000, 0, 0x8000};
  const ColorPipe color = skl_color(2, {}, palettes);
  for (unsigned v = 0; v < 0x10000; v++) {
    const auto in = static_cast<uint16_t>(v);
    const Pixel out = color.apply({in, in, in, 0x1234}, true, false);
    if (out.r != in || std::abs(out.g - (0xffff - static_cast<int>(v))) > 1 || out.b != in / 2 || out.a != 0x1234) FAIL_CHECK("at " << v);
  }
  palettes.gc_max = {0x1ffff, 0x1ffff, 0x1ffff};  // beyond 1.0
  const Pixel white = skl_color(2, {}, palettes).apply({0xffff, 0xffff, 0xffff, 0}, true, false);
  CHECK(white.r == 0xffff);
  // Steep: from 0 to 1.0 within one step.
  put_point(palettes, 3, 0, 0, 0);
  put_point(palettes, 4, 0xffff, 0xffc0, 0x003f);
  const Pixel half = skl_color(2, {}, palettes).apply({3 * 128 + 64, 3 * 128 + 64, 3 * 128 + 64, 0}, true, false);
  CHECK(half.r == 0x7fff);
  CHECK(half.g == 0x7fe0);
  CHECK(half.b == 0x001f);
}

TEST_CASE("CSC coefficients are the driver's floating format") {
  CHECK(csc_coefficient(0x7800) == 1.0f);
  CHECK(csc_coefficient(0xf800) == -1.0f);
  CHECK(csc_coefficient(0x0dc0) == Approx(219.0 / 255).epsilon(0.002));
  CHECK(csc_coefficient(0x1e08) == Approx(0.439).epsilon(0.002));
  CHECK(csc_coefficient(0) == 0.0f);
}

TEST_CASE_METHOD(Scene, "the limited range matrix maps black to 16 and white to 235") {
  CscRegs csc;
  csc.coefficients = {0x0dc0u << 16, 0, 0x0dc0, 0, 0, 0x0dc0u << 16};
  csc.post = {257, 257, 257};
  frame.color = skl_color(0, csc, palettes);
  put(0x100000, Tiling::linear, 1280, 4, 1, 0, 0xffffff);
  PlaneRegs regs = plane_8888(Tiling::linear, 0x100000, 320, 200, 1280);
  regs.ctl |= 1u << 23;
  add(regs);
  const auto pixels = render();
  CHECK(pixels[0] == 0xff101010);
  CHECK(pixels[1] == 0xffebebeb);
  CHECK(pixels == render_slowly());
}

TEST_CASE_METHOD(Scene, "the hash differs for different frames only") {
  fill(*this, Tiling::linear, 0x100000, 320, 200, 1280);
  add(plane_8888(Tiling::linear, 0x100000, 320, 200, 1280));
  const uint32_t first = hash();
  CHECK(hash() == first);
  // The X byte is not shown.
  put(0x100000, Tiling::linear, 1280, 4, 7, 7, picture(7, 7) ^ 0xff000000u);
  CHECK(hash() == first);
  std::mt19937 random(3);
  std::vector<uint32_t> seen{first};
  for (int i = 0; i < 64; i++) {
    const uint32_t x = random() % 320, y = random() % 200;
    const uint32_t changed = picture(x, y) ^ 1u << random() % 24;
    put(0x100000, Tiling::linear, 1280, 4, x, y, changed);
    const uint32_t now = hash();
    CHECK(std::find(seen.begin(), seen.end(), now) == seen.end());
    seen.push_back(now);
    put(0x100000, Tiling::linear, 1280, 4, x, y, picture(x, y));
  }
  CHECK(hash() == first);
  // The same picture through another tiling is the same frame.
  frame.layers.clear();
  fill(*this, Tiling::y, 0x400000, 320, 200, 1280);
  add(plane_8888(Tiling::y, 0x400000, 320, 200, 1280));
  CHECK(hash() == first);
}

TEST_CASE("reserved formats and tilings show nothing") {
  PlaneView view;
  PlaneRegs regs;
  CHECK_FALSE(skl_decode_plane(regs, view));
  for (uint32_t format : {3u, 5u, 7u, 9u, 10u, 11u, 13u, 15u}) {
    regs.ctl = enable | format << 24;
    CHECK_FALSE(skl_decode_plane(regs, view));
  }
  for (uint32_t tiling : {2u, 3u, 6u, 7u}) {
    regs.ctl = enable | 4u << 24 | tiling << 10;
    CHECK_FALSE(skl_decode_plane(regs, view));
  }
  regs.ctl = enable | 4u << 24 | 1u << 10 | 1;  // X tiling turned by 90
  CHECK_FALSE(skl_decode_plane(regs, view));
}
