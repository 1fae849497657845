// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/base/hash.h"

#include <vector>

#include "tests/catch.h"

using namespace softgen;

// Recordings and the cache of compiled kernels have these values: they are the same on each host and in each version of the library.
TEST_CASE("hash: the values of XXH3") {
  CHECK(hash64({}) == 0x2d06800538d394c2);
  const Hash128 empty = hash128({});
  CHECK(empty.high == 0x99aa06d3014798d8);
  CHECK(empty.low == 0x6001c324468d497f);
  for (const size_t size : {1, 16, 128, 240, 241, 4096}) {
    INFO(size);
    std::vector<std::byte> bytes(size);
    const uint64_t zeros = hash64(bytes);
    CHECK(hash64(bytes, 1) != zeros);
    bytes.back() = std::byte{1};
    CHECK(hash64(bytes) != zeros);
    CHECK(hash128(bytes).low != hash128(bytes, 1).low);
  }
}
