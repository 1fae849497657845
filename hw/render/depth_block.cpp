// SPDX-License-Identifier: GPL-2.0-or-later
// Depth and stencil tests by blocks of 8x8 pixels.
#include <array>
#include <bit>
#include <cstring>

#include "hw/render/depth_stencil.h"
#include "hw/render/depth_stencil_rules.h"

namespace softgen::render {
namespace {

constexpr unsigned part = 4;  // pixels: 4x4 of 32 bits are one 64-byte line of a Y tile; 4x4 of 16 bits are half of each row of one

/// Stencil values of 8x8 pixels as memory has them. In a W tile 64 bytes follow each other, of whose places the bits of x and y alternate, x first; in
/// a Y tile a row of 8 bytes is in each of 8 rows of a column (SKL PRM vol 5, "Tile Formats").
constexpr size_t stencil_block_bytes = 64;
using StencilBlock = std::array<uint8_t, stencil_block_bytes>;
constexpr size_t y_tile_row = 16;

/// A mask with its bits permuted: bits `low` and `high` of each bit's number are swapped.
template <unsigned low, unsigned high>
constexpr uint64_t exchange(uint64_t mask) {
  constexpr unsigned distance = (1u << high) - (1u << low);
  constexpr uint64_t moved = [] {
    uint64_t m = 0;
    for (unsigned i = 0; i < 64; ++i)
      if ((i >> low & 1) && !(i >> high & 1)) m |= uint64_t{1} << i;
    return m;
  }();
  const uint64_t differs = (mask >> distance ^ mask) & moved;
  return mask ^ differs ^ differs << distance;
}
/// Conversion of masks between bit 8 y + x, as Y tiles have the values, and a W tile's order.
constexpr uint64_t from_morton(uint64_t mask) { return exchange<3, 4>(exchange<2, 4>(exchange<1, 2>(mask))); }
constexpr uint64_t to_morton(uint64_t mask) { return exchange<1, 2>(exchange<2, 4>(exchange<3, 4>(mask))); }

/// The stencil values that pass, as bits in the block's order.
uint64_t passing(Compare function, uint8_t reference, uint8_t test_mask, const StencilBlock& codes) {
  uint64_t passes = 0;
  for (size_t i = 0; i < codes.size(); ++i) passes |= uint64_t{compare<uint8_t>(function, reference, codes[i] & test_mask)} << i;
  return passes;
}

StencilBlock load_block(const std::byte* at, bool w_tiled) {
  StencilBlock block;
  if (w_tiled) std::memcpy(block.data(), at, sizeof block);
  else
    for (size_t row = 0; row < 8; ++row) std::memcpy(&block[8 * row], at + row * y_tile_row, 8);
  return block;
}

void store_block(std::byte* at, bool w_tiled, const StencilBlock& block) {
  if (w_tiled) std::memcpy(at, block.data(), sizeof block);
  else
    for (size_t row = 0; row < 8; ++row) std::memcpy(at + row * y_tile_row, &block[8 * row], 8);
}

DepthKernel::Stored stored_as(const surface::Format& format) {
  if (format.block_bits == 16) return DepthKernel::Stored::unorm16;
  return format.code == surface::SurfaceFormat::R32_FLOAT ? DepthKernel::Stored::float32 : DepthKernel::Stored::unorm24;
}

}  // namespace

bool DepthStencil::depth_in_blocks() const {
  return depth_level_ && depth_.samples == 1 && depth_.tiling == surface::Tiling::y && depth_.base % memory::View::page_size == 0;
}

bool DepthStencil::stencil_in_blocks() const {
  const bool y_tiled = stencil_.tiling == surface::Tiling::y;
  if (!stencil_level_ || stencil_.samples != 1 || (!y_tiled && stencil_.tiling != surface::Tiling::w)) return false;
  // Whether slices, and so the blocks in them, start at multiples of 8 pixels.
  const uint64_t within = y_tiled ? 7 * y_tile_row | 7 : stencil_block_bytes - 1;
  const auto starts = [&](uint32_t slice) { return (stencil_level_->address(0, 0, slice) & within) == 0; };
  return starts(0) && starts(1);
}

bool DepthStencil::tests_blocks() const {
  return !bounds_.test && (!uses_depth() || depth_in_blocks()) && (!stencil_test_ || stencil_in_blocks());
}

DepthKernel DepthStencil::kernel(DepthKernel plane) const {
  plane.function = static_cast<uint8_t>(depth_function_);
  if (uses_depth()) plane.stored = stored_as(*depth_.format);
  plane.test = depth_test_, plane.write = depth_write_;
  return plane;
}

uint64_t DepthStencil::test_block(memory::View& view, const DepthKernel& depth, const Block& block, uint64_t mask) const {
  const auto test_depth = [&](uint64_t pixels) { return uses_depth() ? test_depth_block(view, depth, block, pixels) : pixels; };
  if (!stencil_test_) return test_depth(mask);
  const StencilFace& face = faces_[block.front ? 0 : 1];
  const uint64_t at = stencil_level_->address(block.x, block.y, block.layer + stencil_.min_array_element);
  const bool w_tiled = stencil_.tiling == surface::Tiling::w;
  const StencilBlock old = load_block(view.at(at), w_tiled);
  const uint64_t codes_pass = passing(face.function, face.reference & face.test_mask, face.test_mask, old);
  const uint64_t stencil_passes = (w_tiled ? from_morton(codes_pass) : codes_pass) & mask;
  const uint64_t passed = test_depth(stencil_passes);
  if (!stencil_write_) return passed;
  StencilBlock next = old;
  const auto change = [&](StencilOp op, uint64_t pixels) {
    if (op != StencilOp::keep)
      for (uint64_t left = w_tiled ? to_morton(pixels) : pixels; left; left &= left - 1) {
        uint8_t& code = next[static_cast<size_t>(std::countr_zero(left))];
        code = static_cast<uint8_t>((code & ~face.write_mask) | (apply(op, code, face.reference) & face.write_mask));
      }
  };
  change(face.fail, mask & ~stencil_passes);
  change(face.depth_fail, stencil_passes & ~passed);
  change(face.pass, passed);
  if (next != old) store_block(view.at_for_write(at), w_tiled, next);
  return passed;
}

uint64_t DepthStencil::test_depth_block(memory::View& view, const DepthKernel& depth, const Block& block, uint64_t mask) const {
  const PixelKernels& kernels = pixel_kernels();
  // A block that starts at an even column (or needs only one) and at a multiple of eight rows is in one page.
  constexpr uint64_t row = 16;
  const auto address = [&](uint32_t x, uint32_t y) { return depth_level_->address(x, y, block.layer + depth_.min_array_element); };
  const uint64_t corner = address(block.x, block.y);
  const bool in_parts = corner & ((depth.stored == DepthKernel::Stored::unorm16 ? 0 : depth_column) | 7 * row | 15);
  if (!in_parts)
    return kernels.depth_block(depth, block.sample_x, block.sample_y,
                               const_cast<std::byte*>(depth_write_ ? view.at_for_write(corner) : view.at(corner)), mask);
  uint64_t passed = 0;
  for (unsigned y = 0; y < 8; y += part)
    for (unsigned x = 0; x < 8; x += part) {
      const uint32_t left = part_mask(mask, x, y);
      if (!left) continue;
      const uint64_t at = address(block.x + x, block.y + y);
      alignas(64) uint32_t values[part * part];
      const uint32_t ok = kernels.depth_test(depth, block.sample_x + x, block.sample_y + y, view.at(at), left, values);
      if (ok && depth_write_) kernels.depth_write(depth, view.at_for_write(at), ok, values);
      passed |= block_mask(ok, x, y);
    }
  return passed;
}

bool DepthStencil::holds_block(uint32_t x, uint32_t y, uint32_t layer) const {
  const auto holds = [&](const std::optional<surface::Level>& level, const surface::Surface& surface) {
    return level && x + 8 <= level->extent().width && y + 8 <= level->extent().height && layer < surface.view_extent;
  };
  return (!uses_depth() || holds(depth_level_, depth_)) && (!stencil_test_ || holds(stencil_level_, stencil_));
}

}  // namespace softgen::render
