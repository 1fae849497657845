// SPDX-License-Identifier: GPL-2.0-or-later
// Messages whose channels work on dwords of one page: looked up and checked once, four channels at a time where they lie side by side.
// Other messages are done channel by channel (scattered.cpp), which is its specification.
#pragma once

#include <array>

#include "hw/dataport/lanes.h"
#include "hw/dataport/messages.h"

namespace softgen::dataport {

/// Dwords that each channel reads or writes.
struct Dwords {
  std::array<uint8_t, 4> numbers;  ///< of those after its address, ascending
  unsigned count;                  ///< of them
};

using Addresses = std::array<uint64_t, 16>;

/// `address(lane)` of the channels of `lanes`; the others' are anything.
template <typename Address>
Addresses addresses_of(const Lanes& lanes, Address&& address) {
  Addresses at{};
  // Without a branch: payload of disabled channels may be read.
  for (unsigned lane = 0; lane < lanes.count(); lane++) at[lane] = address(lane);
  return at;
}

/// `at`: by channel of `lanes`, which are not SIMD4x2. `data`: register of the message or the answer that holds the first dword's channels.
/// False: no effect.
bool move_dwords(const Message& message, Space& space, Direction direction, const Lanes& lanes, const Dwords& dwords, const Addresses& at,
                 size_t data);

}  // namespace softgen::dataport
