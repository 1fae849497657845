// SPDX-License-Identifier: GPL-2.0-or-later
// Clears and resolves of colour (with a primitive) and depth (3DSTATE_WM_HZ_OP).
#include <algorithm>

#include "hw/render/fill.h"
#include "hw/render/one_draw.h"

namespace softgen::render {
namespace {

surface::CcsRect ccs_rect(const PixelRect& r) {
  return {static_cast<uint32_t>(r.x0), static_cast<uint32_t>(r.y0), static_cast<uint32_t>(r.x1), static_cast<uint32_t>(r.y1)};
}

}  // namespace

/// The target of a clear or resolve. Null: the object is in none.
const RenderTarget* Drawer::Draw::blocks_target(const PreparedObject& object) const {
  if (work_->pixels.targets.empty()) return nullptr;
  const RenderTarget& rt = work_->pixels.targets[0];
  return rt.level && object.layer < rt.surface.view_extent ? &rt : nullptr;
}

/// The pixels of blocks_target() that the object of a clear or resolve means, whose rectangle counts in blocks (Mesa blorp_clear.c,
/// get_fast_clear_rect): of the CCS 8 pairs of lines, 32 bytes by 4 pixels, each way, or down 4 of those that the aux map finds; of the MCS 16 by 2
/// bytes.
PixelRect Drawer::Draw::blocks_rect(const PreparedObject& object) const {
  const RenderTarget& rt = work_->pixels.targets[0];
  const unsigned samples = rt.surface.samples;
  const int32_t ccs_x = std::max(1, 8 * 32 / static_cast<int32_t>(rt.surface.format->block_bytes()));
  const int32_t scale_x = samples == 1 ? ccs_x : samples <= 4 ? 8 : samples == 8 ? 2 : 1;
  const int32_t scale_y = samples != 1 ? 2 : rt.surface.aux_mapped ? 16 : 32;
  PixelRect rect{object.bounds.x0 * scale_x, object.bounds.y0 * scale_y, object.bounds.x1 * scale_x, object.bounds.y1 * scale_y};
  rect.clip(rt.bounds());
  return rect;
}

void Drawer::Draw::fast_clear(const PreparedObject& object) {
  const RenderTarget* const target = blocks_target(object);
  if (!target) return;
  const RenderTarget& rt = *target;
  const unsigned samples = rt.surface.samples;
  const PixelRect rect = blocks_rect(object);
  const uint32_t slice = object.layer + rt.surface.min_array_element;
  if (rect.empty()) return;
  surface::convert_clear_color(env_.view, rt.surface);
  if (rt.ccs && rt.ccs.covers(env_.view, ccs_rect(rect), slice))
    return rt.ccs.fill(env_.view, ccs_rect(rect), slice, surface::CcsCode::clear);
  if (rt.mcs)
    return drawer_.in_bands(env_, rect, stops(), [&](memory::View& view, const PixelRect& band) {
      for (int32_t y = band.y0; y < band.y1; ++y)
        for (int32_t x = band.x0; x < band.x1; ++x)
          rt.mcs.write(view, static_cast<uint32_t>(x), static_cast<uint32_t>(y), slice, rt.mcs.clear());
    });
  std::array<std::byte, 16> texel{};
  surface::encode(*rt.surface.format, rt.surface.clear_color, texel.data());
  drawer_.in_bands(env_, rect, stops(), [&](memory::View& view, const PixelRect& band) {
    for (unsigned s = 0; s < samples && !stops(); ++s) fill(view, rt.surface, *rt.level, band, slice, s, texel.data(), stops());
  });
}

void Drawer::Draw::resolve(const PreparedObject& object, ResolveType type) {
  const RenderTarget* const target = blocks_target(object);
  if (!target || !target->ccs) return;
  const RenderTarget& rt = *target;
  const uint32_t slice = object.layer + rt.surface.min_array_element;
  drawer_.in_bands(env_, blocks_rect(object), stops(), [&](memory::View& view, const PixelRect& band) {
    if (type != ResolveType::ambiguate)
      surface::expand_clears(view, rt.ccs, rt.surface, surface::ClearUse::rendering, *rt.level, ccs_rect(band), slice);
    rt.ccs.resolve(view, ccs_rect(band), slice, type == ResolveType::partial);
  });
}

/// The batch's objects from number `done` on, which is then the first that is not done. False: stopped there.
bool Drawer::Draw::each_object(uint64_t& done, const std::function<void(const PreparedObject&)>& body) {
  uint64_t number = 0;
  for (const auto& list : work_->lists)
    for (const PreparedObject& object : list->objects) {
      if (number++ < done) continue;
      if (stops()) return false;
      body(object);
      if (stops()) return false;
      done = number;
    }
  return true;
}

ExecResult Drawer::Draw::update_clears() {
  const DepthStencil& depth = work_->pixels.depth_stencil;
  if (depth.uses_depth() && depth.clear_value_changed(env_.view)) {
    // Deferred draws are to be drawn with the value before.
    if (const ExecResult finished = drawer_.finish(env_); finished != ExecResult::done) return finished;
    const StopReasons stops{env_.stop, StopFlag::dropping | StopFlag::pause};
    depth.renew(env_.view, [&](const PixelRect& rect, const FillPart& part) { drawer_.in_bands(env_, rect, stops, part); }, stops);
    if (env_.stop.aborting()) return ExecResult::aborted;
    if (stops) return ExecResult::preempted;
  }
  if (depth.writes_depth()) depth.forget_clears(env_.view);
  return ExecResult::done;
}

/// Bands are of whole tiles' height.
void Drawer::in_bands(EngineEnv& env, const PixelRect& rect, StopReasons stops, const FillPart& part) {
  constexpr int32_t height = 64, worth_sharing = 128 * 1024;
  if (rect.empty()) return;
  const int32_t first = rect.y0 & ~(height - 1);
  const auto count = static_cast<size_t>((rect.y1 - first + height - 1) / height);
  const auto band_part = [&](memory::View& view, size_t index) {
    if (stops) return;
    const int32_t top = first + static_cast<int32_t>(index) * height;
    PixelRect band{rect.x0, top, rect.x1, top + height};
    band.clip(rect);
    part(view, band);
  };
  if (!pool_ || int64_t{rect.x1 - rect.x0} * (rect.y1 - rect.y0) < worth_sharing) {
    for (size_t index = 0; index < count; ++index) band_part(env.view, index);
    return;
  }
  add_slots(geometry_slots_, pool_->slots(), env.view);
  for (auto& slot : geometry_slots_) slot->view.set_space(env.view.space());
  pool_->for_each(count, [&](size_t index, unsigned slot) { band_part(geometry_slots_[slot]->view, index); });
}

ExecResult Drawer::depth_operation(const DrawState& state, const DepthOperation& op, EngineEnv& env) {
  const bool resolve = op.resolve_depth || op.resolve_hiz;
  if (!op.clear_depth && !op.clear_stencil && !resolve) return ExecResult::done;
  const StopReasons stops{env.stop, StopFlag::dropping | StopFlag::pause};
  const FillBands bands = [&](const PixelRect& rect, const FillPart& part) { in_bands(env, rect, stops, part); };
  const DepthStencil depth(state, op.buffers);
  if (resolve) {
    // A depth resolve writes cleared pixels; the other one makes HiZ from the depth buffer.
    if (op.resolve_depth) depth.renew(env.view, bands, stops);
    if (!stops) depth.forget_clears(env.view, op.resolve_hiz);
  } else {
    depth.clear(env.view, bands, stops, op);
  }
  if (env.stop.aborting()) return ExecResult::aborted;
  return stops ? ExecResult::preempted : ExecResult::done;
}

}  // namespace softgen::render
