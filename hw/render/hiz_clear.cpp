// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/hiz_clear.h"

#include <array>

#include "hw/base/bits.h"

namespace softgen::render {
namespace {

// Chosen: no client writes these.
constexpr uint32_t mark_first = 0x5a6c'4869, mark_second = 0x7261'656c;

}  // namespace

HizClear::HizClear(const State& state, const surface::Surface& depth) {
  const auto& hiz = state.get<gen9::_3DSTATE_HIER_DEPTH_BUFFER>();
  enabled_ = state.get<gen9::_3DSTATE_DEPTH_BUFFER>().hierarchical_depth_buffer_enable && state.get<gen9::_3DSTATE_CLEAR_PARAMS>().depth_clear_value_valid;
  base_ = strip_canonical(hiz.surface_base_address);
  pitch_ = hiz.surface_pitch + 1;
  qpitch_ = hiz.surface_qpitch * 4;
  const surface::Origin origin = surface::level_origin(depth, depth.mip_count);
  x_ = origin.x, y_ = origin.y, lod_ = depth.mip_count;
}

/// The slice's first block: 16 bytes for 8x4 samples, 16x16 blocks in a tile of 4 KiB, whose pitch is that of 32 rows (Mesa isl.c,
/// ISL_FORMAT_HIZ and ISL_TILING_HIZ). Where a block lies within its tile is ours, too.
uint64_t HizClear::address(uint32_t slice) const {
  constexpr uint32_t block_width = 8, block_height = 4, block_bytes = 16, tile_blocks = 16, tile_bytes = 4096, tile_rows = 32;
  const uint32_t bx = x_ / block_width, by = (y_ + slice * qpitch_) / block_height;
  return base_ + uint64_t{by / tile_blocks} * pitch_ * tile_rows + uint64_t{bx / tile_blocks} * tile_bytes +
         (by % tile_blocks * tile_blocks + bx % tile_blocks) * block_bytes;
}

void HizClear::mark(memory::View& view, uint32_t slice, uint32_t value) const {
  const std::array<uint32_t, 4> words{mark_first, mark_second, lod_, value};
  view.write(address(slice), words.data(), sizeof words);
}

void HizClear::forget(memory::View& view, uint32_t slice) const {
  if (cleared(view, slice)) view.store<uint32_t>(address(slice), 0);
}

std::optional<uint32_t> HizClear::cleared(memory::View& view, uint32_t slice) const {
  std::array<uint32_t, 4> words;
  view.read(address(slice), words.data(), sizeof words);
  if (words[0] != mark_first || words[1] != mark_second || words[2] != lod_) return std::nullopt;
  return words[3];
}

}  // namespace softgen::render
