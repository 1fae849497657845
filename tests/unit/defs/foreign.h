// SPDX-License-Identifier: GPL-2.0-or-later
// The generated structs on dwords that others made: only these can tell that a declaration has a wrong bit.
#pragma once

#include <vector>

#include "hw/defs/gen9/all.h"
#include "tests/catch.h"

namespace softgen::defs::test {

using Packet = std::vector<uint32_t>;

/// The struct of a packet, whose pack() gives the packet back.
template <typename T>
T unpacked(const Packet& dwords) {
  const T result = T::unpack(dwords);
  REQUIRE(dwords.size() == T::dwords);
  const auto packed = result.pack();
  CHECK(Packet(packed.begin(), packed.end()) == dwords);
  return result;
}

}  // namespace softgen::defs::test
