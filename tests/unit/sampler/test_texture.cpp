// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <bit>
#include <cmath>

#include "hw/defs/gen9/all.h"
#include "hw/sampler/cube.h"
#include "hw/sampler/filter.h"
#include "hw/sampler/lod.h"
#include "tests/catch.h"
#include "tests/unit/memory/mapped.h"

using namespace softgen;
using sampler::Filter;
using sampler::Texture;
using Mode = sampler::AddressMode;

namespace {

constexpr uint64_t base = 0x10000;
constexpr uint32_t pitch = 64, qpitch = 8;

/// A linear R8_UNORM 2D array of 4x4 texels, three slices; texel = 16 * slice + 4 * y + x.
struct Fixture : memory::test::Mapped {
  surface::Surface surface;
  sampler::State state{};

  Fixture() : Mapped({base}) {
    surface.type = surface::SurfaceType::two_d;
    surface.format = surface::find_format(surface::SurfaceFormat::R8_UNORM);
    surface.base = base;
    surface.width = surface.height = 4;
    surface.depth = 3;
    surface.array = true;
    surface.pitch = pitch;
    surface.qpitch = qpitch;
    state.mode_u = state.mode_v = Mode::clamp;
    for (unsigned slice = 0; slice < 3; ++slice)
      for (unsigned y = 0; y < 4; ++y)
        for (unsigned x = 0; x < 4; ++x)
          view.store<uint8_t>(base + (slice * qpitch + y) * pitch + x, static_cast<uint8_t>(16 * slice + 4 * y + x));
  }
  float red(float u, float v, float layer = 0, float border = 0) {
    const Texture texture(surface);
    const uint32_t b = std::bit_cast<uint32_t>(border);
    const Filter filter(view, texture, state, {b, b, b, b});
    return std::bit_cast<float>(filter.sample({u, v, 0, layer}, {}, {}, sampler::finish_lod(texture, state, 0, 0, 0), nullptr)[0]) * 255;
  }
};

}  // namespace

TEST_CASE("array layers are rounded and clamped") {
  Fixture t;
  CHECK(t.red(0.1f, 0.1f, 1.4f) == Approx(16));
  CHECK(t.red(0.1f, 0.1f, 1.6f) == Approx(32));
  CHECK(t.red(0.1f, 0.1f, 9) == Approx(32));
  CHECK(t.red(0.1f, 0.1f, -1) == Approx(0));
}

TEST_CASE("coordinate modes") {
  Fixture t;
  const float x = 1.375f;  // texel 5 of 4: one beyond the end, and one more
  t.state.mode_u = Mode::wrap;
  CHECK(t.red(x, 0) == Approx(1));
  CHECK(t.red(-0.125f, 0) == Approx(3));
  t.state.mode_u = Mode::mirror;
  CHECK(t.red(x, 0) == Approx(2));
  CHECK(t.red(-0.125f, 0) == Approx(0));
  t.state.mode_u = Mode::clamp;
  CHECK(t.red(x, 0) == Approx(3));
  t.state.mode_u = Mode::clamp_border;
  CHECK(t.red(x, 0, 0, 1) == Approx(255));
}

TEST_CASE("linear filtering mixes four texels") {
  Fixture t;
  t.state.mag_filter = sampler::TexelFilter::linear;
  CHECK(t.red(0.5f, 0.5f) == Approx((5 + 6 + 9 + 10) / 4.0));
  CHECK(t.red(0.375f, 0.375f) == Approx(5));
}

TEST_CASE("linear filters of 8-bit codes round once") {
  Fixture t;
  t.state.mag_filter = sampler::TexelFilter::linear;
  const auto red = [&](float u, float v) {
    const Texture texture(t.surface);
    const Filter filter(t.view, texture, t.state, {});
    return std::bit_cast<float>(filter.sample({u, v, 0, 0}, {}, {}, sampler::finish_lod(texture, t.state, 0, 0, 0), nullptr)[0]);
  };
  // A quarter and a half texel beyond the center of code 5.
  CHECK(red(1.75f / 4, 2 / 4.0f) == static_cast<float>((5 * 192 + 6 * 64) * 128 + (9 * 192 + 10 * 64) * 128) / (255 * 65536));
  for (unsigned code = 0; code < 256; code += 5) {
    for (unsigned i = 0; i < 16; ++i) t.view.store<uint8_t>(base + i / 4 * pitch + i % 4, static_cast<uint8_t>(code));
    for (unsigned i = 0; i < 64; ++i)
      REQUIRE(red(static_cast<float>(i) / 61, static_cast<float>(i) / 71) == static_cast<float>(code) / 255);
  }
}

