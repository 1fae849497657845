// SPDX-License-Identifier: GPL-2.0-or-later
#include <bit>
#include <cmath>

#include "hw/base/log.h"
#include "hw/defs/gen12/all.h"
#include "hw/defs/gen9/set.h"
#include "hw/render/depth_stencil.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"
#include "tests/unit/memory/aux_tables.h"
#include "tests/unit/memory/mapped.h"
#include "tests/unit/render/decoded.h"

using namespace softgen;
using namespace softgen::render;
using namespace softgen::render::test;

namespace {

constexpr uint64_t base = 0x10000;

struct Fixture : memory::test::Mapped {
  StateStore store{defs::gen9::commands};
  State state;

  /// A 16x16 buffer of 24 bits, less or equal, written.
  Fixture() : Mapped(base, 0x20000) {
    const uint32_t buffer[] = {0x78050006, 1u << 29 | 1u << 28 | 3u << 18 | 127, static_cast<uint32_t>(base), 0, 15u << 18 | 15u << 4, 0, 0,
                               8};
    const uint32_t tests[] = {0x784e0002, 4u << 5 | 3, 0, 0};
    store.accept({0, defs::gen9::commands.find("3DSTATE_DEPTH_BUFFER"), buffer});
    store.accept({0, defs::gen9::commands.find("3DSTATE_WM_DEPTH_STENCIL"), tests});
    state.refresh(store);
  }
};

}  // namespace

TEST_CASE("one unit of depth bias is one step of a 24-bit buffer, wherever the depth lies") {
  Fixture f;
  f.view.fill(base, 0xff, 4096);
  const DepthStencil tests(f.state);
  for (uint32_t x = 0; x < 16; ++x) {
    const double z = x / 15.0 * 0.999;
    const auto sample = [&](double depth) { return tests.test_and_write(f.view, {x, 0, 0, 0, depth, true}); };
    CHECK(sample(z));
    CHECK_FALSE(sample(z + 1 / 16777215.0));
    CHECK(sample(z));
  }
}

TEST_CASE("beyond the depth buffer nothing is tested or written") {
  Fixture f;
  const DepthStencil tests(f.state);
  CHECK(tests.test_and_write(f.view, {16, 0, 0, 0, 0.25, true}));
  CHECK(tests.test_and_write(f.view, {0, 16, 0, 0, 0.25, true}));
  CHECK(tests.test_and_write(f.view, {0, 0, 1, 0, 0.25, true}));
  for (uint64_t at = base; at < base + 4096; at += 4) REQUIRE(f.view.load<uint32_t>(at) == 0);
}

TEST_CASE("a depth buffer's format counts only where depth is tested or written") {
  Fixture f;
  quiet_log();
  clear_failure_counts();
  const auto what = "3DSTATE_DEPTH_BUFFER with a reserved type or format, or no memory";
  const uint32_t buffer[] = {0x78050006, 0, 0, 0, 0, 0, 0, 0}, no_tests[] = {0x784e0002, 0, 0, 0};
  f.store.accept({0, defs::gen9::commands.find("3DSTATE_DEPTH_BUFFER"), buffer});
  f.state.refresh(f.store);
  CHECK_FALSE(DepthStencil(f.state).any_test());
  CHECK(failure_count(Failure::guest_error, what) == 1);
  f.store.accept({0, defs::gen9::commands.find("3DSTATE_WM_DEPTH_STENCIL"), no_tests});
  f.state.refresh(f.store);
  CHECK_FALSE(DepthStencil(f.state).any_test());
  CHECK(failure_count(Failure::guest_error, what) == 1);
}

