// SPDX-License-Identifier: GPL-2.0-or-later
// sample_8x8: blocks scaled from media surfaces, as a sum over all taps says it.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "hw/eu/isa/gen11/isa.h"
#include "hw/sampler/avs.h"
#include "tests/unit/sampler/message_fixture.h"

using namespace softgen;
using namespace softgen::sampler;

namespace {

using SamplerState = defs::gen9::SAMPLER_STATE_8X8_AVS;
using MediaState = defs::gen9::MEDIA_SURFACE_STATE;
using Format = MediaState::SurfaceFormat;
using Taps = SamplerState::Enable8TapFilter;

constexpr uint64_t state_at = 0x10800;
constexpr uint32_t green_only = 0xd000, red_only = 0xe000, red_and_blue = 0xa000, all_channels = 0, bytes = 2u << 18, bypass = 1u << 27;
enum Mode : uint32_t { block_16x4, block_8x4, block_16x8, block_4x4 };

struct Axis {
  float start = 0, step = 0, second = 0;
};

struct Fixture : test::MessageFixture {
  MediaState surface{};
  SamplerState state{};
  std::mt19937 random{7};
  std::vector<std::vector<uint8_t>> texels;  ///< rows of the first plane

  Fixture() {
    bases.sampler_state = static_cast<uint32_t>(state_at);
    state.bypass_x_adaptive_filtering = state.bypass_y_adaptive_filtering = true;
    for (auto& taps : state.filter_coefficient) identity(taps);
    for (auto& taps : state.extra_filter_coefficient) identity(taps);
  }
  static void identity(auto& taps) {
    taps.table_0x_filter_coefficient[3] = taps.table_0y_filter_coefficient[3] = 64;
    taps.table_1x_filter_coefficient_2[1] = taps.table_1y_filter_coefficient_2[1] = 64;
  }
  void random_taps() {
    const auto set = [&](auto& taps) {
      for (auto& tap : taps) tap = static_cast<int32_t>(random() % 256) - 128;
    };
    const auto tables = [&](auto& c) {
      set(c.table_0x_filter_coefficient), set(c.table_0y_filter_coefficient);
      set(c.table_1x_filter_coefficient_2), set(c.table_1x_filter_coefficient_4);
      set(c.table_1y_filter_coefficient_2), set(c.table_1y_filter_coefficient_4);
    };
    for (auto& c : state.filter_coefficient) tables(c);
    for (auto& c : state.extra_filter_coefficient) tables(c);
  }
  /// Random bytes, `row_bytes` of `rows`.
  void fill(Format format, MediaState::TileMode tiling, uint32_t width, uint32_t height, uint32_t row_bytes, uint32_t pitch) {
    surface = {};
    surface.surface_format = format;
    surface.tile_mode = tiling;
    surface.width = width - 1, surface.height = height - 1, surface.surface_pitch = pitch - 1;
    surface.surface_base_address = test::texels_at;
    texels.assign(height, std::vector<uint8_t>(row_bytes));
    using surface::Tiling;
    const Tiling how = tiling == MediaState::TileMode::YMAJOR   ? Tiling::y
                       : tiling == MediaState::TileMode::XMAJOR ? Tiling::x
                                                                : Tiling::linear;
    for (uint32_t y = 0; y < height; ++y)
      for (uint32_t x = 0; x < row_bytes; ++x) {
        texels[y][x] = static_cast<uint8_t>(random());
        view.store(test::texels_at + surface::offset(how, 1, x, y, pitch), texels[y][x]);
      }
  }
  SendResult send(std::span<const Grf> payload, std::span<Grf> response) {
    const auto length = static_cast<uint32_t>(response.size());
    const MessageOp op =
        eu::gen9_isa().message(static_cast<unsigned>(Sfid::sampler), 2u << 25 | length << 20 | 1u << 19 | 3u << 17 | 11u << 12);
    const Message message{.op = op,
                          .exec_size = 1,
                          .exec_mask = 1,
                          .dispatch_mask = 1,
                          .payload = payload,
                          .payload2 = {},
                          .response = response,
                          .end_of_thread = false};
    return unit.send(message, env);
  }
  /// The response, as bytes, of `count` registers.
  std::vector<uint8_t> sent(Axis u, Axis v, uint32_t header, unsigned count, uint32_t block = 0, Mode mode = block_16x4) {
    const auto dword = [](float value) { return std::bit_cast<uint32_t>(value); };
    const auto media = surface.pack();
    view.write(test::surface_at, media.data(), sizeof media);
    const auto packed = state.pack();
    view.write(state_at, packed.data(), sizeof packed);
    const Grf payload[2] = {{{0, 0, header, static_cast<uint32_t>(state_at)}},
                            {{dword(v.second), block, dword(u.start), dword(v.start), dword(u.step), dword(v.step), dword(u.second),
                              uint32_t{mode} << 25 | bypass}}};
    std::vector<Grf> response(count + 1,
                              Grf{{0x55555555, 0x55555555, 0x55555555, 0x55555555, 0x55555555, 0x55555555, 0x55555555, 0x55555555}});
    send(payload, std::span(response).first(count));
    CHECK(response[count].dw[7] == 0x55555555);
    std::vector<uint8_t> out(count * sizeof(Grf));
    std::memcpy(out.data(), response.data(), out.size());
    return out;
  }
  /// Values with eight bits of fraction.
  std::vector<uint16_t> words(Axis u, Axis v, uint32_t header, unsigned count, uint32_t block = 0, Mode mode = block_16x4) {
    const auto raw = sent(u, v, header, count, block, mode);
    std::vector<uint16_t> out(raw.size() / 2);
    std::memcpy(out.data(), raw.data(), raw.size());
    return out;
  }

