// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's instructions run: message registers, math messages, compression, what is Ironlake's own among the ALU's operations.
#include <array>
#include <cmath>
#include <vector>

#include "tests/catch.h"
#include "tests/unit/eu/gen5_program.h"

using namespace softgen;
using namespace softgen::eu;
using namespace softgen::eu::test;

namespace {

constexpr auto F = RegType::f;
constexpr auto D = RegType::d;
constexpr auto UD = RegType::ud;
constexpr auto UW = RegType::uw;

struct Ironlake : Machine {
  Ironlake() : Machine(gen5_isa()) {}
  void run_all(const std::vector<Instruction>& code, uint32_t mask = 0xff) {
    load(code, mask);
    REQUIRE(run() == RunResult::finished);
  }
};

/// What a message brings along.
std::vector<Grf> payload_of(Ironlake& m, const std::vector<Instruction>& code, uint32_t mask = 0xff) {
  std::vector<Grf> payload;
  m.target.answer = [&](const Message& message, ThreadEnv&) {
    if (message.op.sfid == Sfid::dp_render) payload.assign(message.payload.begin(), message.payload.end());
    return SendResult::done;
  };
  m.run_all(code, mask);
  return payload;
}

}  // namespace

TEST_CASE("gen5 run: a message is made in the message registers, and src0 joins as the first") {
  Ironlake m;
  for (unsigned n = 0; n < 8; n++) m.set<uint32_t>(0, n, 100 + n), m.set<float>(4, n, 0.5f * static_cast<float>(n));
  // As Mesa's render target writes: g0 as words of eight channels is the whole register.
  Operand header = grf(0, UW);
  const auto payload =
      payload_of(m, {op(Opcode::mov, 8, message_register(2, F), grf(4, F)),
                     op(Opcode::add, 8, message_register(3, F), grf(4, F), grf(4, F)), message(8, null(UW), 1, header, 5, 0x06084400)});
  REQUIRE(payload.size() == 3);
  for (unsigned n = 0; n < 8; n++) {
    CHECK(payload[0].dw[n] == 100 + n);
    CHECK(std::bit_cast<float>(payload[1].dw[n]) == 0.5f * static_cast<float>(n));
    CHECK(std::bit_cast<float>(payload[2].dw[n]) == 1.0f * static_cast<float>(n));
  }
}

TEST_CASE("gen5 run: the halves of a compressed move go to registers that follow, or four apart") {
  for (const bool apart : {false, true}) {
    Ironlake m;
    for (unsigned n = 0; n < 16; n++) m.set<uint32_t>(10 + n / 8, n % 8, 1000 + n);
    Instruction move = compressed(op(Opcode::mov, 16, message_register(2, UD), grf(10, UD)));
    move.interleaved_halves = apart;
    const auto payload = payload_of(m, {move, message(16, null(UW), 2, null(), 5, 0x0c004000)}, 0xffff);
    REQUIRE(payload.size() == 6);
    for (unsigned n = 0; n < 8; n++) {
      CHECK(payload[0].dw[n] == 1000 + n);
      CHECK(payload[apart ? 4 : 1].dw[n] == 1008 + n);
    }
  }
}

TEST_CASE("gen5 run: nothing beyond m15 is written, and no message reaches there") {
  Ironlake m;
  for (unsigned n = 0; n < 16; n++) m.set<uint32_t>(10 + n / 8, n % 8, 7);
  m.run_all(
      {compressed(op(Opcode::mov, 16, message_register(15, UD), grf(10, UD))), op(Opcode::mov, 8, message_register(100, UD), grf(10, UD))},
      0xffff);
  CHECK(m.thread.regs.at(143)->dw[7] == 7);
  for (const uint32_t dw : m.thread.regs.acc[0]) CHECK(dw == 0);
  Ironlake long_message;
  long_message.load({message(8, null(UW), 15, null(), 5, 0x04084400)});
  CHECK(long_message.run() == RunResult::failed);
}

