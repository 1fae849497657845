// SPDX-License-Identifier: GPL-2.0-or-later
// Each opcode on a few values worked out by hand.
#include <cfenv>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "hw/base/log.h"
#include "tests/quiet_log.h"
#include "tests/unit/eu/alu.h"

using namespace softgen;
using namespace softgen::eu;
using namespace softgen::eu::test;

namespace {

uint32_t u(Opcode o, uint32_t a, uint32_t b = 0, uint32_t c = 0) { return one<uint32_t, uint32_t>(o, UD, UD, a, b, c); }
int32_t s(Opcode o, int32_t a, int32_t b = 0, int32_t c = 0) { return one<int32_t, int32_t>(o, D, D, a, b, c); }
float f(Opcode o, float a, float b = 0, float c = 0) { return one<float, float>(o, F, F, a, b, c); }

}  // namespace

TEST_CASE("eu alu: packed vectors as words and as dwords") {
  Machine m;
  m.load({mov_imm(8, grf(10, UW), RegType::uv, 0x76543210), mov_imm(8, grf(11, W), RegType::v, 0xf7654321),
          mov_imm(4, grf(12, UD), RegType::uv, 0x0c080400), op_imm(Opcode::add, 4, grf(13, D), scalar(1, D), RegType::v, 0x0f070401)});
  m.set<int32_t>(1, 0, 100);
  REQUIRE(m.run() == RunResult::finished);
  for (unsigned n = 0; n < 8; ++n) CHECK(m.get<uint16_t>(10, n) == n);
  CHECK(m.get<int16_t>(11, 6) == 7);
  CHECK(m.get<int16_t>(11, 7) == -1);
  const std::array<int32_t, 4> sums{101, 104, 107, 99};
  for (unsigned n = 0; n < 4; ++n) {
    CHECK(m.get<uint32_t>(12, n) == 4 * n);
    CHECK(m.get<int32_t>(13, n) == sums[n]);
  }
}

TEST_CASE("eu alu: moves and conversions") {
  CHECK(one<int32_t>(Opcode::mov, D, F, -3.7f) == -3);
  CHECK(one<int32_t>(Opcode::mov, D, F, 3e9f) == std::numeric_limits<int32_t>::max());
  CHECK(one<int32_t>(Opcode::mov, D, F, NAN) == 0);
  CHECK(one<uint32_t>(Opcode::mov, UD, F, -1.0f) == 0);
  CHECK(one<float>(Opcode::mov, F, UD, 0xffffffffu) == 4294967296.0f);
  CHECK(one<float>(Opcode::mov, F, D, -5) == -5.0f);
  CHECK(one<int16_t>(Opcode::mov, W, D, 0x12345) == 0x2345);
  CHECK(one<int32_t>(Opcode::mov, D, B, static_cast<int8_t>(-2)) == -2);
  CHECK(one<uint32_t>(Opcode::mov, UD, UB, static_cast<uint8_t>(254)) == 254);
  CHECK(one<double>(Opcode::mov, DF, F, 0.5f) == 0.5);
  CHECK(one<float>(Opcode::mov, F, DF, 0.1) == 0.1f);
  CHECK(one<uint16_t>(Opcode::mov, HF, F, 1.5f) == 0x3e00);
  CHECK(one<uint16_t>(Opcode::mov, HF, F, 65520.0f) == 0x7c00);
  CHECK(one<float>(Opcode::mov, F, HF, static_cast<uint16_t>(0xc000)) == -2.0f);
  CHECK(one<int64_t>(Opcode::mov, Q, D, -7) == -7);
  CHECK(one<uint64_t>(Opcode::mov, UQ, UD, 0xfffffff0u) == 0xfffffff0u);
  CHECK(one<int8_t>(Opcode::mov, B, D, 300, 0, 0, [](Instruction& i) { i.saturate = true; }) == 127);
  CHECK(one<float>(Opcode::mov, F, F, 1.5f, 0.f, 0.f, [](Instruction& i) { i.saturate = true; }) == 1.0f);
  // A raw move keeps a signalling NaN and a denormal.
  CHECK(one<uint32_t>(Opcode::mov, F, F, 0x7f800001u) == 0x7f800001u);
  CHECK(one<uint32_t>(Opcode::mov, F, F, 0x00000001u) == 1u);
}