  /// What a pixel is: the sum of all taps of a row times those of a column, by the definition. `at`: 1/256 of values.
  struct Plane {
    uint32_t first, step, width, height;
  };
  static int32_t edge(int64_t at, int64_t size, bool mirrored) {
    if (mirrored)
      while (at < 0 || at >= size) at = at < 0 ? -1 - at : 2 * size - 1 - at;
    return static_cast<int32_t>(std::clamp<int64_t>(at, 0, size - 1));
  }
  uint16_t expected(const Plane& plane, int32_t x, int32_t y, unsigned taps) const {
    const bool mirrored = surface.address_control == MediaState::AddressControl::MIRROR;
    const auto axis = [&](int32_t at, unsigned k, bool down, int64_t& place) -> int64_t {
      const int32_t rounded = taps == 2 ? at : (at + 4) / 8 * 8;
      place = rounded / 256 - static_cast<int32_t>(taps) / 2 + 1 + static_cast<int32_t>(k);
      const int32_t part = rounded % 256;
      if (taps == 2) return k ? part : 256 - part;
      const auto phase = static_cast<size_t>(part / 8);
      const auto& c = phase < 17 ? state.filter_coefficient[phase] : state.extra_filter_coefficient[phase - 17];
      if (taps == 8) return down ? c.table_0y_filter_coefficient[k] : c.table_0x_filter_coefficient[k];
      if (k < 2) return down ? c.table_1y_filter_coefficient_2[k] : c.table_1x_filter_coefficient_2[k];
      return down ? c.table_1y_filter_coefficient_4[k - 2] : c.table_1x_filter_coefficient_4[k - 2];
    };
    int64_t sum = 0;
    for (unsigned j = 0; j < taps; ++j)
      for (unsigned i = 0; i < taps; ++i) {
        int64_t px = 0, py = 0;
        const int64_t weight = axis(x, i, false, px) * axis(y, j, true, py);
        const int32_t column = edge(px, plane.width, mirrored), row = edge(py, plane.height, mirrored);
        sum += weight * texels[static_cast<size_t>(row)][plane.first + static_cast<uint32_t>(column) * plane.step];
      }
    const double value = std::floor(static_cast<double>(sum) / (taps == 2 ? 256 : 16) + 0.5);
    return static_cast<uint16_t>(std::clamp(value, 0.0, 255.0 * 256));
  }
};

}  // namespace