TEST_CASE("texels outside of a level load as zero") {
  Fixture t;
  const Texture texture(t.surface);
  CHECK(texture.load(t.view, 0, 3, 3, 2)[0] == std::bit_cast<uint32_t>(47 / 255.0f));
  for (auto [x, y, slice] : {std::array{4, 0, 0}, std::array{0, -1, 0}, std::array{0, 0, 3}})
    CHECK(texture.load(t.view, 0, x, y, slice)[0] == 0);
  CHECK(texture.load(t.view, 1, 0, 0, 0)[0] == 0);
}

TEST_CASE("a mirrored-once and a half border axis") {
  Fixture t;
  t.state.mode_u = Mode::mirror_once;
  CHECK(t.red(-0.375f, 0) == Approx(1));
  CHECK(t.red(-1.9f, 0) == Approx(3));
  t.state.mode_u = Mode::half_border;
  CHECK(t.red(7, 0, 0, 1) == Approx(3));  // nearest: the last texel
  t.state.mag_filter = sampler::TexelFilter::linear;
  CHECK(t.red(7, 0.125f, 0, 1) == Approx((3 + 255) / 2.0));
}

TEST_CASE("minimum and maximum reduction leave out texels without weight") {
  Fixture t;
  t.state.mag_filter = sampler::TexelFilter::linear;
  t.state.reduction = sampler::Reduction::minimum;
  CHECK(t.red(0.45f, 0.45f) == Approx(5));
  t.state.reduction = sampler::Reduction::maximum;
  CHECK(t.red(0.45f, 0.45f) == Approx(10));
  CHECK(t.red(0.375f, 0.375f) == Approx(5));
}

TEST_CASE("the result of a shadow comparison is in red, through the channel selects") {
  Fixture t;
  using Select = surface::ShaderChannelSelect;
  t.surface.select = {Select::SCS_ZERO, Select::SCS_RED, Select::SCS_ONE, Select::SCS_ALPHA};
  t.state.shadow_function = sampler::ShadowFunction::less;  // inverted: reference <= texel
  const Texture texture(t.surface);
  const Filter filter(t.view, texture, t.state, {});
  for (const auto& [reference, lit] : {std::pair{5 / 255.0f, 1.0f}, std::pair{6 / 255.0f, 0.0f}, std::pair{-3.0f, 1.0f}}) {
    const auto color = std::bit_cast<surface::Float4>(
        filter.sample({0.375f, 0.375f, 0, 0}, {}, {}, sampler::finish_lod(texture, t.state, 0, 0, 0), &reference));
    CHECK(color == surface::Float4{0, lit, 1, 1});
  }
}

TEST_CASE("border colours are converted to the format") {
  Fixture t;
  t.state.mode_u = Mode::clamp_border;
  const Texture texture(t.surface);
  const auto bits = [](float f) { return std::bit_cast<uint32_t>(f); };
  const Filter filter(t.view, texture, t.state, {bits(2), bits(0.5f), bits(0.5f), bits(0.5f)});
  const auto color =
      std::bit_cast<surface::Float4>(filter.sample({2, 0, 0, 0}, {}, {}, sampler::finish_lod(texture, t.state, 0, 0, 0), nullptr));
  CHECK(color == surface::Float4{1, 0, 0, 1});  // R8_UNORM: clamped, and only red is its own
  CHECK(Filter::has_border(t.state));
  t.state.mode_u = Mode::wrap;
  CHECK_FALSE(Filter::has_border(t.state));
  t.state.mode_r = Mode::half_border;
  CHECK(Filter::has_border(t.state));
}

TEST_CASE("levels of detail") {
  Fixture t;
  t.surface.mip_count = 2;
  const Texture texture(t.surface);
  t.state.max_lod = 14;
  const Filter filter(t.view, texture, t.state, {});
  CHECK(sampler::finish_lod(texture, t.state, 0, 0, 0).magnify);
  CHECK(!sampler::finish_lod(texture, t.state, 0.01f, 0, 0).magnify);
  CHECK(sampler::finish_lod(texture, t.state, 5, 0, 0).clamped == 2);
  CHECK(sampler::finish_lod(texture, t.state, 1, 0.5f, 0).clamped == 1.5f);
  CHECK(sampler::finish_lod(texture, t.state, 0.2f, 0, 1.25f).clamped == 1.25f);
  CHECK(sampler::finish_lod(texture, t.state, 1, NAN, 0).clamped == 0);
  CHECK(sampler::finish_lod(texture, t.state, INFINITY, -INFINITY, NAN).clamped == 0);
  CHECK(sampler::finish_lod(texture, t.state, -0.3f, 0, 0).clamped == 0);
  // Eight texels a pixel along v, one along u.
  const sampler::Detail d = sampler::detail_of(filter, {}, {0.25f, 0, 0}, {0, 2, 0});
  CHECK(d.lod == 3);
  CHECK(d.taps == 1);
  t.state.min_filter = sampler::TexelFilter::anisotropic;
  t.state.max_taps = 4;
  const Filter anisotropic(t.view, texture, t.state, {});
  const sampler::Detail e = sampler::detail_of(anisotropic, {}, {0.25f, 0, 0}, {0, 2, 0});
  CHECK(e.taps == 4);
  CHECK(e.lod == 1);
  CHECK(std::abs(e.step_v) == 2);
  CHECK(e.step_u == 0);
}

