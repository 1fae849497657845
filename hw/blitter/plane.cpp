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
    if (within.width * within.height < page_size)
      return surface::linear_to_page(plane.tiling, plane.element, view.at_for_write(page), within, block + at,
                                     stride);
    // A whole page is laid out in the cache and goes out in one run, which spares the host reading it before.
    alignas(64) std::byte image[page_size];
    surface::linear_to_page(plane.tiling, plane.element, image, within, block + at, stride);
    std::memcpy(view.at_for_write(page), image, page_size);
  });
}

bool alike(const Plane& a, int32_t ax, int32_t ay, const Plane& b, int32_t bx, int32_t by) {
  if (!a.tiled() || a.tiling != b.tiling || a.element != b.element) return false;
  const PageShape shape = surface::page_shape(a.tiling, a.element);
  return (ax - bx) % static_cast<int32_t>(shape.width) == 0 &&
         (ay - by) % static_cast<int32_t>(shape.height) == 0;
}

namespace {

// Pointers to the rows of a rectangle of a linear surface; false when one of them crosses a page.
bool find_rows(memory::View& view, const Plane& plane, ByteRect rect, const std::byte** rows) {
  for (uint32_t i = 0; i < rect.height; ++i) {
    const uint64_t address =
        plane.row(rect.y + static_cast<int32_t>(i)) + static_cast<uint64_t>(int64_t{rect.x});
    if (page_end(address) < rect.width) return false;
    rows[i] = view.at(address);
  }
  return true;
}

void copy_pages(memory::View& view, const Plane& to, ByteRect rect, const Plane& from, int32_t x, int32_t y) {
  const PageShape shape = surface::page_shape(to.tiling, to.element);
  for_each_page(to, rect, rect.width, [&](uint64_t page, PageRect within, size_t at) {
    const uint32_t from_x = static_cast<uint32_t>(x) + static_cast<uint32_t>(at % rect.width);
    const uint32_t from_y = static_cast<uint32_t>(y) + static_cast<uint32_t>(at / rect.width);
    const uint64_t index = surface::page_index(from.tiling, from.element, from_x / shape.width,
                                               from_y / shape.height, static_cast<uint32_t>(from.pitch));
    std::byte* target = view.at_for_write(page);
    const std::byte* source = view.at(from.base + index * page_size);
    if (within.width * within.height == page_size) {
      std::memmove(target, source, page_size);
      return;
    }
    std::byte image[page_size];
    surface::page_to_linear(from.tiling, from.element, source, within, image, within.width);
    surface::linear_to_page(to.tiling, to.element, target, within, image, within.width);
  });
}

void rows_to_pages(memory::View& view, const Plane& to, ByteRect rect, const Plane& from, int32_t x,
                   int32_t y, std::byte* block) {
  for_each_page(to, rect, rect.width, [&](uint64_t page, PageRect within, size_t at) {
    const ByteRect area{x + static_cast<int32_t>(at % rect.width), y + static_cast<int32_t>(at / rect.width),
                        within.width, within.height};
    const std::byte* rows[surface::max_page_rows];
    std::byte* target = view.at_for_write(page);
    if (find_rows(view, from, area, rows))
      return surface::rows_to_page(to.tiling, to.element, target, within, rows);
    read_rect(view, from, area, block, within.width);
    surface::linear_to_page(to.tiling, to.element, target, within, block, within.width);
  });
}

}  // namespace

void copy_rect(memory::View& view, const Plane& to, ByteRect rect, const Plane& from, int32_t x, int32_t y,
               std::byte* block) {
  if (alike(to, rect.x, rect.y, from, x, y)) return copy_pages(view, to, rect, from, x, y);
  // The other way round the block is faster: writes to many pages at a time are not.
  if (!from.tiled()) return rows_to_pages(view, to, rect, from, x, y, block);
  read_rect(view, from, {x, y, rect.width, rect.height}, block, rect.width);
  write_rect(view, to, rect, block, rect.width);
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
