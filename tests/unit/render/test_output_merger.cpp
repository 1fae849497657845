// SPDX-License-Identifier: GPL-2.0-or-later
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "hw/base/failure_log.h"
#include "hw/defs/gen9/set.h"
#include "hw/render/output_merger.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"
#include "tests/unit/memory/mapped.h"
#include "tests/unit/render/decoded.h"
#include "tests/unit/surface/two_d.h"

using namespace softgen;
using namespace softgen::render;
using namespace softgen::render::test;

namespace {

constexpr uint64_t base = 0x10000, mcs_base = 0x20000;

struct Fixture : memory::test::Mapped {
  surface::Surface surface;

  Fixture() : Mapped(base, 0x40000) {
    surface = surface::test::y_tiled(surface::SurfaceFormat::R8G8B8A8_UNORM, base, 16, 128, 32);
    surface.samples = 4;
    surface.log2_samples = 2;
    surface.aux = surface::AuxMode::ccs_d;
    surface.aux_base = mcs_base;
    surface.aux_pitch = 128;
    surface.aux_qpitch = 32;
    surface.clear_color = {std::bit_cast<uint32_t>(1.0f), 0, 0, std::bit_cast<uint32_t>(1.0f)};
    view.fill(mcs_base, 0xff, 4096);
  }
};

PixelColor green() {
  PixelColor color;
  color.source0 = {0, std::bit_cast<uint32_t>(1.0f), 0, std::bit_cast<uint32_t>(1.0f)};
  return color;
}

}  // namespace

TEST_CASE("the first write to a cleared pixel gives its other samples the clear colour") {
  Fixture f;
  const OutputMerger merger(DrawState{});
  const RenderTarget rt(f.surface);
  merger.write(f.view, rt, merger.mode(rt, 0), 3, 2, 0, 0b0010, green());
  const uint32_t red = std::bit_cast<uint32_t>(std::array<uint8_t, 4>{255, 0, 0, 255}),
                 written = std::bit_cast<uint32_t>(std::array<uint8_t, 4>{0, 255, 0, 255});
  for (unsigned s = 0; s < 4; ++s) CHECK(f.view.load<uint32_t>(rt.level->address(3, 2, 0, s)) == (s == 1 ? written : red));
  CHECK(rt.mcs.read(f.view, 3, 2, 0) == rt.mcs.identity());
  CHECK(rt.mcs.is_clear(rt.mcs.read(f.view, 4, 2, 0)));
  CHECK(f.view.load<uint32_t>(rt.level->address(4, 2, 0, 0)) == 0);
}