TEST_CASE("gen5 run: threads do not see each other's message registers") {
  Ironlake m;
  m.set<uint32_t>(3, 0, 77);
  m.run_all({op(Opcode::mov, 8, message_register(5, UD), grf(3, UD))});
  const auto payload = payload_of(m, {message(8, null(UW), 5, null(), 5, 0x02004400)});
  REQUIRE(payload.size() == 1);
  CHECK(payload[0].dw[0] == 0);
}

TEST_CASE("gen5 run: extended math of eight and of sixteen channels") {
  Ironlake m;
  for (unsigned n = 0; n < 16; n++) m.set<float>(10 + n / 8, n % 8, 1.0f + static_cast<float>(n));
  const uint32_t inverse = math_descriptor(1, 1, 1), root = math_descriptor(4, 1, 1);
  m.run_all({message(8, grf(20, F), 2, grf(10, F), 1, root), compressed(message(16, grf(22, F), 2, grf(10, F), 1, inverse))}, 0xffff);
  for (unsigned n = 0; n < 8; n++) CHECK(m.get<float>(20, n) == std::sqrt(1.0f + static_cast<float>(n)));
  for (unsigned n = 0; n < 16; n++) CHECK(m.get<float>(22 + n / 8, n % 8) == 1.0f / (1.0f + static_cast<float>(n)));
}

TEST_CASE("gen5 run: extended math takes scalars, source modifiers, saturation and write masks") {
  Ironlake m;
  m.set<float>(10, 3, -0.25f);
  // rsq of |x| for all channels, as Mesa's scalar form; then a saturated one.
  m.run_all({message(8, grf(20, F), 2, absolute(scalar(10, F, 3)), 1, math_descriptor(5, 1, 1, math_scalar)),
             message(8, grf(21, F), 2, absolute(scalar(10, F, 3)), 1, math_descriptor(1, 1, 1, math_saturate))});
  for (unsigned n = 0; n < 8; n++) {
    CHECK(m.get<float>(20, n) == 2.0f);
    CHECK(m.get<float>(21, n) == 1.0f);
  }
  // send(8) 1 g30<1>.yF g10<4>.xF, align16: sqrt of x of each vertex goes to y alone.
  Ironlake vec4;
  for (unsigned n = 0; n < 8; n++) vec4.set<float>(10, n, n ? 100.0f : 9.0f), vec4.set<float>(30, n, -1.0f);
  vec4.set<float>(10, 4, 16.0f);
  Operand x = grf(10, F, 0, 4, 4, 1), y = grf(30, F);
  x.swizzle = 0;
  y.writemask = 2;
  Instruction i = message(8, y, 1, x, 1, math_descriptor(4, 1, 1));
  i.access_mode = AccessMode::align16;
  vec4.run_all({i});
  const float expected[8] = {-1, 3, -1, -1, -1, 4, -1, -1};
  for (unsigned n = 0; n < 8; n++) CHECK(vec4.get<float>(30, n) == expected[n]);
}

// Mesa brw_vec4_visitor.cpp (emit_scratch_write): a write of some components is a send whose destination names them.
TEST_CASE("gen5 run: a message's channels are those of the destination's write mask, too") {
  Ironlake m;
  uint32_t channels = 0;
  m.target.answer = [&](const Message& message, ThreadEnv&) {
    if (message.op.sfid == Sfid::dp_render) channels = message.exec_mask;
    return SendResult::done;
  };
  Operand y = grf(0, F);
  y.writemask = 2;
  Instruction i = message(8, y, 13, grf(0, F, 0, 4, 4, 1), 5, 0x061890ff);
  i.access_mode = AccessMode::align16;
  m.run_all({i}, 0x0f);
  CHECK(channels == 0x02);
  m.run_all({i});
  CHECK(channels == 0x22);
}

