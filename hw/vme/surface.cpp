// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/vme/surface.h"

#include <algorithm>
#include <cstring>

#include "hw/memory/view.h"
#include "hw/surface/binding.h"

namespace softgen::vme {
namespace {

/// Samples [x, x + columns) of a row, which are in it.
void read_row(memory::View& view, const Surface& s, uint32_t x, uint32_t y, uint32_t columns, uint8_t* to) {
  surface::each_row_piece(s.tiling, x, columns, [&](uint32_t from, uint32_t n) {
    view.read(s.base + surface::offset_of_bytes(s.tiling, from, y, s.pitch), to + (from - x), n);
  });
}

}  // namespace

void Surface::fetch(memory::View& view, int x, int y, unsigned columns, unsigned rows, uint8_t* to, size_t stride) const {
  const int right = static_cast<int>(width), bottom = static_cast<int>(height), count = static_cast<int>(columns);
  // The columns that are in the surface; one at least.
  const int first = std::clamp(x, 0, right - 1), last = std::clamp(x + count - 1, 0, right - 1);
  int before = -1;
  for (unsigned row = 0; row < rows; ++row, to += stride) {
    const int line = std::clamp(y + static_cast<int>(row), 0, bottom - 1);
    if (line == before) {
      std::memcpy(to, to - stride, columns);
      continue;
    }
    before = line;
    uint8_t* const inside = to + std::clamp(first - x, 0, count - 1);
    read_row(view, *this, static_cast<uint32_t>(first), static_cast<uint32_t>(line), static_cast<uint32_t>(last - first) + 1, inside);
    if (inside != to) std::fill(to, inside, *inside);
    uint8_t* const end = inside + (last - first) + 1;
    std::fill(end, std::max(end, to + count), end[-1]);
  }
}

void Surface::fetch_chroma(memory::View& view, int x, int y, unsigned columns, unsigned rows, std::array<uint8_t*, 2> to,
                           size_t stride) const {
  constexpr unsigned max_columns = 16;
  const int right = static_cast<int>(width / 2), bottom = static_cast<int>(height / 2);
  const bool is_there = chroma_row && right && bottom && columns <= max_columns;
  const int first = std::clamp(x, 0, std::max(right - 1, 0)),
            last = std::clamp(x + static_cast<int>(columns) - 1, 0, std::max(right - 1, 0));
  for (unsigned row = 0; row < rows; ++row) {
    std::array<uint8_t, 2 * max_columns> pairs;
    pairs.fill(128);
    const int line = std::clamp(y + static_cast<int>(row), 0, std::max(bottom - 1, 0));
    if (is_there)
      read_row(view, *this, static_cast<uint32_t>(first) * 2, chroma_row + static_cast<uint32_t>(line),
               static_cast<uint32_t>(last - first + 1) * 2, pairs.data());
    for (unsigned i = 0; i < columns; ++i) {
      const auto at = is_there ? static_cast<size_t>(std::clamp(x + static_cast<int>(i), first, last) - first) : 0;
      for (unsigned c = 0; c < 2; ++c) to[c][row * stride + i] = pairs[at * 2 + c];
    }
  }
}

Surface load_surface(ThreadEnv& env, uint32_t index) {
  if (index > surface::last_table_index) return {};
  const uint64_t address = surface::surface_state_address(env.view, env.bases, {.index = static_cast<uint8_t>(index)});
  if (address == surface::no_surface) return {};
  SurfaceDwords dwords;
  env.view.read(address, dwords.data(), sizeof dwords);
  return decode_surface(dwords);
}

}  // namespace softgen::vme
