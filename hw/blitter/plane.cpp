// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/blitter/plane.h"

#include <algorithm>
#include <cstring>

#include "hw/surface/stream.h"

namespace softgen::blitter {
namespace {

using surface::PageRect;
using surface::PageShape;
using surface::stream_kernels;

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
      const uint64_t index =
          surface::page_index(plane.tiling, plane.element, x / shape.width, y / shape.height, static_cast<uint32_t>(plane.pitch));
      move(plane.base + index * page_size, PageRect{x % shape.width, y % shape.height, width, height}, (y - y0) * stride + (x - x0));
      x += width;
    }
    y += height;
  }
}

uint64_t page_end(uint64_t address) { return page_size - address % page_size; }
// Bytes below `end` in its page.
uint64_t page_start(uint64_t end) { return (end - 1) % page_size + 1; }

}  // namespace

void read_rect(memory::View& view, const Plane& plane, ByteRect rect, std::byte* block, size_t stride) {
  if (!plane.tiled()) {
    for (uint32_t i = 0; i < rect.height; ++i)
      view.read(plane.row(rect.y + static_cast<int32_t>(i)) + static_cast<uint64_t>(int64_t{rect.x}), block + i * stride, rect.width);
    return;
  }
  for_each_page(plane, rect, stride, [&](uint64_t page, PageRect within, size_t at) {
    surface::page_to_linear(plane.tiling, plane.element, view.at(page), within, block + at, stride);
  });
}

namespace {

using Copy = void (*)(std::byte* to, const std::byte* from, size_t bytes);
Copy copy_of(Stores stores) {
  return stores == Stores::streamed ? stream_kernels().copy
                                    : [](std::byte* to, const std::byte* from, size_t n) { std::memmove(to, from, n); };
}

void stream_block(memory::View& view, const Plane& plane, ByteRect rect, const std::byte* block, size_t stride) {
  for (uint32_t i = 0; i < rect.height; ++i) {
    uint64_t address = plane.row(rect.y + static_cast<int32_t>(i)) + static_cast<uint64_t>(int64_t{rect.x});
    const std::byte* from = block + i * stride;
    for (uint64_t left = rect.width; left;) {
      const uint64_t n = std::min(left, page_end(address));
      stream_kernels().copy(view.at_for_write(address), from, n);
      address += n, from += n, left -= n;
    }
  }
}

}  // namespace

void write_rect(memory::View& view, const Plane& plane, ByteRect rect, const std::byte* block, size_t stride, Stores stores) {
  if (!plane.tiled()) {
    if (stores == Stores::streamed) return stream_block(view, plane, rect, block, stride);
    for (uint32_t i = 0; i < rect.height; ++i)
      view.write(plane.row(rect.y + static_cast<int32_t>(i)) + static_cast<uint64_t>(int64_t{rect.x}), block + i * stride, rect.width);
    return;
  }
  for_each_page(plane, rect, stride, [&](uint64_t page, PageRect within, size_t at) {
    if (within.width * within.height < page_size)
      return surface::linear_to_page(plane.tiling, plane.element, view.at_for_write(page), within, block + at, stride);
    if (stores == Stores::streamed && surface::has_columns(plane.tiling))
      return stream_kernels().linear_to_page(view.at_for_write(page), surface::places_of(plane.tiling, plane.element), block + at, stride);
    // A whole page is composed in the cache and written in one run, so that the host need not read it first.
    alignas(64) std::byte image[page_size];
    surface::linear_to_page(plane.tiling, plane.element, image, within, block + at, stride);
    copy_of(stores)(view.at_for_write(page), image, page_size);
  });
}

void fill_rect(memory::View& view, const Plane& plane, ByteRect rect, const std::byte* block, size_t stride) {
  // Pixels that cross the tiling's 16-byte columns are in another order in each.
  if (!plane.tiled() || 16 % plane.element) return write_rect(view, plane, rect, block, stride);
  for_each_page(plane, rect, stride, [&](uint64_t page, PageRect within, size_t at) {
    if (within.width * within.height < page_size)
      surface::linear_to_page(plane.tiling, plane.element, view.at_for_write(page), within, block + at, stride);
    else std::memcpy(view.at_for_write(page), block, page_size);
  });
}

bool alike(const Plane& a, int32_t ax, int32_t ay, const Plane& b, int32_t bx, int32_t by) {
  if (!a.tiled() || a.tiling != b.tiling || a.element != b.element) return false;
  const PageShape shape = surface::page_shape(a.tiling, a.element);
  return (ax - bx) % static_cast<int32_t>(shape.width) == 0 && (ay - by) % static_cast<int32_t>(shape.height) == 0;
}

