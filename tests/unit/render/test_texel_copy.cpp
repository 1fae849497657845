// SPDX-License-Identifier: GPL-2.0-or-later
// Kernels that copy texels, in the forms that Mesa emits (blorp), and the copies that replace their threads.
#include <algorithm>
#include <cstring>
#include <random>

#include "hw/base/work.h"
#include "hw/defs/gen9/all.h"
#include "hw/eu/isa/gen9/isa.h"
#include "hw/render/texel_copy.h"
#include "hw/render/tile_pass.h"
#include "tests/unit/eu/harness.h"
#include "tests/unit/render/pixel_fixture.h"
#include "tests/unit/render/scene_packets.h"

using namespace softgen;
using namespace softgen::render;
using namespace softgen::render::test;
using eu::Instruction;
using eu::Opcode;
using eu::Operand;
using eu::RegType;
using eu::test::grf;
using eu::test::op;
using eu::test::op_imm;
using eu::test::scalar;
using surface::SurfaceFormat;
using surface::Tiling;

namespace {

constexpr unsigned first = 6;  // register of the attributes; kernels of eight channels have them at 4
constexpr uint32_t ld_lz = 26, surface_1 = 1;

/// The forms of one kernel.
struct Form {
  unsigned simd = 16;
  bool rounds = true;  ///< Mesa 22.3 and 25.0; 26.2 does not
  bool split = true;   ///< 25.0 and 26.2 split messages; 22.3 does not
};

Operand value(unsigned reg, unsigned element) {
  Operand o = scalar(reg, RegType::f, element);
  o.replicate = true;
  return o;
}
Operand floats(unsigned reg) { return grf(reg, RegType::f); }

/// The pixels' places, scaled and moved by the attribute in registers `first` and the next one, are texels of surface 1.
std::vector<Instruction> copy_code(const Form& form) {
  const unsigned n = form.simd, step = n / 8;
  std::vector<Instruction> code;
  // X and Y words of each quad's pixels, in turn.
  const Operand places = grf(1, RegType::uw, 4, 1, 4, 0);
  code.push_back(op_imm(Opcode::add, 2 * n, grf(20, RegType::uw), places, RegType::v, 0x11001010));
  code.back().no_mask = true;
  code.push_back(op(Opcode::mov, n, grf(36 + 2 * step, RegType::d), scalar(first + 3, RegType::f, 3)));  // the slice
  for (unsigned axis = 0; axis < 2; ++axis) {
    const unsigned place = 24 + axis * step, moved = 28 + axis * step;
    code.push_back(op(Opcode::mov, n, floats(place), grf(20, RegType::uw, 4 * axis, 8, 4, 1)));
    if (form.rounds) code.push_back(op(Opcode::rndz, n, floats(place), floats(place)));
    code.push_back(op(Opcode::mad, n, floats(moved), value(first + axis, 7), value(first + axis, 3), grf(place, RegType::f, 0, 4, 4, 1)));
    code.push_back(op(Opcode::mov, n, grf(36 + axis * step, RegType::d), floats(moved)));
  }
  // u, v, r; reply of four components. Without the split all three follow each other.
  const uint32_t fields = ld_lz << 12 | (n == 16 ? 2u : 1u) << 17 | surface_1 | 4 * step << 20;
  Instruction load = op(form.split ? Opcode::sends : Opcode::send, n, grf(100, RegType::ud), grf(36, RegType::ud));
  load.cond_mod = static_cast<uint8_t>(Sfid::sampler);
  load.descriptor = fields | (form.split ? step : 3 * step) << 25;
  if (form.split) load.src[1] = grf(36 + step, RegType::ud), load.ex_descriptor = 2 * step << 6;
  else load.src[1] = eu::test::imm(RegType::ud);
  code.push_back(load);
  Instruction write = op(Opcode::sendc, n, eu::test::null(), floats(100), eu::test::imm(RegType::ud));
  write.cond_mod = static_cast<uint8_t>(Sfid::dp_render);
  write.descriptor = 12u << 14 | (n == 8 ? 4u : 0u) << 8 | 4 * step << 25;
  write.end_of_thread = true;
  code.push_back(write);
  return code;
}

/// A draw of one rectangle by such a kernel.
struct CopyFixture : PixelFixture {
  std::unique_ptr<PixelWork> work;
  std::shared_ptr<const eu::Program> program;

