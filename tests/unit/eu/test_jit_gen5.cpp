// SPDX-License-Identifier: GPL-2.0-or-later
// Compiled kernels of Ironlake: what stays with the interpreter, and what has native code.
#include <string_view>

#include "hw/base/log.h"
#include "hw/eu/isa/gen5/isa.h"
#include "hw/eu/jit/engine.h"
#include "tests/catch.h"
#include "tests/unit/eu/gen5_program.h"
#include "tests/unit/eu/trace.h"

using namespace softgen;
using namespace softgen::eu;
using namespace softgen::eu::test;

namespace {

constexpr auto F = RegType::f;
constexpr auto UD = RegType::ud;
constexpr auto UW = RegType::uw;

bool none_here() {
  if (jit::best_host_isa() != jit::HostIsa::none) return false;
  note("test", "no compiler here");
  return true;
}

Instruction last_write(unsigned first, uint32_t descriptor) { return message(16, null(UW), first, grf(0, UW), 5, descriptor, true); }

/// Ops of `code` that the interpreter executes for the compiled kernel.
uint64_t stepped(const std::vector<Instruction>& code) {
  fuzz::JitExecutor executor(jit::HostIsa::host);
  Machine m(gen5_isa());
  m.load(assemble(code, gen5_isa()), 0xffff);
  CHECK(executor(m.thread, m.env, m.target) == RunResult::finished);
  CHECK(executor.refused() == 0);
  return executor.stepped();
}

}  // namespace

TEST_CASE("eu jit gen5: a place that mask stacks of different depths reach stays with the interpreter") {
  if (none_here()) return;
  // The if jumps behind the endif, and leaves its entry.
  const std::vector<Instruction> code = {flow(Opcode::if_, 8, 4, 0, 1), flow(Opcode::endif, 8, 0, 1),
                                         without_mask(mov_imm(8, grf(3, UD), UD, 1)), end(gen5_isa())};
  const auto program = Program::decode(gen5_isa(), assemble(code, gen5_isa()));
  const jit::ObjectFile object = jit::compile(*program, {.keep_registers = true}, jit::HostIsa::host);
  REQUIRE(object.refused);
  CHECK(std::string_view(object.refused) == "a place in it is reached with mask stacks of different depths");
  const auto engine = make_compiler({.engine = eu::Engine::jit, .may_be_in_process = false});
  Machine m(gen5_isa());
  m.fast_paths = engine.get();
  m.load(code);
  CHECK(eu::run(m.thread, m.env, m.target) == RunResult::finished);
  CHECK(m.get<uint32_t>(3, 0) == 1);
  CHECK(engine->stats().interpreted_threads == 1);
  CHECK(engine->stats().compiled_threads == 0);
}

TEST_CASE("eu jit gen5: messages, extended math, planes, dot products and roundings have native code") {
  if (none_here()) return;
  Operand vector = grf(20, F, 0, 4, 4, 1);
  vector.swizzle = 0xe4;
  Instruction dot = op(Opcode::dp4, 8, grf(30, F), vector, vector);
  dot.access_mode = AccessMode::align16;
  CHECK(stepped({compressed(op(Opcode::pln, 16, grf(10, F), scalar(4, F), grf(2, F))),
                 compressed(message(16, grf(12, F), 2, grf(10, F), 1, math_descriptor(1, 1, 1))),
                 compressed(op(Opcode::mov, 16, message_register(2, F), grf(12, F))),
                 with_condition(op(Opcode::rnde, 8, grf(14, F), grf(12, F)), CondMod::r), dot, last_write(1, 0x0a084000)}) == 0);
  // A difference by line and mac, whose accumulator the program reads.
  CHECK(stepped({op(Opcode::line, 8, null(F), scalar(4, F), grf(2, F)), op(Opcode::mac, 8, grf(12, F), scalar(4, F, 1), grf(3, F)),
                 last_write(1, 0x0a084000)}) == 0);
  // Division of integers is the interpreter's.
  CHECK(stepped({message(8, grf(12, UD), 2, grf(10, UD), 1, math_descriptor(12, 2, 1)), last_write(1, 0x0a084000)}) == 1);
}

TEST_CASE("eu jit gen5: no kernel sees what another thread left in the message registers") {
  if (none_here()) return;
  const std::vector<Instruction> kernels[] = {
      {last_write(1, 0x0a084000)},
      {compressed(op(Opcode::mov, 16, message_register(2, F), grf(2, F))), last_write(1, 0x06084000)},
      {predicated(op(Opcode::mov, 8, message_register(3, F), grf(2, F))), predicated(message(16, null(UW), 2, grf(0, UW), 5, 0x04084000)),
       last_write(2, 0x08084000)},
      {flow(Opcode::if_, 8, 4, 0, 1), message(8, null(UW), 4, grf(2, UD), 5, 0x02084000), flow(Opcode::endif, 8, 0, 1),
       last_write(1, 0x0a084000)}};
  unsigned number = 0;
  for (const auto& kernel : kernels) {
    const auto code = assemble(kernel, gen5_isa());
    for (const uint32_t mask : {0xffffu, 0xffu, 0x5a00u}) {
      INFO("kernel " << number << " mask " << mask);
      CHECK(trace(code, mask, mask + 7, Runner::engine, 3, 1, gen5_isa()) ==
            trace(code, mask, mask + 7, Runner::interpreter, 3, 2, gen5_isa()));
    }
    number++;
  }
}
