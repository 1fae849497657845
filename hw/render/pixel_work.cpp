// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/pixel_work.h"

#include <algorithm>

#include "hw/base/work.h"
#include "hw/mmio/register_file.h"

namespace softgen::render {
namespace {

/// Whether both are the same memory, laid out the same way.
bool same_target(const RenderTarget& a, const RenderTarget& b) {
  const surface::Surface &s = a.surface, &t = b.surface;
  return a.level.has_value() == b.level.has_value() &&
         (!a.level ||
          (s.base == t.base && s.format == t.format && s.tiling == t.tiling && s.pitch == t.pitch && s.mip_count == t.mip_count &&
           s.min_array_element == t.min_array_element && s.samples == t.samples && a.ccs == b.ccs && s.clear_color == t.clear_color));
}

}  // namespace

PixelWork::PixelWork(const DrawState& now, EngineEnv& env, MessageTarget* shared)
    : state(now),
      raster(state, last_geometry_stage(state)),
      pixels{state, raster, {}, 8, DepthStencil(state), OutputMerger(state), {}, shared, env.stop, counts} {}

size_t PixelWork::object_count() const {
  size_t sum = 0;
  for (const auto& list : lists) sum += list->objects.size();
  return sum;
}

bool PixelWork::same_targets(const PixelWork& other) const {
  const auto &a = pixels.targets, &b = other.pixels.targets;
  return state.depth.version == other.state.depth.version && std::equal(a.begin(), a.end(), b.begin(), b.end(), same_target);
}

void PixelWork::count(mmio::RegisterFile& registers) const {
  count_work(Work::pixels, counts.invocations);
  if (pixels.coarse && state.pixel.coarse.viewports[0].statistics) registers.add64(reg::CPS_INVOCATION_COUNT(0), counts.invocations);
  if (!state.pixel.statistics) return;
  registers.add64(reg::PS_INVOCATION_COUNT(0), counts.invocations);
  registers.add64(reg::PS_DEPTH_COUNT(0), counts.depth);
}

}  // namespace softgen::render
