// SPDX-License-Identifier: GPL-2.0-or-later
// Rows of framebuffers out of the GGTT, in every layout the planes know.
#include <algorithm>
#include <cstring>

#include "hw/display/plane.h"
#include "hw/surface/mapped_ccs.h"

namespace softgen::display {

namespace {

constexpr uint32_t page_size = 4096;

void read_linear(memory::View& view, uint32_t address, uint32_t size, uint8_t* out) {
  while (size) {
    uint64_t left = 0;
    const std::byte* from = view.at(address, left);
    const uint32_t n = static_cast<uint32_t>(std::min<uint64_t>(left, size));
    std::memcpy(out, from, n);
    out += n;
    size -= n;
    address += n;
  }
}

}  // namespace

void Surface::read_row(memory::View& view, uint32_t x, uint32_t y, uint32_t count, uint8_t* out) const {
  if (tiling == surface::Tiling::linear) {
    read_linear(view, base + y * stride + x * bytes, count * bytes, out);
  } else if (rotated) {
    read_rotated_row(view, x, y, count, out);
  } else if (swizzle.x_walk) {
    read_swizzled_row(view, x, y, count, out);
  } else {
    read_tiled_row(view, x, y, count, out);
    if (control) fill_clear_pairs(view, x, y, count, out);
  }
}

void Surface::fill_clear_pairs(memory::View& view, uint32_t x, uint32_t y, uint32_t count, uint8_t* out) const {
  using namespace surface;
  const PageShape tile = page_shape(tiling, bytes);
  const uint32_t first_tile = y / tile.height * stride, row = page_row(tiling, bytes, y % tile.height);
  const uint32_t first = x * bytes, end = first + count * bytes;
  for (uint32_t column = first; column < end;) {
    const uint32_t next = std::min(end, column / Ccs::pair_bytes * Ccs::pair_bytes + Ccs::pair_bytes);
    const uint32_t in_tile = page_column(tiling, bytes, column % tile.width) + row;
    mapped::CodePlace place = mapped::place_from(tiling, control, uint64_t{first_tile + column / tile.width} * page_size + in_tile);
    place.byte = static_cast<uint32_t>(place.byte);
    const bool clear = mapped::code_at(view, place) == CcsCode::clear;
    for (; column < next; column += bytes)
      if (clear) std::memcpy(out + (column - first), clear_color.data(), std::min<size_t>(bytes, sizeof(clear_color)));
  }
}

void Surface::read_tiled_row(memory::View& view, uint32_t x, uint32_t y, uint32_t count, uint8_t* out) const {
  const surface::PageShape tile = surface::page_shape(tiling, bytes);
  const uint32_t first_tile = y / tile.height * stride;
  uint32_t column = x * bytes, size = count * bytes;
  while (size) {
    const std::byte* page = view.at(base + (first_tile + column / tile.width) * page_size);
    const uint32_t in_tile = column % tile.width, here = std::min(size, tile.width - in_tile);
    surface::page_to_linear(tiling, bytes, page, {in_tile, y % tile.height, here, 1}, reinterpret_cast<std::byte*>(out), here);
    out += here;
    column += here;
    size -= here;
  }
}

// Bytes of an X tile are in rows, and swizzling moves blocks of 64 of them.
void Surface::read_swizzled_row(memory::View& view, uint32_t x, uint32_t y, uint32_t count, uint8_t* out) const {
  constexpr uint32_t block = 64;
  const surface::PageShape tile = surface::page_shape(tiling, bytes);
  const uint32_t first_tile = y / tile.height * stride, row = y % tile.height * tile.width;
  uint32_t column = x * bytes, size = count * bytes;
  while (size) {
    const std::byte* page = view.at(base + (first_tile + column / tile.width) * page_size);
    const uint32_t here = std::min(size, block - column % block);
    std::memcpy(out, page + swizzle.of(row + column % tile.width, false), here);
    out += here;
    column += here;
    size -= here;
  }
}

// Column of tiles and row of tiles change places, and so do the coordinates inside (i915 gt/intel_ggtt.c, rotate_pages).
void Surface::read_rotated_row(memory::View& view, uint32_t x, uint32_t y, uint32_t count, uint8_t* out) const {
  const surface::PageShape tile = surface::page_shape(tiling, bytes);
  const uint32_t tile_pixels = tile.width / bytes;
  const uint32_t column = surface::page_column(tiling, bytes, y % tile_pixels * bytes);
  const uint32_t first_tile = y / tile_pixels * stride;
  for (uint32_t i = 0; i < count; i++, out += bytes) {
    const uint32_t u = x + i;
    const std::byte* page = view.at(base + (first_tile + u / tile.height) * page_size);
    std::memcpy(out, page + column + surface::page_row(tiling, bytes, tile.height - 1 - u % tile.height), bytes);
  }
}

}  // namespace softgen::display
