// SPDX-License-Identifier: GPL-2.0-or-later
// SKL PRM vol 7, "Depth and Stencil Test".
#include "hw/render/depth_stencil.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "hw/base/log.h"
#include "hw/render/depth_stencil_rules.h"

namespace softgen::render {

namespace {

std::optional<surface::HizClear> bound_hiz(const DrawState& state, const surface::Surface& depth) {
  const DepthTargets& bound = state.depth;
  if (!bound.hiz || !bound.clear_value_valid) return std::nullopt;
  return surface::HizClear(bound.hiz_address, bound.hiz_pitch, bound.hiz_qpitch, depth, depth.mip_count);
}

}  // namespace

DepthStencil::DepthStencil(const DrawState& state, const DepthBuffers& buffers) : depth_(buffers.depth), stencil_(buffers.stencil) {
  const DepthTargets& bound = state.depth;
  if (!depth_.is_null()) {
    depth_level_.emplace(depth_, depth_.mip_count);
    clear_value_ = quantized(bound.clear_value);
    hiz_ = bound_hiz(state, depth_);
    if (hiz_ && depth_.aux_mapped) ccs_ = surface::Ccs(depth_, depth_.mip_count);
  }
  if (!stencil_.is_null() && bound.stencil_enable) stencil_level_.emplace(stencil_, stencil_.mip_count);
  const DepthStencilState& ds = state.depth_stencil;
  // Clients without a depth buffer leave its packet at zero (IGT's rendercopy does): the format counts where depth is used.
  if (depth_.is_null() && bound.missing && (ds.depth_test || ds.depth_write || ds.bounds_test))
    guest_error("3DSTATE_DEPTH_BUFFER with a reserved type or format, or no memory", "type {}, format {}", bound.declared_type,
                bound.declared_format);
  depth_test_ = depth_level_ && ds.depth_test;
  depth_write_ = depth_level_ && ds.depth_write && bound.depth_write;
  stencil_test_ = stencil_level_ && ds.stencil_test;
  stencil_write_ = stencil_test_ && ds.stencil_write && bound.stencil_write;
  if (depth_level_ && ds.bounds_test) bounds_ = {true, ds.min_bound, ds.max_bound, quantized(ds.min_bound), quantized(ds.max_bound)};
  depth_function_ = ds.depth_function;
  faces_ = ds.faces;
}

bool DepthStencil::depth_passes(memory::View& view, const Sample& sample, uint64_t address) const {
  if (!depth_test_) return true;
  if (depth_.format->block_bits == 16) return compare<uint32_t>(depth_function_, quantized(sample.z), view.load<uint16_t>(address));
  if (depth_.format->code == surface::SurfaceFormat::R32_FLOAT)
    return compare(depth_function_, static_cast<float>(sample.z), view.load<float>(address));
  return compare(depth_function_, quantized(sample.z), view.load<uint32_t>(address) & 0xffffff);
}

/// Of the buffer's depth. Bounds are rounded as depth is: a buffer that was cleared to one is within it (piglit's depth_bounds).
bool DepthStencil::within_bounds(memory::View& view, uint64_t address) const {
  if (depth_.format->code == surface::SurfaceFormat::R32_FLOAT) {
    const auto z = view.load<float>(address);
    return z >= bounds_.min && z <= bounds_.max;
  }
  const uint32_t z = depth_.format->block_bits == 16 ? view.load<uint16_t>(address) : view.load<uint32_t>(address) & 0xffffff;
  return z >= bounds_.min_code && z <= bounds_.max_code;
}

bool DepthStencil::inside(const surface::Surface& surface, const std::optional<surface::Level>& level, const Sample& s) {
  return level && s.x < level->extent().width && s.y < level->extent().height && s.layer < surface.view_extent;
}

bool DepthStencil::test_and_write(memory::View& view, const Sample& s, std::optional<uint8_t> shader_stencil) const {
  // No tests and no writes beyond the buffer's edges and slices.
  if (uses_depth() && !inside(depth_, depth_level_, s)) return true;
  if (stencil_test_ && !inside(stencil_, stencil_level_, s)) return true;
  uint64_t depth_at = 0;
  if (uses_depth()) depth_at = depth_level_->address(s.x, s.y, s.layer + depth_.min_array_element, s.sample);
  // Before the other tests, which then have no effect (Vulkan, "Depth Bounds Test").
  if (bounds_.test && !within_bounds(view, depth_at)) return false;
  const StencilFace& face = faces_[s.front ? 0 : 1];
  uint64_t stencil_at = 0;
  uint8_t stencil = 0;
  bool stencil_passes = true;
  const uint8_t reference = shader_stencil.value_or(face.reference);
  if (stencil_test_) {
    stencil_at = stencil_level_->address(s.x, s.y, s.layer + stencil_.min_array_element, s.sample);
    stencil = view.load<uint8_t>(stencil_at);
    stencil_passes = compare<uint8_t>(face.function, reference & face.test_mask, stencil & face.test_mask);
  }
  const bool depth_ok = stencil_passes && depth_passes(view, s, depth_at);
  if (stencil_write_) {
    const StencilOp op = !stencil_passes ? face.fail : !depth_ok ? face.depth_fail : face.pass;
    const uint8_t next = apply(op, stencil, reference);
    view.store<uint8_t>(stencil_at, static_cast<uint8_t>((stencil & ~face.write_mask) | (next & face.write_mask)));
  }
  if (!depth_ok) return false;
  if (depth_write_) {
    const uint32_t value = quantized(s.z);
    if (depth_.format->block_bits == 16) view.store<uint16_t>(depth_at, static_cast<uint16_t>(value));
    else view.store<uint32_t>(depth_at, value);
  }
  return true;
}

namespace {

PixelRect whole(const surface::Level& level) {
  return {0, 0, static_cast<int32_t>(level.extent().width), static_cast<int32_t>(level.extent().height)};
}

PixelRect clear_rect(const surface::Level& level, const DepthOperation& op) {
  PixelRect rect = whole(level);
  if (!op.whole_surface) rect.clip(op.rect);
  return rect;
}

constexpr uint32_t all_samples = ~0u;

/// `value` in the samples of `mask` of the pixels of `rect`.
template <typename Value>
void fill_samples(memory::View& view, const surface::Surface& surface, const surface::Level& level, const PixelRect& rect, uint32_t slice,
                  uint32_t mask, const Value& value, StopReasons stops) {
  for (unsigned sample = 0; sample < surface.samples && !stops; ++sample)
    if (mask >> sample & 1) fill(view, surface, level, rect, slice, sample, reinterpret_cast<const std::byte*>(&value), stops);
}

}  // namespace

bool DepthStencil::covered_by(const DepthOperation& op) const {
  const PixelRect rect = clear_rect(*depth_level_, op), all = whole(*depth_level_);
  const uint32_t samples = (1u << depth_.samples) - 1;
  return rect.x0 == all.x0 && rect.y0 == all.y0 && rect.x1 == all.x1 && rect.y1 == all.y1 && (op.sample_mask & samples) == samples;
}

void DepthStencil::clear(memory::View& view, const FillBands& bands, StopReasons stops, const DepthOperation& op) const {
  const auto clear = [&](const surface::Surface& surface, const surface::Level& level, const auto& value) {
    bands(clear_rect(level, op), [&](memory::View& own, const PixelRect& band) {
      fill_samples(own, surface, level, band, surface.min_array_element, op.sample_mask, value, stops);
    });
  };
  if (op.clear_depth && depth_level_) {
    const bool all = hiz_ && covered_by(op);
    if (!all) renew(view, bands, stops);
    clear(depth_, *depth_level_, clear_value_);  // of 16 bits, the low ones
    if (all && !stops) {
      hiz_->mark(view, depth_.min_array_element, clear_value_);
      code(view, depth_.min_array_element, surface::CcsCode::clear);
    }
  }
  if (op.clear_stencil && stencil_level_) clear(stencil_, *stencil_level_, op.stencil_value);
}

bool DepthStencil::clear_value_changed(memory::View& view) const {
  for (uint32_t slice = 0; hiz_ && slice < depth_.view_extent; ++slice)
    if (hiz_->differs(view, slice + depth_.min_array_element, clear_value_)) return true;
  return false;
}

void DepthStencil::renew(memory::View& view, const FillBands& bands, StopReasons stops) const {
  for (uint32_t i = 0; hiz_ && !stops && i < depth_.view_extent; ++i) {
    const uint32_t slice = i + depth_.min_array_element;
    if (!hiz_->differs(view, slice, clear_value_)) continue;
    bands(whole(*depth_level_), [&](memory::View& own, const PixelRect& band) {
      fill_samples(own, depth_, *depth_level_, band, slice, all_samples, clear_value_, stops);
    });
    if (!stops) hiz_->mark(view, slice, clear_value_);
  }
}

void DepthStencil::forget_clears(memory::View& view, bool ambiguate) const {
  for (uint32_t i = 0; hiz_ && i < depth_.view_extent; ++i) {
    const uint32_t slice = i + depth_.min_array_element;
    if (hiz_->forget(view, slice) || ambiguate) code(view, slice, surface::CcsCode::pass_through);
  }
}

void DepthStencil::code(memory::View& view, uint32_t slice, surface::CcsCode code) const {
  if (!ccs_) return;
  const surface::Extent& extent = depth_level_->extent();
  ccs_.fill(view, {0, 0, extent.width, extent.height}, slice, code);
}

}  // namespace softgen::render