TEST_CASE("a cleared slice has the bound clear value until something is drawn") {
  Fixture f;
  quiet_log();
  constexpr uint64_t hiz = base + 0x8000;
  const uint32_t buffer[] = {
      0x78050006, 1u << 29 | 1u << 28 | 1u << 22 | 3u << 18 | 127, static_cast<uint32_t>(base), 0, 15u << 18 | 15u << 4, 0, 0, 8};
  const uint32_t hier[] = {0x78070003, 127, static_cast<uint32_t>(hiz), 0, 16};
  f.store.accept({0, defs::gen9::commands.find("3DSTATE_DEPTH_BUFFER"), buffer});
  f.store.accept({0, defs::gen9::commands.find("3DSTATE_HIER_DEPTH_BUFFER"), hier});
  const auto bind = [&](float value) {
    const uint32_t params[] = {0x78040001, std::bit_cast<uint32_t>(value), 1};
    f.store.accept({0, defs::gen9::commands.find("3DSTATE_CLEAR_PARAMS"), params});
    f.state.refresh(f.store);
    return DepthStencil(f.state);
  };
  const StopFlag never;
  const StopReasons stops{never, StopFlag::dropping};
  const auto bands = [&](const PixelRect& rect, const FillPart& part) { part(f.view, rect); };
  const auto at = [&](uint32_t x, uint32_t y) { return f.view.load<uint32_t>(base + y * 16 + x % 4 * 4 + x / 4 * 512) & 0xffffff; };
  DepthOperation op;
  op.clear_depth = op.whole_surface = true;
  op.sample_mask = 0xffff;
  SECTION("a HiZ buffer of zeros") {
    const DepthStencil fresh = bind(1);
    REQUIRE(fresh.clear_value_changed(f.view));
    fresh.renew(f.view, bands, stops);
    CHECK(at(15, 15) == 0xffffff);
  }
  SECTION("resolved before it is drawn to") {
    bind(1).forget_clears(f.view);
    CHECK_FALSE(bind(1).clear_value_changed(f.view));
    CHECK(at(15, 15) == 0);
  }
  bind(0).clear(f.view, bands, stops, op);
  CHECK_FALSE(bind(0).clear_value_changed(f.view));

  DepthStencil changed = bind(1);
  REQUIRE(changed.clear_value_changed(f.view));
  changed.renew(f.view, bands, stops);
  CHECK_FALSE(changed.clear_value_changed(f.view));
  CHECK(at(0, 0) == 0xffffff);
  CHECK(at(15, 15) == 0xffffff);

  SECTION("a part of the slice is cleared with another value: the rest follows") {
    op.whole_surface = false;
    op.rect = {0, 0, 8, 8};
    bind(0).clear(f.view, bands, stops, op);
    CHECK(at(15, 15) == 0);
  }
  SECTION("drawn") {
    changed.forget_clears(f.view);
    CHECK_FALSE(bind(0).clear_value_changed(f.view));
    CHECK(at(15, 15) == 0xffffff);
  }
}