TEST_CASE("eu alu: integer arithmetic") {
  CHECK(u(Opcode::add, 0xffffffff, 2) == 1);
  CHECK(s(Opcode::add, 5, -9) == -4);
  CHECK(one<uint32_t, uint32_t>(Opcode::add, UD, UD, 0xffffffff, 2, 0, [](Instruction& i) { i.saturate = true; }) == 0xffffffff);
  CHECK(one<uint32_t, uint32_t>(Opcode::add, UD, UD, 3, 5, 0, [](Instruction& i) { i.src[1].negate = i.saturate = true; }) == 0);
  CHECK(one<int32_t, int32_t>(Opcode::add, D, D, INT32_MAX, 1, 0, [](Instruction& i) { i.saturate = true; }) == INT32_MAX);
  CHECK(one<uint64_t, uint64_t>(Opcode::add, UQ, UQ, 0xffffffff, 1) == 0x100000000);
  CHECK(s(Opcode::mul, -3, 7) == -21);
  CHECK(u(Opcode::mul, 0x10001, 0x10001) == 0x20001);
  CHECK(one<int64_t, int32_t>(Opcode::mul, Q, D, INT32_MIN, INT32_MIN) == int64_t{1} << 62);
  CHECK(one<int32_t, int16_t>(Opcode::mul, D, W, static_cast<int16_t>(-300), static_cast<int16_t>(300)) == -90000);
  CHECK(u(Opcode::avg, 0xffffffff, 0xfffffffe) == 0xffffffff);
  CHECK(s(Opcode::avg, -3, 0) == -1);
}

TEST_CASE("eu alu: bits") {
  CHECK(u(Opcode::and_, 0xf0f0, 0xff00) == 0xf000);
  CHECK(u(Opcode::or_, 0xf0f0, 0x0f00) == 0xfff0);
  CHECK(u(Opcode::xor_, 0xf0f0, 0xff00) == 0x0ff0);
  CHECK(u(Opcode::not_, 0xf0f0) == 0xffff0f0f);
  CHECK(one<uint32_t, uint32_t>(Opcode::and_, UD, UD, 0xff, 0x0f, 0, [](Instruction& i) { i.src[1].negate = true; }) == 0xf0);
  CHECK(u(Opcode::shl, 1, 33) == 2);
  CHECK(u(Opcode::shr, 0x80000000, 31) == 1);
  CHECK(s(Opcode::asr, -8, 2) == -2);
  CHECK(s(Opcode::shr, -8, 1) == 0x7ffffffc);
  // The sign of a qword is shifted in once.
  CHECK(one<int64_t, int64_t>(Opcode::shr, Q, Q, -8, 1) == -4);
  CHECK(one<int64_t, int64_t>(Opcode::shr, Q, Q, -8, 2) == INT64_MAX - 1);
  CHECK(one<uint64_t, uint64_t>(Opcode::shr, UQ, UQ, uint64_t{1} << 63, 1) == uint64_t{1} << 62);
  CHECK(one<uint64_t, uint64_t>(Opcode::shl, UQ, UQ, 1, 40) == uint64_t{1} << 40);
  CHECK(u(Opcode::bfrev, 0x80000001) == 0x80000001);
  CHECK(u(Opcode::bfrev, 0x00000006) == 0x60000000);
  CHECK(u(Opcode::lzd, 0) == 32);
  CHECK(u(Opcode::lzd, 0x00010000) == 15);
  CHECK(u(Opcode::fbh, 0x00010000) == 15);
  CHECK(s(Opcode::fbh, -1) == -1);
  CHECK(s(Opcode::fbh, -2) == 31);
  CHECK(u(Opcode::fbl, 0x00010000) == 16);
  CHECK(u(Opcode::fbl, 0) == 0xffffffff);
  // IGC looks for the first channel of a mask so.
  CHECK(one<uint32_t, uint16_t>(Opcode::fbl, UD, UW, 0x4000) == 14);
  CHECK(one<uint32_t, uint16_t>(Opcode::fbl, UD, UW, 0) == 0xffffffff);
  CHECK(s(Opcode::fbl, -8) == 3);
  CHECK(one<int16_t, int16_t>(Opcode::fbl, W, W, 0x4000) == 14);
  CHECK(one<int16_t, int16_t>(Opcode::fbl, W, W, 0) == -1);
  CHECK(one<int32_t, int8_t>(Opcode::fbl, D, B, int8_t{-128}) == 7);
  // Words are extended to dwords.
  CHECK(one<int32_t, int16_t>(Opcode::fbh, D, W, int16_t{-2}) == 31);
  CHECK(one<uint16_t, uint16_t>(Opcode::fbh, UW, UW, uint16_t{1}) == 31);
  CHECK(one<int16_t, int16_t>(Opcode::cbit, W, W, int16_t{-1}) == 16);
  CHECK(one<int32_t, int32_t>(Opcode::cbit, D, D, -1) == 32);
  CHECK(u(Opcode::cbit, 0xf00f) == 8);
  CHECK(u(Opcode::bfi1, 4, 8) == 0xf00);
  CHECK(u(Opcode::bfi2, 0xf00, 0xabc, 0x123) == 0xc23);
  CHECK(u(Opcode::bfi2, 0x7ff00000, 0x3ff, 0x80012345) == 0xbff12345);
  CHECK(u(Opcode::bfi2, 0, 0xabc, 0x123) == 0x123);
  CHECK(u(Opcode::bfe, 4, 8, 0xabcd) == 0xb);
  CHECK(s(Opcode::bfe, 4, 8, 0xabcd) == -5);
  CHECK(u(Opcode::bfe, 0, 8, 0xabcd) == 0);
}

