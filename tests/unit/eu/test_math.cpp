// SPDX-License-Identifier: GPL-2.0-or-later
// The math opcode, and sequences that compilers build of it.
#include <bit>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "hw/eu/interp/float_math.h"
#include "hw/eu/interp/math_lanes.h"
#include "tests/unit/eu/alu.h"

using namespace softgen;
using namespace softgen::eu;
using namespace softgen::eu::test;

namespace {

float math(MathFunction function, float a, float b = 0) {
  Machine m;
  Instruction i = op(Opcode::math, 8, grf(10, F), scalar(1, F), scalar(2, F));
  i.cond_mod = static_cast<uint8_t>(function);
  m.load({i});
  m.set(1, 0, a);
  m.set(2, 0, b);
  REQUIRE(m.run() == RunResult::finished);
  return m.get<float>(10, 7);
}
bool near(float value, double exact, int ulps) {
  const auto rounded = static_cast<float>(exact);
  return std::abs(static_cast<double>(value) - exact) <=
         ulps * std::abs(static_cast<double>(std::nextafter(rounded, INFINITY)) - static_cast<double>(rounded));
}

}  // namespace

TEST_CASE("eu math: extended math") {
  CHECK(math(MathFunction::inv, 4.0f) == 0.25f);
  CHECK(math(MathFunction::inv, 0.0f) == INFINITY);
  CHECK(math(MathFunction::sqrt, 2.0f) == std::sqrt(2.0f));
  CHECK(math(MathFunction::rsq, 0.25f) == 2.0f);
  CHECK(math(MathFunction::log, 8.0f) == 3.0f);
  CHECK(math(MathFunction::log, 0.0f) == -INFINITY);
  CHECK(math(MathFunction::exp, -3.0f) == 0.125f);
  CHECK(math(MathFunction::exp, 128.0f) == INFINITY);
  CHECK(math(MathFunction::fdiv, 1.0f, 3.0f) == 1.0f / 3.0f);
  CHECK(math(MathFunction::pow, -2.0f, 3.0f) == 8.0f);
  CHECK(math(MathFunction::sin, 0.0f) == 0.0f);
  CHECK(math(MathFunction::cos, 0.0f) == 1.0f);
  for (int n = -2000; n < 2000; n += 4000 / static_cast<int>(rounds(4000))) {
    const float x = static_cast<float>(n) * 0.173f;
    INFO(x);
    CHECK(near(math(MathFunction::sin, x), std::sin(static_cast<double>(x)), 1));
    CHECK(near(math(MathFunction::cos, x), std::cos(static_cast<double>(x)), 1));
    if (std::abs(x) < 120) CHECK(near(math(MathFunction::exp, x), std::exp2(static_cast<double>(x)), 1));
    if (x > 0) CHECK(near(math(MathFunction::log, x), std::log2(static_cast<double>(x)), 1));
    if (x > 0) CHECK(near(math(MathFunction::pow, x, 1.7f), std::pow(static_cast<double>(x), static_cast<double>(1.7f)), 1));
    if (x > 0) CHECK(near(math_rsq(x), 1 / std::sqrt(static_cast<double>(x)), 1));
  }
}