TEST_CASE("gen5 run: powers and integer division have a second operand in the next register") {
  Ironlake m;
  constexpr int32_t numerators[8] = {7, -7, 100, -100, 1 << 30, 5, 0, -1};
  constexpr int32_t denominators[8] = {2, 2, -7, 7, 3, 9, 4, -1};
  for (unsigned n = 0; n < 8; n++) {
    m.set<float>(10, n, 2.0f), m.set<float>(11, n, static_cast<float>(n));
    m.set<int32_t>(12, n, numerators[n]), m.set<int32_t>(13, n, denominators[n]);
  }
  // The denominator comes first (Mesa's generate_math2_gfx4).
  m.run_all({op(Opcode::mov, 8, message_register(3, F), grf(11, F)), message(8, grf(20, F), 2, grf(10, F), 1, math_descriptor(10, 2, 1)),
             op(Opcode::mov, 8, message_register(3, D), grf(12, D)),
             message(8, grf(21, D), 2, grf(13, D), 1, math_descriptor(11, 2, 2, math_signed)),
             message(8, grf(23, D), 2, grf(13, D), 1, math_descriptor(13, 2, 1, math_signed)),
             message(8, grf(24, UD), 2, grf(13, UD), 1, math_descriptor(12, 2, 1))});
  for (unsigned n = 0; n < 8; n++) {
    INFO(n);
    CHECK(m.get<float>(20, n) == std::ldexp(1.0f, static_cast<int>(n)));
    CHECK(m.get<int32_t>(21, n) == numerators[n] / denominators[n]);
    CHECK(m.get<int32_t>(22, n) == numerators[n] % denominators[n]);
    CHECK(m.get<int32_t>(23, n) == numerators[n] % denominators[n]);
    CHECK(m.get<uint32_t>(24, n) == static_cast<uint32_t>(numerators[n]) / static_cast<uint32_t>(denominators[n]));
  }
}

TEST_CASE("gen5 run: sine and cosine come in one answer; channels that are off keep theirs") {
  Ironlake m;
  for (unsigned n = 0; n < 8; n++) m.set<float>(10, n, 0.3f * static_cast<float>(n)), m.set<float>(20, n, 9.0f), m.set<float>(21, n, 9.0f);
  m.run_all({message(8, grf(20, F), 2, grf(10, F), 1, math_descriptor(8, 1, 2))}, 0x7f);
  for (unsigned n = 0; n < 7; n++) {
    CHECK(std::abs(m.get<float>(20, n) - std::sin(0.3f * static_cast<float>(n))) < 1e-6f);
    CHECK(std::abs(m.get<float>(21, n) - std::cos(0.3f * static_cast<float>(n))) < 1e-6f);
  }
  CHECK(m.get<float>(20, 7) == 9.0f);
  CHECK(m.get<float>(21, 7) == 9.0f);
}

TEST_CASE("gen5 run: a product of dwords takes mul and mach, which share src0's words") {
  Ironlake m;
  constexpr int32_t a[8] = {1, -1, 123456789, -123456789, 0x7fffffff, -0x7fffffff - 1, 65536, 70000};
  constexpr int32_t b[8] = {5, 7, 987654321, 55, 0x7fffffff, 3, -65536, 70000};
  for (unsigned n = 0; n < 8; n++) m.set<int32_t>(2, n, a[n]), m.set<int32_t>(3, n, b[n]);
  // As Mesa's vec4 code does it: the product's low dword stays in the accumulator, mach gives the high one.
  m.run_all({op(Opcode::mul, 8, arf(Arf::accumulator, D), grf(2, D), grf(3, D)), op(Opcode::mach, 8, grf(5, D), grf(2, D), grf(3, D)),
             op(Opcode::mov, 8, grf(6, D), grf(0, D))});
  Ironlake low;
  low.thread.regs = m.thread.regs;
  for (unsigned n = 0; n < 8; n++) low.set<int32_t>(2, n, a[n]), low.set<int32_t>(3, n, b[n]);
  Operand acc = arf(Arf::accumulator, D);
  acc.vstride = 4, acc.width = 3, acc.hstride = 1;
  low.run_all({op(Opcode::mul, 8, arf(Arf::accumulator, D), grf(2, D), grf(3, D)), op(Opcode::mach, 8, null(D), grf(2, D), grf(3, D)),
               op(Opcode::mov, 8, grf(6, D), acc), op(Opcode::mul, 8, grf(7, D), grf(2, D), grf(3, D))});
  for (unsigned n = 0; n < 8; n++) {
    INFO(n);
    const int64_t product = int64_t{a[n]} * b[n];
    CHECK(m.get<int32_t>(5, n) == static_cast<int32_t>(product >> 32));
    CHECK(low.get<int32_t>(6, n) == static_cast<int32_t>(product));
    // By itself mul has src0's low word alone.
    CHECK(low.get<int32_t>(7, n) == static_cast<int32_t>(static_cast<uint32_t>(a[n] & 0xffff) * static_cast<uint32_t>(b[n])));
  }
}