TEST_CASE("cube edges: stepping over an edge and back returns to the same texel") {
  constexpr int size = 4;
  for (unsigned face = 0; face < 6; ++face)
    for (int i = 0; i < size; ++i)
      for (const auto& [x, y] : {std::pair{-1, i}, std::pair{size, i}, std::pair{i, -1}, std::pair{i, size}}) {
        const sampler::FaceTexel t = sampler::across_edge(face, x, y, size);
        CHECK(t.face != face);
        CHECK(t.face / 2 != face / 2);
        // One of the four steps out of the neighbour's texel leads back to the edge texel.
        const unsigned edge_x = static_cast<unsigned>(std::clamp(x, 0, size - 1)),
                       edge_y = static_cast<unsigned>(std::clamp(y, 0, size - 1));
        unsigned back = 0;
        for (const auto& [dx, dy] : {std::pair{-1, 0}, std::pair{1, 0}, std::pair{0, -1}, std::pair{0, 1}}) {
          const int nx = static_cast<int>(t.x) + dx, ny = static_cast<int>(t.y) + dy;
          if (nx >= 0 && ny >= 0 && nx < size && ny < size) continue;
          const sampler::FaceTexel home = sampler::across_edge(t.face, nx, ny, size);
          back += home.face == face && home.x == edge_x && home.y == edge_y;
        }
        CHECK(back == 1);
      }
}

TEST_CASE("directions and faces") {
  const sampler::FacePoint p = sampler::face_of({-1, 0.5f, 0.25f});
  CHECK(p.face == 1);
  CHECK(p.u == Approx(0.625));
  CHECK(p.v == Approx(0.25));
  // The gradient equals the difference after a small step.
  const sampler::FacePoint q = sampler::face_of({-1.001f, 0.502f, 0.25f});
  const auto g = sampler::face_gradient({-1, 0.5f, 0.25f}, {-0.001f, 0.002f, 0});
  CHECK(g[0] == Approx(q.u - p.u).epsilon(0.01));
  CHECK(g[1] == Approx(q.v - p.v).epsilon(0.01));
  // A neighbour on another face, each direction divided by its largest component: (1.5, -1, 0.5) beside (0.5, -1, 0.5).
  const auto h = sampler::face_gradient({0.5f, -1, 0.5f}, {0.5f, 1 / 3.0f, 0.5f / 1.5f - 0.5f});
  CHECK(h[0] == Approx(0.5));
  CHECK(std::abs(h[1]) < 1e-6f);
  // A quad that begins beyond a corner, where all three components are as long: a texel of 32 to the next pixel on the face that is
  // sampled.
  const float far = 1 + 1 / 32.0f, near = 1 - 1 / 32.0f;
  const sampler::Direction corner{1 / far, -1, -1}, right{1, -far, -near}, own{1, -near, -near};
  const auto c = sampler::face_gradient(own, corner, {right[0] - corner[0], right[1] - corner[1], right[2] - corner[2]});
  CHECK(c[0] == Approx(-1 / 32.0));
  CHECK(std::abs(c[1]) < 1e-6f);
}

TEST_CASE("8-bit formats are read by their description, linear and sRGB") {
  Fixture t;
  using surface::SurfaceFormat;
  t.view.store<uint32_t>(base, 0x80402010);
  for (const SurfaceFormat code :
       {SurfaceFormat::R8G8B8A8_UNORM, SurfaceFormat::R8G8B8A8_UNORM_SRGB, SurfaceFormat::R8G8B8X8_UNORM, SurfaceFormat::B8G8R8A8_UNORM,
        SurfaceFormat::B8G8R8A8_UNORM_SRGB, SurfaceFormat::B8G8R8X8_UNORM, SurfaceFormat::B8G8R8X8_UNORM_SRGB}) {
    t.surface.format = surface::find_format(code);
    INFO(t.surface.format->name);
    const std::array<std::byte, 4> bytes{std::byte{0x10}, std::byte{0x20}, std::byte{0x40}, std::byte{0x80}};
    CHECK(Texture(t.surface).load(t.view, 0, 0, 0, 0) == surface::decode(*t.surface.format, bytes.data()));
  }
}

