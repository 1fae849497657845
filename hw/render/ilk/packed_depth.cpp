// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/ilk/packed_depth.h"

#include <bit>
#include <cstring>

#include "hw/render/depth_stencil_rules.h"
#include "hw/surface/hiz_clear.h"

namespace softgen::render::ilk {
namespace {

constexpr uint32_t depth_bits = 0xffffff, whole_square = 0xffff;
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
  const Element e = load(view, address(x, y, layer));
  const float depth = is_float() ? std::bit_cast<float>(e.depth)
                                 : static_cast<float>(e.depth / (buffer_.surface.format->block_bits == 16 ? 65535.0 : 16777215.0));
  return {depth, static_cast<uint8_t>(e.stencil)};
}

bool DepthTests::stencil_passes(const StencilFace& face, uint8_t stored) {
  return compare<uint8_t>(face.function, face.reference & face.test_mask, stored & face.test_mask);
}

uint8_t DepthTests::next_stencil(const StencilFace& face, uint8_t stored, bool stencil_ok, bool depth_ok) {
  const StencilOp op = !stencil_ok ? face.fail : !depth_ok ? face.depth_fail : face.pass;
  return static_cast<uint8_t>((stored & ~face.write_mask) | (apply(op, stored, face.reference) & face.write_mask));
}

bool DepthTests::test_and_write(memory::View& view, const Pixel& p) const {
  if (!any() || !holds(p.x, p.y, p.layer)) return true;
  const uint64_t at = address(p.x, p.y, p.layer);
  const Element old = load(view, at);
  // D32_FLOAT_S8X24's depth is a float as D32_FLOAT's.
  const uint32_t code = is_float() ? std::bit_cast<uint32_t>(static_cast<float>(p.z)) : surface::depth_code(*buffer_.surface.format, p.z);
  const StencilFace& face = state_.faces[p.front ? 0 : 1];
  const auto stencil = static_cast<uint8_t>(old.stencil);
  const bool stencil_ok = !state_.stencil_test || stencil_passes(face, stencil);
  const bool depth_ok = stencil_ok && depth_passes(code, old.depth);
  if (state_.stencil_write) store_stencil(view, at, next_stencil(face, stencil, stencil_ok, depth_ok));
  if (depth_ok && state_.depth_write) store_depth(view, at, code);
  return depth_ok;
}

bool DepthTests::holds_square(const Square& s) const {
  if (!level_ || is_wide() || !holds(s.x + 3, s.y + 3, s.layer)) return false;
  const surface::Tiling tiling = buffer_.surface.tiling;
  if (tiling != surface::Tiling::y && tiling != surface::Tiling::swizzled_y) return false;
  // Levels and slices may start at any even row.
  constexpr uint64_t row_bits = 0x30;
  const uint64_t within = buffer_.surface.format->block_bits == 16 ? 7 : 15;
  return (address(s.x, s.y, s.layer) & (row_bits | within)) == 0;
}

DepthKernel DepthTests::kernel(DepthKernel plane) const {
  using Stored = DepthKernel::Stored;
  plane.function = static_cast<uint8_t>(state_.depth_function);
  if (level_) plane.stored = buffer_.surface.format->block_bits == 16 ? Stored::unorm16 : is_float() ? Stored::float32 : Stored::unorm24;
  plane.test = state_.depth_test, plane.write = state_.depth_write;
  return plane;
}

uint32_t DepthTests::test_square(memory::View& view, const DepthKernel& kernel, const Square& s, uint32_t mask) const {
  if (!any() || !mask) return mask;
  const uint64_t at = address(s.x, s.y, s.layer);
  std::byte* const to = state_.depth_write || state_.stencil_write ? view.at_for_write(at) : nullptr;
  const std::byte* const from = view.at(at);
  const bool packed = kernel.stored == DepthKernel::Stored::unorm24;
  const StencilFace& face = state_.faces[s.front ? 0 : 1];
  const bool stencil_tested = state_.stencil_test && packed;
  Words words;
  if (packed) std::memcpy(words.data(), from, sizeof words);
  uint32_t stencil_ok = mask;
  for (uint32_t left = stencil_tested ? mask : 0; left; left &= left - 1) {
    const auto i = static_cast<unsigned>(std::countr_zero(left));
    if (!stencil_passes(face, static_cast<uint8_t>(words[i] >> stencil_shift))) stencil_ok &= ~(1u << i);
  }
  alignas(64) Words codes;
  const uint32_t passed =
      state_.depth_test && stencil_ok ? kernels_.depth_test(kernel, s.x + 0.5, s.y + 0.5, from, stencil_ok, codes.data()) : stencil_ok;
  const bool writes_depth = state_.depth_write && passed;
  if (!packed) {
    if (writes_depth) kernels_.depth_write(kernel, to, passed, codes.data());
    return passed;
  }
  if (!writes_depth && !state_.stencil_write) return passed;
  if (writes_depth && passed == whole_square)
    for (unsigned i = 0; i < words.size(); ++i) words[i] = (words[i] & ~depth_bits) | (codes[i] & depth_bits);
  else if (writes_depth)
    for (uint32_t left = passed; left; left &= left - 1) {
      const auto i = static_cast<unsigned>(std::countr_zero(left));
      words[i] = (words[i] & ~depth_bits) | (codes[i] & depth_bits);
    }
  for (uint32_t left = state_.stencil_write ? mask : 0; left; left &= left - 1) {
    const auto i = static_cast<unsigned>(std::countr_zero(left));
    const auto old = static_cast<uint8_t>(words[i] >> stencil_shift);
    words[i] = (words[i] & depth_bits) | uint32_t{next_stencil(face, old, stencil_ok >> i & 1, passed >> i & 1)} << stencil_shift;
  }
  // What does not pass gets what it had: no other thread accesses the square.
  std::memcpy(to, words.data(), sizeof words);
  return passed;
}

}  // namespace softgen::render::ilk
