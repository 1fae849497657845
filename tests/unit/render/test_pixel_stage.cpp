// SPDX-License-Identifier: GPL-2.0-or-later
// One object through the pixel stage, with a kernel that writes one colour.
#include <bit>
#include <vector>

#include "hw/eu/isa/gen9/isa.h"
#include "hw/eu/program/program.h"
#include "hw/render/pixel_stage.h"
#include "tests/unit/eu/harness.h"
#include "tests/unit/render/pixel_fixture.h"

using namespace softgen;
using namespace softgen::render;
using namespace softgen::render::test;

namespace {

constexpr PixelRect tile{0, 0, 64, 64};
constexpr uint32_t red = 0xff0000ff;

/// Sends registers 2 to 5, push constants with red, green, blue and alpha for eight pixels, to render target 0.
std::shared_ptr<const eu::Program> write_constants() {
  using namespace eu::test;
  eu::Instruction i = op(eu::Opcode::sendc, 8, null(), grf(2, eu::RegType::f), imm(eu::RegType::ud));
  i.cond_mod = static_cast<uint8_t>(Sfid::dp_render);
  i.descriptor = 12u << 14 | 4u << 8 | 4u << 25;  // Render Target Write, SIMD8
  i.end_of_thread = true;
  return eu::Program::decode(eu::gen9_isa(), assemble({i}));
}

struct StageFixture : PixelFixture {
  surface::Surface color = surface::test::y_tiled(surface::SurfaceFormat::R8G8B8A8_UNORM, color_base, 64, 256, 64);
  PixelWorker worker{memory, 0};

  StageFixture() { worker.view().set_space(view.space()); }

  std::unique_ptr<PixelWork> red_draw(bool early) {
    auto work = draw_of({}, 0);
    PixelDraw& pixels = work->pixels;
    pixels.early = early;
    pixels.kernel.program = write_constants();
    pixels.kernel.grf_start = 2;
    for (const float channel : {1.0f, 0.0f, 0.0f, 1.0f}) {
      Grf grf;
      for (uint32_t& dword : grf.dw) dword = std::bit_cast<uint32_t>(channel);
      pixels.kernel.constants.push_back(grf);
    }
    pixels.targets.emplace_back(color);
    pixels.color[0] = pixels.merger.color_kernel(pixels.targets[0], 0);
    return work;
  }
  void draw(PixelWork& work, const PreparedObject& object) {
    HeldControlWord control;
    worker.draw(work.pixels, object, tile, control);
    worker.end_tile();
    worker.finish();
  }
  unsigned red_pixels() {
    unsigned n = 0;
    for (uint64_t at = color_base; at < color_base + bytes; at += 4) n += view.load<uint32_t>(at) == red;
    return n;
  }
};

}  // namespace

TEST_CASE("the covered pixels of a triangle are shaded once each") {
  StageFixture f;
  const auto work = f.red_draw(true);
  // Pixel centres with x + y <= 20: 20 in the first row, one less in each that follows.
  PreparedObject object = PixelFixture::rectangle(*work->lists[0], {0, 0, 32, 32}, 0.5);
  Slice<Coverage> parts = work->lists[0]->arena.slice<Coverage>(1);
  parts.push_back({.edges = {{{-1, -1, 20 * 256}}}, .edge_count = 1, .bounds = object.bounds});
  object.parts = parts;
  f.draw(*work, object);
  constexpr unsigned pixels = 20 * 21 / 2;
  CHECK(work->counts.invocations == pixels);
  CHECK(work->counts.depth == pixels);
  CHECK(f.red_pixels() == pixels);
  CHECK(f.count(PixelFixture::stored(0.5)) == pixels);
}