namespace {

// Rows are runs of bytes: linear, or X, whose pages have rows of 512.
bool has_rows(const Plane& plane) { return plane.tiling == surface::Tiling::linear || plane.tiling == surface::Tiling::x; }

/// Address of a byte of such a surface, and how many of its row follow it in the same page.
uint64_t row_address(const Plane& plane, int32_t x, int32_t y, uint32_t& left) {
  if (!plane.tiled()) {
    const uint64_t address = plane.row(y) + static_cast<uint64_t>(int64_t{x});
    left = static_cast<uint32_t>(page_end(address));
    return address;
  }
  constexpr uint32_t row = 512;
  left = row - static_cast<uint32_t>(x) % row;
  const uint32_t pitch = surface::legal_pitch(row, static_cast<uint32_t>(plane.pitch));
  return plane.base + surface::offset_x(static_cast<uint32_t>(x), static_cast<uint32_t>(y), pitch);
}

std::byte* pointer(memory::View& view, uint64_t address, std::byte*) { return view.at_for_write(address); }
const std::byte* pointer(memory::View& view, uint64_t address, const std::byte*) { return view.at(address); }

// Pointers to the rows of a rectangle; false when one of them crosses a page.
template <typename Byte>
bool find_rows(memory::View& view, const Plane& plane, ByteRect rect, Byte** rows) {
  for (uint32_t i = 0; i < rect.height; ++i) {
    uint32_t left;
    const uint64_t address = row_address(plane, rect.x, rect.y + static_cast<int32_t>(i), left);
    if (left < rect.width) return false;
    rows[i] = pointer(view, address, static_cast<Byte*>(nullptr));
  }
  return true;
}

void copy_pages(memory::View& view, const Plane& to, ByteRect rect, const Plane& from, int32_t x, int32_t y, Stores stores) {
  const PageShape shape = surface::page_shape(to.tiling, to.element);
  for_each_page(to, rect, rect.width, [&](uint64_t page, PageRect within, size_t at) {
    const uint32_t from_x = static_cast<uint32_t>(x) + static_cast<uint32_t>(at % rect.width);
    const uint32_t from_y = static_cast<uint32_t>(y) + static_cast<uint32_t>(at / rect.width);
    const uint64_t index =
        surface::page_index(from.tiling, from.element, from_x / shape.width, from_y / shape.height, static_cast<uint32_t>(from.pitch));
    std::byte* target = view.at_for_write(page);
    const std::byte* source = view.at(from.base + index * page_size);
    if (within.width * within.height == page_size) {
      copy_of(stores)(target, source, page_size);
      return;
    }
    std::byte image[page_size];
    surface::page_to_linear(from.tiling, from.element, source, within, image, within.width);
    surface::linear_to_page(to.tiling, to.element, target, within, image, within.width);
  });
}

void rows_to_pages(memory::View& view, const Plane& to, ByteRect rect, const Plane& from, int32_t x, int32_t y, std::byte* block) {
  for_each_page(to, rect, rect.width, [&](uint64_t page, PageRect within, size_t at) {
    const ByteRect area{x + static_cast<int32_t>(at % rect.width), y + static_cast<int32_t>(at / rect.width), within.width, within.height};
    const std::byte* rows[surface::max_page_rows];
    std::byte* target = view.at_for_write(page);
    if (find_rows(view, from, area, rows)) return surface::rows_to_page(to.tiling, to.element, target, within, rows);
    read_rect(view, from, area, block, within.width);
    surface::linear_to_page(to.tiling, to.element, target, within, block, within.width);
  });
}

// -- streamed copies of surfaces that are not alike ------------------------------------------------------------------------------

void stream_rows(memory::View& view, const Plane& to, ByteRect rect, const Plane& from, int32_t x, int32_t y) {
  for (int32_t i = 0; i < static_cast<int32_t>(rect.height); ++i) {
    uint32_t to_left, from_left;
    for (uint32_t done = 0, n; done < rect.width; done += n) {
      const int32_t at = static_cast<int32_t>(done);
      const uint64_t target = row_address(to, rect.x + at, rect.y + i, to_left);
      const uint64_t source = row_address(from, x + at, y + i, from_left);
      n = std::min({rect.width - done, to_left, from_left});
      std::byte* bytes = view.at_for_write(target);
      stream_kernels().copy(bytes, view.at(source), n);
    }
  }
}

uint64_t page_address(const Plane& plane, PageShape shape, int32_t x, int32_t y) {
  return plane.base + surface::page_index(plane.tiling, plane.element, static_cast<uint32_t>(x) / shape.width,
                                          static_cast<uint32_t>(y) / shape.height, static_cast<uint32_t>(plane.pitch)) *
                          page_size;
}

// False when a row crosses a page, or is not at a 16-byte boundary.
bool stream_from_columns(memory::View& view, const Plane& to, ByteRect rect, const Plane& from, int32_t x, int32_t y) {
  const PageShape shape = surface::page_shape(from.tiling, from.element);
  std::byte* rows[surface::max_page_rows];
  if (!find_rows(view, to, rect, rows)) return false;
  for (uint32_t i = 0; i < rect.height; ++i)
    if (reinterpret_cast<uintptr_t>(rows[i]) % 16) return false;
  const auto page_at = [&](uint32_t i) { return view.at(page_address(from, shape, x + static_cast<int32_t>(i), y)); };
  const surface::PagePlaces& places = surface::places_of(from.tiling, from.element);
  const std::byte* page = page_at(0);
  for (uint32_t i = 0; i < rect.width; i += shape.width) {
    const std::byte* const next = i + shape.width < rect.width ? page_at(i + shape.width) : page;
    stream_kernels().page_to_rows(page, places, shape, rows, i, next);
    page = next;
  }
  return true;
}

// Bytes to take at once from byte `x` of a surface with columns on: whole pages of it where that is possible, and not past a
// multiple of `band`.
uint32_t step(const PageShape& shape, uint32_t x, uint32_t left, uint32_t band) {
  const uint32_t room = x % shape.width ? shape.width - x % shape.width : band - x % band;
  return left > room || left < shape.width ? std::min(left, room) : left / shape.width * shape.width;
}

void copy_stream(memory::View& view, const Plane& to, ByteRect rect, const Plane& from, int32_t x, int32_t y, std::byte* block) {
  constexpr uint32_t long_band = 2048, short_band = 512;  // short: a page of X, and with all rows what the L1 cache holds
  if (has_rows(to) && has_rows(from)) return stream_rows(view, to, rect, from, x, y);
  const bool to_columns = surface::has_columns(to.tiling);
  const Plane& columns = to_columns ? to : from;
  const PageShape shape = surface::page_shape(columns.tiling, columns.element);
  const bool whole_rows = rect.height == shape.height && static_cast<uint32_t>(y) % shape.height == 0;
  const bool direct = surface::has_columns(from.tiling) && whole_rows && has_rows(to);
  const uint32_t band = to.tiled() ? short_band : long_band;
  for (uint32_t done = 0, n; done < rect.width; done += n) {
    const int32_t at = static_cast<int32_t>(done);
    const uint32_t column = static_cast<uint32_t>(to_columns ? rect.x + at : x + at);
    n = step(shape, column, rect.width - done, band);
    const ByteRect part{rect.x + at, rect.y, n, rect.height};
    if (direct && column % shape.width == 0 && n % shape.width == 0 && stream_from_columns(view, to, part, from, x + at, y)) continue;
    read_rect(view, from, {x + at, y, n, rect.height}, block, n);
    write_rect(view, to, part, block, n, Stores::streamed);
  }
}

}  // namespace