  /// `scale` and `offset`: of both axes.
  CopyFixture(const std::vector<Instruction>& code, unsigned simd, std::array<float, 2> offset, float scale = 1, float slice = 0,
              const PixelRect& rect = {0, 0, 64, 64}) {
    program = eu::Program::decode(eu::gen9_isa(), eu::test::assemble(code));
    state.depth_stencil = {};
    work = draw_of(rect, 0);
    PixelDraw& draw = work->pixels;
    draw.simd = simd;
    draw.kernel.program = program;
    draw.kernel.grf_start = first;
    PreparedObjects& list = *work->lists[0];
    PreparedObject& object = list.objects[0];
    object.attributes = list.arena.slice<AttributeSetup>(2);
    AttributeSetup transform{}, third{};
    const auto put = [](AttributeSetup& to, unsigned component, float a) {
      to.registers[component / 2].dw[component % 2 * 4 + 3] = std::bit_cast<uint32_t>(a);
    };
    put(transform, 0, scale), put(transform, 1, offset[0]), put(transform, 2, scale), put(transform, 3, offset[1]);
    put(third, 2, slice);
    object.attributes.push_back(transform), object.attributes.push_back(third);
  }
  std::optional<TexelSource> found() {
    if (!may_copy_texels(*program, work->pixels.simd)) return std::nullopt;
    return find_texel_source(work->pixels, work->lists[0]->objects[0]);
  }
};

const std::vector<Form> forms = {{.simd = 16},
                                 {.simd = 8},
                                 {.simd = 16, .rounds = false},
                                 {.simd = 8, .rounds = false},
                                 {.simd = 16, .split = false},
                                 {.simd = 8, .split = false}};

/// Where the tests' surfaces are; guest memory ends at 0x20000.
surface::Surface two_d(SurfaceFormat format, Tiling tiling, uint64_t base, uint32_t width, uint32_t height, uint32_t pitch) {
  surface::Surface s = surface::test::y_tiled(format, base, width, pitch, height);
  s.height = height;
  s.tiling = tiling;
  return s;
}

}  // namespace

TEST_CASE("kernels that copy texels are found in the forms of three Mesas") {
  for (const Form& form : forms) {
    CAPTURE(form.simd, form.rounds, form.split);
    // Mesa adds half a pixel; a texel's number is then rounded towards zero.
    CopyFixture f(copy_code(form), form.simd, {12.5f, -3.5f}, 1, 2);
    const auto source = f.found();
    REQUIRE(source);
    CHECK(source->binding.index == 1);
    CHECK(source->x == 12);
    CHECK(source->y == -4);
    CHECK(source->slice == 2);
    CHECK(source->level == 0);
  }
}

TEST_CASE("kernels that do anything else with the place or the texel are not copies") {
  const Form form{};
  const auto found = [&](const std::vector<Instruction>& code, std::array<float, 2> offset = {1, 1}, float scale = 1, float slice = 0) {
    return CopyFixture(code, form.simd, offset, scale, slice).found().has_value();
  };
  const std::vector<Instruction> good = copy_code(form);
  REQUIRE(found(good));
  CHECK_FALSE(found(good, {1, 1}, 2));
  CHECK_FALSE(found(good, {1, 1}, -1));
  CHECK_FALSE(found(good, {0.25f, 1}));
  CHECK_FALSE(found(good, {1, 3e6f}));
  CHECK_FALSE(found(good, {1, 1}, 1, -1));
  const auto changed = [&](const std::function<void(std::vector<Instruction>&)>& change) {
    std::vector<Instruction> code = good;
    change(code);
    return found(code);
  };
  const size_t load = good.size() - 2;
  // X as Y.
  CHECK_FALSE(changed([](auto& code) { code[2].src[0] = grf(20, RegType::uw, 4, 8, 4, 1); }));
  // One pixel's place for the pixels beside it.
  CHECK_FALSE(changed([](auto& code) { code[0].imm = 0x11000000; }));
  CHECK_FALSE(changed([](auto& code) { code[1].pred_control = 1; }));
  CHECK_FALSE(changed([&](auto& code) { code[load].pred_control = 1; }));
  // The texel plus one, its components in another order, and another register.
  const auto before_write = [&](const Instruction& added) { return changed([&](auto& code) { code.insert(code.end() - 1, added); }); };
  CHECK_FALSE(before_write(op_imm(Opcode::add, 16, grf(100, RegType::d), grf(100, RegType::d), RegType::d, 1)));
  CHECK_FALSE(before_write(op(Opcode::mov, 16, grf(100, RegType::d), grf(102, RegType::d))));
  CHECK_FALSE(before_write(op(Opcode::mov, 8, grf(101, RegType::d), grf(100, RegType::d))));
  CHECK_FALSE(changed([](auto& code) { code.back().src[0].reg = 102; }));
  // A move changes no bits, unless it is said to.
  CHECK(before_write(op(Opcode::mov, 16, floats(100), floats(100))));
  CHECK(before_write(op(Opcode::mov, 16, grf(100, RegType::d), grf(100, RegType::d))));
  Instruction saturated = op(Opcode::mov, 16, floats(100), floats(100));
  saturated.saturate = true;
  CHECK_FALSE(before_write(saturated));
  CHECK_FALSE(before_write(op(Opcode::mov, 16, floats(100), eu::test::absolute(floats(100)))));
  // Channels that read what other channels wrote: those may not run.
  CHECK_FALSE(changed([](auto& code) { code[5].src[0] = grf(28, RegType::f, 0, 0, 1, 0); }));
}