TEST_CASE("gen5 run: arithmetic leaves its result in the accumulator, where mac finds it") {
  Ironlake m;
  // Interpolation without pln: x * dx + c of line, and mac with y * dy (Mesa's generate_linterp).
  const float plane[4] = {2.0f, 3.0f, 0.0f, 100.0f};
  for (unsigned n = 0; n < 4; n++) m.set<float>(6, n, plane[n]);
  for (unsigned n = 0; n < 8; n++) m.set<float>(2, n, static_cast<float>(n)), m.set<float>(3, n, 10.0f * static_cast<float>(n));
  m.run_all({op(Opcode::line, 8, null(F), scalar(6, F), grf(2, F)), op(Opcode::mac, 8, grf(8, F), scalar(6, F, 1), grf(3, F)),
             op(Opcode::mul, 8, null(F), grf(2, F), scalar(6, F, 1)), op(Opcode::mac, 8, grf(9, F), grf(3, F), scalar(6, F))});
  for (unsigned n = 0; n < 8; n++) {
    const auto x = static_cast<float>(n);
    CHECK(m.get<float>(8, n) == 2.0f * x + 100.0f + 30.0f * x);
    CHECK(m.get<float>(9, n) == 3.0f * x + 20.0f * x);
  }
}

TEST_CASE("gen5 run: the upper half of a pair has its own accumulator, flags and mask") {
  Ironlake m;
  for (unsigned n = 0; n < 16; n++)
    m.set<float>(2 + n / 8, n % 8, static_cast<float>(n)), m.set<uint32_t>(10, n % 8, 5), m.set<uint32_t>(11, n % 8, 5);
  m.run_all({with_condition(op_imm(Opcode::cmp, 8, null(F), grf(2, F), F, std::bit_cast<uint32_t>(3.0f)), CondMod::g),
             second_half(with_condition(op_imm(Opcode::cmp, 8, null(F), grf(3, F), F, std::bit_cast<uint32_t>(12.0f)), CondMod::l)),
             predicated(compressed(mov_imm(16, grf(10, UD), UD, 9)))},
            0xfff7);
  // Channel 3 is off; so it stays as it was in flags and registers.
  CHECK(m.thread.regs.flag[0] == (0x00f0u | 0x0f00u));
  for (unsigned n = 0; n < 16; n++) CHECK(m.get<uint32_t>(10 + n / 8, n % 8) == ((n >= 4 && n < 12) ? 9u : 5u));
}

TEST_CASE("gen5 run: rounding is down, and a flag says where 1 is missing") {
  const float values[8] = {1.5f, -1.5f, 2.5f, -0.25f, 3.0f, -2.0f, 0.75f, -7.75f};
  const auto increments = [](float value, Opcode opcode) {
    const float whole = opcode == Opcode::rndz ? std::trunc(value) : opcode == Opcode::rnde ? std::nearbyint(value) : std::ceil(value);
    return whole;
  };
  for (const Opcode opcode : {Opcode::rndz, Opcode::rnde, Opcode::rndu}) {
    Ironlake m;
    for (unsigned n = 0; n < 8; n++) m.set<float>(2, n, values[n]);
    // Mesa's rounding: the predicated add completes it.
    m.run_all({with_condition(op(opcode, 8, grf(4, F), grf(2, F)), CondMod::r), op(Opcode::mov, 8, grf(5, F), grf(4, F)),
               predicated(op_imm(Opcode::add, 8, grf(4, F), grf(4, F), F, std::bit_cast<uint32_t>(1.0f)))});
    for (unsigned n = 0; n < 8; n++) {
      CHECK(m.get<float>(5, n) == std::floor(values[n]));
      CHECK(m.get<float>(4, n) == increments(values[n], opcode));
    }
  }
}

