// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/surface/tiling.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "hw/defs/bit6_swizzle.h"

namespace softgen::surface {
namespace {

// Which bits of the in-page offset come from x, lowest first; the others come from y.
struct Layout {
  uint16_t x_mask;
  bool operator==(const Layout&) const = default;
};

constexpr Layout layout(Tiling tiling, unsigned element) {
  switch (tiling) {
    case Tiling::linear: return {0xfff};
    case Tiling::w: return {0b1110'0001'0101};
    case Tiling::x:
    case Tiling::swizzled_x: return {0b0001'1111'1111};
    case Tiling::y:
    case Tiling::swizzled_y: return {0b1110'0000'1111};
    case Tiling::yf:
    case Tiling::ys: return {static_cast<uint16_t>(element == 1 ? 0b1010'0000'1111 : element <= 4 ? 0b1010'1000'1111 : 0b1010'1100'1111)};
  }
  return {0xfff};
}

/// The one platform that swizzles has one way to do it.
uint64_t swizzled(Tiling tiling, uint64_t at) { return defs::gen5_swizzle.of(at, tiling == Tiling::swizzled_y); }

constexpr PagePlaces y_places = page_places(0b1110'0000'1111);
constexpr PagePlaces yf_8_places = page_places(0b1010'0000'1111);
constexpr PagePlaces yf_32_places = page_places(0b1010'1000'1111);
constexpr PagePlaces yf_128_places = page_places(0b1010'1100'1111);

constexpr std::array<uint16_t, 64> w_columns = [] {
  std::array<uint16_t, 64> table{};
  for (unsigned i = 0; i < 64; ++i) table[i] = static_cast<uint16_t>(deposit(i, layout(Tiling::w, 1).x_mask));
  return table;
}();
constexpr std::array<uint16_t, 64> w_rows = [] {
  std::array<uint16_t, 64> table{};
  for (unsigned i = 0; i < 64; ++i) table[i] = static_cast<uint16_t>(deposit(i, ~layout(Tiling::w, 1).x_mask & 0xfff));
  return table;
}();

typedef uint64_t Vector __attribute__((vector_size(16)));
Vector get(const std::byte* from) {
  Vector v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
void put(std::byte* to, Vector v) { std::memcpy(to, &v, sizeof v); }

// The two ways, and the two forms of the linear side: rows a stride apart, or anywhere. A guest may map a page at two addresses, so both sides
// may lie in one page and overlap.
struct ToLinear {
  using Page = const std::byte;
  using Linear = std::byte;
  static void bytes(const std::byte* page, std::byte* linear, size_t n) { std::memmove(linear, page, n); }
  static void four(const std::byte* line, std::byte* a, std::byte* b, std::byte* c, std::byte* d) {
    const Vector v0 = get(line), v1 = get(line + 16), v2 = get(line + 32), v3 = get(line + 48);
    put(a, v0), put(b, v1), put(c, v2), put(d, v3);
  }
};
struct ToPage {
  using Page = std::byte;
  using Linear = const std::byte;
  static void bytes(std::byte* page, const std::byte* linear, size_t n) { std::memmove(page, linear, n); }
  static void four(std::byte* line, const std::byte* a, const std::byte* b, const std::byte* c, const std::byte* d) {
    const Vector v0 = get(a), v1 = get(b), v2 = get(c), v3 = get(d);
    put(line, v0), put(line + 16, v1), put(line + 32, v2), put(line + 48, v3);
  }
};
template <typename Byte>
struct Strided {
  Byte* first;
  size_t stride;
  Byte* operator[](uint32_t y) const { return first + y * stride; }
};

// Part of one 16-byte column, `at` bytes into the rows. The page is walked in the order of its memory: it is
// what the host's caches do not hold.
template <typename Way, typename Rows>
void move_part(const PagePlaces& places, typename Way::Page* page, PageRect r, Rows rows, size_t at) {
  auto* column = page + places.column[r.x / 16] + r.x % 16;
  for (uint32_t y = 0; y < r.height; ++y) Way::bytes(column + places.row[r.y + y], rows[y] + at, r.width);
}

// Rows 4n to 4n + 3 of a column are one 64-byte line in all these layouts.
template <typename Way, typename Rows>
void move_whole(const PagePlaces& places, typename Way::Page* page, PageRect r, Rows rows, size_t at) {
  auto* column = page + places.column[r.x / 16];
  uint32_t y = 0;
  for (; y < r.height && (r.y + y) % 4; ++y) Way::bytes(column + places.row[r.y + y], rows[y] + at, 16);
  for (; y + 4 <= r.height; y += 4)
    Way::four(column + places.row[r.y + y], rows[y] + at, rows[y + 1] + at, rows[y + 2] + at, rows[y + 3] + at);
  for (; y < r.height; ++y) Way::bytes(column + places.row[r.y + y], rows[y] + at, 16);
}

// 16-byte columns (Y, Yf).
template <typename Way, typename Rows>
void move_columns(const PagePlaces& places, typename Way::Page* page, PageRect r, Rows rows) {
  size_t at = 0;
  for (const uint32_t end = r.x + r.width; r.x < end; r.x += r.width, at += r.width) {
    r.width = std::min(16 - r.x % 16, end - r.x);
    if (r.width == 16) move_whole<Way>(places, page, r, rows, at);
    else move_part<Way>(places, page, r, rows, at);
  }
}

template <typename Way, typename Rows>
void move_rows(typename Way::Page* page, PageRect r, Rows rows) {
  for (uint32_t y = 0; y < r.height; ++y) Way::bytes(page + (r.y + y) * 512 + r.x, rows[y], r.width);
}

template <typename Way, typename Rows>
void move_bytes(typename Way::Page* page, PageRect r, Rows rows) {
  for (uint32_t y = 0; y < r.height; ++y)
    for (uint32_t x = 0; x < r.width; ++x) Way::bytes(page + w_rows[r.y + y] + w_columns[r.x + x], rows[y] + x, 1);
}

template <typename Way, typename Rows>
void move_swizzled(Tiling tiling, typename Way::Page* page, PageRect r, Rows rows) {
  for (uint32_t y = 0; y < r.height; ++y)
    each_row_piece(tiling, r.x, r.width, [&](uint32_t x, uint32_t bytes) {
      const uint32_t at = page_column(tiling, 1, x) + page_row(tiling, 1, r.y + y);
      Way::bytes(page + swizzled(tiling, at), rows[y] + (x - r.x), bytes);
    });
}

template <typename Way, typename Rows>
void move(Tiling tiling, unsigned element, typename Way::Page* page, PageRect r, Rows rows) {
  switch (tiling) {
    case Tiling::linear:
    case Tiling::x: return move_rows<Way>(page, r, rows);
    case Tiling::w: return move_bytes<Way>(page, r, rows);
    case Tiling::y: return move_columns<Way>(y_places, page, r, rows);
    case Tiling::yf:
    case Tiling::ys: return move_columns<Way>(places_of(tiling, element), page, r, rows);
    case Tiling::swizzled_x:
    case Tiling::swizzled_y: return move_swizzled<Way>(tiling, page, r, rows);
  }
}

}  // namespace

const char* tiling_name(Tiling tiling) {
  static constexpr const char* names[] = {"linear", "W", "X", "Y", "Yf", "Ys", "swizzled X", "swizzled Y"};
  return names[static_cast<unsigned>(tiling)];
}

const PagePlaces& places_of(Tiling tiling, unsigned element) {
  if (tiling == Tiling::y) return y_places;
  return element == 1 ? yf_8_places : element <= 4 ? yf_32_places : yf_128_places;
}

uint32_t page_column(Tiling tiling, unsigned element, uint32_t x) { return deposit(x, layout(tiling, element).x_mask); }

uint32_t page_row(Tiling tiling, unsigned element, uint32_t y) { return deposit(y, ~layout(tiling, element).x_mask & 0xfff); }

uint64_t offset(Tiling tiling, unsigned element, uint32_t x, uint32_t y, uint32_t pitch) {
  if (tiling == Tiling::linear) return uint64_t{y} * pitch + x;
  const PageShape page = page_shape(tiling, element);
  const uint64_t at = page_index(tiling, element, x / page.width, y / page.height, pitch) * 4096 +
                      page_column(tiling, element, x % page.width) + page_row(tiling, element, y % page.height);
  return is_swizzled(tiling) ? swizzled(tiling, at) : at;
}

uint64_t sampled_offset(unsigned element, unsigned log2_samples, uint32_t x, uint32_t y, uint32_t sample, uint32_t pitch) {
  const PageShape tile = sampled_tile_shape(element, log2_samples), whole = tile_shape(Tiling::ys, element);
  const uint64_t bytes = tile_bytes(Tiling::ys, element), index = uint64_t{y / tile.height} * (pitch / tile.width) + x / tile.width;
  return index * bytes + sample * (bytes >> log2_samples) + offset(Tiling::ys, element, x % tile.width, y % tile.height, whole.width);
}

void page_to_linear(Tiling tiling, unsigned element, const std::byte* page, PageRect rect, std::byte* linear, size_t stride) {
  move<ToLinear>(tiling, element, page, rect, Strided<std::byte>{linear, stride});
}

void linear_to_page(Tiling tiling, unsigned element, std::byte* page, PageRect rect, const std::byte* linear, size_t stride) {
  move<ToPage>(tiling, element, page, rect, Strided<const std::byte>{linear, stride});
}

void page_to_rows(Tiling tiling, unsigned element, const std::byte* page, PageRect rect, std::byte* const* rows) {
  move<ToLinear>(tiling, element, page, rect, rows);
}

void rows_to_page(Tiling tiling, unsigned element, std::byte* page, PageRect rect, const std::byte* const* rows) {
  move<ToPage>(tiling, element, page, rect, rows);
}

}  // namespace softgen::surface
