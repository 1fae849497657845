// SPDX-License-Identifier: GPL-2.0-or-later
// Where the byte (x, y) of a surface is: SKL PRM vol 5, "Tiling Algorithm" and "Tile Formats"; Yf and Ys as
// GmmLib's swizzle descriptors have them. Within a 4 KiB page the bits of x and y take separate places in the
// offset, so it is column(x) + row(y):
//   X  512 x  8  YYY XXXXXXXXX                        W  64 x 64  XXX YYYY XYXYX
//   Y  128 x 32  XXX YYYYY XXXX
//   Yf by element size  8 bit: 64 x 64, XYXY YYYY XXXX   16, 32: 128 x 32, XYXY XYYY XXXX   64, 128: 256 x
//   16, XYXY XXYY XXXX Ys 4 x 4 such pages in the order XYXY of the offset's bits [15:12]
#pragma once

#include <cstddef>
#include <cstdint>

#include "hw/base/bits.h"
#include "hw/defs/bit6_swizzle.h"
#include "hw/surface/page_places.h"

namespace softgen::surface {

/// swizzled_x and swizzled_y: X and Y of a chip that spreads tiles over two memory channels: bit 6 of addresses is changed by others within the page.
enum class Tiling : uint8_t { linear, w, x, y, yf, ys, swizzled_x, swizzled_y };

const char* tiling_name(Tiling tiling);

/// Bytes a row and rows of one 4 KiB page. Linear: {4096, 1}. `element` is in bytes, a power of two up to 16;
/// it matters for Yf and Ys.
struct PageShape {
  uint32_t width;
  uint32_t height;
};
constexpr PageShape page_shape(Tiling tiling, unsigned element) {
  switch (tiling) {
    case Tiling::linear: return {4096, 1};
    case Tiling::w: return {64, 64};
    case Tiling::x:
    case Tiling::swizzled_x: return {512, 8};
    case Tiling::y:
    case Tiling::swizzled_y: return {128, 32};
    case Tiling::yf:
    case Tiling::ys: return element == 1 ? PageShape{64, 64} : element <= 4 ? PageShape{128, 32} : PageShape{256, 16};
  }
  return {4096, 1};
}
/// Bytes a row and rows of one whole tile: as the page, but Ys has 64 KiB.
constexpr PageShape tile_shape(Tiling tiling, unsigned element) {
  const PageShape page = page_shape(tiling, element);
  return tiling == Tiling::ys ? PageShape{page.width * 4, page.height * 4} : page;
}

/// Bytes of one whole tile: its base is aligned to them.
constexpr uint64_t tile_bytes(Tiling tiling, unsigned element) {
  const PageShape tile = tile_shape(tiling, element);
  return uint64_t{tile.width} * tile.height;
}

/// Bytes of a row, from each multiple of it on, that are together in memory. Linear rows are in one piece.
constexpr uint32_t row_piece(Tiling tiling) {
  switch (tiling) {
    case Tiling::linear: break;
    case Tiling::w: return 1;
    case Tiling::x: return 512;
    case Tiling::swizzled_x: return 64;
    case Tiling::y:
    case Tiling::swizzled_y:
    case Tiling::yf:
    case Tiling::ys: return 16;
  }
  return 1u << 31;
}
/// piece(x, bytes) for each part of bytes [x, x + bytes) of a row that is together in memory.
template <typename Piece>
void each_row_piece(Tiling tiling, uint32_t x, uint32_t bytes, Piece&& piece) {
  const uint32_t whole = row_piece(tiling), end = x + bytes;
  while (x < end) {
    const uint32_t n = end - x < whole - x % whole ? end - x : whole - x % whole;
    piece(x, n);
    x += n;
  }
}

/// Offset of byte `x` (0 <= x < page width) and of row `y` within a page; their sum is the place of the byte.
/// Not for linear.
uint32_t page_column(Tiling tiling, unsigned element, uint32_t x);
uint32_t page_row(Tiling tiling, unsigned element, uint32_t y);

/// Bytes of pitch that one tile takes. W: twice its width ("two rows interleaved", SKL PRM vol 2d,
/// RENDER_SURFACE_STATE, Surface Pitch).
constexpr uint32_t tile_pitch(Tiling tiling, unsigned element) { return tiling == Tiling::w ? 128 : tile_shape(tiling, element).width; }

/// `pitch` as whole tiles of `tile` bytes of pitch, one at least: what page_index() makes of it.
constexpr uint32_t legal_pitch(uint32_t tile, uint32_t pitch) { return pitch < tile ? tile : pitch / tile * tile; }

/// Index of the page at column `px`, row `py` of a surface with `pitch` bytes a row as state has it, in
/// pages. Not for linear. A pitch of less than a tile counts as one tile.
constexpr uint64_t page_index(Tiling tiling, unsigned element, uint32_t px, uint32_t py, uint32_t pitch) {
  const uint32_t tile = tile_pitch(tiling, element);
  const uint64_t row_tiles = pitch < tile ? 1 : pitch / tile;
  if (tiling != Tiling::ys) return py * row_tiles + px;
  const uint32_t within = (py & 1) | (px & 1) << 1 | (py & 2) << 1 | (px & 2) << 2;
  return ((py / 4) * row_tiles + px / 4) * 16 + within;
}

/// Byte offset from the surface's base of byte `x` (bytes, not elements) of row `y`. `pitch` in bytes, as
/// state has it.
uint64_t offset(Tiling tiling, unsigned element, uint32_t x, uint32_t y, uint32_t pitch);

/// Ys tiles of multisampled surfaces whose samples are not side by side (MSFMT_MSS): a tile is that many times smaller each way in bytes and rows (SKL PRM
/// vol 5, "2D/CUBE Alignment Requirements"; Mesa isl.c, isl_tiling_get_info), and has a part for each sample. That they follow each other is chosen.
constexpr PageShape sampled_tile_shape(unsigned element, unsigned log2_samples) {
  const PageShape tile = tile_shape(Tiling::ys, element);
  return {tile.width >> (log2_samples + 1) / 2, tile.height >> log2_samples / 2};
}
/// As offset(), of such a surface. `pitch`: whole tiles of this shape.
uint64_t sampled_offset(unsigned element, unsigned log2_samples, uint32_t x, uint32_t y, uint32_t sample, uint32_t pitch);

/// The common cases inline, for hot loops; pitch is a whole number of tiles (legal_pitch).
constexpr uint64_t offset_x(uint32_t x, uint32_t y, uint32_t pitch) {
  return uint64_t{y & ~7u} * pitch + (x >> 9) * 4096 + ((y & 7) << 9) + (x & 511);
}
constexpr uint64_t offset_y(uint32_t x, uint32_t y, uint32_t pitch) {
  return uint64_t{y & ~31u} * pitch + (x >> 7) * 4096 + ((x & 0x70) << 5) + ((y & 31) << 4) + (x & 15);
}
/// X and Y of the one platform that swizzles, which has one way to do it.
constexpr uint64_t offset_swizzled_x(uint32_t x, uint32_t y, uint32_t pitch) { return defs::gen5_swizzle.of(offset_x(x, y, pitch), false); }
constexpr uint64_t offset_swizzled_y(uint32_t x, uint32_t y, uint32_t pitch) { return defs::gen5_swizzle.of(offset_y(x, y, pitch), true); }
/// Linear, X or Y.
constexpr uint64_t offset_of_bytes(Tiling tiling, uint32_t x, uint32_t y, uint32_t pitch) {
  return tiling == Tiling::x ? offset_x(x, y, pitch) : tiling == Tiling::y ? offset_y(x, y, pitch) : uint64_t{y} * pitch + x;
}
constexpr uint64_t offset_w(uint32_t x, uint32_t y, uint32_t pitch) {
  const uint32_t column = (x & 1) | (x & 2) << 1 | (x & 4) << 2 | (x & 0x38) << 6;
  const uint32_t row = (y & 1) << 1 | (y & 2) << 2 | (y & 4) << 3 | (y & 0x38) << 3;
  return uint64_t{y >> 6} * (pitch >> 7) * 4096 + (x >> 6) * 4096 + column + row;
}

/// A rectangle inside one 4 KiB page: bytes [x, x + width) of rows [y, y + height). From the page to a linear
/// buffer whose first byte is that of (x, y), and back. Vectorised for whole 16-byte columns; any bounds are
/// right. Not for linear.
struct PageRect {
  uint32_t x, y, width, height;
};
void page_to_linear(Tiling tiling, unsigned element, const std::byte* page, PageRect rect, std::byte* linear, size_t stride);
void linear_to_page(Tiling tiling, unsigned element, std::byte* page, PageRect rect, const std::byte* linear, size_t stride);

/// The same with a pointer for each of the rectangle's rows.
void page_to_rows(Tiling tiling, unsigned element, const std::byte* page, PageRect rect, std::byte* const* rows);
void rows_to_page(Tiling tiling, unsigned element, std::byte* page, PageRect rect, const std::byte* const* rows);
constexpr uint32_t max_page_rows = PagePlaces::max_rows;

constexpr bool is_swizzled(Tiling tiling) { return tiling == Tiling::swizzled_x || tiling == Tiling::swizzled_y; }
/// Tilings of 16-byte columns, and where their bytes are.
constexpr bool has_columns(Tiling tiling) { return tiling == Tiling::y || tiling == Tiling::yf || tiling == Tiling::ys; }
const PagePlaces& places_of(Tiling tiling, unsigned element);

}  // namespace softgen::surface
