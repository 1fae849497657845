// SPDX-License-Identifier: GPL-2.0-or-later
// Draws of rectangles into a depth buffer and a colour target of 64x64 pixels, without geometry.
#pragma once

#include <memory>

#include "hw/defs/gen9/set.h"
#include "hw/mmio/register_file.h"
#include "hw/render/pixel_queue.h"
#include "tests/catch.h"
#include "tests/unit/memory/mapped.h"
#include "tests/unit/render/decoded.h"
#include "tests/unit/surface/two_d.h"

namespace softgen::render::test {

struct PixelFixture : memory::test::Mapped {
  static constexpr uint64_t depth_base = 0x10000, color_base = 0x18000, bytes = 64 * 64 * 4;
  static constexpr uint32_t untouched = 0xffffff;

  mmio::RegisterFile registers{defs::gen9::registers};
  StopFlag stop;
  EngineEnv env{.engine = EngineId::rcs, .view = view, .ggtt = view, .registers = registers, .stop = stop};
  StateStore store{defs::gen9::commands};
  State state;

  /// 24 bits of depth, all bits set; depth is always written.
  PixelFixture() : Mapped(0x10000, 0x20000) {
    const uint32_t buffer[] = {0x78050006, 1u << 29 | 1u << 28 | 3u << 18 | 255, depth_base, 0, 63u << 18 | 63u << 4, 0, 0, 16};
    REQUIRE(store.accept({0, defs::gen9::commands.find("3DSTATE_DEPTH_BUFFER"), buffer}));
    state.refresh(store);
    state.depth_stencil = {.depth_test = true, .depth_write = true, .depth_function = CompareFunction::always};
    state.viewports[0].max_depth = 1;
    state.multisample.sample_mask = 1;
    state.multisample.positions[0] = {0.5f, 0.5f};
    state.pixel.statistics = true;
    view.fill(depth_base, 0xff, bytes);
  }

  static PreparedObject rectangle(PreparedObjects& list, const PixelRect& rect, double z) {
    PreparedObject object;
    object.parts = list.arena.slice<Coverage>(1);
    object.parts.push_back({.bounds = rect});
    object.bounds = rect;
    object.z = {0, 0, z};
    return object;
  }
  std::unique_ptr<PixelWork> draw_of(const PixelRect& rect, double z) {
    auto work = std::make_unique<PixelWork>(state, env, nullptr);
    work->lists.push_back(std::make_unique<PreparedObjects>());
    work->lists[0]->objects.push_back(rectangle(*work->lists[0], rect, z));
    return work;
  }

  static uint32_t stored(double z) { return static_cast<uint32_t>(z * 0xffffff + 0.5); }
  /// Pixels of the depth buffer that have this value.
  unsigned count(uint32_t depth) {
    unsigned n = 0;
    for (uint64_t at = depth_base; at < depth_base + bytes; at += 4) n += (view.load<uint32_t>(at) & 0xffffff) == depth;
    return n;
  }
  uint64_t depth_count() const { return registers.peek64(reg::PS_DEPTH_COUNT(0)); }
};

}  // namespace softgen::render::test
