// SPDX-License-Identifier: GPL-2.0-or-later
// Render target writes of pixel threads: Mesa brw_lower_logical_sends.cpp (lower_fb_write_logical_send), brw_eu_defines.h.
#include <algorithm>
#include <bit>

#include "hw/base/log.h"
#include "hw/render/ilk/state_reader.h"
#include "hw/render/ilk/windowizer.h"
#include "hw/surface/binding.h"

namespace softgen::render::ilk {

/// Where a message has what: two registers of header, stencil or coverage, colours, depths.
struct Windowizer::WriteLayout {
  using Form = TargetMessage::Form;
  static constexpr unsigned header_registers = 2;

  std::span<const Grf> registers;
  Form form;
  unsigned first = 0, count = 8;  ///< pixels of the thread
  size_t color_at = header_registers, source1_at = 0, depth_at = 0;
  bool dual = false, has_depth = false, valid = false;

  WriteLayout(const TargetMessage& how, std::span<const Grf> payload, bool extra, const DepthCase& depth)
      : registers(payload), form(how.form), has_depth(depth.source_to_target) {
    count = form == Form::simd16 || form == Form::replicated ? 16 : 8;
    first = form == Form::dual_high ? 8 : 0;
    dual = form == Form::dual_low || form == Form::dual_high;
    color_at += extra ? 1 : 0;
    const size_t colors = form == Form::replicated ? 1 : form == Form::simd16 || dual ? 8 : 4;
    source1_at = color_at + 4, depth_at = color_at + colors;
    const size_t depth_registers = count / 8;
    const size_t needed = depth_at + (has_depth ? depth_registers : 0) + (depth.stored_depth ? depth_registers : 0);
    valid = payload.size() >= needed;
  }

  uint32_t pixels() const { return registers[0].dw[0] & 0xffff; }
  /// `lane`: of the message's pixels.
  uint32_t color(size_t at, unsigned component, unsigned lane) const {
    if (form == Form::replicated) return registers[at].dw[component];
    return registers[at + component + (lane / 8) * 4].dw[lane % 8];
  }
  PixelColor pixel_color(unsigned lane) const {
    PixelColor out;
    for (unsigned c = 0; c < 4; ++c) {
      out.source0[c] = color(color_at, c, lane);
      if (dual) out.source1[c] = registers[source1_at + c].dw[lane % 8];
    }
    out.source0_alpha = std::bit_cast<float>(out.source0[3]);
    return out;
  }
  float depth(unsigned lane) const { return std::bit_cast<float>(registers[depth_at + lane / 8].dw[lane % 8]); }
};

BoundTarget& Windowizer::find_target(unsigned binding) {
  const auto at = std::ranges::find_if(targets_, [&](const auto& bound) { return bound->binding == binding; });
  if (at != targets_.end()) return **at;
  memory::View& view = context_.env.view;
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
  targets_.push_back(std::move(bound));
  return *targets_.back();
}

bool Windowizer::late_test(const WriteLayout& layout, unsigned pixel) {
  // The tests belong to the pixel, not to each target.
  const uint32_t bit = 1u << pixel;
  if (early_) {
    if (counts_sent_ && !(running_->tested & bit)) running_->tested |= bit, ++passed_;
    return true;
  }
  if (!(running_->tested & bit)) {
    running_->tested |= bit;
    const uint32_t x = running_->x(pixel), y = running_->y(pixel);
    const ViewportState& viewport = context_.state.draw.viewports[0];
    double z = depth_at(x, y);
    if (context_.state.wm.computes_depth && layout.has_depth) {
      const double sent = layout.depth(pixel - layout.first);
      z = std::max<double>(std::min<double>(sent, viewport.max_depth), viewport.min_depth);
    }
    if (!passes(x, y, z)) running_->failed |= bit;
  }
  return !(running_->failed & bit);
}

void Windowizer::merge(const WriteLayout& layout, BoundTarget& bound) {
  const uint32_t live = running_->live & layout.pixels();
  const Fade* const fade = object_->prepared.fade;
  // Of slices that a target does not have the first one counts: vertices without a header have anything in its place (i965-va-driver's).
  const uint32_t slice = layer() < bound.target.surface.view_extent ? layer() : 0;
  for (unsigned lane = 0; lane < layout.count; ++lane) {
    const unsigned pixel = layout.first + lane;
    if (!(live >> pixel & 1)) continue;
    PixelColor color = layout.pixel_color(lane);
    const uint32_t x = running_->x(pixel), y = running_->y(pixel);
    if (!merger_.alpha_passes(color.source0_alpha) || !late_test(layout, pixel)) continue;
    if (fade && bound.mode.floating) {
      const float alpha = std::bit_cast<float>(color.source0[3]) * static_cast<float>(fade->at(x + 0.5, y + 0.5));
      color.source0[3] = std::bit_cast<uint32_t>(alpha);
    }
    merger_.write(context_.env.view, bound.target, bound.mode, x, y, slice, 1, color);
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
  merge(layout, find_target(how.binding));
  return true;
}

}  // namespace softgen::render::ilk