TEST_CASE("eu math: extended math has the same bits in all builds, also for special values") {
  constexpr uint32_t seed = 7;
  INFO("seed " << seed);
  std::mt19937 random(seed);
  const auto all = all_transcendentals();
  const Transcendentals& plain = *all.tables[0];
  std::vector<std::pair<MathLane, MathLane>> functions;
  for (size_t i = 1; i < all.count; ++i)
    for (const auto function :
         {&Transcendentals::log, &Transcendentals::exp, &Transcendentals::sin, &Transcendentals::cos, &Transcendentals::pow})
      functions.emplace_back(all.tables[i]->*function, plain.*function);
  for (unsigned round = 0; round < 20000; round++) {
    alignas(32) float a[8], b[8], r[8], expected[8];
    for (unsigned n = 0; n < 8; n++) {
      a[n] = std::bit_cast<float>(static_cast<uint32_t>(random()));
      b[n] = round % 2 ? static_cast<float>(random() % 512) / 16 - 16 : std::bit_cast<float>(static_cast<uint32_t>(random()));
    }
    for (const auto& [one, other] : functions) {
      one(r, a, b);
      other(expected, a, b);
      for (unsigned n = 0; n < 8; n++)
        REQUIRE((std::bit_cast<uint32_t>(r[n]) == std::bit_cast<uint32_t>(expected[n]) || (std::isnan(r[n]) && std::isnan(expected[n]))));
    }
  }
  const float inf = INFINITY, none = NAN;
  CHECK(std::isnan(math(MathFunction::log, -1.0f)));
  CHECK(std::isnan(math(MathFunction::log, none)));
  CHECK(math(MathFunction::log, inf) == inf);
  CHECK(math(MathFunction::exp, -inf) == 0);
  CHECK(math(MathFunction::exp, inf) == inf);
  CHECK(std::isnan(math(MathFunction::exp, none)));
  CHECK(std::isnan(math(MathFunction::sin, inf)));
  CHECK(std::signbit(math(MathFunction::sin, -0.0f)));
  CHECK(near(math(MathFunction::cos, 3e7f), std::cos(3e7), 1));
  CHECK(math(MathFunction::pow, 0.0f, 0.0f) == 1);
  CHECK(math(MathFunction::pow, none, 0.0f) == 1);
  CHECK(math(MathFunction::pow, 1.0f, inf) == 1);
  CHECK(math(MathFunction::pow, 0.0f, -2.0f) == inf);
  CHECK(math(MathFunction::pow, 0.0f, 2.0f) == 0);
  CHECK(math(MathFunction::pow, inf, -2.0f) == 0);
  CHECK(math(MathFunction::pow, 0.5f, inf) == 0);
  CHECK(math(MathFunction::pow, 0.5f, -inf) == inf);
  CHECK(std::isnan(math(MathFunction::pow, 2.0f, none)));
  CHECK(math(MathFunction::pow, 10.0f, 60.0f) == inf);
}

TEST_CASE("eu math: integer division") {
  Machine m;
  Instruction both = op(Opcode::math, 8, grf(10, UD), grf(1, UD), grf(2, UD));
  both.cond_mod = 11;
  Instruction quotient = op(Opcode::math, 8, grf(12, D), grf(3, D), grf(4, D));
  quotient.cond_mod = 12;
  Instruction remainder = quotient;
  remainder.dst.reg = 13;
  remainder.cond_mod = 13;
  m.load({both, quotient, remainder});
  for (unsigned n = 0; n < 8; n++) {
    m.set<uint32_t>(1, n, 0xfffffff0), m.set<uint32_t>(2, n, n);
    m.set<int32_t>(3, n, -100), m.set<int32_t>(4, n, 7);
  }
  m.run();
  CHECK(m.get<uint32_t>(10, 3) == 0xfffffff0u / 3);
  CHECK(m.get<uint32_t>(11, 7) == 0xfffffff0u % 7);
  CHECK(m.get<uint32_t>(10, 0) == 0xffffffff);
  CHECK(m.get<int32_t>(12, 1) == -14);
  CHECK(m.get<int32_t>(13, 1) == -2);
}

// As IGA 1.0.12504 assembles IGC's sequence, with y0 in r10.mme0 to the last one in r17.
TEST_CASE("eu math: IEEE division in align1 gives the rounded quotient") {
  constexpr Native code[] = {
      {{0x2140'4b2a'0e60'0038, 0x0045'0048'4a45'0028}}, {{0x0b10'4008'0060'005d, 0x0280'8403'0620'3831}},
      {{0x0c20'4108'0060'005d, 0x0280'8405'0620'4831}}, {{0x0d30'4008'0060'005d, 0x0280'8418'4620'a031}},
      {{0x0e40'4108'0060'005d, 0x02c4'8405'0620'1831}}, {{0x0f50'4008'0060'005d, 0x034c'841c'8620'b131}},
      {{0x1060'4108'0060'005d, 0x03d4'8405'0620'1831}}, {{0x1180'4008'0060'005d, 0x034c'8420'c620'f531}},
  };
  std::vector<Instruction> decoded;
  for (const Native& bits : code) {
    decoded.push_back(gen11_isa().decode(bits));
    CHECK(gen11_isa().validate(decoded.back()) == "");
    CHECK(gen11_isa().encode(decoded.back()) == bits);
  }
  Machine m(gen11_isa());
  m.load(decoded);
  const float as[8] = {1, 10, -7, 1e30f, 3.14159f, 0x1.fffffep0f, 5e-20f, 0}, bs[8] = {3, 7, 11, 3e-8f, 2.71828f, 0x1.000002p0f, 7e10f, 5};
  for (unsigned n = 0; n < 8; n++) m.set(1, n, as[n]), m.set(2, n, bs[n]), m.set(3, n, 0.0f), m.set(4, n, 1.0f);
  REQUIRE(m.run() == RunResult::finished);
  for (unsigned n = 0; n < 7; n++) CHECK(m.get<float>(17, n) == as[n] / bs[n]);
  CHECK(m.thread.regs.flag[1] == 0x80);
  CHECK(m.get<float>(10, 7) == 0.0f);
}

