// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/surface/hiz_clear.h"

#include <cstring>

#include "hw/base/bits.h"

namespace softgen::surface {
namespace {

// Chosen: no client writes these.
constexpr uint32_t mark_first = 0x5a6c'4869, clear_second = 0x7261'656c, drawn_second = 0x6e77'6172;
/// Samples of a block.
constexpr uint32_t block_width = 8, block_height = 4;
/// Of a tile: bytes of a row that follow each other.
constexpr uint64_t column_bytes = 16;
/// Of the widest surface, 4 MiB at most between two polls of the stop flag.
constexpr uint32_t band_rows = 64;

void fill_row(memory::View& view, const Level& level, uint32_t y, uint32_t slice, uint32_t code, unsigned bytes) {
  std::array<std::byte, column_bytes> column;
  for (size_t at = 0; at < column.size(); at += bytes) std::memcpy(column.data() + at, &code, bytes);
  for (uint32_t x = 0; x < level.extent().width;) {
    const uint64_t at = level.address(x, y, slice);
    const uint64_t size = std::min(column_bytes - at % column_bytes, uint64_t{bytes} * (level.extent().width - x));
    std::memcpy(view.at_for_write(at), column.data(), size);
    x += static_cast<uint32_t>(size / bytes);
  }
}

}  // namespace

HizClear::HizClear(uint64_t base, uint32_t pitch, uint32_t qpitch, const Surface& depth, unsigned lod)
    : base_(strip_canonical(base)), pitch_(pitch), qpitch_(qpitch), lod_(lod) {
  Surface laid_out = depth;
  // The HiZ buffer is a surface of its own: it has neither the alignment of Yf and Ys nor their mip tail.
  if (depth.tiling != Tiling::y) laid_out.halign = block_width, laid_out.valign = block_height, laid_out.mip_tail = no_mip_tail;
  const Origin origin = level_origin(laid_out, lod);
  x_ = origin.x, y_ = origin.y;
}

// SKL PRM vol 2d, RENDER_SURFACE_STATE, Auxiliary Surface Mode: AUX_HIZ has one sample. Views with an offset have no auxiliary surface
// (isl_surface_state.c).
std::optional<HizClear> HizClear::of_texture(const Surface& s, unsigned lod) {
  if (s.aux != AuxMode::hiz || s.samples != 1 || !has_columns(s.tiling) || s.x_offset || s.y_offset) return std::nullopt;
  if (s.type != SurfaceType::two_d && s.type != SurfaceType::cube) return std::nullopt;
  switch (s.format->code) {
    case SurfaceFormat::R32_FLOAT:
    case SurfaceFormat::R24_UNORM_X8_TYPELESS:
    case SurfaceFormat::R16_UNORM: return HizClear(s.aux_base, s.aux_pitch, s.aux_qpitch, s, lod);
    default: return std::nullopt;
  }
}

/// The slice's first block: 16 bytes for 8x4 samples, 16x16 blocks in a tile of 4 KiB, whose pitch is that of 32 rows (Mesa isl.c,
/// ISL_FORMAT_HIZ and ISL_TILING_HIZ). Where a block lies within its tile is ours, too.
uint64_t HizClear::address(uint32_t slice) const {
  constexpr uint32_t block_bytes = 16, tile_blocks = 16, tile_bytes = 4096, tile_rows = 32;
  const uint32_t bx = x_ / block_width, by = (y_ + slice * qpitch_) / block_height;
  return base_ + uint64_t{by / tile_blocks} * pitch_ * tile_rows + uint64_t{bx / tile_blocks} * tile_bytes +
         (by % tile_blocks * tile_blocks + bx % tile_blocks) * block_bytes;
}

void HizClear::mark(memory::View& view, uint32_t slice, uint32_t code) const {
  const Words words{mark_first, clear_second, lod_, code};
  view.write(address(slice), words.data(), sizeof words);
}

HizClear::Words HizClear::drawn() const { return {mark_first, drawn_second, lod_, 0}; }

bool HizClear::forget(memory::View& view, uint32_t slice) const {
  const Words wanted = drawn();
  Words words;
  view.read(address(slice), words.data(), sizeof words);
  if (words == wanted) return false;
  view.write(address(slice), wanted.data(), sizeof wanted);
  return true;
}

bool HizClear::differs(memory::View& view, uint32_t slice, uint32_t code) const {
  Words words;
  view.read(address(slice), words.data(), sizeof words);
  if (words == Words{}) return true;
  return words[0] == mark_first && words[1] == clear_second && words[2] == lod_ && words[3] != code;
}

bool HizClear::follow(memory::View& view, const Surface& surface, const Level& level, uint32_t slice, const StopFlag& stop) const {
  if (stop.aborting()) return false;
  const uint32_t code = depth_code(*surface.format, std::bit_cast<float>(surface.clear_color[0]));
  if (!differs(view, slice, code)) return true;
  for (uint32_t y = 0; y < level.extent().height; ++y) {
    if (y % band_rows == 0 && stop.aborting()) return false;
    fill_row(view, level, y, slice, code, surface.format->block_bytes());
  }
  mark(view, slice, code);
  return true;
}

}  // namespace softgen::surface
