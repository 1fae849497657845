// SPDX-License-Identifier: GPL-2.0-or-later
// What runs differently on Gen12: jumps from the instruction itself, sync, messages of two payloads, dp4a.
#include "tests/catch.h"
#include "tests/unit/eu/harness.h"

using namespace softgen;
using namespace softgen::eu;
using namespace softgen::eu::test;

namespace {

constexpr RegType D = RegType::d, UD = RegType::ud;

Instruction sync(SyncFunction function) {
  Instruction i = op(Opcode::sync, 1, null(), null());
  i.cond_mod = static_cast<uint8_t>(function);
  i.no_mask = true;
  return i;
}

/// g10 = op(g1.0, g2.0, g3.0) on one channel, with these types.
uint32_t ternary(Opcode opcode, const std::array<RegType, 4>& types, const std::array<uint32_t, 3>& in,
                 void (*change)(Instruction&) = nullptr) {
  Machine m(gen12_isa());
  Instruction i = op(opcode, 1, scalar(10, types[0]), scalar(1, types[1]), scalar(2, types[2]), scalar(3, types[3]));
  i.access_mode = AccessMode::align1;
  if (change) change(i);
  m.load({i}, 1);
  for (unsigned n = 0; n < 3; n++) m.set(n + 1, 0, in[n]);
  REQUIRE(m.run() == RunResult::finished);
  return m.get<uint32_t>(10);
}

}  // namespace

TEST_CASE("eu gen12: jmpi counts from itself, by immediate and by register") {
  Machine m(gen12_isa());
  Instruction jump = op(Opcode::jmpi, 1, null(), null(), imm(D));
  jump.no_mask = true;
  jump.jip = 32;
  Instruction by_register = jump;
  by_register.src[1] = scalar(5, D);
  m.load({jump, mov_imm(8, grf(2, D), D, 1), by_register, mov_imm(8, grf(3, D), D, 1), mov_imm(8, grf(4, D), D, 1)});
  m.set<int32_t>(5, 0, 32);
  REQUIRE(m.run() == RunResult::finished);
  CHECK(m.get<int32_t>(2) == 0);
  CHECK(m.get<int32_t>(3) == 0);
  CHECK(m.get<int32_t>(4) == 1);
}

TEST_CASE("eu gen12: jmpi as Mesa writes it has ip in src0 and the distance in src1") {
  Machine m(gen12_isa());
  Instruction jump = op(Opcode::jmpi, 1, arf(Arf::ip, D), arf(Arf::ip, D), imm(D));
  jump.no_mask = true;
  jump.imm = 32;
  CHECK(gen12_isa().encode(jump).get(47, 46) == 2);
  Instruction by_register = jump;
  by_register.src[1] = scalar(5, D);
  m.load({jump, mov_imm(8, grf(2, D), D, 1), by_register, mov_imm(8, grf(3, D), D, 1), mov_imm(8, grf(4, D), D, 1)});
  m.set<int32_t>(5, 0, 32);
  REQUIRE(m.run() == RunResult::finished);
  CHECK(m.get<int32_t>(2) == 0);
  CHECK(m.get<int32_t>(3) == 0);
  CHECK(m.get<int32_t>(4) == 1);
}

TEST_CASE("eu gen12: a kernel's end is beyond the furthest jump") {
  Instruction jump = op(Opcode::jmpi, 1, null(), null(), imm(D));
  jump.jip = 32;
  jump.pred_control = 1;
  const auto code = assemble({jump, end(gen12_isa()), mov_imm(8, grf(3, D), D, 1), end(gen12_isa())}, gen12_isa());
  CHECK(Program::decode(gen12_isa(), code)->lines().size() == 5);
}

TEST_CASE("eu gen12: call and ret") {
  Machine m(gen12_isa());
  Instruction call = branch(Opcode::call, 1, 3);
  call.dst = scalar(20, UD);
  call.no_mask = true;
  Instruction ret = op(Opcode::ret, 1, null(), scalar(20, UD));
  ret.no_mask = true;
  const Instruction last = end(gen12_isa());
  m.load(
      assemble({call, op_imm(Opcode::add, 8, grf(2, D), grf(2, D), D, 1), last, op_imm(Opcode::add, 8, grf(2, D), grf(2, D), D, 50), ret},
               gen12_isa()),
      0xff, 0x4000);
  REQUIRE(m.run() == RunResult::finished);
  CHECK(m.get<int32_t>(2) == 51);
  CHECK(m.get<uint32_t>(20) == 0x4000 + 16);
}