TEST_CASE("eu alu: floats") {
  CHECK(f(Opcode::add, 1.5f, 2.25f) == 3.75f);
  CHECK(f(Opcode::mul, -3.0f, 0.5f) == -1.5f);
  CHECK(f(Opcode::mad, 1.0f, 2.0f, 3.0f) == 7.0f);
  // Fused: 2^-24 survives beside 1.
  CHECK(f(Opcode::mad, -1.0f, 1.0f + 0x1p-12f, 1.0f + 0x1p-12f) == 0x1p-11f + 0x1p-24f);
  CHECK(f(Opcode::lrp, 0.25f, 8.0f, 4.0f) == 5.0f);
  CHECK(f(Opcode::lrp, 0.5f, 0x1p-125f, 0x1p-126f) == 0x1p-126f);  // the second product is a denormal
  CHECK(f(Opcode::frc, -1.25f) == 0.75f);
  CHECK(f(Opcode::frc, -1e-9f) < 1.0f);
  CHECK(f(Opcode::rndd, -1.5f) == -2.0f);
  CHECK(f(Opcode::rndu, -1.5f) == -1.0f);
  CHECK(f(Opcode::rndz, -1.5f) == -1.0f);
  CHECK(f(Opcode::rnde, 2.5f) == 2.0f);
  CHECK(f(Opcode::rnde, 3.5f) == 4.0f);
  CHECK(one<double, double>(Opcode::mad, DF, DF, 0.1, 0.2, 0.3) == std::fma(0.2, 0.3, 0.1));
  CHECK(one<uint16_t, uint16_t>(Opcode::add, HF, HF, 0x3c00, 0x1000) == 0x3c00);  // 1 + 2^-11: to even
  CHECK(one<uint32_t, float>(Opcode::add, F, F, INFINITY, -INFINITY) == 0x7fc00000);
}

