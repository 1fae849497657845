// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/ilk/packed_depth.h"

#include <bit>

#include "hw/render/depth_stencil_rules.h"
#include "hw/surface/hiz_clear.h"

namespace softgen::render::ilk {
namespace {

constexpr uint32_t depth_bits = 0xffffff;
constexpr unsigned stencil_shift = 24;
constexpr uint64_t stencil_byte = 3, wide_stencil = 4;  // where a stencil is in its element

}  // namespace

DepthTests::DepthTests(const State& state) : state_(state.draw.depth_stencil), buffer_(state.depth) {
  if (!buffer_.surface.is_null()) level_.emplace(buffer_.surface, buffer_.surface.mip_count);
}

bool DepthTests::is_float() const { return is_wide() || buffer_.surface.format->code == surface::SurfaceFormat::R32_FLOAT; }

bool DepthTests::holds(uint32_t x, uint32_t y, uint32_t layer) const {
  return level_ && x < level_->extent().width && y < level_->extent().height && layer < buffer_.surface.view_extent;
}

DepthTests::Element DepthTests::load(memory::View& view, uint64_t address) const {
  switch (buffer_.surface.format->block_bits) {
    case 16: return {view.load<uint16_t>(address), 0};
    case 64: return {view.load<uint32_t>(address), view.load<uint8_t>(address + wide_stencil)};
    default: break;
  }
  const auto word = view.load<uint32_t>(address);
  return is_float() ? Element{word, 0} : Element{word & depth_bits, word >> stencil_shift};
}

void DepthTests::store_depth(memory::View& view, uint64_t address, uint32_t code) const {
  if (buffer_.surface.format->block_bits == 16) return view.store<uint16_t>(address, static_cast<uint16_t>(code));
  if (is_float()) return view.store<uint32_t>(address, code);
  const auto rest = view.load<uint32_t>(address) & ~depth_bits;
  view.store<uint32_t>(address, rest | (code & depth_bits));
}

void DepthTests::store_stencil(memory::View& view, uint64_t address, uint8_t value) const {
  view.store<uint8_t>(address + (is_wide() ? wide_stencil : stencil_byte), value);
}

bool DepthTests::depth_passes(uint32_t code, uint32_t stored) const {
  if (!state_.depth_test) return true;
  if (is_float()) return compare(state_.depth_function, std::bit_cast<float>(code), std::bit_cast<float>(stored));
  return compare(state_.depth_function, code, stored);
}

DepthTests::Stored DepthTests::stored(memory::View& view, uint32_t x, uint32_t y, uint32_t layer) const {
  if (!holds(x, y, layer)) return {};
  const Element e = load(view, level_->address(x, y, layer + buffer_.surface.min_array_element));
  const float depth = is_float() ? std::bit_cast<float>(e.depth)
                                 : static_cast<float>(e.depth / (buffer_.surface.format->block_bits == 16 ? 65535.0 : 16777215.0));
  return {depth, static_cast<uint8_t>(e.stencil)};
}

bool DepthTests::test_and_write(memory::View& view, const Pixel& p) const {
  if (!any() || !holds(p.x, p.y, p.layer)) return true;
  const uint64_t address = level_->address(p.x, p.y, p.layer + buffer_.surface.min_array_element);
  const Element old = load(view, address);
  // D32_FLOAT_S8X24's depth is a float as D32_FLOAT's.
  const uint32_t code = is_float() ? std::bit_cast<uint32_t>(static_cast<float>(p.z)) : surface::depth_code(*buffer_.surface.format, p.z);
  const StencilFace& face = state_.faces[p.front ? 0 : 1];
  const auto stencil = static_cast<uint8_t>(old.stencil);
  const bool stencil_ok =
      !state_.stencil_test || compare<uint8_t>(face.function, face.reference & face.test_mask, stencil & face.test_mask);
  const bool depth_ok = stencil_ok && depth_passes(code, old.depth);
  if (state_.stencil_write) {
    const StencilOp op = !stencil_ok ? face.fail : !depth_ok ? face.depth_fail : face.pass;
    const uint8_t next = apply(op, stencil, face.reference);
    store_stencil(view, address, static_cast<uint8_t>((stencil & ~face.write_mask) | (next & face.write_mask)));
  }
  if (depth_ok && state_.depth_write) store_depth(view, address, code);
  return depth_ok;
}

}  // namespace softgen::render::ilk
