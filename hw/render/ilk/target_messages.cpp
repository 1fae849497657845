// SPDX-License-Identifier: GPL-2.0-or-later
// Render target writes of pixel threads: Mesa brw_lower_logical_sends.cpp (lower_fb_write_logical_send), brw_eu_defines.h.
#include <algorithm>
#include <bit>

#include "hw/base/log.h"
#include "hw/render/ilk/state_reader.h"
#include "hw/render/ilk/target_layout.h"
#include "hw/render/target_quads.h"
#include "hw/surface/binding.h"

namespace softgen::render::ilk {

const BoundTarget& Windowizer::find_target(unsigned binding) {
  const auto at = std::ranges::find_if(targets_, [&](const auto& bound) { return bound->binding == binding; });
  if (at != targets_.end()) return **at;
  memory::View& view = env_.view;
  const SurfaceBinding place{.index = static_cast<uint8_t>(binding)};
  auto bound = std::make_unique<BoundTarget>();
  bound->binding = binding;
  const uint64_t address = surface::surface_state_address(view, bases_, place);
  TargetBlend blend = context_.state.blend;
  if (address != surface::no_surface) {
    std::array<uint32_t, 8> dwords;
    view.read(address, dwords.data(), sizeof dwords);
    bound->target = RenderTarget(bases_.decode_surface(dwords));
    const TargetControls controls = target_controls(dwords);
    blend.blend = blend.blend && controls.blend, blend.disabled = controls.disabled;
  }
  merger_.set_target(binding, blend);
  bound->mode = merger_.mode(bound->target, binding);
  bound->kernel = merger_.color_kernel(bound->target, binding);
  targets_.push_back(std::move(bound));
  return *targets_.back();
}

/// The tests belong to the pixels, not to each target: they are made with a pixel's first message.
uint32_t Windowizer::late_tests(const WriteLayout& layout, uint32_t pixels) {
  Group& group = *running_;
  const uint32_t fresh = pixels & ~group.tested;
  group.tested |= fresh;
  if (early_) {
    tally_.passed += counts_sent_ ? static_cast<uint64_t>(std::popcount(fresh)) : 0;
    return pixels;
  }
  const bool sent = context_.state.wm.computes_depth && layout.has_depth;
  uint32_t passed = 0;
  if (!sent && group.square && fresh) {
    passed = by_quads(test_square(group.x(0), group.y(0), by_quads(fresh)));
  } else {
    for (uint32_t left = fresh; left; left &= left - 1) {
      const auto pixel = static_cast<unsigned>(std::countr_zero(left));
      const uint32_t x = group.x(pixel), y = group.y(pixel);
      if (passes(x, y, sent ? in_range(layout.depth(pixel - layout.first)) : depth_at(x, y))) passed |= 1u << pixel;
    }
  }
  group.failed |= fresh & ~passed;
  tally_.failed_late += static_cast<uint64_t>(std::popcount(fresh & ~passed));
  return pixels & ~group.failed;
}

void Windowizer::merge(const WriteLayout& layout, const BoundTarget& bound) {
  const uint32_t message = ((1u << layout.count) - 1) << layout.first;
  const auto alpha = [&](unsigned pixel) { return layout.alpha(pixel - layout.first); };
  const uint32_t pixels = late_tests(layout, merger_.alpha_passing(running_->live & layout.pixels() & message, alpha));
  if (!pixels || !bound.target.level) return;
  // Of slices that a target does not have the first one counts: vertices without a header have anything in its place (i965-va-driver's).
  const uint32_t slice = layer() < bound.target.surface.view_extent ? layer() : 0;
  if (bound.kernel && !object_->prepared.fade) write_groups(layout, bound, pixels, slice);
  else write_singly(layout, bound, pixels, slice);
}

void Windowizer::write_groups(const WriteLayout& layout, const BoundTarget& bound, uint32_t pixels, uint32_t slice) {
  const RenderTarget& rt = bound.target;
  const uint32_t element = slice + rt.surface.min_array_element;
  const auto rows_of = [&](uint32_t x, uint32_t y, std::byte** rows) { return rt.quad_rows(env_.view, x, y, element, rows); };
  const auto source = [&](unsigned lane, ColorPixels& eight) {
    for (unsigned c = 0; c < 4; ++c) {
      eight.source[c] = layout.floats(layout.color_at, c, lane);
      eight.source1[c] = layout.dual ? layout.floats(layout.source1_at, c, lane) : nullptr;
    }
  };
  const bool replicated = layout.form == WriteLayout::Form::replicated;
  const uint64_t written = write_quads(pixel_kernels(), *bound.kernel, rt,
                                       {running_->quads.data(), pixels, layout.first, layout.count, replicated}, rows_of, source);
  tally_.written += written, tally_.blended += bound.mode.blending ? written : 0;
}

void Windowizer::write_singly(const WriteLayout& layout, const BoundTarget& bound, uint32_t pixels, uint32_t slice) {
  const Fade* const fade = object_->prepared.fade;
  tally_.written_singly += static_cast<uint64_t>(std::popcount(pixels));
  for (uint32_t left = pixels; left; left &= left - 1) {
    const auto pixel = static_cast<unsigned>(std::countr_zero(left));
    PixelColor color = layout.pixel_color(pixel - layout.first);
    const uint32_t x = running_->x(pixel), y = running_->y(pixel);
    if (fade && bound.mode.floating) {
      const float alpha = std::bit_cast<float>(color.source0[3]) * static_cast<float>(fade->at(x + 0.5, y + 0.5));
      color.source0[3] = std::bit_cast<uint32_t>(alpha);
    }
    const uint32_t written = merger_.write(env_.view, bound.target, bound.mode, x, y, slice, 1, color);
    tally_.written += written, tally_.blended += bound.mode.blending ? written : 0;
  }
}

bool Windowizer::target_write(const TargetMessage& how, std::span<const Grf> payload) {
  if (!running_) return false;
  const PixelUnitState& wm = context_.state.wm;
  const WriteLayout layout(how, payload, wm.depth.stored_stencil || carries_coverage(), wm.depth);
  if (!layout.valid) {
    guest_error("Ironlake: a render target write is too short", "{} registers", payload.size());
    return false;
  }
  if (uniform_.trial) keep_trial(layout, how.binding);
  else merge(layout, find_target(how.binding));
  return true;
}

}  // namespace softgen::render::ilk
