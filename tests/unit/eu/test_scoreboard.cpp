// SPDX-License-Identifier: GPL-2.0-or-later
// The checker of Gen12's software scoreboard: what it reports of short kernels, and that it is silent about captured ones.
#include "hw/eu/interp/scoreboard_check.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"
#include "tests/unit/eu/data.h"
#include "tests/unit/eu/harness.h"

using namespace softgen;
using namespace softgen::eu;
using namespace softgen::eu::test;

namespace {

constexpr RegType D = RegType::d, UD = RegType::ud;
constexpr uint8_t set = 0x40, wait_written = 0x20, wait_read = 0x30;

Instruction with(Instruction i, unsigned swsb) {
  i.swsb = static_cast<uint8_t>(swsb);
  return i;
}
/// g(to) = g(from) + 1
Instruction add(unsigned to, unsigned from, unsigned swsb = 0) {
  return with(op_imm(Opcode::add, 8, grf(to, D), grf(from, D), D, 1), swsb);
}
/// Two registers from g(from) on are sent, one is answered in g(to).
Instruction ask(unsigned to, unsigned from, unsigned swsb) {
  Instruction i = end(gen12_isa());
  i.end_of_thread = false;
  i.cond_mod = 12;
  i.dst = dst_of(grf(to, UD));
  i.src[0] = grf(from, UD);
  i.descriptor = 2u << 25 | 1u << 20 | 1u << 14;
  return with(i, swsb);
}
Instruction sync(SyncFunction function, unsigned swsb = 0) {
  Instruction i = op(Opcode::sync, 1, null(), null());
  i.cond_mod = static_cast<uint8_t>(function);
  return with(i, swsb);
}

/// Reports about a thread of `code`.
uint64_t reports(const std::vector<Instruction>& code) {
  quiet_log();
  Machine m(gen12_isa());
  m.load(code);
  ScoreboardCheck check;
  check.restart();
  CHECK(interpret_watched(m.thread, m.env, m.target, check) == RunResult::finished);
  return check.reports();
}

}  // namespace

TEST_CASE("eu scoreboard: an in-order result needs a RegDist, or ten instructions between") {
  CHECK(reports({add(2, 1), add(3, 2)}) == 1);
  CHECK(reports({add(2, 1), add(3, 2, 1)}) == 0);
  CHECK(reports({add(2, 1), add(4, 1), add(3, 2, 1)}) == 0);
  CHECK(reports({add(2, 1), add(4, 1), add(3, 4, 2)}) == 1);
  CHECK(reports({add(2, 1), sync(SyncFunction::nop, 1), add(3, 2)}) == 0);
  CHECK(reports({add(2, 1), add(2, 1), add(1, 5)}) == 0);
  std::vector<Instruction> apart = {add(2, 1)};
  for (unsigned n = 0; n < 9; n++) apart.push_back(add(10 + n, 1));
  apart.push_back(add(3, 2));
  CHECK(reports(apart) == 1);
  apart.insert(apart.begin() + 1, add(20, 1));
  CHECK(reports(apart) == 0);
}

TEST_CASE("eu scoreboard: a jump that is taken waits for the in-order instructions before it") {
  Instruction jump = op(Opcode::jmpi, 1, arf(Arf::ip, D), arf(Arf::ip, D), imm(D));
  jump.imm = 32;
  jump.jip = 32;
  jump.jumps_from_start = true;
  jump.no_mask = true;
  Instruction not_taken = jump;
  not_taken.pred_control = 1;
  CHECK(reports({add(2, 1), jump, add(4, 1), add(3, 2)}) == 0);
  CHECK(reports({add(2, 1), not_taken, add(4, 1), add(3, 2)}) == 1);
  CHECK(reports({ask(5, 10, set | 3), jump, add(4, 1), add(6, 5)}) == 1);
}

TEST_CASE("eu scoreboard: parts of a register are tracked apart") {
  const Instruction low = op_imm(Opcode::add, 4, grf(2, D, 0, 4, 4, 1), grf(1, D, 0, 4, 4, 1), D, 1);
  const Instruction high = op_imm(Opcode::add, 4, grf(3, D, 0, 4, 4, 1), grf(2, D, 4, 4, 4, 1), D, 1);
  CHECK(reports({low, high}) == 0);
  const Instruction both = op_imm(Opcode::add, 8, grf(3, D), grf(2, D), D, 1);
  CHECK(reports({low, both}) == 1);
}

