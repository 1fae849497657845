// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/dataport/rows.h"

#include <algorithm>
#include <cstring>

#include "hw/dataport/neighbours.h"

namespace softgen::dataport {

namespace {

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
