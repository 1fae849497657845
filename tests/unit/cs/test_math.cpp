// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cs/math.h"
#include "tests/catch.h"

using softgen::cs::Gprs;
using softgen::cs::run_math;

namespace {

constexpr uint32_t alu(uint32_t op, uint32_t a = 0, uint32_t b = 0) { return op << 20 | a << 10 | b; }
constexpr uint32_t load = 0x80, loadinv = 0x480, load0 = 0x81, load1 = 0x481, store = 0x180, storeinv = 0x580;
constexpr uint32_t srca = 0x20, srcb = 0x21, accu = 0x31, zf = 0x32, cf = 0x33;

uint64_t binary(uint32_t op, uint64_t a, uint64_t b, uint32_t result = accu, uint32_t how = store) {
  Gprs r{};
  r[1] = a, r[2] = b;
  const uint32_t program[] = {alu(load, srca, 1), alu(load, srcb, 2), alu(op), alu(how, 3, result)};
  REQUIRE(run_math(program, r) == 4);
  return r[3];
}

}  // namespace

TEST_CASE("MI_MATH operations") {
  CHECK(binary(0x100, 5, 7) == 12);
  CHECK(binary(0x101, 5, 7) == uint64_t(-2));
  CHECK(binary(0x102, 0xff00ff, 0x0ff0) == 0x00f0);
  CHECK(binary(0x103, 0xf0, 0x0f) == 0xff);
  CHECK(binary(0x104, 0xff, 0x0f) == 0xf0);
}

TEST_CASE("MI_MATH flags read as all ones or zero") {
  CHECK(binary(0x101, 9, 9, zf) == ~uint64_t{0});
  CHECK(binary(0x101, 9, 8, zf) == 0);
  CHECK(binary(0x101, 8, 9, cf) == ~uint64_t{0});  // borrow
  CHECK(binary(0x101, 9, 8, cf) == 0);
  CHECK(binary(0x100, ~uint64_t{0}, 1, cf) == ~uint64_t{0});
  CHECK(binary(0x100, ~uint64_t{0}, 1, zf, storeinv) == 0);
  CHECK(binary(0x103, 0, 0, zf) == ~uint64_t{0});
}

TEST_CASE("MI_MATH inverted loads and constants") {
  Gprs r{};
  r[0] = 0x1234;
  const uint32_t program[] = {alu(loadinv, srca, 0),
                              alu(load1, srcb),
                              alu(0x102),
                              alu(store, 1, accu),
                              alu(load0, srca),
                              alu(load1, srcb),
                              alu(0x100),
                              alu(store, 15, accu),
                              alu(0)};
  REQUIRE(run_math(program, r) == 9);
  CHECK(r[1] == ~uint64_t{0x1234});
  CHECK(r[15] == ~uint64_t{0});
}

TEST_CASE("MI_MATH stops at an invalid instruction") {
  Gprs r{};
  for (const uint32_t bad : {alu(0x7ff), alu(load, 3, 0), alu(load, srca, 16), alu(store, 16, accu), alu(store, 0, srca), 0xffff'ffffu}) {
    const uint32_t program[] = {alu(0), bad, alu(load1, srca)};
    CHECK(run_math(program, r) == 1);
  }
}