TEST_CASE("eu scoreboard: a message's answer needs a wait for its token") {
  CHECK(reports({ask(5, 10, set | 3), add(6, 5)}) == 1);
  CHECK(reports({ask(5, 10, set | 3), add(6, 5, wait_written | 4)}) == 1);
  CHECK(reports({ask(5, 10, set | 3), add(6, 5, wait_read | 3)}) == 1);
  CHECK(reports({ask(5, 10, set | 3), add(6, 5, wait_written | 3)}) == 0);
  CHECK(reports({ask(5, 10, set | 3), add(7, 1, 0x80 | 1u << 4 | 3), add(6, 5)}) == 0);
  CHECK(reports({ask(5, 10, set | 3), sync(SyncFunction::allwr), add(6, 5)}) == 0);
  CHECK(reports({ask(5, 10, set | 3), sync(SyncFunction::allrd), add(6, 5)}) == 1);
  CHECK(reports({ask(5, 10, set | 3), add(5, 1)}) == 1);
  CHECK(reports({ask(5, 10, 0), add(6, 5)}) == 1);
}

TEST_CASE("eu scoreboard: a message's payload stays until its token says that it was read") {
  CHECK(reports({ask(5, 10, set | 3), add(11, 1)}) == 1);
  CHECK(reports({ask(5, 10, set | 3), add(11, 1, wait_read | 3)}) == 0);
  CHECK(reports({ask(5, 10, set | 3), sync(SyncFunction::allrd), add(11, 1)}) == 0);
  CHECK(reports({ask(5, 10, set | 3), add(12, 1)}) == 0);
}

TEST_CASE("eu scoreboard: a message waits for its payload and for who uses the registers of its answer") {
  CHECK(reports({add(10, 1), ask(5, 10, set)}) == 1);
  CHECK(reports({add(10, 1), ask(5, 10, 0x80 | 1u << 4)}) == 0);
  CHECK(reports({add(2, 5), ask(5, 10, set)}) == 1);
  CHECK(reports({add(2, 5), ask(5, 10, 0x80 | 1u << 4)}) == 0);
  CHECK(reports({add(5, 1), ask(5, 10, set)}) == 1);
  CHECK(reports({ask(10, 20, set | 1), ask(5, 10, set | 2)}) == 1);
  CHECK(reports({ask(10, 20, set | 1), sync(SyncFunction::nop, wait_written | 1), ask(5, 10, set | 2)}) == 0);
}

TEST_CASE("eu scoreboard: a shared function reads the payloads of its messages in their order") {
  const Instruction first = ask(5, 10, set | 1), second = ask(10, 20, set | 2);
  CHECK(reports({first, second}) == 0);
  Instruction elsewhere = second;
  elsewhere.cond_mod = 10;
  CHECK(reports({first, elsewhere}) == 1);
  Instruction other_channels = second;
  other_channels.no_mask = !first.no_mask;
  CHECK(reports({first, other_channels}) == 1);
  CHECK(reports({first, add(10, 1)}) == 1);
}

TEST_CASE("eu scoreboard: a token that is set again waits for its former message") {
  CHECK(reports({ask(5, 10, set | 1), ask(6, 10, set | 1), add(7, 5)}) == 0);
  CHECK(reports({ask(5, 10, set | 1), ask(6, 10, set | 1), add(7, 6)}) == 1);
}

TEST_CASE("eu scoreboard: math is out of order") {
  Instruction root = op(Opcode::math, 8, grf(5, RegType::f), grf(1, RegType::f), null(RegType::f));
  root.cond_mod = static_cast<uint8_t>(MathFunction::sqrt);
  CHECK(reports({with(root, set | 2), add(6, 5, 1)}) == 1);
  CHECK(reports({with(root, set | 2), add(6, 5, wait_written | 2)}) == 0);
}

TEST_CASE("eu scoreboard: Mesa's kernels wait for all that they use") {
  quiet_log();
  unsigned kernels = 0;
  for (const auto& [isa, name, code] : captured_kernels()) {
    if (!isa.limits().software_scoreboard) continue;
    INFO(name);
    Machine m(isa);
    m.load(code, 0xffff);
    for (unsigned r = 0; r < 128; r++)
      for (unsigned n = 0; n < 8; n++) m.set<uint32_t>(r, n, (r * 8 + n) * 0x01010101u);
    m.target.answer = [&](const Message& message, ThreadEnv&) {
      for (Grf& g : message.response) g = Grf{};
      m.thread.notify();
      return SendResult::done;
    };
    ScoreboardCheck check;
    check.restart();
    CHECK(interpret_watched(m.thread, m.env, m.target, check) == RunResult::finished);
    CHECK(check.reports() == 0);
    kernels++;
  }
  CHECK(kernels > 40);
}