TEST_CASE("texels of formats that keep their bits are copied between tilings; others are not") {
  std::mt19937 random(46);
  struct Layout {
    Tiling tiling;
    uint32_t pitch;
  };
  constexpr Layout layouts[] = {{Tiling::linear, 1040}, {Tiling::x, 1024}, {Tiling::y, 1024}};
  constexpr uint64_t from_base = 0x10000, to_base = 0x18000;
  unsigned copied = 0, refused = 0;
  for (const SurfaceFormat format :
       {SurfaceFormat::R32G32B32A32_UINT, SurfaceFormat::R32G32_UINT, SurfaceFormat::R32_UINT, SurfaceFormat::R16_UINT,
        SurfaceFormat::R8_UINT, SurfaceFormat::R8G8B8A8_UNORM, SurfaceFormat::R16G16B16A16_UNORM, SurfaceFormat::R10G10B10A2_UNORM,
        SurfaceFormat::R8_SINT, SurfaceFormat::B8G8R8X8_UNORM, SurfaceFormat::R8G8B8A8_UNORM_SRGB, SurfaceFormat::R16_FLOAT,
        SurfaceFormat::R32_FLOAT, SurfaceFormat::R8G8_SNORM})
    for (const Layout& a : layouts)
      for (const Layout& b : layouts) {
        CAPTURE(surface::find_format(format)->name, static_cast<int>(a.tiling), static_cast<int>(b.tiling));
        CopyFixture f(copy_code({}), 16, {});
        const surface::Surface from = two_d(format, a.tiling, from_base, 60, 24, a.pitch),
                               to = two_d(format, b.tiling, to_base, 60, 24, b.pitch);
        for (uint64_t at = 0; at < 0x10000; at += 4) f.view.store(from_base + at, static_cast<uint32_t>(random()));
        RenderTarget target(to);
        const unsigned bytes = from.format->block_bytes();
        PixelRect rect{static_cast<int32_t>(random() % 20), static_cast<int32_t>(random() % 8), 0, 0};
        rect.x1 = rect.x0 + 1 + static_cast<int32_t>(random() % 30), rect.y1 = rect.y0 + 1 + static_cast<int32_t>(random() % 12);
        const TexelSource source{
            {.index = 1}, 0, 0, static_cast<int32_t>(random() % 9) - rect.x0 % 5, static_cast<int32_t>(random() % 5) - rect.y0 % 5};
        const auto plan = plan_copy(from, target, source, rect);
        const surface::Level level(from, 0);
        const auto texel = [&](const surface::Level& of, int32_t x, int32_t y) {
          std::vector<std::byte> value(bytes);
          f.view.read(of.address(static_cast<uint32_t>(x), static_cast<uint32_t>(y), 0), value.data(), bytes);
          return value;
        };
        std::vector<std::vector<std::byte>> expected;
        for (int32_t y = 0; y < 24; ++y)
          for (int32_t x = 0; x < 60; ++x) {
            const bool inside = x >= rect.x0 && x < rect.x1 && y >= rect.y0 && y < rect.y1;
            expected.push_back(inside && plan ? texel(level, x + source.x, y + source.y) : texel(*target.level, x, y));
            if (!inside || !plan) continue;
            // What a load gives, stored as a render target write does.
            std::vector<std::byte> stored(bytes);
            surface::encode(*to.format, surface::decode(*from.format, expected.back().data()), stored.data());
            REQUIRE(stored == expected.back());
          }
        if (plan) copy_texels(f.view, *plan, target, 0, rect);
        ++(plan ? copied : refused);
        size_t n = 0;
        for (int32_t y = 0; y < 24; ++y)
          for (int32_t x = 0; x < 60; ++x) REQUIRE(texel(*target.level, x, y) == expected[n++]);
      }
  CHECK(copied == 9 * 9);
  CHECK(refused == 5 * 9);
}