TEST_CASE("eu alu: minimum and maximum prefer the number, comparisons respect NaN") {
  const auto with = [](CondMod cond) {
    return cond == CondMod::l ? [](Instruction& i) { i.cond_mod = 5; } : [](Instruction& i) { i.cond_mod = 4; };
  };
  CHECK(one<float>(Opcode::sel, F, F, 1.0f, 2.0f, 0.f, with(CondMod::l)) == 1.0f);
  CHECK(one<float>(Opcode::sel, F, F, 1.0f, 2.0f, 0.f, with(CondMod::ge)) == 2.0f);
  CHECK(one<float>(Opcode::sel, F, F, NAN, 2.0f, 0.f, with(CondMod::l)) == 2.0f);
  CHECK(one<float>(Opcode::sel, F, F, 1.0f, NAN, 0.f, with(CondMod::ge)) == 1.0f);
  // Zeros compare by their signs, in any order.
  constexpr uint32_t minus_zero = 0x8000'0000;
  for (const auto& [first, second] : {std::pair(0.0f, -0.0f), std::pair(-0.0f, 0.0f)}) {
    CHECK(one<uint32_t, float>(Opcode::sel, F, F, first, second, 0.f, with(CondMod::l)) == minus_zero);
    CHECK(one<uint32_t, float>(Opcode::sel, F, F, first, second, 0.f, with(CondMod::ge)) == 0);
  }
  CHECK(one<uint64_t, double>(Opcode::sel, DF, DF, -0.0, 0.0, 0., with(CondMod::ge)) == 0);
  CHECK(one<uint16_t, uint16_t>(Opcode::sel, HF, HF, 0, 0x8000, 0, with(CondMod::l)) == 0x8000);
  CHECK(one<int32_t>(Opcode::sel, D, D, -1, 1, 0, with(CondMod::l)) == -1);
  CHECK(one<uint32_t>(Opcode::sel, UD, UD, 0xffffffffu, 1u, 0u, with(CondMod::l)) == 1);
  const auto cmp = [](Opcode o, uint8_t cond, float a, float b) {
    Machine m;
    Instruction i = op(o, 1, scalar(10, F), scalar(1, F), scalar(2, F));
    i.cond_mod = cond;
    m.load({i}, 1);
    m.set(1, 0, a);
    m.set(2, 0, b);
    m.run();
    CHECK((m.thread.regs.flag[0] & 1) == (m.get<uint32_t>(10) & 1));
    return m.get<uint32_t>(10);
  };
  CHECK(cmp(Opcode::cmp, 5, 1, 2) == 0xffffffff);
  CHECK(cmp(Opcode::cmp, 3, 1, 2) == 0);
  CHECK(cmp(Opcode::cmp, 1, NAN, NAN) == 0);
  CHECK(cmp(Opcode::cmp, 2, NAN, NAN) == 0xffffffff);
  CHECK(cmp(Opcode::cmp, 4, 1, NAN) == 0);
  CHECK(cmp(Opcode::cmpn, 4, 1, NAN) == 0xffffffff);
  CHECK(cmp(Opcode::cmpn, 4, NAN, 1) == 0);
  CHECK(one<float>(Opcode::csel, F, F, 1.f, 2.f, -3.f, [](Instruction& i) { i.cond_mod = 5; }) == 1.f);
  CHECK(one<float>(Opcode::csel, F, F, 1.f, 2.f, 3.f, [](Instruction& i) { i.cond_mod = 5; }) == 2.f);
}

TEST_CASE("eu alu: Gen11 and Gen12 multiply dwords by mul and mach without AccWrEn, as IGC emits them") {
  const Isa* const isa = GENERATE(&gen11_isa(), &gen12_isa());
  for (const auto& [a, b] : {std::pair<int32_t, int32_t>{3, 4}, {123456789, -987654321}, {-5, -7}, {INT32_MIN, INT32_MIN}, {-1, 65536}}) {
    Machine m(*isa);
    m.load({op(Opcode::mul, 8, arf(Arf::accumulator, D), grf(1, D), grf(2, UW, 0, 16, 8, 2)),
            op(Opcode::mach, 8, grf(3, D), grf(1, D), grf(2, D))});
    for (unsigned n = 0; n < 8; n++) m.set(1, n, a), m.set(2, n, b);
    REQUIRE(m.run() == RunResult::finished);
    const auto product = static_cast<int32_t>(static_cast<uint32_t>(a) * static_cast<uint32_t>(b));
    CHECK(m.get<int32_t>(3, 5) == product);
    // What mul left there: a times the lower word.
    CHECK(m.thread.regs.acc[0][5] == static_cast<uint32_t>(int64_t{a} * (b & 0xffff)));
  }
}

