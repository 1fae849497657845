// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/surface/tiling.h"

#include <algorithm>
#include <array>
#include <cstring>

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
    case Tiling::x: return {0b0001'1111'1111};
    case Tiling::y: return {0b1110'0000'1111};
    case Tiling::yf:
    case Tiling::ys:
      return {static_cast<uint16_t>(element == 1   ? 0b1010'0000'1111
                                    : element <= 4 ? 0b1010'1000'1111
                                                   : 0b1010'1100'1111)};
  }
  return {0xfff};
}

// Spreads the low bits of `value` over the set bits of `mask`.
constexpr uint32_t deposit(uint32_t value, uint32_t mask) {
  uint32_t result = 0;
  for (unsigned bit = 0; mask >> bit; ++bit) {
    if (!(mask >> bit & 1)) continue;
    result |= (value & 1) << bit;
    value >>= 1;
  }
  return result;
}

constexpr unsigned max_columns = 16, max_rows = 64;

// Offsets of the 16-byte columns and of the rows of a page.
struct Places {
  std::array<uint16_t, max_columns> column{};
  std::array<uint16_t, max_rows> row{};
};

constexpr Places places(uint16_t x_mask) {
  Places p;
  for (unsigned i = 0; i < max_columns; ++i) p.column[i] = static_cast<uint16_t>(deposit(i, x_mask & 0xff0));
  for (unsigned i = 0; i < max_rows; ++i) p.row[i] = static_cast<uint16_t>(deposit(i, ~x_mask & 0xfff));
  return p;
}

constexpr Places y_places = places(0b1110'0000'1111);
constexpr Places yf_8_places = places(0b1010'0000'1111);
constexpr Places yf_32_places = places(0b1010'1000'1111);
constexpr Places yf_128_places = places(0b1010'1100'1111);

const Places& find_places(Tiling tiling, unsigned element) {
  if (tiling == Tiling::y) return y_places;
  return element == 1 ? yf_8_places : element <= 4 ? yf_32_places : yf_128_places;
}

constexpr std::array<uint16_t, 64> w_columns = [] {
  std::array<uint16_t, 64> table{};
  for (unsigned i = 0; i < 64; ++i) table[i] = static_cast<uint16_t>(deposit(i, layout(Tiling::w, 1).x_mask));
  return table;
}();
constexpr std::array<uint16_t, 64> w_rows = [] {
  std::array<uint16_t, 64> table{};
  for (unsigned i = 0; i < 64; ++i)
    table[i] = static_cast<uint16_t>(deposit(i, ~layout(Tiling::w, 1).x_mask & 0xfff));
  return table;
}();

typedef uint8_t Column __attribute__((vector_size(16)));

struct ToLinear {
  using Page = const std::byte;
  using Linear = std::byte;
  static void bytes(const std::byte* page, std::byte* linear, size_t n) { std::memcpy(linear, page, n); }
};
struct ToPage {
  using Page = std::byte;
  using Linear = const std::byte;
  static void bytes(std::byte* page, const std::byte* linear, size_t n) { std::memcpy(page, linear, n); }
};

template <typename Way>
void move_column(typename Way::Page* page, typename Way::Linear* linear) {
  Way::bytes(page, linear, sizeof(Column));  // one vector load and store
}

// Rows of 16-byte columns (Y, Yf).
template <typename Way>
void move_columns(const Places& places, typename Way::Page* page, PageRect r, typename Way::Linear* linear,
                  size_t stride) {
  const uint32_t head = std::min(r.width, (16 - r.x % 16) % 16);
  const uint32_t whole = (r.width - head) / 16, tail = (r.width - head) % 16;
  const uint32_t first = (r.x + 15) / 16;
  for (uint32_t y = 0; y < r.height; ++y, linear += stride) {
    auto* row = page + places.row[r.y + y];
    auto* at = linear;
    if (head) Way::bytes(row + places.column[r.x / 16] + r.x % 16, at, head);
    at += head;
    uint32_t i = 0;
    for (; i + 4 <= whole; i += 4, at += 64) {
      move_column<Way>(row + places.column[first + i], at);
      move_column<Way>(row + places.column[first + i + 1], at + 16);
      move_column<Way>(row + places.column[first + i + 2], at + 32);
      move_column<Way>(row + places.column[first + i + 3], at + 48);
    }
    for (; i < whole; ++i, at += 16) move_column<Way>(row + places.column[first + i], at);
    if (tail) Way::bytes(row + places.column[first + whole], at, tail);
  }
}

template <typename Way>
void move_rows(typename Way::Page* page, PageRect r, typename Way::Linear* linear, size_t stride) {
  for (uint32_t y = 0; y < r.height; ++y)
    Way::bytes(page + (r.y + y) * 512 + r.x, linear + y * stride, r.width);
}

template <typename Way>
void move_bytes(typename Way::Page* page, PageRect r, typename Way::Linear* linear, size_t stride) {
  for (uint32_t y = 0; y < r.height; ++y)
    for (uint32_t x = 0; x < r.width; ++x)
      Way::bytes(page + w_rows[r.y + y] + w_columns[r.x + x], linear + y * stride + x, 1);
}

template <typename Way>
void move(Tiling tiling, unsigned element, typename Way::Page* page, PageRect r, typename Way::Linear* linear,
          size_t stride) {
  switch (tiling) {
    case Tiling::linear:
    case Tiling::x: return move_rows<Way>(page, r, linear, stride);
    case Tiling::w: return move_bytes<Way>(page, r, linear, stride);
    case Tiling::y: return move_columns<Way>(y_places, page, r, linear, stride);
    case Tiling::yf:
    case Tiling::ys: return move_columns<Way>(find_places(tiling, element), page, r, linear, stride);
  }
}

}  // namespace

const char* tiling_name(Tiling tiling) {
  static constexpr const char* names[] = {"linear", "W", "X", "Y", "Yf", "Ys"};
  return names[static_cast<unsigned>(tiling)];
}

uint32_t page_column(Tiling tiling, unsigned element, uint32_t x) {
  return deposit(x, layout(tiling, element).x_mask);
}

uint32_t page_row(Tiling tiling, unsigned element, uint32_t y) {
  return deposit(y, ~layout(tiling, element).x_mask & 0xfff);
}

uint64_t offset(Tiling tiling, unsigned element, uint32_t x, uint32_t y, uint32_t pitch) {
  if (tiling == Tiling::linear) return uint64_t{y} * pitch + x;
  const PageShape page = page_shape(tiling, element);
  return page_index(tiling, element, x / page.width, y / page.height, pitch) * 4096 +
         page_column(tiling, element, x % page.width) + page_row(tiling, element, y % page.height);
}

void page_to_linear(Tiling tiling, unsigned element, const std::byte* page, PageRect rect, std::byte* linear,
                    size_t stride) {
  move<ToLinear>(tiling, element, page, rect, linear, stride);
}

void linear_to_page(Tiling tiling, unsigned element, std::byte* page, PageRect rect, const std::byte* linear,
                    size_t stride) {
  move<ToPage>(tiling, element, page, rect, linear, stride);
}

}  // namespace softgen::surface