TEST_CASE("copies are planned only within the level that is read") {
  const surface::Surface from = two_d(SurfaceFormat::R32_UINT, Tiling::linear, 0x10000, 60, 40, 256);
  const RenderTarget target(two_d(SurfaceFormat::R32_UINT, Tiling::linear, 0x20000, 60, 40, 256));
  const auto planned = [&](const TexelSource& source, const PixelRect& rect) { return plan_copy(from, target, source, rect).has_value(); };
  const SurfaceBinding one{.index = 1};
  CHECK(planned({one, 0, 0, 10, 5}, {0, 0, 50, 35}));
  CHECK_FALSE(planned({one, 0, 0, 11, 5}, {0, 0, 50, 35}));
  CHECK_FALSE(planned({one, 0, 0, 10, 6}, {0, 0, 50, 35}));
  CHECK_FALSE(planned({one, 0, 0, -1, 0}, {0, 0, 50, 35}));
  CHECK_FALSE(planned({one, 0, 0, 0, -1}, {0, 0, 50, 35}));
  CHECK_FALSE(planned({one, 1, 0, 0, 0}, {0, 0, 50, 35}));
  const auto changed = [&](const std::function<void(surface::Surface&)>& change) {
    surface::Surface s = from;
    change(s);
    return plan_copy(s, target, {one, 0, 0, 0, 0}, {0, 0, 50, 35}).has_value();
  };
  CHECK(changed([](auto&) {}));
  CHECK_FALSE(changed([](auto& s) { s.samples = 4, s.log2_samples = 2; }));
  CHECK_FALSE(changed([](auto& s) { s.aux = surface::AuxMode::ccs_e; }));
  CHECK_FALSE(changed([](auto& s) { s.type = surface::SurfaceType::three_d; }));
  CHECK_FALSE(changed([](auto& s) { s.select[0] = surface::ShaderChannelSelect::SCS_ZERO; }));
  CHECK(changed([](auto& s) { s.select[1] = surface::ShaderChannelSelect::SCS_ZERO; }));  // not stored
  CHECK_FALSE(changed([](auto& s) { s.format = surface::find_format(SurfaceFormat::R32_SINT); }));
}

TEST_CASE("an object whose pixels are texels is copied, and counts what its threads would") {
  for (const unsigned simd : {8u, 16u}) {
    CAPTURE(simd);
    const PixelRect rect{3, 5, 60, 23};
    CopyFixture f(copy_code({.simd = simd}), simd, {-1.5f, 2.5f}, 1, 0, rect);
    constexpr uint64_t states = 0x1f000, from = 0x10000, to = 0x18000;
    auto texels = scene_target<defs::Gen9>(from, 64, 32);
    texels.surface_format = static_cast<decltype(texels.surface_format)>(SurfaceFormat::R32_UINT);
    const auto dwords = texels.pack();
    for (size_t i = 0; i < dwords.size(); ++i) f.view.store(states + 64 + 4 * i, dwords[i]);
    f.view.store(states + 4, uint32_t{64});
    for (uint32_t i = 0; i < 64 * 32; ++i) f.view.store(from + 4 * i, i), f.view.store(to + 4 * i, ~i);
    PixelDraw& draw = f.work->pixels;
    draw.kernel.bases.surface_state = draw.kernel.bases.binding_tables = states;
    draw.kernel.bases.decode_surface = &surface::decode_surface<defs::Gen9>;
    draw.targets.emplace_back(two_d(SurfaceFormat::R32_UINT, Tiling::linear, to, 64, 32, 256));
    draw.copies = may_copy_texels(*f.program, simd) && draw.merger.stores_texels(draw.targets[0], 0);
    REQUIRE(draw.copies);
    const WorkCounts before = work_counts();
    TilePass pass(nullptr);
    pass.add(*f.work);
    uint64_t tile = 0;
    REQUIRE(pass.draw(f.env, false, tile, nullptr));
    const WorkCounts work = work_between(before, work_counts());
    const uint64_t pixels = 57 * 18;
    CHECK(work.of(Path::pixels_copied) == pixels);
    for (const Work each : {Work::samples_rasterized, Work::samples_written, Work::pixels_sampled}) CHECK(work.of(each) == pixels);
    CHECK(f.work->counts.depth == pixels);
    CHECK(f.work->counts.invocations == pixels);
    // 10 rows of 29 quads; 3 rows of 14 squares.
    CHECK(work.of(Work::ps_threads) == (simd == 8 ? 10 * 29 / 2 : 3 * 14 + (10 * 29 - 4 * 3 * 14 + 3) / 4));
    for (int32_t y = 0; y < 32; ++y)
      for (int32_t x = 0; x < 64; ++x) {
        const bool inside = x >= rect.x0 && x < rect.x1 && y >= rect.y0 && y < rect.y1;
        const auto own = static_cast<uint32_t>(64 * y + x), texel = static_cast<uint32_t>(64 * (y + 2) + x - 2);
        REQUIRE(f.view.load<uint32_t>(to + 4 * own) == (inside ? texel : ~own));
      }
  }
}
