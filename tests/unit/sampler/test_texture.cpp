// SPDX-License-Identifier: GPL-2.0-or-later
#include <bit>

#include "hw/memory/ggtt.h"
#include "hw/memory/sparse_memory.h"
#include "hw/sampler/texture.h"
#include "tests/catch.h"

using namespace softgen;
using sampler::Texture;
using Mode = defs::gen9::TextureCoordinateMode;

namespace {

constexpr uint64_t base = 0x10000;
constexpr uint32_t pitch = 64, qpitch = 8;

/// A linear R8_UNORM 2D array of 4x4 texels, three slices; texel = 16 * slice + 4 * y + x.
struct Fixture {
  memory::SparseMemory memory{1 << 20};
  memory::Ggtt ggtt;
  memory::View view{memory, nullptr};
  surface::Surface surface;
  sampler::State state{};

  Fixture() {
    ggtt.set_pte(base >> 12, base | 1);
    view.set_space(memory::AddressSpace::ggtt(ggtt));
    surface.type = surface::SurfaceType::two_d;
    surface.format = surface::find_format(surface::SurfaceFormat::R8_UNORM);
    surface.base = base;
    surface.width = surface.height = 4;
    surface.depth = 3;
    surface.array = true;
    surface.pitch = pitch;
    surface.qpitch = qpitch;
    state.tcx_address_control_mode = state.tcy_address_control_mode = Mode::TCM_CLAMP;
    for (unsigned slice = 0; slice < 3; ++slice)
      for (unsigned y = 0; y < 4; ++y)
        for (unsigned x = 0; x < 4; ++x) view.store<uint8_t>(base + (slice * qpitch + y) * pitch + x, static_cast<uint8_t>(16 * slice + 4 * y + x));
  }
  float red(float u, float v, float layer = 0, float border = 0) {
    const Texture texture(view, surface);
    const Texture::Filter filter{state, {border, border, border, border}, {}};
    return texture.sample(filter, {u, v, 0, layer}, {}, 0)[0] * 255;
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
  t.state.tcx_address_control_mode = Mode::TCM_WRAP;
  CHECK(t.red(x, 0) == Approx(1));
  CHECK(t.red(-0.125f, 0) == Approx(3));
  t.state.tcx_address_control_mode = Mode::TCM_MIRROR;
  CHECK(t.red(x, 0) == Approx(2));
  CHECK(t.red(-0.125f, 0) == Approx(0));
  t.state.tcx_address_control_mode = Mode::TCM_CLAMP;
  CHECK(t.red(x, 0) == Approx(3));
  t.state.tcx_address_control_mode = Mode::TCM_CLAMP_BORDER;
  CHECK(t.red(x, 0, 0, 1) == Approx(255));
}

TEST_CASE("linear filtering mixes four texels") {
  Fixture t;
  t.state.mag_mode_filter = sampler::State::MagModeFilter::MAPFILTER_LINEAR;
  CHECK(t.red(0.5f, 0.5f) == Approx((5 + 6 + 9 + 10) / 4.0));
  CHECK(t.red(0.375f, 0.375f) == Approx(5));
}

TEST_CASE("texels outside of a level load as zero") {
  Fixture t;
  const Texture texture(t.view, t.surface);
  CHECK(texture.load(3, 3, 2, 0)[0] == std::bit_cast<uint32_t>(47 / 255.0f));
  for (auto [x, y, slice] : {std::array{4, 0, 0}, std::array{0, -1, 0}, std::array{0, 0, 3}}) CHECK(texture.load(x, y, slice, 0)[0] == 0);
}