TEST_CASE("AVS: which message it is") {
  constexpr uint32_t sampleinfo = 11u << 12, wide = 3u << 17, upper = 1u << 29;
  const auto decoded = [](const eu::Isa& isa, uint32_t descriptor) {
    return isa.message(static_cast<unsigned>(Sfid::sampler), descriptor);
  };
  for (const eu::Isa* isa : {&eu::gen9_isa(), &eu::gen11_isa()}) {
    CHECK(decoded(*isa, wide | sampleinfo).kind == MessageKind::sample_8x8);
    CHECK_FALSE(decoded(*isa, 2u << 17 | sampleinfo).kind == MessageKind::sample_8x8);
    CHECK_FALSE(decoded(*isa, wide).kind == MessageKind::sample_8x8);
    CHECK(decoded(*isa, wide).simd == 0);
  }
  CHECK_FALSE(decoded(eu::gen11_isa(), upper | wide | sampleinfo).kind == MessageKind::sample_8x8);
}

TEST_CASE("AVS: a scale of 1 gives the picture") {
  Fixture f;
  for (const uint32_t sharpness : {0u, 255u, 100u}) {
    f.state.default_sharpness_level = sharpness;
    f.state.enable_8_tap_filter = sharpness == 100 ? Taps::FOUR_TAPS : Taps::EIGHT_TAPS_ADAPTIVE;
    f.fill(Format::Y8_UNORM, MediaState::TileMode::YMAJOR, 100, 40, 100, 128);
    const Axis u{32.0f / 100, 1.0f / 100}, v{16.0f / 40, 1.0f / 40};
    for (uint32_t block = 0; block < 4; ++block) {
      const auto pixels = f.words(u, v, green_only, 4, block);
      for (unsigned i = 0; i < 64; ++i) CHECK(pixels[i] == f.texels[16 + 4 * block + i / 16][32 + i % 16] << 8);
    }
    f.fill(Format::R8B8_UNORM, MediaState::TileMode::LINEAR, 50, 20, 100, 128);
    const auto chroma = f.words({0, 1.0f / 50}, {0, 1.0f / 20}, red_and_blue, 8);
    for (unsigned i = 0; i < 128; ++i) CHECK(chroma[i] == f.texels[i % 64 / 16][2 * (i % 16) + i / 64] << 8);
  }
}

TEST_CASE("AVS: packed and planar formats") {
  Fixture f;
  f.fill(Format::YCRCB_NORMAL, MediaState::TileMode::XMAJOR, 32, 8, 64, 512);
  const auto yuv = f.words({0, 1.0f / 32}, {0, 1.0f / 8}, all_channels, 16);
  for (unsigned i = 0; i < 16; ++i) {
    const auto& row = f.texels[1];
    CHECK(yuv[64 + 16 + i] == row[2 * i] << 8);
    CHECK(yuv[192 + 16 + i] == 255 << 8);
    if (i % 2) continue;
    CHECK(yuv[128 + 16 + i] == row[2 * i + 1] << 8);
    CHECK(yuv[16 + i] == row[2 * i + 3] << 8);
  }
  f.surface.surface_format = Format::YCRCB_SWAPY;
  const auto swapped = f.words({0, 1.0f / 32}, {0, 1.0f / 8}, all_channels, 16);
  for (unsigned i = 0; i < 16; i += 2) {
    CHECK(swapped[64 + i] == f.texels[0][2 * i + 1] << 8);
    CHECK(swapped[128 + i] == f.texels[0][2 * i] << 8);
    CHECK(swapped[i] == f.texels[0][2 * i + 2] << 8);
  }
  f.surface.surface_format = Format::R8G8B8A8_UNORM;
  f.surface.width = 15;
  const auto rgba = f.words({0, 1.0f / 16}, {0, 1.0f / 8}, all_channels, 16);
  for (unsigned i = 0; i < 256; ++i) CHECK(rgba[i] == f.texels[i % 64 / 16][4 * (i % 16) + i / 64] << 8);

  // 16x8 of luma, and below it Cb and Cr side by side.
  f.fill(Format::PLANAR_420_8, MediaState::TileMode::YMAJOR, 32, 12, 32, 128);
  f.surface.height = 7, f.surface.interleave_chroma = true, f.surface.y_offset_for_u_cb = 8;
  const auto nv12 = f.words({0, 1.0f / 32}, {0, 1.0f / 8}, all_channels, 16);
  for (unsigned j = 0; j < 4; j += 2)
    for (unsigned i = 0; i < 16; i += 2) {
      CHECK(nv12[64 + 16 * j + i] == f.texels[j][i] << 8);
      CHECK(nv12[128 + 16 * j + i] == f.texels[8 + j / 2][i] << 8);
      CHECK(nv12[16 * j + i] == f.texels[8 + j / 2][i + 1] << 8);
    }
}

