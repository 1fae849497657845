// SPDX-License-Identifier: GPL-2.0-or-later
// Channels whose dwords are consecutive in memory: four of them at a time, by 4x4 transposes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hw/dataport/messages.h"

namespace softgen::dataport {

using Four = uint32_t __attribute__((vector_size(16)));

inline Four load_four(const void* from) {
  Four v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
inline void store_four(void* to, Four v) { std::memcpy(to, &v, sizeof v); }

/// Rows to columns.
inline void transpose(std::array<Four, 4>& m) {
  const Four a = __builtin_shufflevector(m[0], m[1], 0, 4, 1, 5), b = __builtin_shufflevector(m[0], m[1], 2, 6, 3, 7);
  const Four c = __builtin_shufflevector(m[2], m[3], 0, 4, 1, 5), d = __builtin_shufflevector(m[2], m[3], 2, 6, 3, 7);
  m = {__builtin_shufflevector(a, c, 0, 1, 4, 5), __builtin_shufflevector(a, c, 2, 3, 6, 7), __builtin_shufflevector(b, d, 0, 1, 4, 5),
       __builtin_shufflevector(b, d, 2, 3, 6, 7)};
}

/// 1, 2 or 4 dwords of each of `lanes` channels, all of them enabled. Cells: where the registers of a message's data (`sent(number, lane)`) or of
/// its answer (`answered(number, lane)`) are, by dword and channel.
template <unsigned count, typename Cells>
void read_neighbours(const Cells& cells, const std::byte* memory, unsigned lanes) {
  for (unsigned lane = 0; lane < lanes; lane += 4, memory += 16 * count) {
    std::array<Four, 4> v{load_four(memory)};
    if constexpr (count == 4) {
      v = {v[0], load_four(memory + 16), load_four(memory + 32), load_four(memory + 48)};
      transpose(v);
    } else if constexpr (count == 2) {
      const Four low = v[0], high = load_four(memory + 16);
      v = {__builtin_shufflevector(low, high, 0, 2, 4, 6), __builtin_shufflevector(low, high, 1, 3, 5, 7)};
    }
    for (unsigned c = 0; c < count; c++) store_four(cells.answered(c, lane), v[c]);
  }
}

template <unsigned count, typename Cells>
void write_neighbours(const Cells& cells, std::byte* memory, unsigned lanes) {
  for (unsigned lane = 0; lane < lanes; lane += 4, memory += 16 * count) {
    std::array<Four, 4> v{};
    for (unsigned c = 0; c < count; c++) v[c] = load_four(cells.sent(c, lane));
    if constexpr (count == 4) transpose(v);
    if constexpr (count == 2) v = {__builtin_shufflevector(v[0], v[1], 0, 4, 1, 5), __builtin_shufflevector(v[0], v[1], 2, 6, 3, 7)};
    for (unsigned c = 0; c < count; c++) store_four(memory + 16 * c, v[c]);
  }
}

template <unsigned count, typename Cells>
void move_neighbours(const Cells& cells, Direction direction, std::byte* memory, unsigned lanes) {
  if (direction == Direction::read) read_neighbours<count>(cells, memory, lanes);
  else write_neighbours<count>(cells, memory, lanes);
}

}  // namespace softgen::dataport
