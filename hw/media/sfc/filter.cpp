// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/sfc/filter.h"

#include <algorithm>
#include <type_traits>

namespace softgen::media::sfc {
namespace {

constexpr int margin = max_taps;
constexpr unsigned tap_places = 6, part_places = 8;

/// Where sample `i` is in the region, in steps' units.
int64_t position(const Line& line, int64_t i) {
  constexpr int64_t unit = whole_step / siting_parts;
  const int64_t place = i * line.into * siting_parts + line.into_site;
  const int64_t luma = place * line.step / siting_parts + line.start + line.region * whole_step;
  const int64_t component = (luma - line.from_site * unit) >> (line.from == 2);
  return component - line.region / line.from * whole_step;
}

}  // namespace

Windows windows_of(const Line& line, const Taps* table, unsigned first_tap, unsigned taps) {
  Windows out;
  out.taps = table ? taps : 2;
  out.shift = table ? tap_places : part_places;
  out.windows.resize(line.count);
  out.copies = line.count <= line.size;
  // Beyond these all taps are the region's first or last sample.
  const int64_t low = -int64_t{max_taps / 2} * whole_step, high = (int64_t{line.size} + max_taps / 2 - 1) * whole_step;
  const unsigned places = table ? step_places - 5 : step_places - part_places;
  static_assert(phases == 1 << 5);
  for (uint32_t i = 0; i < line.count; ++i) {
    // To the nearest phase or part.
    const int64_t at = (std::clamp(position(line, i), low, high) + (int64_t{1} << (places - 1))) >> places;
    const unsigned bits = step_places - places;
    const auto part = static_cast<size_t>(at & ((1 << bits) - 1));
    Windows::Window& window = out.windows[i];
    const auto whole = static_cast<int32_t>(at >> bits);
    window.first = whole - static_cast<int32_t>(out.taps / 2 - 1);
    if (table) std::copy_n((*table)[part].begin() + first_tap, taps, window.weight.begin());
    else window.weight[0] = static_cast<int16_t>((1 << part_places) - part), window.weight[1] = static_cast<int16_t>(part);
    const auto own = static_cast<size_t>(static_cast<int32_t>(i) - window.first);
    out.copies = out.copies && own < out.taps && window.weight[own] == 1 << out.shift &&
                 std::count(window.weight.begin(), window.weight.end(), 0) == max_taps - 1;
  }
  return out;
}

namespace {

/// `width` samples of row `y` with margins on both sides.
const uint16_t* padded(const Region& from, int y, std::vector<uint16_t>& line) {
  line.resize(static_cast<size_t>(from.width) + 2 * margin);
  const uint16_t* const source = from.plane.row(y) + from.left;
  std::fill_n(line.begin(), margin, source[0]);
  std::copy_n(source, from.width, line.begin() + margin);
  std::fill_n(line.end() - margin, margin, source[from.width - 1]);
  return line.data() + margin;
}

template <unsigned taps>
void filter_columns(const uint16_t* from, const Windows& columns, int32_t* to) {
  for (const Windows::Window& window : columns.windows) {
    const uint16_t* const at = from + window.first;
    int32_t sum = 0;
    for (unsigned k = 0; k < taps; ++k) sum += at[k] * window.weight[k];
    *to++ = sum;
  }
}

template <unsigned taps>
void filter_rows(const int32_t* const* rows, const Windows::Window& window, size_t count, unsigned shift, uint16_t* to) {
  const int64_t half = (int64_t{1} << shift) / 2;
  for (size_t x = 0; x < count; ++x) {
    int64_t sum = half;
    for (unsigned k = 0; k < taps; ++k) sum += int64_t{rows[k][x]} * window.weight[k];
    to[x] = static_cast<uint16_t>(std::clamp<int64_t>(sum >> shift, 0, 0xffff));
  }
}

/// Calls `with` with the number of taps as a constant.
template <typename With>
void by_taps(unsigned taps, With&& with) {
  if (taps == 2) with(std::integral_constant<unsigned, 2>{});
  else if (taps == 4) with(std::integral_constant<unsigned, 4>{});
  else with(std::integral_constant<unsigned, max_taps>{});
}

}  // namespace

void filter(const Region& from, const Windows& columns, const Windows& rows, vebox::SamplePlane& to, FilterMemory& memory) {
  const auto row_of = [&](int y) -> const Windows::Window& {
    return rows.windows[static_cast<size_t>(std::clamp(y, 0, static_cast<int>(rows.size()) - 1))];
  };
  const auto inside = [&](int y) { return std::clamp(y, 0, from.height - 1); };
  const int end = to.first + to.rows;
  if (columns.copies && rows.copies) {
    const int last = std::min<int>(static_cast<int>(rows.size()), from.height) - 1;
    for (int y = to.first; y < end; ++y)
      std::copy_n(from.plane.row(from.top + std::clamp(y, 0, last)) + from.left, columns.size(), to.row(y));
    return;
  }
  // Windows follow each other, so the first row's begins where the rows begin, and the last one's ends where they end.
  const int low = inside(row_of(to.first).first), high = inside(row_of(end - 1).first + static_cast<int>(rows.taps) - 1);
  const size_t stride = columns.size();
  memory.sums.resize(stride * static_cast<size_t>(high - low + 1));
  for (int y = low; y <= high; ++y) {
    const uint16_t* const line = padded(from, from.top + y, memory.line);
    int32_t* const sums = memory.sums.data() + static_cast<size_t>(y - low) * stride;
    by_taps(columns.taps, [&](auto taps) { filter_columns<taps>(line, columns, sums); });
  }
  for (int y = to.first; y < end; ++y) {
    const Windows::Window& window = row_of(y);
    const int32_t* used[max_taps];
    for (unsigned k = 0; k < rows.taps; ++k)
      used[k] = memory.sums.data() + static_cast<size_t>(inside(window.first + static_cast<int>(k)) - low) * stride;
    by_taps(rows.taps, [&](auto taps) { filter_rows<taps>(used, window, stride, columns.shift + rows.shift, to.row(y)); });
  }
}

}  // namespace softgen::media::sfc