TEST_CASE("eu math: NF accumulators keep what F would round, and are apart from other types") {
  // mad(8) acc0:nf = r3.0 + r2 * r4.0; mad(8) r10:f = acc0:nf + r5 * r4.0, as IGA assembles them.
  struct Code {
    const Isa& isa;
    Native first, second;
  };
  const Code codes[] = {
      {gen11_isa(), {{0x2000'c018'0060'005b, 0x0100'0404'0720'3001}}, {{0x0a00'4808'0060'005b, 0x0100'040a'0722'003b}}},
      {gen12_isa(), {{0x2000'02f0'8003'005b, 0x0404'0205'0a0a'0304}}, {{0x0a04'0fa8'8003'005b, 0x0404'0505'0a0a'2001}}},
  };
  const Instruction read_float = op(Opcode::mov, 8, grf(11, F), [] {
    Operand acc = grf(0, F);
    acc.file = RegFile::arf, acc.reg = 0x20;
    return acc;
  }());
  for (const Code& code : codes) {
    INFO(code.isa.name());
    Machine m(code.isa);
    m.load({code.isa.decode(code.first), code.isa.decode(code.second), read_float});
    for (unsigned n = 0; n < 8; n++) m.set(3, n, 1.0f), m.set(2, n, 0x1p-30f), m.set(4, n, 1.0f), m.set(5, n, -1.0f);
    REQUIRE(m.run() == RunResult::finished);
    for (unsigned n = 0; n < 8; n++) {
      CHECK(m.get<float>(10, n) == 0x1p-30f);  // by way of F: 0
      CHECK(m.get<float>(11, n) == 0.0f);
    }
  }
}

TEST_CASE("eu math: IEEE division and square root by invm, rsqtm and madm give the rounded quotient") {
  // The sequence of IGC (visa, IEEE macros): y0; q0 = a*y0; e = 1 - b*y0; y1 = y0 + e*y0; r = a - b*q0; q1 = q0 + r*y1; r1 = a - b*q1; q1 +
  // r1*y1.
  const auto special = [](Operand o, unsigned acc) {
    o.swizzle = static_cast<uint8_t>(acc);
    return o;
  };
  const auto madm = [&](unsigned dst, unsigned acc, Operand a, Operand b, Operand c) {
    Instruction i = op(Opcode::madm, 8, grf(dst, F), a, b, c);
    i.dst.writemask = static_cast<uint8_t>(acc);
    return i;
  };
  const unsigned none = 8;
  const Operand a = special(grf(1, F), none), b = special(grf(2, F), none), zero = special(grf(3, F), none), one = special(grf(4, F), none);
  const auto r = [&](unsigned reg, unsigned acc) { return special(grf(reg, F), acc); };
  Instruction invm = op(Opcode::math, 8, grf(10, F), a, b);
  invm.access_mode = AccessMode::align16;
  invm.cond_mod = 14;
  invm.dst.writemask = 0;
  invm.flag_reg = 1;
  Machine m;
  m.load({invm, madm(11, 1, zero, a, r(10, 0)), madm(12, 2, one, negated(b), r(10, 0)), madm(13, 3, r(10, 0), r(12, 2), r(10, 0)),
          madm(14, 4, a, negated(b), r(11, 1)), madm(15, 5, r(11, 1), r(14, 4), r(13, 3)), madm(16, 6, a, negated(b), r(15, 5)),
          madm(17, none, r(15, 5), r(16, 6), r(13, 3))});
  const float as[8] = {1, 10, -7, 1e30f, 3.14159f, 0x1.fffffep0f, 5e-20f, 0}, bs[8] = {3, 7, 11, 3e-8f, 2.71828f, 0x1.000002p0f, 7e10f, 5};
  for (unsigned n = 0; n < 8; n++) m.set(1, n, as[n]), m.set(2, n, bs[n]), m.set(4, n, 1.0f);
  REQUIRE(m.run() == RunResult::finished);
  for (unsigned n = 0; n < 7; n++) CHECK(m.get<float>(17, n) == as[n] / bs[n]);
  // 0 / 5 is known at once: flagged, and the first result stands.
  CHECK(m.thread.regs.flag[1] == 0x80);
  CHECK(m.get<float>(10, 7) == 0.0f);
}