void copy_rect(memory::View& view, const Plane& to, ByteRect rect, const Plane& from, int32_t x, int32_t y, std::byte* block,
               Stores stores) {
  if (alike(to, rect.x, rect.y, from, x, y)) return copy_pages(view, to, rect, from, x, y, stores);
  if (stores == Stores::streamed) return copy_stream(view, to, rect, from, x, y, block);
  // The other way round the block is faster: writes to many pages at a time are not.
  if (!from.tiled()) return rows_to_pages(view, to, rect, from, x, y, block);
  read_rect(view, from, {x, y, rect.width, rect.height}, block, rect.width);
  write_rect(view, to, rect, block, rect.width);
}

void copy_bytes(memory::View& view, uint64_t to, uint64_t from, uint64_t bytes, bool backwards, Stores stores) {
  const bool apart = to < from ? from - to >= bytes : to - from >= bytes;
  const Copy copy = copy_of(apart ? stores : Stores::cached);
  while (bytes) {
    if (backwards) {
      const uint64_t n = std::min({bytes, page_start(to + bytes), page_start(from + bytes)});
      bytes -= n;
      std::byte* target = view.at_for_write(to + bytes);
      copy(target, view.at(from + bytes), n);
    } else {
      const uint64_t n = std::min({bytes, page_end(to), page_end(from)});
      std::byte* target = view.at_for_write(to);
      copy(target, view.at(from), n);
      to += n, from += n, bytes -= n;
    }
  }
}

}  // namespace softgen::blitter