// Mesa 26 resolves all slices of a new buffer but one, changes the clear value, and resolves that one (piglit's tex-miplevel-selection, 1DArrayShadow).
TEST_CASE("an operation of 3DSTATE_WM_HZ_OP is of the view's first slice") {
  Fixture f;
  quiet_log();
  constexpr uint32_t rows = 32;  // a tile's: a slice each
  const auto at = [&](uint32_t slice) { return f.view.load<uint32_t>(base + uint64_t{slice} * rows * 128) & 0xffffff; };
  const auto operation = [&](uint32_t slice, float value, bool clear) {
    const uint32_t buffer[] = {0x78050006,
                               1u << 29 | 1u << 28 | 1u << 22 | 3u << 18 | 127,
                               static_cast<uint32_t>(base),
                               0,
                               15u << 18 | 15u << 4,
                               2u << 21 | slice << 10,
                               0,
                               2u << 21 | rows / 4};
    const uint32_t hier[] = {0x78070003, 127, static_cast<uint32_t>(base + 0x8000), 0, rows / 4};
    const uint32_t params[] = {0x78040001, std::bit_cast<uint32_t>(value), 1};
    const uint32_t op[] = {0x78520003, clear ? 1u << 30 | 1u << 25 : 1u << 28, 0, 16u << 16 | 16, 0xffff};
    f.store.accept({0, defs::gen9::commands.find("3DSTATE_DEPTH_BUFFER"), buffer});
    f.store.accept({0, defs::gen9::commands.find("3DSTATE_HIER_DEPTH_BUFFER"), hier});
    f.store.accept({0, defs::gen9::commands.find("3DSTATE_CLEAR_PARAMS"), params});
    f.store.accept({0, defs::gen9::commands.find("3DSTATE_WM_HZ_OP"), op});
    f.state.refresh(f.store);
    return make_state_decoder<defs::Gen9>()->depth_operation(f.store);
  };
  const StopFlag never;
  const StopReasons stops{never, StopFlag::dropping};
  const auto bands = [&](const PixelRect& rect, const FillPart& part) { part(f.view, rect); };
  const DepthOperation first = operation(0, 1, false);
  REQUIRE(first.resolve_depth);
  const DepthStencil resolved(f.state, first.buffers);
  resolved.renew(f.view, bands, stops);
  resolved.forget_clears(f.view);
  CHECK(at(0) == 0xffffff);
  CHECK(at(1) == 0);
  const DepthOperation second = operation(1, 0.5f, false);
  DepthStencil(f.state, second.buffers).renew(f.view, bands, stops);
  CHECK(at(0) == 0xffffff);
  CHECK(at(1) == 0x800000);
  CHECK(at(2) == 0);
  const DepthOperation third = operation(1, 0.25f, true);
  REQUIRE(third.clear_depth);
  DepthStencil(f.state, third.buffers).clear(f.view, bands, stops, third);
  CHECK(at(1) == 0x400000);
  CHECK(at(2) == 0);
}

TEST_CASE("samples whose stored depth is beyond the bounds fail, and write neither depth nor stencil") {
  for (const auto stored : {DepthFormat::unorm24, DepthFormat::float32, DepthFormat::unorm16}) {
    Fixture f;
    const uint32_t format = stored == DepthFormat::float32 ? 1 : stored == DepthFormat::unorm24 ? 3 : 5;
    f.view.fill(base, 0, 4096);
    const uint32_t size = 15u << 18 | 15u << 4;
    const uint32_t buffer[] = {0x78050006, 1u << 29 | 1u << 28 | format << 18 | 127, static_cast<uint32_t>(base), 0, size, 0, 0, 8};
    f.store.accept({0, defs::gen9::commands.find("3DSTATE_DEPTH_BUFFER"), buffer});
    f.state.refresh(f.store);
    const auto put = [&](uint32_t x, float depth) {  // pixel (x, 0) of a Y tile's first column
      if (stored == DepthFormat::float32) f.view.store<float>(base + x * 4, depth);
      else if (stored == DepthFormat::unorm24)
        f.view.store<uint32_t>(base + x * 4, static_cast<uint32_t>(std::llround(double{depth} * 0xffffff)));
      else f.view.store<uint16_t>(base + x * 2, static_cast<uint16_t>(std::llround(double{depth} * 0xffff)));
    };
    f.state.depth_stencil.bounds_test = true;
    f.state.depth_stencil.min_bound = 0.3f, f.state.depth_stencil.max_bound = 0.7f;
    f.state.depth_stencil.depth_function = CompareFunction::always;
    for (const bool with_test : {true, false}) {
      f.state.depth_stencil.depth_test = f.state.depth_stencil.depth_write = with_test;
      put(0, 0.125f), put(1, 0.3f), put(2, 1), put(3, 0.7f);  // both bounds are between two codes
      const DepthStencil tests(f.state);
      CHECK((tests.any_test() && tests.uses_depth() && !tests.tests_blocks()));
      const auto sample = [&](uint32_t x) { return tests.test_and_write(f.view, {x, 0, 0, 0, 0.0625, true}); };
      const uint64_t bytes = stored == DepthFormat::unorm16 ? 2 : 4;
      const auto word = [&](uint32_t x) { return f.view.load<uint32_t>(base + x * bytes) & (bytes == 2 ? 0xffffu : ~0u); };
      const uint32_t before[] = {word(0), word(1), word(2), word(3)};
      CHECK((!sample(0) && sample(1) && !sample(2) && sample(3)));
      CHECK((word(0) == before[0] && word(2) == before[2]));
      CHECK((word(1) != before[1]) == with_test);
    }
  }
}

