// SPDX-License-Identifier: GPL-2.0-or-later
// Surfaces with fast-cleared pairs or slices: texels have the clear colour of the surface state that a message names.
#include <bit>

#include "hw/surface/hiz_clear.h"
#include "tests/unit/sampler/message_fixture.h"

using namespace softgen;
using namespace softgen::sampler::test;

namespace {

struct Fixture : MessageFixture {
  Fixture() {
    view.fill(ccs_at, 0xff, 4096);  // all clear
    view.fill(texels_at, 0x80, 32 * 128);
    set_clear_color(0);
  }
  /// B8G8R8A8_UNORM: red is `red`, green 1.
  void set_clear_color(uint32_t red) {
    set(defs::gen9::SurfaceFormat::B8G8R8A8_UNORM, SurfaceState::AuxiliarySurfaceMode::AUX_CCS_E, red, one);
  }
  /// Depth, with a HiZ buffer.
  surface::Surface set_clear_depth(defs::gen9::SurfaceFormat format, float depth) {
    return set(format, SurfaceState::AuxiliarySurfaceMode::AUX_HIZ, std::bit_cast<uint32_t>(depth), 0);
  }
};

}  // namespace

TEST_CASE("a reset does not wait for clear colours; those left out are written the next time") {
  Fixture f;
  f.stop.request(StopFlag::reset);
  f.sent(sample_type);
  CHECK(f.view.load<uint32_t>(texels_at) == 0x80808080);
  f.stop.clear(StopFlag::reset);
  CHECK(f.sent(sample_type) == std::array<uint32_t, 2>{0, one});
  CHECK(f.view.load<uint32_t>(texels_at + 31 * 16) != 0x80808080);
}

TEST_CASE("texels of fast-cleared pairs have the clear colour") {
  for (const uint32_t type : {sample_type, ld_type})
    for (const bool answered : {false, true}) {
      if (answered && type == ld_type) continue;  // formats with arithmetic have no such answer
      INFO("type " << type << " answered directly " << answered);
      Fixture f;
      const auto texel = [&] { return answered ? f.direct(type) : f.sent(type); };
      using Two = std::array<uint32_t, 2>;
      CHECK(texel() == Two{0, one});
      // Another clear colour, and no other clear.
      f.set_clear_color(one);
      CHECK(texel() == Two{one, one});
      // After drawing over it, the new value is seen at the latest when the texture cache is invalidated.
      f.view.store<uint64_t>(ccs_at, 0);
      f.view.fill(texels_at, 0, 32 * 128);
      f.unit.invalidate_textures();
      CHECK(texel() == Two{0, 0});
      f.view.store<uint64_t>(ccs_at, ~uint64_t{0});
      f.unit.invalidate_textures();
      CHECK(texel() == Two{one, one});
    }
}

// Mesa 25's anv_image.c: of an sRGB format hardware samples clear colours that are sRGB, and renders with linear ones.
TEST_CASE("the clear colour of an sRGB texture is the stored value, not the linear one") {
  Fixture f;
  f.set(defs::gen9::SurfaceFormat::B8G8R8A8_UNORM_SRGB, SurfaceState::AuxiliarySurfaceMode::AUX_CCS_E, std::bit_cast<uint32_t>(0.349196f),
        one);
  const auto [red, green] = f.sent(ld_type);
  CHECK(std::abs(std::bit_cast<float>(red) - 0.1f) < 0.001f);
  CHECK(green == one);
  CHECK((f.view.load<uint32_t>(texels_at) >> 16 & 0xff) == 89);
}

TEST_CASE("texels of a depth slice that is clear by HiZ have the clear value of the surface state") {
  using Format = defs::gen9::SurfaceFormat;
  for (const Format format : {Format::R32_FLOAT, Format::R24_UNORM_X8_TYPELESS, Format::R16_UNORM})
    for (const bool answered : {false, true}) {
      Fixture f;
      const surface::Surface cleared = f.set_clear_depth(format, 0.0f);
      if (answered && format == Format::R16_UNORM) continue;  // not among the formats that are answered directly
      INFO("format " << cleared.format->name << ", answered directly " << answered);
      const auto depth = [&] { return answered ? f.direct(sample_type)[0] : f.sent(sample_type)[0]; };
      // As a clear with 0 leaves it.
      f.view.fill(texels_at, 0, 32 * 128);
      const auto hiz = surface::HizClear::of_texture(cleared, 0);
      REQUIRE(hiz);
      f.view.fill(cleared.aux_base, 0, 4096);
      CHECK(hiz->differs(f.view, 0, 0));  // zeros: clear, with no value yet
      hiz->mark(f.view, 0, 0);
      CHECK(depth() == 0);
      // Another clear value, and no other clear.
      f.set_clear_depth(format, 1.0f);
      CHECK(depth() == one);
      const unsigned bytes = cleared.format->block_bytes();
      CHECK(f.view.load<uint16_t>(texels_at + surface::offset_y(31 * bytes, 31, 128) + bytes - 2) != 0);
      // Drawn to: it has a depth of its own.
      hiz->forget(f.view, 0);
      f.set_clear_depth(format, 0.0f);
      f.unit.invalidate_textures();
      CHECK(depth() == one);
    }
}