TEST_CASE("eu gen12: sync.bar waits for the barrier's notification, sync.host for the host's, others for nothing") {
  Machine m(gen12_isa());
  m.load({sync(SyncFunction::nop), sync(SyncFunction::allrd), mov_imm(8, grf(2, D), D, 1), sync(SyncFunction::bar),
          mov_imm(8, grf(3, D), D, 2), sync(SyncFunction::allwr), sync(SyncFunction::host), mov_imm(8, grf(4, D), D, 3)});
  CHECK(m.run() == RunResult::blocked);
  CHECK(m.get<int32_t>(2) == 1);
  CHECK(m.get<int32_t>(3) == 0);
  m.thread.notify();
  CHECK(m.run() == RunResult::blocked);
  CHECK(m.get<int32_t>(3) == 2);
  CHECK(m.thread.regs.notification[0] == 0);
  m.thread.notify();
  CHECK(m.run() == RunResult::blocked);
  m.thread.regs.notification[1] = 1;
  CHECK(m.run() == RunResult::finished);
  CHECK(m.get<int32_t>(4) == 3);
}

TEST_CASE("eu gen12: a message has two payloads, and descriptors of the instruction or of a0") {
  Machine m(gen12_isa());
  Instruction first = end(gen12_isa());
  first.end_of_thread = false;
  first.cond_mod = 12;
  first.src[0] = grf(10, UD);
  first.src[1] = grf(20, UD);
  first.descriptor = 2u << 25 | 13u << 14;
  first.ex_descriptor = 3u << 6 | 0xabcd'0000;
  Instruction second = first;
  second.descriptor_in_register = second.ex_descriptor_in_register = true;
  second.descriptor = second.ex_descriptor = 0;
  second.ex_descriptor_subreg = 2;
  m.load({first, second});
  for (unsigned r = 10; r < 24; r++) m.set<uint32_t>(r, 0, r);
  m.thread.regs.address[0] = 5, m.thread.regs.address[1] = 1u << 9;  // descriptor: one register
  m.thread.regs.address[4] = 2u << 6, m.thread.regs.address[5] = 0x7777;
  std::vector<std::array<uint32_t, 5>> seen;
  m.target.answer = [&](const Message& message, ThreadEnv&) {
    if (message.end_of_thread) return SendResult::done;
    REQUIRE(!message.payload2.empty());
    seen.push_back({static_cast<uint32_t>(message.payload.size()), static_cast<uint32_t>(message.payload2.size()), message.payload[0].dw[0],
                    message.payload2[0].dw[0], message.op.extended});
    return SendResult::done;
  };
  REQUIRE(m.run() == RunResult::finished);
  REQUIRE(seen.size() == 2);
  CHECK(seen[0] == std::array<uint32_t, 5>{2, 3, 10, 20, 0xabcd'0000 | 3u << 6 | 12});
  CHECK(seen[1] == std::array<uint32_t, 5>{1, 2, 10, 20, 0x7777'0000 | 2u << 6 | 12});
}

TEST_CASE("eu gen12: dp4a adds the products of four bytes, with or without sign") {
  const auto saturate = [](Instruction& i) { i.saturate = true; };
  CHECK(ternary(Opcode::dp4a, {D, D, D, D}, {1000, 0x01fe'0380, 0x0202'0202}) == 1000u + 2 * (1 - 2 + 3 - 128));
  CHECK(ternary(Opcode::dp4a, {UD, UD, UD, UD}, {1000, 0x01fe'0380, 0x0202'0202}) == 1000u + 2 * (1 + 254 + 3 + 128));
  CHECK(ternary(Opcode::dp4a, {D, D, D, UD}, {0, 0xff00'0000, 0xff00'0000}) == static_cast<uint32_t>(-255));
  CHECK(ternary(Opcode::dp4a, {D, D, UD, UD}, {0x7fff'ffff, 1, 1}) == 0x8000'0000);
  CHECK(ternary(Opcode::dp4a, {D, D, UD, UD}, {0x7fff'ffff, 1, 1}, saturate) == 0x7fff'ffff);
  CHECK(ternary(Opcode::dp4a, {UD, UD, UD, UD}, {0xffff'ffff, 1, 1}, saturate) == 0xffff'ffff);
}

TEST_CASE("eu gen12: csel chooses integers by the sign of the third") {
  const auto less = [](Instruction& i) { i.cond_mod = static_cast<uint8_t>(CondMod::l); };
  CHECK(ternary(Opcode::csel, {D, D, D, D}, {7, 9, static_cast<uint32_t>(-1)}, less) == 7);
  CHECK(ternary(Opcode::csel, {D, D, D, D}, {7, 9, 1}, less) == 9);
}
