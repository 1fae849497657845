// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/dataport/rows.h"

#include <algorithm>
#include <cstring>

namespace softgen::dataport {

namespace {

using Four = uint32_t __attribute__((vector_size(16)));

Four load(const void* from) {
  Four v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
void store(void* to, Four v) { std::memcpy(to, &v, sizeof v); }

/// Rows to columns.
void transpose(std::array<Four, 4>& m) {
  const Four a = __builtin_shufflevector(m[0], m[1], 0, 4, 1, 5), b = __builtin_shufflevector(m[0], m[1], 2, 6, 3, 7);
  const Four c = __builtin_shufflevector(m[2], m[3], 0, 4, 1, 5), d = __builtin_shufflevector(m[2], m[3], 2, 6, 3, 7);
  m = {__builtin_shufflevector(a, c, 0, 1, 4, 5), __builtin_shufflevector(a, c, 2, 3, 6, 7), __builtin_shufflevector(b, d, 0, 1, 4, 5),
       __builtin_shufflevector(b, d, 2, 3, 6, 7)};
}

/// The registers of a message's data or of its answer, by dword and channel.
class Cells {
 public:
  Cells(const Message& m, Direction direction, const Lanes& lanes, unsigned count, size_t data) : registers_(lanes.registers()) {
    complete_ = true;
    for (unsigned i = 0; i < count * registers_; i++) {
      const size_t reg = data + i;
      if (direction == Direction::read) {
        complete_ = complete_ && reg < m.response.size();
        answer_[i] = complete_ ? &m.response[reg] : nullptr;
      } else {
        data_[i] = &m.reg(reg);
      }
    }
  }
  /// An answer that is too short drops what it does not hold: not for us.
  bool complete() const { return complete_; }
  const uint32_t* sent(unsigned number, unsigned lane) const { return &data_[number * registers_ + lane / 8]->dw[lane % 8]; }
  uint32_t* answered(unsigned number, unsigned lane) const { return &answer_[number * registers_ + lane / 8]->dw[lane % 8]; }

 private:
  const unsigned registers_;
  bool complete_;
  union {
    std::array<const Grf*, 8> data_;
    std::array<Grf*, 8> answer_;
  };
};

/// Channels one behind the other, all of them enabled, with 1, 2 or 4 dwords each.
template <unsigned count>
void read_neighbours(const Cells& cells, const std::byte* memory, unsigned lanes) {
  for (unsigned lane = 0; lane < lanes; lane += 4, memory += 16 * count) {
    std::array<Four, 4> v{load(memory)};
    if constexpr (count == 4) {
      v = {v[0], load(memory + 16), load(memory + 32), load(memory + 48)};
      transpose(v);
    } else if constexpr (count == 2) {
      const Four low = v[0], high = load(memory + 16);
      v = {__builtin_shufflevector(low, high, 0, 2, 4, 6), __builtin_shufflevector(low, high, 1, 3, 5, 7)};
    }
    for (unsigned c = 0; c < count; c++) store(cells.answered(c, lane), v[c]);
  }
}

template <unsigned count>
void write_neighbours(const Cells& cells, std::byte* memory, unsigned lanes) {
  for (unsigned lane = 0; lane < lanes; lane += 4, memory += 16 * count) {
    std::array<Four, 4> v{};
    for (unsigned c = 0; c < count; c++) v[c] = load(cells.sent(c, lane));
    if constexpr (count == 4) transpose(v);
    if constexpr (count == 2) v = {__builtin_shufflevector(v[0], v[1], 0, 4, 1, 5), __builtin_shufflevector(v[0], v[1], 2, 6, 3, 7)};
    for (unsigned c = 0; c < count; c++) store(memory + 16 * c, v[c]);
  }
}

template <unsigned count>
void move_neighbours(const Cells& cells, Direction direction, std::byte* memory, unsigned lanes) {
  if (direction == Direction::read) read_neighbours<count>(cells, memory, lanes);
  else write_neighbours<count>(cells, memory, lanes);
}

bool full(const Lanes& lanes) { return lanes.mask() == (1u << lanes.count()) - 1; }

bool neighbours(const Lanes& lanes, const Dwords& dwords, const Addresses& at) {
  if (!full(lanes) || dwords.count == 3 || dwords.numbers[dwords.count - 1] != dwords.count - 1) return false;
  const uint64_t step = dwords.count * 4;
  uint64_t differs = 0;
  for (unsigned lane = 1; lane < lanes.count(); lane++) differs |= at[lane] ^ (at[0] + lane * step);
  return !differs;
}

struct Extent {
  uint64_t first = ~uint64_t{0}, last = 0;  ///< addresses of the lowest and the highest channel
};

Extent extent(const Lanes& lanes, const Addresses& at) {
  Extent e;
  lanes.each([&](unsigned lane) {
    e.first = std::min(e.first, at[lane]);
    e.last = std::max(e.last, at[lane]);
  });
  return e;
}

}  // namespace

bool move_dwords(const Message& m, Space& space, Direction direction, const Lanes& lanes, const Dwords& dwords, const Addresses& at,
                 size_t data) {
  if (!lanes.mask() || !dwords.count) return false;
  const bool side_by_side = neighbours(lanes, dwords, at);
  const Extent e = side_by_side ? Extent{at[0], at[lanes.count() - 1]} : extent(lanes, at);
  const uint64_t first = e.first + 4u * dwords.numbers[0], end = e.last + 4u * dwords.numbers[dwords.count - 1] + 4;
  const Cells cells(m, direction, lanes, dwords.count, data);
  if (!cells.complete()) return false;
  std::byte* const memory = space.window(first, end - first, direction == Direction::write);
  if (!memory) return false;
  if (side_by_side) {
    switch (dwords.count) {
      case 1: move_neighbours<1>(cells, direction, memory, lanes.count()); break;
      case 2: move_neighbours<2>(cells, direction, memory, lanes.count()); break;
      default: move_neighbours<4>(cells, direction, memory, lanes.count()); break;
    }
    return true;
  }
  lanes.each([&](unsigned lane) {
    for (unsigned c = 0; c < dwords.count; c++) {
      std::byte* const cell = memory + (at[lane] + 4u * dwords.numbers[c] - first);
      if (direction == Direction::read) std::memcpy(cells.answered(c, lane), cell, 4);
      else std::memcpy(cell, cells.sent(c, lane), 4);
    }
  });
  return true;
}

}  // namespace softgen::dataport