TEST_CASE("eu alu: the high half of a 32x32 product by mul and mach, as Mesa emits them") {
  for (const auto& [a, b] :
       {std::pair<int32_t, int32_t>{123456789, -987654321}, {-5, -7}, {INT32_MIN, INT32_MIN}, {INT32_MAX, 2}, {-1, 1}}) {
    Machine m;
    Operand low = grf(2, UW, 0, 16, 8, 2);
    Operand acc = arf(Arf::accumulator, D);
    m.load({op(Opcode::mul, 8, acc, grf(1, D), low), [] {
              Instruction i = op(Opcode::mach, 8, grf(3, D), grf(1, D), grf(2, D));
              i.acc_write = true;
              return i;
            }()});
    for (unsigned n = 0; n < 8; n++) m.set(1, n, a), m.set(2, n, b);
    REQUIRE(m.run() == RunResult::finished);
    CHECK(m.get<int32_t>(3, 5) == static_cast<int32_t>((int64_t{a} * b) >> 32));
    CHECK(m.thread.regs.acc[0][5] == static_cast<uint32_t>(a) * static_cast<uint32_t>(b));
    const auto ua = static_cast<uint32_t>(a), ub = static_cast<uint32_t>(b);
    Machine v;
    v.load({op(Opcode::mul, 8, arf(Arf::accumulator, UD), grf(1, UD), low), op(Opcode::mach, 8, grf(3, UD), grf(1, UD), grf(2, UD))});
    for (unsigned n = 0; n < 8; n++) v.set(1, n, ua), v.set(2, n, ub);
    v.run();
    CHECK(v.get<uint32_t>(3, 2) == static_cast<uint32_t>((uint64_t{ua} * ub) >> 32));
  }
}

TEST_CASE("eu alu: each channel reads its own accumulator, whatever the region") {
  Machine m;
  Operand scalar = arf(Arf::accumulator, D);
  scalar.vstride = scalar.width = scalar.hstride = 0;
  scalar.negate = true;
  Instruction difference = op(Opcode::add, 8, grf(3, D), scalar, grf(2, D));
  difference.saturate = true;
  m.load({op(Opcode::mov, 8, arf(Arf::accumulator, D), grf(1, D)), difference});
  for (int n = 0; n < 8; n++)
    m.set<int32_t>(1, static_cast<unsigned>(n), n ? n : INT32_MIN), m.set<int32_t>(2, static_cast<unsigned>(n), 10 * n);
  REQUIRE(m.run() == RunResult::finished);
  CHECK(m.get<int32_t>(3, 0) == INT32_MAX);
  for (unsigned n = 1; n < 8; n++) CHECK(m.get<int32_t>(3, n) == static_cast<int32_t>(9 * n));
}

TEST_CASE("eu alu: a right shift of the accumulator in words has all bits of the sum, and its sign") {
  // A colour conversion of iHD's composition kernels: samples of 16 bits times factors of 7 binary places.
  const struct {
    uint16_t a, b;
    int16_t factor_a, factor_b;
    uint16_t result;
  } rows[] = {
      {0xe000, 0x8000, 149, -111, 0x95c0}, {0xffff, 0xffff, 149, 204, 0xffff}, {0x1000, 0xf000, 149, -111, 0}, {0x00ff, 0, 128, 0, 0xff}};
  for (const Opcode shift : {Opcode::shr, Opcode::asr})
    for (const auto& row : rows) {
      CAPTURE(row.a, row.b);
      Machine m;
      Operand sum = arf(Arf::accumulator, W);
      Instruction down = op(shift, 16, grf(5, UW), sum, grf(4, W, 0, 0, 1, 0));
      down.saturate = true;
      m.load(
          {op(Opcode::mul, 16, sum, grf(1, UW), grf(3, W, 0, 0, 1, 0)), op(Opcode::mac, 16, sum, grf(2, UW), grf(3, W, 1, 0, 1, 0)), down});
      for (unsigned n = 0; n < 16; n++) m.set<uint16_t>(1, n, row.a), m.set<uint16_t>(2, n, row.b);
      m.set<int16_t>(3, 0, row.factor_a), m.set<int16_t>(3, 1, row.factor_b), m.set<int16_t>(4, 0, 7);
      REQUIRE(m.run() == RunResult::finished);
      for (unsigned n : {0u, 3u, 7u}) CHECK(m.get<uint16_t>(5, n) == row.result);  // the machine has 8 channels
    }
}

TEST_CASE("eu alu: addc takes words, which are extended to dwords") {
  Machine m;
  m.load({op(Opcode::addc, 8, grf(3, UD), grf(1, UD), grf(2, W))});
  m.set<uint32_t>(1, 3, 0xfffffff0), m.set<int16_t>(2, 3, 0x20);
  m.set<uint32_t>(1, 4, 5), m.set<int16_t>(2, 4, -1);
  REQUIRE(m.run() == RunResult::finished);
  CHECK((m.get<uint32_t>(3, 3) == 0x10 && m.thread.regs.acc[0][3] == 1));
  CHECK((m.get<uint32_t>(3, 4) == 4 && m.thread.regs.acc[0][4] == 1));
}