// The sampler of Gen12 has no HiZ: it finds what is clear in the depth buffer's control surface.
TEST_CASE("a cleared slice of a depth buffer with a CCS is coded so until it is drawn to or resolved") {
  quiet_log();
  constexpr uint64_t level3 = 0x1'0000, level2 = 0x1'8000, level1 = 0x2'0000, control = 0x2'2000, depth = 0x3'0000, hiz = 0x3'8000;
  memory::test::Mapped memory(level3, 0x4'0000);
  softgen::memory::test::use_aux_tables(memory.view, level3, level2, level1);
  softgen::memory::test::set_control(memory.view, level1, depth, control);
  StateStore store{defs::Gen12::commands};
  State state{make_state_decoder<defs::Gen12>()};
  const auto put = [&](const char* name, std::initializer_list<uint32_t> dwords) {
    store.accept({0, defs::Gen12::commands.find(name), std::span(dwords.begin(), dwords.size())});
  };
  // 32x16 of 24 bits, HiZ, compression, a control surface.
  const auto bind_buffer = [&](bool has_control) {
    put("3DSTATE_DEPTH_BUFFER", {0x78050006, 1u << 29 | 1u << 28 | 3u << 24 | 1u << 22 | 1u << 21 | (has_control ? 1u << 19 : 0) | 127,
                                 static_cast<uint32_t>(depth), 0, 15u << 17 | 31u << 1, 0, 0, 8});
    state.refresh(store);
    return DepthStencil(state);
  };
  put("3DSTATE_HIER_DEPTH_BUFFER", {0x78070003, 127, static_cast<uint32_t>(hiz), 0, 16});
  put("3DSTATE_CLEAR_PARAMS", {0x78040001, std::bit_cast<uint32_t>(1.0f), 1});
  const StopFlag never;
  const StopReasons stops{never, StopFlag::dropping};
  const auto bands = [&](const PixelRect& rect, const FillPart& part) { part(memory.view, rect); };
  DepthOperation op;
  op.clear_depth = op.whole_surface = true;
  op.sample_mask = 0xffff;
  bind_buffer(false).clear(memory.view, bands, stops, op);
  CHECK(memory.view.load<uint64_t>(control) == 0);
  bind_buffer(false).forget_clears(memory.view);
  bind_buffer(true).clear(memory.view, bands, stops, op);
  CHECK(memory.view.load<uint64_t>(control) == ~uint64_t{0});  // 32x16 texels, four by four pairs
  CHECK(memory.view.load<uint64_t>(control + 8) == 0);
  CHECK((memory.view.load<uint32_t>(depth) & 0xffffff) == 0xffffff);
  bind_buffer(true).forget_clears(memory.view);
  CHECK(memory.view.load<uint64_t>(control) == 0);
  // What an earlier surface in this memory left, its mark "drawn" in HiZ and codes of its own, ends with a HiZ resolve.
  memory.view.store<uint64_t>(control, 0x3333'3333'3333'3333);
  bind_buffer(true).forget_clears(memory.view);
  CHECK(memory.view.load<uint64_t>(control) != 0);
  bind_buffer(true).forget_clears(memory.view, true);
  CHECK(memory.view.load<uint64_t>(control) == 0);
  // A part is not coded.
  op.whole_surface = false, op.rect = {0, 0, 8, 4};
  bind_buffer(true).clear(memory.view, bands, stops, op);
  CHECK(memory.view.load<uint64_t>(control) == 0);
}
