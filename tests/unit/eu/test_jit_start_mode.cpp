// SPDX-License-Identifier: GPL-2.0-or-later
// Kernels that turn denormals on at their start are compiled, as IGC's are all.
#include <random>

#include "hw/eu/jit/compile.h"
#include "hw/eu/jit/start_mode.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"
#include "tests/unit/eu/trace.h"

using namespace softgen;
using namespace softgen::eu;
using namespace softgen::eu::test;

namespace {

constexpr RegType F = RegType::f, UD = RegType::ud, UW = RegType::uw;
constexpr uint32_t keeps_all = 0x4c0;  // IGC's

Instruction write_mode(uint32_t bits) {
  Instruction i = op_imm(Opcode::or_, 1, arf(Arf::control, UD), arf(Arf::control, UD), UW, bits);
  i.no_mask = true;
  return i;
}

/// Arithmetic on registers of which a quarter hold denormals, whose results a message shows.
std::vector<Instruction> arithmetic(uint32_t seed) {
  std::mt19937 random(seed);
  const auto reg = [&] { return grf(110 + 2 * (random() % 8), F); };
  std::vector<Instruction> code;
  for (unsigned n = 0; n < 12; n++) {
    const Operand to = reg(), a = reg(), b = reg();
    switch (random() % 4) {
      case 0: code.push_back(op(Opcode::mul, 16, to, a, b)); break;
      case 1: code.push_back(op_imm(Opcode::mul, 16, to, a, F, 0x00400000)); break;
      case 2: code.push_back(op(Opcode::mov, 16, to, a)), code.back().saturate = true; break;
      default: code.push_back(op(Opcode::add, 16, to, a, b)); break;
    }
  }
  code.push_back(op(Opcode::mov, 8, grf(127, UD), grf(110 + 2 * (random() % 8), UD)));
  code.push_back(end());
  return code;
}

std::vector<std::byte> kernel(std::vector<Instruction> start, uint32_t seed) {
  const auto rest = arithmetic(seed);
  start.insert(start.end(), rest.begin(), rest.end());
  return assemble(start);
}

const char* refused(const std::vector<Instruction>& start) {
  quiet_log();
  return jit::compile(*Program::decode(gen9_isa(), kernel(start, 1)), {}, jit::HostIsa::avx2).refused;
}

}  // namespace

TEST_CASE("eu jit: kernels that turn denormals on at their start give the interpreter's results") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  const Instruction copy = op(Opcode::mov, 8, grf(100, UD), grf(0, UD));
  unsigned kept = 0;
  for (uint32_t seed = 1; seed <= 40; seed++)
    for (const auto runner : {Runner::engine, Runner::executor}) {
      INFO("seed " << seed);
      const auto code = kernel({copy, write_mode(keeps_all)}, seed);
      const Trace expected = trace(code, 0xffff, seed, Runner::interpreter);
      CHECK(trace(code, 0xffff, seed, runner) == expected);
      kept += expected != trace(kernel({copy}, seed), 0xffff, seed, Runner::interpreter);
    }
  CHECK(kept > 10);
}

TEST_CASE("eu jit: a series of threads keeps the denormals that its kernel turns on") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  const SeriesLayout layout{.constants = 110, .attributes = 112, .end = 127};
  for (uint32_t seed = 1; seed <= 20; seed++) {
    INFO("seed " << seed);
    const auto code = kernel({write_mode(keeps_all)}, seed);
    CHECK(trace_series(code, 0xffff, seed, layout, {}, &compiler_now()) == trace_series(code, 0xffff, seed, layout));
  }
}

TEST_CASE("eu jit: other writes of the mode stay with the interpreter") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  const Instruction turn_on = write_mode(keeps_all);
  CHECK(refused({turn_on}) == nullptr);
  CHECK(refused({op(Opcode::mov, 8, grf(100, UD), grf(0, UD)), turn_on}) == nullptr);
  CHECK(refused({turn_on, turn_on}) != nullptr);
  CHECK(refused({write_mode(keeps_all | 0x10)}) != nullptr);  // rounding up
  CHECK(refused({write_mode(keeps_all | 1)}) != nullptr);     // ALT mode
  CHECK(refused({op(Opcode::add, 8, grf(100, F), grf(2, F), grf(3, F)), turn_on}) != nullptr);
  CHECK(refused({op(Opcode::mov, 1, grf(100, UD), arf(Arf::control, UD)), turn_on}) != nullptr);
  Instruction other = turn_on;
  other.opcode = Opcode::and_;
  CHECK(refused({other}) != nullptr);
  other = turn_on;
  other.pred_control = 1;
  CHECK(refused({other}) != nullptr);
  other = turn_on;
  other.no_mask = false;
  CHECK(refused({other}) != nullptr);
}