TEST_CASE("AVS: random taps, steps and edges give the sum over all taps") {
  Fixture f;
  struct Case {
    MediaState::TileMode tiling;
    uint32_t width, height, pitch;
    Taps taps;
    uint32_t sharpness;
  };
  using Tile = MediaState::TileMode;
  const Case cases[] = {{Tile::LINEAR, 61, 23, 77, Taps::EIGHT_TAPS, 255},
                        {Tile::YMAJOR, 200, 50, 256, Taps::EIGHT_TAPS_OF_GREEN, 255},
                        {Tile::XMAJOR, 300, 20, 512, Taps::FOUR_TAPS, 255},
                        {Tile::YMAJOR, 33, 9, 128, Taps::EIGHT_TAPS, 0},
                        {Tile::LINEAR, 500, 40, 512, Taps::EIGHT_TAPS, 255}};
  for (const Case& c : cases)
    for (unsigned round = 0; round < 20; ++round) {
      f.random_taps();
      f.state.enable_8_tap_filter = c.taps, f.state.default_sharpness_level = c.sharpness;
      const bool four = c.taps == Taps::FOUR_TAPS;
      f.fill(four ? Format::R8_UNORM : Format::Y8_UNORM, c.tiling, c.width, c.height, c.width, c.pitch);
      f.surface.address_control = round % 2 ? MediaState::AddressControl::MIRROR : MediaState::AddressControl::CLAMP;
      // Whole parts of 1/256, which floats hold.
      const auto part = [&](uint32_t limit) { return static_cast<int32_t>(f.random() % limit); };
      const int32_t x = part(c.width * 256), y = part(c.height * 256), dx = part(round < 10 ? 512 : 8000),
                    dy = part(round < 10 ? 512 : 2000);
      const auto wide = static_cast<float>(256 * c.width), high = static_cast<float>(256 * c.height);
      const uint32_t block = round % 4;
      const auto pixels = f.words({static_cast<float>(x) / wide, static_cast<float>(dx) / wide},
                                  {static_cast<float>(y) / high, static_cast<float>(dy) / high}, four ? red_only : green_only, 4, block);
      const unsigned taps = !c.sharpness ? 2 : four ? 4 : 8;
      bool same = true;
      for (int32_t i = 0; i < 64; ++i)
        same = same && pixels[static_cast<size_t>(i)] == f.expected({0, 1, c.width, c.height}, x + i % 16 * dx,
                                                                    y + (4 * static_cast<int32_t>(block) + i / 16) * dy, taps);
      CHECK(same);
    }
}

