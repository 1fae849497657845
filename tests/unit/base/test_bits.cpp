// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/base/bits.h"
#include "tests/catch.h"

using namespace softgen;

TEST_CASE("bit fields are named by their high and low bit, both included") {
  CHECK(bits(0xdeadbeefu, 31, 28) == 0xdu);
  CHECK(bits(0xdeadbeefu, 31, 0) == 0xdeadbeefu);
  CHECK(bits(uint64_t{0xdeadbeef00000000}, 63, 32) == 0xdeadbeefu);
  CHECK(with_bits(0xffffffffu, 11, 8, 0x5u) == 0xfffff5ffu);
  CHECK(with_bits(0u, 31, 0, 0x12345678u) == 0x12345678u);
  CHECK(sign_extend(0x8, 4) == -8);
  CHECK(sign_extend(0x7, 4) == 7);
  CHECK(sign_extend(~uint64_t{0}, 64) == -1);
}

TEST_CASE("a masked write changes only what its upper half selects") {
  CHECK(masked_write(0x00f0, 0x000f000f) == 0x00ff);
  CHECK(masked_write(0x00f0, 0x00f00000) == 0x0000);
  CHECK(masked_write(0x1234, 0x0000ffff) == 0x1234);
  CHECK(masked_write(0x1234, masked_all(0xabcd00ff)) == 0x00ff);
}
