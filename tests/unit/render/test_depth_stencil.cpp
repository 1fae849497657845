// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/base/log.h"
#include "hw/render/depth_stencil.h"
#include "tests/catch.h"
#include "tests/unit/memory/mapped.h"

using namespace softgen;
using namespace softgen::render;

namespace {

constexpr uint64_t base = 0x10000;

struct Fixture : memory::test::Mapped {
  StateStore store;
  State state;

  /// A 16x16 buffer of 24 bits, less or equal, written.
  Fixture() : Mapped(base, 0x20000) {
    const uint32_t buffer[] = {0x78050006, 1u << 29 | 1u << 28 | 3u << 18 | 127, static_cast<uint32_t>(base), 0, 15u << 18 | 15u << 4, 0, 0, 8};
    const uint32_t tests[] = {0x784e0002, 4u << 5 | 3, 0, 0};
    store.accept({0, defs::find_command("3DSTATE_DEPTH_BUFFER"), buffer});
    store.accept({0, defs::find_command("3DSTATE_WM_DEPTH_STENCIL"), tests});
    state.refresh(store);
  }
};

}  // namespace

TEST_CASE("one unit of depth bias is one step of a 24-bit buffer, wherever the depth lies") {
  Fixture f;
  f.view.fill(base, 0xff, 4096);
  const DepthStencil tests(f.state, f.store, 1);
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
  const DepthStencil tests(f.state, f.store, 1);
  CHECK(tests.test_and_write(f.view, {16, 0, 0, 0, 0.25, true}));
  CHECK(tests.test_and_write(f.view, {0, 16, 0, 0, 0.25, true}));
  CHECK(tests.test_and_write(f.view, {0, 0, 1, 0, 0.25, true}));
  for (uint64_t at = base; at < base + 4096; at += 4) REQUIRE(f.view.load<uint32_t>(at) == 0);
}

TEST_CASE("a depth buffer's format counts only where depth is tested or written") {
  Fixture f;
  set_log_sink({});
  clear_failure_counts();
  const auto what = "3DSTATE_DEPTH_BUFFER with a reserved type or format";
  const uint32_t buffer[] = {0x78050006, 0, 0, 0, 0, 0, 0, 0}, no_tests[] = {0x784e0002, 0, 0, 0};
  f.store.accept({0, defs::find_command("3DSTATE_DEPTH_BUFFER"), buffer});
  f.state.refresh(f.store);
  CHECK_FALSE(DepthStencil(f.state, f.store, 1).any_test());
  CHECK(failure_count(Failure::guest_error, what) == 1);
  f.store.accept({0, defs::find_command("3DSTATE_WM_DEPTH_STENCIL"), no_tests});
  f.state.refresh(f.store);
  CHECK_FALSE(DepthStencil(f.state, f.store, 1).any_test());
  CHECK(failure_count(Failure::guest_error, what) == 1);
}