TEST_CASE("AVS: sizes of blocks and forms of the response") {
  Fixture f;
  f.fill(Format::R8G8B8A8_UNORM, MediaState::TileMode::LINEAR, 24, 12, 96, 96);
  const Axis u{0, 1.0f / 24}, v{0, 1.0f / 12};
  const auto texel = [&](unsigned x, unsigned y, unsigned color) { return f.texels[y][4 * x + color] << 8; };
  const auto small = f.words(u, v, all_channels, 8, 0, block_8x4);
  for (unsigned i = 0; i < 128; ++i) CHECK(small[i] == texel(i % 8, i % 32 / 8, i / 32));
  const auto least = f.words(u, v, all_channels, 4, 0, block_4x4);
  for (unsigned i = 0; i < 64; ++i) CHECK(least[i] == texel(i % 4, i % 16 / 4, i / 16));
  // The upper four rows of all channels, then the lower ones.
  const auto large = f.words(u, v, red_and_blue, 16, 0, block_16x8);
  for (unsigned i = 0; i < 256; ++i) CHECK(large[i] == texel(i % 16, i / 128 * 4 + i % 64 / 16, i % 128 / 64 * 2));
  const auto codes = f.sent(u, v, green_only | bytes, 2);
  for (unsigned i = 0; i < 64; ++i) CHECK(codes[i] == f.texels[i / 16][4 * (i % 16) + 1]);
  // The left halves of all channels, then the right ones.
  f.state.shuffle_output_writeback = true;
  const auto halves = f.words(u, v, red_and_blue, 8);
  for (unsigned i = 0; i < 128; ++i) CHECK(halves[i] == texel(i / 64 * 8 + i % 8, i % 32 / 8, i % 64 / 32 * 2));
  // A second derivative: X(i) = i (i - 1) / 2 texels.
  f.state.shuffle_output_writeback = false;
  const auto bent = f.words({0, 0, 1.0f / 24}, v, green_only, 4);
  for (unsigned i = 0; i < 16; ++i) CHECK(bent[i] == texel(std::min(i * (i - 1) / 2, 23u), 0, 1));
}

TEST_CASE("AVS: any payload stays within the surface") {
  Fixture f;
  f.fill(Format::Y8_UNORM, MediaState::TileMode::YMAJOR, 20, 20, 20, 128);
  const float bad[] = {std::numeric_limits<float>::quiet_NaN(),
                       std::numeric_limits<float>::infinity(),
                       -std::numeric_limits<float>::infinity(),
                       1e38f,
                       -1e38f,
                       1e-42f};
  for (const float start : bad)
    for (const float step : bad)
      for (const uint32_t block : {0u, 3u, 0xffffffffu}) {
        f.state.default_sharpness_level = block;
        f.surface.address_control = block == 3 ? MediaState::AddressControl::MIRROR : MediaState::AddressControl::CLAMP;
        f.words({start, step, step}, {step, start, start}, green_only, 4, block);
      }
  f.words({-1e38f, 0}, {-1e38f, 0}, all_channels, 16, 0, block_16x8);
  const auto first = f.words({-1e38f, 0}, {-1e38f, 0}, green_only, 4);
  for (const uint16_t value : first) CHECK(value == f.texels[0][0] << 8);
  const auto last = f.words({1e38f, 0}, {1e38f, 0}, green_only, 4);
  for (const uint16_t value : last) CHECK(value == f.texels[19][19] << 8);
}

TEST_CASE("AVS: any states give an answer") {
  Fixture f;
  for (unsigned round = 0; round < 2000; ++round) {
    std::array<uint32_t, 280> state;
    std::array<uint32_t, 8> media;
    for (uint32_t& dword : state) dword = f.random();
    for (uint32_t& dword : media) dword = f.random();
    f.view.write(state_at, state.data(), sizeof state);
    f.view.write(test::surface_at, media.data(), sizeof media);
    Grf payload[2];
    for (Grf& reg : payload)
      for (uint32_t& dword : reg.dw) dword = f.random();
    payload[0].dw[3] = static_cast<uint32_t>(state_at);
    payload[1].dw[7] &= 0x0fff'ffff;
    std::vector<Grf> response(round % 17);
    CHECK(f.send(payload, response) == SendResult::done);
  }
}
