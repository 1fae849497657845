// SPDX-License-Identifier: GPL-2.0-or-later
// Depth tests by blocks of 8x8 pixels.
#include "hw/render/depth_stencil.h"

namespace softgen::render {
namespace {

constexpr unsigned part = 4;  // pixels: 4x4 of 32 bits are one 64-byte line of a Y tile

/// Rows of four bits to rows of eight.
uint64_t block_mask(uint32_t mask, unsigned x, unsigned y) {
  const uint32_t rows = (mask & 0xf) | (mask & 0xf0) << 4 | (mask & 0xf00) << 8 | (mask & 0xf000) << 12;
  return uint64_t{rows} << (8 * y + x);
}

}  // namespace

bool DepthStencil::tests_blocks() const {
  return !stencil_test_ && depth_level_ && depth_.samples == 1 && depth_.format->block_bits == 32 && depth_.tiling == surface::Tiling::y &&
         depth_.base % memory::View::page_size == 0;
}

uint64_t DepthStencil::test_block(memory::View& view, DepthKernel kernel, const Block& block, uint64_t mask) const {
  kernel.function = static_cast<uint8_t>(depth_function_);
  kernel.floating = depth_.format->code == surface::SurfaceFormat::R32_FLOAT;
  kernel.test = depth_test_;
  const PixelKernels& kernels = pixel_kernels();
  // A tile's column is 16 bytes wide and 32 rows high. A block that starts in an even column, at a multiple of eight rows, lies in one page.
  constexpr uint64_t row = 16, column = 32 * row;
  const auto address = [&](uint32_t x, uint32_t y) { return depth_level_->address(x, y, block.layer + depth_.min_array_element); };
  const uint64_t corner = address(block.x, block.y);
  std::byte* const there = corner & (column | 7 * row | 15) ? nullptr : const_cast<std::byte*>(depth_write_ ? view.at_for_write(corner) : view.at(corner));
  uint64_t passed = 0;
  for (unsigned y = 0; y < 8; y += part)
    for (unsigned x = 0; x < 8; x += part) {
      const uint32_t left = part_mask(mask, x, y);
      if (!left) continue;
      const uint64_t at = there ? 0 : address(block.x + x, block.y + y);
      const uint64_t offset = x / part * column + y * row;
      alignas(64) uint32_t values[part * part];
      const uint32_t ok = kernels.depth_test(kernel, block.sample_x + x, block.sample_y + y, there ? there + offset : view.at(at), left, values);
      if (ok && depth_write_) kernels.depth_write(there ? there + offset : view.at_for_write(at), ok, values);
      passed |= block_mask(ok, x, y);
    }
  return passed;
}

bool DepthStencil::holds_block(uint32_t x, uint32_t y, uint32_t layer) const {
  return depth_level_ && x + 8 <= depth_level_->extent().width && y + 8 <= depth_level_->extent().height && layer < depth_.view_extent;
}

}  // namespace softgen::render