TEST_CASE("eu alu: carries of words") {
  // The iHD media driver's scaling kernel: a comparison of words by subb, whose borrow is read from the accumulator.
  Machine m;
  Operand acc = grf(0, UW);
  acc.file = RegFile::arf, acc.reg = 0x20;
  Operand acc_signed = acc;
  acc_signed.type = W;
  Instruction narrow = op(Opcode::addc, 8, grf(7, UB), grf(8, UB), grf(9, B));
  m.load({op(Opcode::subb, 8, grf(3, W), grf(1, W), grf(2, W)), op(Opcode::mov, 8, grf(4, W), acc_signed),
          op(Opcode::addc, 8, grf(5, UW), grf(1, UW), grf(2, UW)), op(Opcode::mov, 8, grf(6, UW), acc), narrow,
          op(Opcode::mov, 8, grf(10, UW), acc)});
  const int16_t a[] = {5, 3, -1, 0, INT16_MIN}, b[] = {3, 5, 1, 0, INT16_MAX};
  for (unsigned n = 0; n < 5; n++) m.set<int16_t>(1, n, a[n]), m.set<int16_t>(2, n, b[n]);
  m.set<int16_t>(1, 7, 1), m.set<int16_t>(2, 7, 2);
  m.set<uint8_t>(8, 2, 200), m.set<int8_t>(9, 2, -1);
  REQUIRE(m.run() == RunResult::finished);
  for (unsigned n = 0; n < 5; n++) {
    const auto left = static_cast<uint16_t>(a[n]), right = static_cast<uint16_t>(b[n]);
    CHECK(m.get<int16_t>(3, n) == static_cast<int16_t>(a[n] - b[n]));
    CHECK(m.get<int16_t>(4, n) == (left < right));
    CHECK(m.get<uint16_t>(5, n) == static_cast<uint16_t>(a[n] + b[n]));
    CHECK(m.get<uint16_t>(6, n) == (left + right) >> 16);
  }
  CHECK((m.get<int16_t>(3, 7) == -1 && m.get<int16_t>(4, 7) == 1));
  CHECK((m.get<uint8_t>(7, 2) == 199 && m.get<uint16_t>(10, 2) == 1));
}

TEST_CASE("eu alu: carries, multiply-add, absolute differences") {
  Machine m;
  m.load({op(Opcode::addc, 8, grf(3, UD), grf(1, UD), grf(2, UD)),
          op(Opcode::mov, 8, grf(4, UD),
             [] {
               Operand o = grf(0, UD);
               o.file = RegFile::arf;
               o.reg = 0x20;
               return o;
             }()),
          op(Opcode::subb, 8, grf(5, UD), grf(2, UD), grf(1, UD)),
          op(Opcode::mov, 8, grf(6, UD),
             [] {
               Operand o = grf(0, UD);
               o.file = RegFile::arf;
               o.reg = 0x20;
               return o;
             }()),
          op(Opcode::sad2, 8, grf(7, W), grf(8, UB), grf(9, UB))});
  m.set<uint32_t>(1, 3, 0xfffffff0);
  m.set<uint32_t>(2, 3, 0x20);
  for (unsigned n = 0; n < 8; n++) m.set<uint8_t>(8, n, static_cast<uint8_t>(n * 10)), m.set<uint8_t>(9, n, 25);
  m.run();
  CHECK(m.get<uint32_t>(3, 3) == 0x10);
  CHECK(m.get<uint32_t>(4, 3) == 1);
  CHECK(m.get<uint32_t>(4, 0) == 0);
  CHECK(m.get<uint32_t>(5, 3) == 0x30);
  CHECK(m.get<uint32_t>(6, 3) == 1);
  CHECK(m.get<int16_t>(7, 0) == 25 + 15);
  CHECK(m.get<int16_t>(7, 2) == 5 + 5);
}

