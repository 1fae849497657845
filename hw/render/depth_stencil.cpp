// SPDX-License-Identifier: GPL-2.0-or-later
// SKL PRM vol 7, "Depth and Stencil Test".
#include "hw/render/depth_stencil.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "hw/base/log.h"
#include "hw/render/depth_stencil_rules.h"

namespace softgen::render {

using defs::CommandId;

namespace {

std::optional<surface::HizClear> bound_hiz(const State& state, const surface::Surface& depth) {
  if (!state.get<gen9::_3DSTATE_DEPTH_BUFFER>().hierarchical_depth_buffer_enable || !state.get<gen9::_3DSTATE_CLEAR_PARAMS>().depth_clear_value_valid)
    return std::nullopt;
  const auto& hiz = state.get<gen9::_3DSTATE_HIER_DEPTH_BUFFER>();
  return surface::HizClear(hiz.surface_base_address, hiz.surface_pitch + 1, hiz.surface_qpitch * 4, depth, depth.mip_count);
}

}  // namespace

DepthStencil::DepthStencil(const State& state, const StateStore& store, unsigned samples) {
  const auto depth_packet = store.packet(CommandId::_3DSTATE_DEPTH_BUFFER), stencil_packet = store.packet(CommandId::_3DSTATE_STENCIL_BUFFER);
  depth_ = surface::decode_depth_buffer(depth_packet, samples);
  stencil_ = surface::decode_stencil_buffer(depth_packet, stencil_packet, samples);
  if (!depth_.is_null()) {
    depth_level_.emplace(depth_, depth_.mip_count);
    clear_value_ = quantized(state.get<gen9::_3DSTATE_CLEAR_PARAMS>().depth_clear_value);
    hiz_ = bound_hiz(state, depth_);
  }
  if (!stencil_.is_null() && state.get<gen9::_3DSTATE_STENCIL_BUFFER>().stencil_buffer_enable) stencil_level_.emplace(stencil_, stencil_.mip_count);
  const auto& ds = state.get<gen9::_3DSTATE_WM_DEPTH_STENCIL>();
  const auto& buffer = state.get<gen9::_3DSTATE_DEPTH_BUFFER>();
  // Clients without a depth buffer leave its packet at zero (IGT's rendercopy does): the format counts where depth is used.
  if (depth_.is_null() && buffer.surface_type != gen9::_3DSTATE_DEPTH_BUFFER::SurfaceType::SURFTYPE_NULL && (ds.depth_test_enable || ds.depth_buffer_write_enable))
    guest_error("3DSTATE_DEPTH_BUFFER with a reserved type or format, or no memory", "type {}, format {}", static_cast<unsigned>(buffer.surface_type),
                static_cast<unsigned>(buffer.surface_format));
  depth_test_ = depth_level_ && ds.depth_test_enable;
  depth_write_ = depth_level_ && ds.depth_buffer_write_enable && buffer.depth_write_enable;
  stencil_test_ = stencil_level_ && ds.stencil_test_enable;
  stencil_write_ = stencil_test_ && ds.stencil_buffer_write_enable && buffer.stencil_write_enable;
  depth_function_ = ds.depth_test_function;
  faces_[0] = {ds.stencil_test_function, ds.stencil_fail_op, ds.stencil_pass_depth_fail_op, ds.stencil_pass_depth_pass_op,
               static_cast<uint8_t>(ds.stencil_test_mask), static_cast<uint8_t>(ds.stencil_write_mask),
               static_cast<uint8_t>(ds.stencil_reference_value)};
  faces_[1] = faces_[0];
  if (ds.double_sided_stencil_enable)
    faces_[1] = {ds.backface_stencil_test_function, ds.backface_stencil_fail_op, ds.backface_stencil_pass_depth_fail_op,
                 ds.backface_stencil_pass_depth_pass_op, static_cast<uint8_t>(ds.backface_stencil_test_mask),
                 static_cast<uint8_t>(ds.backface_stencil_write_mask), static_cast<uint8_t>(ds.backface_stencil_reference_value)};
}

bool DepthStencil::depth_passes(memory::View& view, const Sample& sample, uint64_t address) const {
  if (!depth_test_) return true;
  if (depth_.format->block_bits == 16) return compare<uint32_t>(depth_function_, quantized(sample.z), view.load<uint16_t>(address));
  if (depth_.format->code == surface::SurfaceFormat::R32_FLOAT) return compare(depth_function_, static_cast<float>(sample.z), view.load<float>(address));
  return compare(depth_function_, quantized(sample.z), view.load<uint32_t>(address) & 0xffffff);
}

bool DepthStencil::inside(const surface::Surface& surface, const std::optional<surface::Level>& level, const Sample& s) {
  return level && s.x < level->extent().width && s.y < level->extent().height && s.layer < surface.view_extent;
}

bool DepthStencil::test_and_write(memory::View& view, const Sample& s, std::optional<uint8_t> shader_stencil) const {
  // Beyond the buffer's edges and slices there is nothing to test or to write.
  if (uses_depth() && !inside(depth_, depth_level_, s)) return true;
  if (stencil_test_ && !inside(stencil_, stencil_level_, s)) return true;
  const Face& face = faces_[s.front ? 0 : 1];
  uint64_t stencil_at = 0, depth_at = 0;
  uint8_t stencil = 0;
  bool stencil_passes = true;
  const uint8_t reference = shader_stencil.value_or(face.reference);
  if (stencil_test_) {
    stencil_at = stencil_level_->address(s.x, s.y, s.layer + stencil_.min_array_element, s.sample);
    stencil = view.load<uint8_t>(stencil_at);
    stencil_passes = compare<uint8_t>(face.function, reference & face.test_mask, stencil & face.test_mask);
  }
  if (uses_depth()) depth_at = depth_level_->address(s.x, s.y, s.layer + depth_.min_array_element, s.sample);
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

PixelRect whole(const surface::Level& level) { return {0, 0, static_cast<int32_t>(level.extent().width), static_cast<int32_t>(level.extent().height)}; }

PixelRect clear_rect(const surface::Level& level, const gen9::_3DSTATE_WM_HZ_OP& op) {
  PixelRect rect = whole(level);
  if (!op.full_surface_depth_and_stencil_clear)
    rect.clip({static_cast<int32_t>(op.clear_rectangle_x_min), static_cast<int32_t>(op.clear_rectangle_y_min),
               static_cast<int32_t>(op.clear_rectangle_x_max), static_cast<int32_t>(op.clear_rectangle_y_max)});
  return rect;
}

constexpr uint32_t all_samples = ~0u;

/// `value` in the samples of `mask` of the pixels of `rect`.
template <typename Value>
void fill_samples(memory::View& view, const surface::Surface& surface, const surface::Level& level, const PixelRect& rect, uint32_t slice, uint32_t mask,
                  const Value& value, StopReasons stops) {
  for (unsigned sample = 0; sample < surface.samples && !stops; ++sample)
    if (mask >> sample & 1) fill(view, surface, level, rect, slice, sample, reinterpret_cast<const std::byte*>(&value), stops);
}

}  // namespace

bool DepthStencil::covered_by(const gen9::_3DSTATE_WM_HZ_OP& op) const {
  const PixelRect rect = clear_rect(*depth_level_, op), all = whole(*depth_level_);
  const uint32_t samples = (1u << depth_.samples) - 1;
  return rect.x0 == all.x0 && rect.y0 == all.y0 && rect.x1 == all.x1 && rect.y1 == all.y1 && (op.sample_mask & samples) == samples;
}

void DepthStencil::clear(memory::View& view, const FillBands& bands, StopReasons stops, const State& state, const gen9::_3DSTATE_WM_HZ_OP& op) const {
  const auto clear = [&](const surface::Surface& surface, const surface::Level& level, const auto& value) {
    bands(clear_rect(level, op), [&](memory::View& own, const PixelRect& band) {
      for (uint32_t slice = 0; slice < surface.view_extent; ++slice)
        fill_samples(own, surface, level, band, slice + surface.min_array_element, op.sample_mask, value, stops);
    });
  };
  if (op.depth_buffer_clear_enable && depth_level_) {
    const bool all = hiz_ && covered_by(op);
    if (!all) renew(view, bands, stops);
    clear(depth_, *depth_level_, clear_value_);  // of 16 bits, the low ones
    for (uint32_t slice = 0; all && !stops && slice < depth_.view_extent; ++slice) hiz_->mark(view, slice + depth_.min_array_element, clear_value_);
  }
  if (op.stencil_buffer_clear_enable && stencil_level_) clear(stencil_, *stencil_level_, static_cast<uint8_t>(op.stencil_clear_value));
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

void DepthStencil::forget_clears(memory::View& view) const {
  for (uint32_t slice = 0; hiz_ && slice < depth_.view_extent; ++slice) hiz_->forget(view, slice + depth_.min_array_element);
}

}  // namespace softgen::render
