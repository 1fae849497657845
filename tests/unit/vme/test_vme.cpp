// SPDX-License-Identifier: GPL-2.0-or-later
// VME's messages on small surfaces, against searches written plainly.
#include <algorithm>
#include <cstdlib>
#include <random>
#include <vector>

#include "hw/defs/gen9/all.h"
#include "hw/eu/isa/gen9/isa.h"
#include "hw/vme/measure.h"
#include "hw/vme/vme.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"
#include "tests/unit/iface/thread_memory.h"

using namespace softgen;

namespace {

using MediaState = defs::gen9::MEDIA_SURFACE_STATE;

constexpr uint64_t table = 0x1'0000, states = table + 0x100, pictures = 0x1'2000, picture_bytes = 0x4000, end = 0x3'0000;
constexpr int width = 96, height = 64, pitch = 128;
constexpr uint32_t sic = 1, ime = 2, fbr = 3, half = 1u << 12, quarter = 3u << 12, haar = 1u << 21, one_direction = 1u << 18,
                   bilinear = 1u << 18;
constexpr uint32_t dual = 7u << 8, whole_only = 0x7e00'0000;

struct Vector {
  int x, y;
  bool operator==(const Vector&) const = default;
};
Vector vector_of(uint32_t dword) { return {static_cast<int16_t>(dword), static_cast<int16_t>(dword >> 16)}; }
uint32_t dword_of(int x, int y) { return (static_cast<uint32_t>(x) & 0xffff) | static_cast<uint32_t>(y) << 16; }

struct Fixture : iface::test::ThreadMemory {
  std::mt19937 random{5};
  Grf payload[10]{};
  Grf reply[12]{};
  /// Source, forward and backward reference.
  std::array<std::vector<uint8_t>, 3> picture;

  explicit Fixture(MediaState::TileMode tiling = MediaState::TileMode::YMAJOR) : ThreadMemory(table, end) {
    quiet_log();
    bind(table, states);
    for (uint32_t i = 0; i < 3; ++i) {
      view.store(table + i * 4, static_cast<uint32_t>(states) + i * 64);
      MediaState s{};
      s.surface_format = MediaState::SurfaceFormat::PLANAR_420_8;
      s.tile_mode = tiling;
      s.width = width - 1, s.height = height - 1, s.surface_pitch = pitch - 1;
      s.surface_base_address = pictures + i * picture_bytes;
      const auto dwords = s.pack();
      view.write(states + i * 64, dwords.data(), sizeof dwords);
      picture[i].resize(width * height);
      // Smooth, so that a search has somewhere to go, with noise.
      for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
          picture[i][static_cast<size_t>(y * width + x)] =
              static_cast<uint8_t>((x * x / 7 + y * 5 + x * y / 9) % 160 + static_cast<int>(random() % 60));
    }
    payload[0].dw[2] = dword_of(32, 16);
    payload[0].dw[5] = 48u << 16 | 40u << 24;
    tiles = tiling == MediaState::TileMode::YMAJOR ? surface::Tiling::y : surface::Tiling::linear;
  }
  surface::Tiling tiles;