TEST_CASE("eu alu: dot products, lines and planes") {
  Machine m;
  auto dp = [](Opcode o, unsigned dst) {
    Instruction i = op(o, 8, grf(dst, F), grf(1, F), grf(2, F));
    i.access_mode = AccessMode::align16;
    i.src[0].vstride = i.src[1].vstride = 3;
    return i;
  };
  m.load({dp(Opcode::dp4, 10), dp(Opcode::dp3, 11), dp(Opcode::dp2, 12), dp(Opcode::dph, 13),
          op(Opcode::line, 8, grf(14, F), scalar(3, F), grf(4, F)), op(Opcode::pln, 8, grf(15, F), scalar(3, F), grf(4, F))});
  for (unsigned n = 0; n < 8; n++) {
    m.set<float>(1, n, static_cast<float>(n + 1));
    m.set<float>(2, n, 2.0f);
    m.set<float>(4, n, static_cast<float>(n));
    m.set<float>(5, n, 10.0f);
  }
  m.set<float>(3, 0, 3.0f), m.set<float>(3, 1, 0.5f), m.set<float>(3, 2, 99.0f), m.set<float>(3, 3, 7.0f);
  m.run();
  CHECK(m.get<float>(10, 3) == 20.0f);
  CHECK(m.get<float>(10, 4) == 52.0f);
  CHECK(m.get<float>(11, 0) == 12.0f);
  CHECK(m.get<float>(12, 0) == 6.0f);
  CHECK(m.get<float>(13, 0) == 14.0f);
  CHECK(m.get<float>(14, 5) == 22.0f);
  CHECK(m.get<float>(15, 5) == 27.0f);
}

TEST_CASE("eu alu: rounding and denormal modes of cr0") {
  const auto third = [](uint32_t mode) {
    Machine m;
    Instruction set = mov_imm(1, arf(Arf::control, UD), UD, mode);
    set.no_mask = true;
    m.load({set, op(Opcode::add, 8, grf(10, F), grf(1, F), grf(2, F)), op(Opcode::mul, 8, grf(11, F), grf(3, F), grf(4, F))});
    for (unsigned n = 0; n < 8; n++) m.set(1, n, 1.0f), m.set(2, n, 0x1p-30f), m.set(3, n, 0x1p-100f), m.set(4, n, 0x1p-40f);
    m.run();
    return std::pair(m.get<float>(10), m.get<float>(11));
  };
  CHECK(third(0).first == 1.0f);
  CHECK(third(1u << 4).first == std::nextafter(1.0f, 2.0f));
  CHECK(third(2u << 4).first == 1.0f);
  CHECK(third(0).second == 0.0f);
  CHECK(third(cr0::denorm_f32).second == 0x1p-140f);
  CHECK(std::fegetround() == FE_TONEAREST);
}

TEST_CASE("eu alu: half-float denormals are kept in writes and reads, unless cr0 flushes them") {
  const auto there_and_back = [](bool flush) {
    Machine m;
    Instruction mode = mov_imm(1, arf(Arf::control, UD), UD, flush ? 0 : cr0::denorm_f16);
    mode.no_mask = true;
    const auto hf = RegType::hf;
    std::vector<Instruction> code{op(Opcode::mov, 8, grf(10, hf), grf(1, F)), op(Opcode::mov, 8, grf(11, F), grf(10, hf))};
    if (flush) code.insert(code.begin(), mode);
    m.load(code);
    for (unsigned n = 0; n < 8; n++) m.set(1, n, 0x1p-20f);
    m.run();
    return m.get<float>(11, 3);
  };
  CHECK(there_and_back(false) == 0x1p-20f);
  CHECK(there_and_back(true) == 0.0f);
}

TEST_CASE("eu alu: ALT mode has no infinities") {
  Machine m;
  const std::vector<std::byte> code = assemble({[] {
                                                  Instruction i = op(Opcode::math, 8, grf(10, F), grf(1, F), null(F));
                                                  i.cond_mod = 1;
                                                  return i;
                                                }(),
                                                op(Opcode::mul, 8, grf(11, F), grf(1, F), grf(2, F)), end()});
  m.load(code);
  m.thread.regs.control[0] |= cr0::alt_mode;
  for (unsigned n = 0; n < 8; n++) m.set(1, n, 0.0f), m.set(2, n, INFINITY);
  m.run();
  CHECK(m.get<float>(10) == std::numeric_limits<float>::max());
  CHECK(m.get<float>(11) == 0.0f);
}