TEST_CASE("gen5 run: anyv and allv take both halves of the flag register") {
  for (const bool all : {false, true}) {
    Ironlake m;
    m.load({predicated(mov_imm(8, grf(10, UD), UD, 1), all ? 3 : 2)});
    m.thread.regs.flag[0] = 0x0c | 0x0a << 16;
    REQUIRE(m.run() == RunResult::finished);
    for (unsigned n = 0; n < 8; n++) CHECK(m.get<uint32_t>(10, n) == ((all ? 0x08u : 0x0eu) >> n & 1));
  }
}

TEST_CASE("gen5 run: integers and floats may stand together") {
  // The pixel's distance from the start: add(16) F UW -F, compressed (Mesa's emit_interpolation_setup_gfx4).
  Ironlake m;
  for (unsigned n = 0; n < 16; n++) m.set<uint16_t>(4, n, static_cast<uint16_t>(100 + n));
  m.set<float>(1, 0, 90.5f);
  m.run_all({compressed(op(Opcode::add, 16, grf(6, F), grf(4, UW, 0, 8, 8, 1), negated(scalar(1, F))))}, 0xffff);
  for (unsigned n = 0; n < 16; n++) CHECK(m.get<float>(6 + n / 8, n % 8) == 9.5f + static_cast<float>(n));
}

TEST_CASE("gen5 run: logic operations take the negative of a source, and its magnitude") {
  Ironlake m;
  for (unsigned n = 0; n < 8; n++) m.set<int32_t>(2, n, static_cast<int32_t>(n) - 4);
  Operand magnitude = grf(2, D);
  magnitude.abs = true;
  // Mesa inverts a flag that is 0 or 1 so: not -g2.
  const std::vector<Instruction> code{op(Opcode::not_, 8, grf(4, D), negated(grf(2, D))),
                                      op_imm(Opcode::and_, 8, grf(5, D), negated(grf(2, D)), D, 6),
                                      op(Opcode::or_, 8, grf(6, D), grf(2, D), magnitude)};
  for (const Instruction& i : code) CHECK(gen5_isa().validate(i).empty());
  m.run_all(code);
  for (unsigned n = 0; n < 8; n++) {
    const int value = static_cast<int>(n) - 4;
    CHECK(m.get<int32_t>(4, n) == ~-value);
    CHECK(m.get<int32_t>(5, n) == (-value & 6));
    CHECK(m.get<int32_t>(6, n) == (value | std::abs(value)));
  }
}

TEST_CASE("gen5 run: shr of signed values fills with the sign, of others with zeros") {
  Ironlake m;
  for (unsigned n = 0; n < 8; n++) m.set<int32_t>(2, n, (static_cast<int32_t>(n) - 4) * 0x1234567);
  for (unsigned n = 0; n < 8; n++) m.set<int16_t>(3, n, static_cast<int16_t>((static_cast<int>(n) - 4) * 1001));
  const std::vector<Instruction> code{op_imm(Opcode::shr, 8, grf(4, D), grf(2, D), RegType::ud, 20),
                                      op_imm(Opcode::shr, 8, grf(5, RegType::ud), grf(2, RegType::ud), RegType::ud, 20),
                                      op_imm(Opcode::shr, 8, grf(6, RegType::w), grf(3, RegType::w), RegType::ud, 3)};
  m.run_all(code);
  for (unsigned n = 0; n < 8; n++) {
    const int32_t value = (static_cast<int32_t>(n) - 4) * 0x1234567;
    CHECK(m.get<int32_t>(4, n) == value >> 20);
    CHECK(m.get<uint32_t>(5, n) == static_cast<uint32_t>(value) >> 20);
    CHECK(m.get<int16_t>(6, n) == (static_cast<int>(n) - 4) * 1001 >> 3);
  }
}
