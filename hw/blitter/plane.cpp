// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/blitter/plane.h"

#include <algorithm>
#include <cstring>

namespace softgen::blitter {
namespace {

using surface::PageRect;
using surface::PageShape;

constexpr uint64_t page_size = memory::View::page_size;

// Calls move(page address, rectangle within the page, offset in the block) for each page that the rectangle
// touches.
template <typename Move>
void for_each_page(const Plane& plane, ByteRect rect, size_t stride, Move&& move) {
  const PageShape shape = surface::page_shape(plane.tiling, plane.element);
  const uint32_t x0 = static_cast<uint32_t>(rect.x), y0 = static_cast<uint32_t>(rect.y);
  const uint32_t x1 = x0 + rect.width, y1 = y0 + rect.height;
  for (uint32_t y = y0; y < y1;) {
    const uint32_t height = std::min(shape.height - y % shape.height, y1 - y);
    for (uint32_t x = x0; x < x1;) {
      const uint32_t width = std::min(shape.width - x % shape.width, x1 - x);
      const uint64_t index = surface::page_index(plane.tiling, plane.element, x / shape.width,
                                                 y / shape.height, static_cast<uint32_t>(plane.pitch));
      move(plane.base + index * page_size, PageRect{x % shape.width, y % shape.height, width, height},
           (y - y0) * stride + (x - x0));
      x += width;
    }
    y += height;
  }
}

uint64_t page_end(uint64_t address) {
  return page_size - address % page_size;
}
// Bytes below `end` in its page.
uint64_t page_start(uint64_t end) {
  return (end - 1) % page_size + 1;
}

}  // namespace

void read_rect(memory::View& view, const Plane& plane, ByteRect rect, std::byte* block, size_t stride) {
  if (!plane.tiled()) {
    for (uint32_t i = 0; i < rect.height; ++i)
      view.read(plane.row(rect.y + static_cast<int32_t>(i)) + static_cast<uint64_t>(int64_t{rect.x}),
                block + i * stride, rect.width);
    return;
  }
  for_each_page(plane, rect, stride, [&](uint64_t page, PageRect within, size_t at) {
    surface::page_to_linear(plane.tiling, plane.element, view.at(page), within, block + at, stride);
  });
}

void write_rect(memory::View& view, const Plane& plane, ByteRect rect, const std::byte* block,
                size_t stride) {
  if (!plane.tiled()) {
    for (uint32_t i = 0; i < rect.height; ++i)
      view.write(plane.row(rect.y + static_cast<int32_t>(i)) + static_cast<uint64_t>(int64_t{rect.x}),
                 block + i * stride, rect.width);
    return;
  }
  for_each_page(plane, rect, stride, [&](uint64_t page, PageRect within, size_t at) {
    surface::linear_to_page(plane.tiling, plane.element, view.at_for_write(page), within, block + at, stride);
  });
}

void copy_bytes(memory::View& view, uint64_t to, uint64_t from, uint64_t bytes, bool backwards) {
  while (bytes) {
    if (backwards) {
      const uint64_t n = std::min({bytes, page_start(to + bytes), page_start(from + bytes)});
      bytes -= n;
      std::byte* target = view.at_for_write(to + bytes);
      std::memmove(target, view.at(from + bytes), n);
    } else {
      const uint64_t n = std::min({bytes, page_end(to), page_end(from)});
      std::byte* target = view.at_for_write(to);
      std::memmove(target, view.at(from), n);
      to += n, from += n, bytes -= n;
    }
  }
}

}  // namespace softgen::blitter