TEST_CASE("texels of palette formats are the palette's entries; an alpha stored with the index replaces theirs") {
  using F = surface::SurfaceFormat;
  Fixture t;
  TexturePalettes palettes{};
  for (uint32_t i = 0; i < 256; ++i) palettes[0][i] = (255 - i) << 24 | i << 16 | (i ^ 0x55) << 8 | (i ^ 0xaa), palettes[1][i] = i;
  t.view.store<uint16_t>(base, 0xc7e4);
  struct Row {
    F format;
    uint32_t index;
    float alpha;
  };
  const Row row = GENERATE(values<Row>({{F::P8_UNORM_PALETTE0, 0xe4, (255 - 0xe4) / 255.0f},
                                        {F::P4A4_UNORM_PALETTE0, 0x4, 14 / 15.0f},
                                        {F::A4P4_UNORM_PALETTE0, 0xe, 4 / 15.0f},
                                        {F::P8A8_UNORM_PALETTE0, 0xe4, 0xc7 / 255.0f},
                                        {F::A8P8_UNORM_PALETTE0, 0xc7, 0xe4 / 255.0f}}));
  t.surface.format = surface::find_format(row.format);
  INFO(t.surface.format->name);
  Texture texture(t.surface);
  REQUIRE(texture.has_texels());
  texture.set_palettes(palettes);
  const auto color = std::bit_cast<std::array<float, 4>>(texture.fetch(t.view, 0, 0, 0, 0));
  CHECK(color[0] == Approx(row.index / 255.0f));
  CHECK(color[1] == Approx((row.index ^ 0x55) / 255.0f));
  CHECK(color[2] == Approx((row.index ^ 0xaa) / 255.0f));
  CHECK(color[3] == Approx(row.alpha));
  t.surface.format = surface::find_format(F::P8_UNORM_PALETTE1);
  Texture other(t.surface);
  other.set_palettes(palettes);
  CHECK(std::bit_cast<std::array<float, 4>>(other.fetch(t.view, 0, 0, 0, 0))[2] == Approx(0xe4 / 255.0f));
}

TEST_CASE("planar YUV: chroma of 2x2 pixels, in pairs or in separate planes") {
  using F = surface::SurfaceFormat;
  const bool wide = GENERATE(false, true), separate = GENERATE(false, true);
  const unsigned bytes = wide ? 2 : 1;
  constexpr uint32_t u_row = 8, v_row = 16, v_column = 4;
  Fixture t;
  defs::gen9::RENDER_SURFACE_STATE s{};
  using State = defs::gen9::RENDER_SURFACE_STATE;
  s.surface_type = State::SurfaceType::SURFTYPE_2D;
  s.surface_format = wide ? F::PLANAR_420_16 : F::PLANAR_420_8;
  s.width = s.height = 3;
  s.surface_pitch = pitch - 1;
  s.surface_base_address = base;
  s.separate_uv_plane_enable = separate;
  s.y_offset_for_u_or_uv_plane = u_row;
  s.x_offset_for_v_plane = v_column, s.y_offset_for_v_plane = v_row;
  const Texture texture(surface::decode_surface<defs::Gen9>(s.pack()));
  REQUIRE(texture.has_texels());
  const auto put = [&](uint32_t x, uint32_t y, uint32_t value) {
    if (wide) t.view.store<uint16_t>(base + y * pitch + x * bytes, static_cast<uint16_t>(value * 257));
    else t.view.store<uint8_t>(base + y * pitch + x, static_cast<uint8_t>(value));
  };
  const auto cb = [](uint32_t x, uint32_t y) { return 100 + 10 * (y / 2) + x / 2; };
  const auto cr = [](uint32_t x, uint32_t y) { return 200 + 10 * (y / 2) + x / 2; };
  for (uint32_t y = 0; y < 4; ++y)
    for (uint32_t x = 0; x < 4; ++x) put(x, y, 16 * y + x);
  for (uint32_t y = 0; y < 4; y += 2)
    for (uint32_t x = 0; x < 4; x += 2) {
      if (separate) put(x / 2, u_row + y / 2, cb(x, y)), put(v_column + x / 2, v_row + y / 2, cr(x, y));
      else put(x, u_row + y / 2, cb(x, y)), put(x + 1, u_row + y / 2, cr(x, y));
    }
  for (uint32_t y = 0; y < 4; ++y)
    for (uint32_t x = 0; x < 4; ++x) {
      INFO("at " << x << ", " << y);
      const auto color = std::bit_cast<std::array<float, 4>>(texture.fetch(t.view, 0, x, y, 0));
      CHECK(color[0] * 255 == Approx(cr(x, y)));
      CHECK(color[1] * 255 == Approx(16 * y + x));
      CHECK(color[2] * 255 == Approx(cb(x, y)));
      CHECK(color[3] == 1);
    }
}