TEST_CASE("samples that shared a slice get their own") {
  Fixture f;
  const OutputMerger merger(DrawState{});
  const RenderTarget rt(f.surface);
  f.view.store<uint32_t>(rt.level->address(0, 0, 0, 0), 0x11111111);
  f.view.store<uint32_t>(rt.level->address(0, 0, 0, 1), 0x22222222);
  rt.mcs.write(f.view, 0, 0, 0, 0b01'01'00'00);
  CHECK(merger.read(f.view, rt, 0, 0, 0, 3)[0] == merger.read(f.view, rt, 0, 0, 0, 2)[0]);
  CHECK(f.view.load<uint32_t>(rt.level->address(0, 0, 0, 1)) == 0x11111111);
  CHECK(f.view.load<uint32_t>(rt.level->address(0, 0, 0, 3)) == 0x22222222);
}

// SKL PRM vol 2d, RENDER_SURFACE_STATE, Shader Channel Select Red: for render targets the selects change the order of red, green and blue.
// anv uses that for VK_FORMAT_B5G6R5_UNORM_PACK16 and B4G4R4A4.
TEST_CASE("a render target's channel selects say which channel a colour's red, green and blue are written to") {
  Fixture f;
  f.surface = surface::test::y_tiled(surface::SurfaceFormat::R8G8B8A8_UNORM, base, 16, 128, 32);
  using Select = surface::ShaderChannelSelect;
  f.surface.select = {Select::SCS_BLUE, Select::SCS_GREEN, Select::SCS_RED, Select::SCS_ALPHA};
  PixelColor color;
  for (size_t i = 0; i < 4; ++i) color.source0[i] = std::bit_cast<uint32_t>(std::array{1.0f, 0.0f, 51 / 255.0f, 102 / 255.0f}[i]);
  const RenderTarget rt(f.surface);
  const auto pixel = [&] { return f.view.load<uint32_t>(rt.level->address(3, 2, 0, 0)); };

  DrawState state;
  const OutputMerger merger(state);
  merger.write(f.view, rt, merger.mode(rt, 0), 3, 2, 0, 1, color);
  CHECK(pixel() == 0x66ff'0033);  // alpha, red where blue is stored, green, blue
  CHECK(merger.read(f.view, rt, 3, 2, 0, 0) == color.source0);
  const auto kernel = merger.color_kernel(rt, 0);
  REQUIRE(kernel.has_value());
  CHECK(kernel->shift == std::array<uint8_t, 4>{16, 8, 0, 24});

  OutputMerger without_red(state);
  without_red.set_target(0, {.disabled = 1});
  color.source0[0] = 0;
  without_red.write(f.view, rt, without_red.mode(rt, 0), 3, 2, 0, 1, color);
  CHECK(pixel() == 0x66ff'0033);

  f.surface.select = {Select::SCS_ALPHA, Select::SCS_GREEN, Select::SCS_RED, Select::SCS_ALPHA};
  clear_failure_counts();
  const RenderTarget invalid(f.surface);  // as if it had none, and counted
  CHECK(invalid.format == f.surface.format);
  CHECK(failure_counts().size() == 1);
}

TEST_CASE("writes outside of the target or to null surfaces are dropped") {
  Fixture f;
  const OutputMerger merger(DrawState{});
  const RenderTarget rt(f.surface), nowhere{surface::Surface{}};
  merger.write(f.view, rt, merger.mode(rt, 0), 16, 0, 0, 0xf, green());
  merger.write(f.view, rt, merger.mode(rt, 0), 0, 0, 1, 0xf, green());
  merger.write(f.view, nowhere, merger.mode(nowhere, 0), 0, 0, 0, 0xf, green());
  for (uint64_t at = base; at < mcs_base; at += 4) REQUIRE(f.view.load<uint32_t>(at) == 0);
}

TEST_CASE("only the blend state entries of written targets are read") {
  Fixture f;
  quiet_log();
  clear_failure_counts();
  constexpr uint64_t page = 0x50000;
  f.ggtt.set_pte(page >> 12, page | 1);
  // Two targets in the last 64 bytes of a page before an unmapped one.
  const uint32_t blend[] = {0, 0, 0, 0, 1u << 31 | 15u << 27}, at = page + 0x1000 - 64;
  f.view.write(at, blend, sizeof blend);
  StateStore store{defs::gen9::commands};
  State state;
  const uint32_t pointers[] = {0x78240000, at | 1};
  store.accept({0, defs::gen9::commands.find("3DSTATE_BLEND_STATE_POINTERS"), pointers});
  state.refresh(store, f.view);
  OutputMerger merger(state);
  merger.set_target(1, state.decoder->target_blend(f.view, state, 1));
  CHECK(merger.mode(RenderTarget(f.surface), 1).logic);
  CHECK_FALSE(merger.mode(RenderTarget(f.surface), 0).logic);
  CHECK(failure_counts().empty());
}

TEST_CASE("dithered alpha varies the covered samples with the pixel's place") {
  Fixture f;
  StateStore store{defs::gen9::commands};
  State state;
  constexpr uint32_t at = base + 0x8000;
  const uint32_t pointers[] = {0x78240000, at | 1};
  store.accept({0, defs::gen9::commands.find("3DSTATE_BLEND_STATE_POINTERS"), pointers});
  const std::array<std::pair<uint32_t, uint32_t>, 4> block{{{4, 6}, {5, 6}, {4, 7}, {5, 7}}};
  for (const bool dithered : {false, true}) {
    const uint32_t blend[] = {1u << 31 | (dithered ? 1u << 28 : 0u), 0, 0};
    f.view.write(at, blend, sizeof blend);
    state.refresh(store, f.view);
    const OutputMerger merger(state);
    for (const unsigned count : {1u, 2u, 4u, 8u, 16u}) {
      CAPTURE(dithered, count);
      // Multiples of a sample: as many samples in each pixel (piglit, sample-alpha-to-coverage), of four or more not the same ones.
      for (unsigned samples = 0; samples <= count; ++samples) {
        const float alpha = static_cast<float>(samples) / static_cast<float>(count);
        std::set<uint32_t> masks;
        for (const auto& [x, y] : block) {
          masks.insert(merger.alpha_to_coverage(alpha, count, x, y));
          CHECK(std::popcount(merger.alpha_to_coverage(alpha, count, x, y)) == static_cast<int>(samples));
        }
        if (count >= 4 && samples > 0 && samples < count) CHECK((masks.size() > 1) == dithered);
      }
      // Between them, a block's mean is within an eighth of a sample, without dithering within half a sample.
      for (unsigned step = 0; step <= 64 * count; ++step) {
        const float alpha = static_cast<float>(step) / static_cast<float>(64 * count), next = alpha + 1.0f / static_cast<float>(64 * count);
        int lit = 0;
        for (const auto& [x, y] : block) {
          const uint32_t mask = merger.alpha_to_coverage(alpha, count, x, y);
          lit += std::popcount(mask);
          CHECK((mask & ~merger.alpha_to_coverage(next, count, x, y)) == 0);  // more alpha never uncovers a sample
        }
        CHECK(std::abs(lit / 4.0 - step / 64.0) <= (dithered ? 1 / 8.0 : 1 / 2.0));
      }
      CHECK(merger.alpha_to_coverage(0, count, 5, 7) == 0);
      CHECK(merger.alpha_to_coverage(1, count, 5, 7) == (1u << count) - 1);
      CHECK(merger.alpha_to_coverage(std::numeric_limits<float>::quiet_NaN(), count, 5, 7) == 0);
    }
  }
}