TEST_CASE("early tests discard pixels before the shader, late ones after it") {
  for (const bool early : {true, false}) {
    CAPTURE(early);
    StageFixture f;
    f.state.depth_stencil.depth_function = CompareFunction::less;
    const auto nearer = f.draw_of({}, 0);
    f.draw(*nearer, PixelFixture::rectangle(*nearer->lists[0], {0, 0, 8, 16}, 0.25));
    CHECK(nearer->counts.depth == 8 * 16);
    CHECK(nearer->counts.invocations == 0);
    const auto work = f.red_draw(early);
    f.draw(*work, PixelFixture::rectangle(*work->lists[0], {0, 0, 24, 16}, 0.5));
    CHECK(work->counts.invocations == (early ? 16 * 16 : 24 * 16));
    CHECK(work->counts.depth == 16 * 16);
    CHECK(f.red_pixels() == 16 * 16);
    CHECK(f.count(PixelFixture::stored(0.25)) == 8 * 16);
    CHECK(f.count(PixelFixture::stored(0.5)) == 16 * 16);
  }
}

TEST_CASE("pixels whose shader is not observable are counted, not shaded") {
  StageFixture f;
  const auto work = f.red_draw(true);
  work->pixels.unobservable = true;
  f.draw(*work, PixelFixture::rectangle(*work->lists[0], {3, 3, 20, 20}, 0.5));
  CHECK(work->counts.invocations == 17 * 17);
  CHECK(f.count(PixelFixture::stored(0.5)) == 17 * 17);
  CHECK(f.red_pixels() == 0);
}

TEST_CASE("only the part of an object within the tile is drawn") {
  StageFixture f;
  const auto work = f.red_draw(true);
  const PreparedObject object = PixelFixture::rectangle(*work->lists[0], {0, 0, 64, 64}, 0.5);
  HeldControlWord control;
  f.worker.draw(work->pixels, object, {8, 8, 24, 40}, control);
  f.worker.end_tile();
  f.worker.finish();
  CHECK(work->counts.invocations == 16 * 32);
  CHECK(f.red_pixels() == 16 * 32);
}

TEST_CASE("late tests and alpha tests of whole messages do what those of single pixels do") {
  const bool alpha_test = GENERATE(false, true);
  const auto both = [&](bool singly) {
    StageFixture f;
    f.state.depth_stencil.depth_function = CompareFunction::less;
    const auto nearer = f.draw_of({}, 0);
    f.draw(*nearer, PixelFixture::rectangle(*nearer->lists[0], {5, 3, 30, 21}, 0.25));
    f.state.blend.alpha_test = alpha_test;
    f.state.blend.alpha_function = CompareFunction::greater;
    f.state.blend.alpha_reference = 0.4f;
    const auto work = f.red_draw(false);
    PixelDraw& pixels = work->pixels;
    for (unsigned lane = 0; lane < 8; ++lane)
      pixels.kernel.constants[3].dw[lane] = std::bit_cast<uint32_t>(0.125f * static_cast<float>(lane));
    pixels.depth_by_blocks = !singly;
    if (singly) pixels.color[0].reset();
    PreparedObject object = PixelFixture::rectangle(*work->lists[0], {0, 0, 61, 47}, 0);
    object.z = {0.01, 0.004, 0.1};
    Slice<Coverage> parts = work->lists[0]->arena.slice<Coverage>(1);
    parts.push_back({.edges = {{{-1, -1, 70 * 256}}}, .edge_count = 1, .bounds = object.bounds});
    object.parts = parts;
    f.draw(*work, object);
    std::vector<uint32_t> memory(2 * PixelFixture::bytes / 4);
    f.view.read(PixelFixture::depth_base, memory.data(), PixelFixture::bytes);
    f.view.read(PixelFixture::color_base, memory.data() + PixelFixture::bytes / 4, PixelFixture::bytes);
    memory.push_back(static_cast<uint32_t>(work->counts.depth));
    memory.push_back(static_cast<uint32_t>(work->counts.invocations));
    CHECK(work->counts.depth > 500);
    return memory;
  };
  CHECK(both(false) == both(true));
}