TEST_CASE("eu alu: regions, indirect addresses, masks") {
  Machine m;
  Operand vx = grf(0, UD, 0, 1, 1, 0);
  vx.indirect = true;
  vx.vstride = vstride_indirect;
  vx.addr_imm = 4;
  Instruction quarter = op(Opcode::mov, 8, grf(12, UD), scalar(1, UD, 1));
  quarter.qtr_control = 1;
  m.load({op(Opcode::mov, 8, grf(10, UD), grf(1, UD, 0, 8, 4, 2)), op(Opcode::mov, 8, grf(11, UD), vx), quarter}, 0x0fff);
  for (unsigned n = 0; n < 32; n++) m.set<uint32_t>(1 + n / 8, n % 8, 100 + n);
  for (unsigned n = 0; n < 8; n++) m.thread.regs.address[n] = static_cast<uint16_t>(32 + 4 * (7 - n));
  m.run();
  CHECK(m.get<uint32_t>(10, 1) == 102);
  CHECK(m.get<uint32_t>(10, 4) == 108);
  CHECK(m.get<uint32_t>(11, 0) == 108);
  CHECK(m.get<uint32_t>(11, 7) == 101);
  // Channels 8..11 run, 12..15 do not.
  CHECK(m.get<uint32_t>(12, 3) == 101);
  CHECK(m.get<uint32_t>(12, 4) == 0);
}

TEST_CASE("eu alu: predicate modes") {
  const auto run = [](uint8_t control, bool invert, uint32_t flags) {
    Machine m;
    Instruction i = mov_imm(8, grf(10, UD), UD, 1);
    i.pred_control = control;
    i.pred_invert = invert;
    const auto code = assemble({i, end()});
    m.load(code);
    m.thread.regs.flag[0] = flags;
    m.thread.regs.flag[1] = 0x0f;
    m.run();
    uint32_t mask = 0;
    for (unsigned n = 0; n < 8; n++) mask |= m.get<uint32_t>(10, n) << n;
    return mask;
  };
  CHECK(run(1, false, 0xa5) == 0xa5);
  CHECK(run(1, true, 0xa5) == 0x5a);
  CHECK(run(2, false, 0xa0) == 0xaf);
  CHECK(run(3, false, 0xa5) == 0x05);
  CHECK(run(4, false, 0x81) == 0xc3);
  CHECK(run(5, false, 0xc1) == 0xc0);
  CHECK(run(6, false, 0x10) == 0xf0);
  CHECK(run(7, false, 0x1f) == 0x0f);
  CHECK(run(8, false, 0x10) == 0xff);
  CHECK(run(9, false, 0x7f) == 0x00);
  CHECK(run(10, false, 0x8000) == 0xff);
  CHECK(run(11, true, 0xffff) == 0x00);
  CHECK(run(13, false, 0xffffffff) == 0xff);
}

TEST_CASE("eu alu: mach to floats is illegal") {
  quiet_log();
  for (const RegType type : {RegType::hf, RegType::f, RegType::df}) {
    Machine m;
    m.load(assemble({op(Opcode::mach, 4, grf(20, type), grf(10, RegType::d), grf(12, RegType::d)), end()}));
    CHECK(m.run() == RunResult::failed);
    CHECK(m.thread.failure == std::string("illegal instruction"));
  }
}

TEST_CASE("eu alu: an illegal opcode ends the thread and is counted") {
  quiet_log();
  clear_failure_counts();
  Machine m;
  Instruction i;
  i.opcode = reserved_opcode(0x7f);
  m.load(assemble({i, end()}));
  CHECK(m.run() == RunResult::failed);
  CHECK(m.thread.failure == std::string("illegal instruction"));
  CHECK(failure_count(Failure::guest_error, "EU illegal instruction") == 1);
}

TEST_CASE("eu alu: illegal opcodes between parts of a kernel have no effect, but a kernel does not go on behind many of them") {
  quiet_log();
  Instruction padding;
  const auto run = [&](size_t count) {
    std::vector<Instruction> kernel(count, padding);
    kernel.push_back(end());
    Machine m;
    m.load(assemble(kernel));
    return m.run();
  };
  CHECK(run(8) == RunResult::finished);
  CHECK(run(KernelWalker::max_padding) == RunResult::failed);
}