  int sample(unsigned i, int x, int y) const {
    return picture[i][static_cast<size_t>(std::clamp(y, 0, height - 1) * width + std::clamp(x, 0, width - 1))];
  }
  void set(unsigned i, int x, int y, uint8_t value) { picture[i][static_cast<size_t>(y * width + x)] = value; }
  /// Copies (dx, dy) of `from` to the source block.
  void move_block(unsigned from, int dx, int dy) {
    for (int y = 16; y < 32; ++y)
      for (int x = 32; x < 48; ++x) set(0, x, y, static_cast<uint8_t>(sample(from, x + dx, y + dy)));
  }
  void upload() {
    for (uint32_t i = 0; i < 3; ++i)
      for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
          view.store(pictures + i * picture_bytes + surface::offset(tiles, 1, static_cast<uint32_t>(x), static_cast<uint32_t>(y), pitch),
                     static_cast<uint8_t>(sample(i, x, y)));
  }
  void send(uint32_t type, unsigned registers, unsigned answers = 7, uint32_t streams = 0) {
    upload();
    std::fill(std::begin(reply), std::end(reply), Grf{{0x5555'5555}});
    const unsigned sfid = static_cast<unsigned>(type == ime ? Sfid::vme : Sfid::cre);
    const MessageOp op = eu::gen9_isa().message(sfid, registers << 25 | answers << 20 | 1u << 19 | streams << 15 | type << 13);
    const Message message{.op = op,
                          .exec_size = 8,
                          .exec_mask = 0xff,
                          .dispatch_mask = 0xff,
                          .payload = {payload, registers},
                          .payload2 = {},
                          .response = {reply, answers},
                          .end_of_thread = false};
    vme::answer(message, env);
    CHECK(reply[answers].dw[0] == 0x5555'5555);
  }
  uint32_t reply_half(unsigned reg, unsigned i) const { return reply[reg].dw[i / 2] >> i % 2 * 16 & 0xffff; }
  uint32_t cost() const { return reply_half(0, 4); }
  Vector vector(unsigned block, unsigned direction = 0) const { return vector_of(reply[1 + block / 4].dw[block % 4 * 2 + direction]); }

  unsigned difference(unsigned reference, int dx, int dy, int left = 0, int top = 0, int columns = 16, int rows = 16) const {
    unsigned sum = 0;
    for (int y = top; y < top + rows; ++y)
      for (int x = left; x < left + columns; ++x)
        sum += static_cast<unsigned>(std::abs(sample(0, 32 + x, 16 + y) - sample(reference, 32 + x + dx, 16 + y + dy)));
    return sum;
  }
  /// The least difference in a window of 48x40 whose corner is (x, y) from the block on.
  std::pair<unsigned, Vector> nearest(unsigned reference, int x, int y, int left = 0, int top = 0, int columns = 16, int rows = 16) const {
    std::pair<unsigned, Vector> best{~0u, {}};
    for (int dy = y; dy < y + 24; ++dy)
      for (int dx = x; dx < x + 32; ++dx)
        if (const unsigned sum = difference(reference, dx, dy, left, top, columns, rows); sum < best.first) best = {sum, {dx, dy}};
    return best;
  }
  /// All of the window.
  void search_all(int x, int y, uint32_t control = whole_only) {
    payload[0].dw[0] = dword_of(x, y), payload[0].dw[1] = dword_of(x, y);
    payload[0].dw[3] = control;
    payload[1].dw[0] = 2;
    payload[1].dw[1] = 32;
    payload[1].dw[2] = 1u | 48u << 8 | 3u << 16 | 3u << 20;
  }
};

}  // namespace

TEST_CASE("vme: an integer search of a whole window finds the least difference") {
  for (const auto tiling : {MediaState::TileMode::YMAJOR, MediaState::TileMode::LINEAR}) {
    Fixture f(tiling);
    // Windows that leave the surface on all sides, too.
    for (const auto& [x, y] : {Vector{-16, -12}, {-48, -36}, {20, 10}, {-70, 30}, {60, -50}}) {
      f.search_all(x, y);
      f.send(ime, 6);
      const auto [sum, vector] = f.nearest(1, x, y);
      CHECK(f.cost() == sum);
      for (unsigned block = 0; block < 16; ++block) {
        CHECK(f.difference(1, f.vector(block).x / 4, f.vector(block).y / 4) == sum);
        CHECK(f.vector(block) == f.vector(0));
      }
      CHECK((f.vector(0).x >= 4 * x && f.vector(0).x < 4 * (x + 32) && f.vector(0).y >= 4 * y && f.vector(0).y < 4 * (y + 24)));
      CHECK((f.reply[0].dw[0] & 3) == 0);
    }
  }
}

TEST_CASE("vme: partitions have the best vectors of their own, and a mode's cost is their sum") {
  Fixture f;
  f.move_block(1, 3, -2);
  for (int y = 24; y < 32; ++y)
    for (int x = 32; x < 48; ++x) f.set(0, x, y, static_cast<uint8_t>(f.sample(1, x - 7, y + 5)));
  f.search_all(-16, -12, 0);
  f.send(ime, 6);
  CHECK((f.reply[0].dw[0] & 3) == 1);
  CHECK(f.cost() == 0);
  CHECK((f.vector(0) == Vector{12, -8} && f.vector(15) == Vector{-28, 20}));
  // A vector costs what the table says of its distance from the center; more than one is too dear now.
  f.payload[2].dw[1] = 0x4f;  // 16x8: 15 << 4
  f.payload[2].dw[2] = 0;
  f.send(ime, 6);
  CHECK((f.reply[0].dw[0] & 3) != 1);
}

TEST_CASE("vme: the costs of vectors and modes count") {
  Fixture f;
  f.payload[2].dw[2] = 0x21;  // 16x16: 1 << 2
  f.search_all(-16, -12);
  f.send(ime, 6);
  CHECK(f.cost() == f.nearest(1, -16, -12).first + 4);
  // All but the center's column and row are dear.
  f.payload[2].dw[3] = 0x8f8f'8f00, f.payload[2].dw[4] = 0x8f8f'8f8f;
  for (unsigned i = 0; i < 4; ++i) f.payload[3].dw[i * 2] = dword_of(20, -8);
  f.send(ime, 6);
  unsigned best = ~0u;
  for (int y = -12; y < 12; ++y)
    for (int x = -16; x < 16; ++x) best = std::min(best, f.difference(1, x, y) + (x != 5 ? 15u << 8 : 0) + (y != -2 ? 15u << 8 : 0) + 4);
  CHECK(f.cost() == best);
}

TEST_CASE("vme: no more search units than the message allows, along its path") {
  Fixture f;
  f.move_block(1, 13, 9);
  f.search_all(-16, -12);
  f.payload[1].dw[0] = 0;
  f.payload[1].dw[2] = 3u | 3u << 8;  // three units from (0, 0) on
  f.payload[4].dw[0] = 0x1001;        // right, down
  f.send(ime, 6);
  const Vector v = f.vector(0);
  CHECK((v.x / 4 < -16 + 8 && v.y / 4 < -12 + 8));
  std::pair<unsigned, Vector> best{~0u, {}};
  for (const auto& [ux, uy] : {Vector{0, 0}, {1, 0}, {1, 1}})
    for (int y = 0; y < 4; ++y)
      for (int x = 0; x < 4; ++x)
        if (const unsigned sum = f.difference(1, -16 + ux * 4 + x, -12 + uy * 4 + y); sum < best.first) best = {sum, {x, y}};
  CHECK(f.cost() == best.first);
}

TEST_CASE("vme: two references, and the records of streams") {
  Fixture f;
  f.move_block(2, -5, 4);
  f.search_all(-16, -12, whole_only | dual);
  f.send(ime, 6, 11, 1);
  CHECK((f.cost() == 0 && f.vector(0, 1) == Vector{-20, 16} && f.vector(0) == Vector{0, 0}));
  CHECK((f.reply[0].dw[6] >> 16 & 0xff) == 0x55);
  const auto [sum, at] = f.nearest(1, -16, -12);
  CHECK(f.reply_half(7, 8) == sum);
  CHECK(f.difference(1, vector_of(f.reply[7].dw[5]).x / 4, vector_of(f.reply[7].dw[5]).y / 4) == sum);
  const auto [block_sum, block_at] = f.nearest(1, -16, -12, 8, 8, 8, 8);
  CHECK(f.reply_half(7, 7) == block_sum);
  CHECK((f.reply_half(9, 8) == 0 && vector_of(f.reply[9].dw[5]) == Vector{-20, 16}));
  // What an earlier search has found stays, if it is better.
  Fixture again;
  again.search_all(-16, -12);
  again.payload[6].dw[4] = 3;  // the distortion of 16x16
  again.payload[6].dw[5] = dword_of(-400, 100);
  again.send(ime, 8, 9, 3);
  CHECK((again.cost() == 3 && again.vector(0) == Vector{-400, 100}));
}

TEST_CASE("vme: a search of a backward reference in a forward one's place names backward predictions") {
  // As FEI's kernels for H.264 do.
  constexpr uint32_t to_backward = 2u << 4, only_16x8 = 0x7d00'0000, other_remap = 1u << 4;
  for (const auto& [control, forward, backward] : {std::array{whole_only, 1u, 2u}, {only_16x8, 4u, 6u}}) {
    Fixture f;
    f.move_block(1, 4, -3);
    f.search_all(-16, -12, control);
    f.payload[1].dw[1] = 32;
    f.send(ime, 6);
    CHECK((f.reply[0].dw[0] >> 8 & 31) == forward);
    f.payload[0].dw[3] |= to_backward;
    f.send(ime, 6);
    CHECK((f.reply[0].dw[0] >> 8 & 31) == backward);
    // The vectors stay where the search has them.
    CHECK((f.cost() == 0 && f.vector(0) == Vector{16, -12} && f.vector(0, 1) == Vector{0, 0}));
  }
  Fixture f;
  f.search_all(-16, -12, whole_only | other_remap);
  f.send(ime, 6);
  CHECK(f.reply[0].dw[0] == 0);
}

TEST_CASE("vme: refinement finds the nearest half and quarter samples") {
  Fixture f;
  const auto blended = [&](int qx, int qy) {
    unsigned sum = 0;
    for (int y = 16; y < 32; ++y)
      for (int x = 32; x < 48; ++x) {
        const int ax = x + (qx >> 2), ay = y + (qy >> 2), fx = qx & 3, fy = qy & 3;
        const int value = ((4 - fx) * (4 - fy) * f.sample(1, ax, ay) + fx * (4 - fy) * f.sample(1, ax + 1, ay) +
                           (4 - fx) * fy * f.sample(1, ax, ay + 1) + fx * fy * f.sample(1, ax + 1, ay + 1) + 8) >>
                          4;
        sum += static_cast<unsigned>(std::abs(f.sample(0, x, y) - value));
      }
    return sum;
  };
  for (const bool to_quarters : {false, true})
    for (const auto& [x, y] : {Vector{8, -8}, {0, 0}, {-24, 12}, {-200, 40}}) {
      for (unsigned i = 0; i < 16; ++i) f.payload[4 + i / 4].dw[i % 4 * 2] = dword_of(x, y);
      f.payload[0].dw[3] = (to_quarters ? quarter : half) | one_direction;
      f.payload[1].dw[7] = bilinear;
      f.send(fbr, 8);
      Vector best{x, y};
      for (int step = 2; step >= (to_quarters ? 1 : 2); --step) {
        const Vector center = best;
        for (int dy = -step; dy <= step; dy += step)
          for (int dx = -step; dx <= step; dx += step)
            if (blended(center.x + dx, center.y + dy) < blended(best.x, best.y)) best = {center.x + dx, center.y + dy};
      }
      CHECK(f.cost() == blended(best.x, best.y));
      CHECK(blended(f.vector(5).x, f.vector(5).y) == f.cost());
      unsigned parts = 0;
      for (unsigned i = 0; i < 16; ++i) parts += f.reply_half(5, i);
      CHECK(parts == f.cost());
    }
}

TEST_CASE("vme: refinement tries the mean of both directions") {
  Fixture f;
  for (int y = 16; y < 32; ++y)
    for (int x = 32; x < 48; ++x) f.set(0, x, y, static_cast<uint8_t>((f.sample(1, x, y) + f.sample(2, x, y) + 1) / 2));
  f.payload[0].dw[3] = 0;
  f.send(fbr, 8);
  CHECK((f.cost() == 0 && (f.reply[0].dw[6] >> 16 & 0xff) == 0xaa));
  CHECK((f.reply[0].dw[0] >> 24 & 31) == 2);
  f.payload[0].dw[3] = one_direction;
  f.send(fbr, 8);
  CHECK((f.cost() == f.difference(1, 0, 0) && (f.reply[0].dw[6] >> 16 & 0xff) == 0));
}

TEST_CASE("vme: six taps keep what is flat, and half samples of a step overshoot") {
  vme::Block out;
  std::array<uint8_t, 32 * 32> flat;
  flat.fill(77);
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 4; ++x) {
      vme::interpolate(&flat[8 * 32 + 8], 32, {x, y}, false, 16, 16, out.data());
      CHECK(std::all_of(out.begin(), out.end(), [](uint8_t value) { return value == 77; }));
    }
  std::array<uint8_t, 32 * 32> step;
  for (size_t i = 0; i < step.size(); ++i) step[i] = i % 32 < 16 ? 100 : 200;
  vme::interpolate(&step[8 * 32 + 8], 32, {2, 0}, false, 16, 16, out.data());
  CHECK((out[7] == 150 && out[6] < 100 && out[8] > 200));
}

TEST_CASE("vme: the Haar measure grows with differences, and without DC it does not see a shift") {
  std::mt19937 random(3);
  vme::Block source, other;
  for (auto& value : source) value = static_cast<uint8_t>(random() % 100 + 50);
  for (size_t i = 0; i < source.size(); ++i) other[i] = static_cast<uint8_t>(source[i] + 9);
  using vme::Measure;
  for (const uint32_t part : vme::distortions(source, other.data(), 16, Measure::haar_without_dc)) CHECK(part == 0);
  // A transform of length 1: a constant difference d has d * 16 / 4.
  for (const uint32_t part : vme::distortions(source, other.data(), 16, Measure::haar)) CHECK(part == 36);
  uint32_t before = 0;
  for (int scale = 0; scale < 8; ++scale) {
    for (size_t i = 0; i < source.size(); ++i) other[i] = static_cast<uint8_t>(source[i] + ((i * 7) % 5 - 2) * scale);
    uint32_t sum = 0;
    for (const uint32_t part : vme::distortions(source, other.data(), 16, Measure::haar)) sum += part;
    CHECK((!scale || sum > before));
    before = sum;
  }
}

TEST_CASE("vme: the intra check takes the best mode that its neighbours allow") {
  Fixture f;
  for (int y = 16; y < 32; ++y)
    for (int x = 32; x < 48; ++x) f.set(0, x, y, static_cast<uint8_t>(40 + 7 * (y - 16)));
  for (unsigned i = 0; i < 16; ++i) {
    f.payload[6].dw[i / 4] |= static_cast<uint32_t>(40 + 7 * i) << i % 4 * 8;
    f.payload[5].dw[2 + i / 4] |= static_cast<uint32_t>(40) << i % 4 * 8;
  }
  f.payload[1].dw[7] = 6 | 0x70 << 8;  // 16x16 alone; left and above
  f.send(sic, 8);
  CHECK(f.reply_half(0, 6) == 0);
  CHECK(f.reply[0].dw[4] == 0x1111'1111);  // horizontal
  CHECK((f.reply[0].dw[0] >> 13 & 1) == 1);
  CHECK((f.reply[0].dw[0] >> 4 & 3) == 0);
  CHECK((f.reply[0].dw[0] >> 16 & 31) != 0);
  // Without neighbours the prediction is 128.
  f.payload[1].dw[7] = 6;
  f.send(sic, 8);
  unsigned sum = 0;
  for (int y = 0; y < 16; ++y) sum += 16 * static_cast<unsigned>(std::abs(40 + 7 * y - 128));
  CHECK(f.reply_half(0, 6) == sum);
  CHECK(f.reply[0].dw[4] == 0x2222'2222);
  // Smaller blocks see the source around them; the mode's cost counts.
  f.payload[1].dw[7] = 3;
  f.payload[2].dw[0] = 0x05000000;
  f.send(sic, 8);
  CHECK((f.reply[0].dw[0] >> 4 & 3) == 2);
  CHECK((f.reply[0].dw[0] >> 16 & 31) == 0);
  CHECK(f.reply_half(0, 6) < sum);
  f.payload[1].dw[7] = 7;
  f.send(sic, 8);
  CHECK(f.reply_half(0, 6) == 0xffff);
}

TEST_CASE("vme: the skip check measures the center of the message") {
  Fixture f;
  f.move_block(1, 4, 2);
  f.payload[1].dw[0] = 1;
  f.payload[1].dw[7] = 6 | 1u << 24;
  f.payload[4].dw[0] = dword_of(16, 8);
  f.send(sic, 8);
  CHECK((f.cost() == 0 && f.reply_half(0, 5) == 0));
  CHECK((f.reply[0].dw[0] >> 13 & 1) == 0);
  // The answer is an inter prediction with that vector.
  CHECK((f.reply[0].dw[0] & 0x1f03) == 0x100);
  CHECK(f.vector(0) == Vector{16, 8});
}

TEST_CASE("vme: the skip check counts what the forward transform leaves") {
  constexpr uint32_t transform = 1 << 17, by_quarter = 1 << 14;
  Fixture f;
  f.move_block(1, 4, 2);
  f.payload[0].dw[3] |= transform;
  f.payload[1].dw[0] = 1;
  f.payload[1].dw[7] = 6 | 1u << 24;
  f.payload[4].dw[0] = dword_of(16, 8);
  f.send(sic, 8);
  CHECK((!f.reply[6].dw[1] && !f.reply[6].dw[2] && !f.reply[6].dw[3]));
  f.payload[4].dw[0] = 0;
  f.send(sic, 8);
  CHECK((f.reply[6].dw[1] & 0xff) > 0);
  CHECK(f.reply_half(6, 4) > 0);
  // Thresholds above all coefficients leave none.
  f.payload[2].dw[6] = 0xffff'ffff, f.payload[2].dw[7] = ~0u;
  const uint32_t before = f.reply[6].dw[1];
  f.send(sic, 8);
  CHECK(f.reply[6].dw[1] < before);
  // Each quarter has its own vectors.
  f.payload[0].dw[3] |= by_quarter;
  f.payload[1].dw[7] = 6 | 0x55u << 24;
  for (unsigned i = 0; i < 4; ++i) f.payload[4].dw[i * 2] = dword_of(16, 8);
  f.send(sic, 8);
  CHECK((f.cost() == 0 && (f.reply[0].dw[0] & 0x1f03) == 0x1603 && f.vector(15) == Vector{16, 8}));
}

TEST_CASE("vme: what is too short, without a source, or of another size answers zeros") {
  Fixture f;
  const auto is_zero = [&] {
    return std::all_of(std::begin(f.reply), std::begin(f.reply) + 7, [](const Grf& g) { return !(g.dw[0] | g.dw[2] | g.dw[4]); });
  };
  f.search_all(-16, -12);
  f.send(ime, 5);
  CHECK(is_zero());
  f.send(ime, 6, 7, 2);
  CHECK(is_zero());
  f.payload[0].dw[3] |= 1;
  f.send(ime, 6);
  CHECK(is_zero());
  f.payload[0].dw[3] = 0;
  MediaState s{};
  s.surface_format = MediaState::SurfaceFormat::Y16_UNORM_VA;
  const auto dwords = s.pack();
  f.view.write(states, dwords.data(), sizeof dwords);
  f.send(ime, 6);
  CHECK(is_zero());
  f.send(0, 8);
  CHECK(is_zero());
}
