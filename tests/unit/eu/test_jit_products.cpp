// SPDX-License-Identifier: GPL-2.0-or-later
// Products of dwords by mul and mach through the accumulator: compiled to one multiplication where nothing else sees the accumulator.
#include <random>

#include "hw/eu/isa/gen12/isa.h"
#include "hw/eu/jit/compile.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"
#include "tests/unit/eu/trace.h"

using namespace softgen;
using namespace softgen::eu;
using namespace softgen::eu::test;

namespace {

constexpr RegType D = RegType::d, UD = RegType::ud, UW = RegType::uw;

/// The low words of the dwords of `o`.
Operand low_words(Operand o) {
  o.type = UW;
  const bool single = o.vstride == 0;
  if (!single) o.vstride = 5, o.width = 3, o.hstride = 2;  // <16;8,2>
  return o;
}

struct Pair {
  Instruction mul, mach;
};

Pair product(unsigned exec, unsigned to, Operand a, Operand b) {
  Instruction mul = op(Opcode::mul, exec, arf(Arf::accumulator, a.type), a, low_words(b));
  mul.dst.hstride = 1;
  Instruction mach = op(Opcode::mach, exec, grf(to, a.type), a, b);
  mach.low_product = true;
  return {mul, mach};
}

std::vector<std::byte> kernel(const std::vector<Instruction>& work) {
  std::vector<Instruction> code = work;
  code.push_back(end(gen12_isa()));
  return assemble(code, gen12_isa());
}

std::vector<Instruction> random_products(uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<Instruction> code;
  for (unsigned n = 0; n < 10; n++) {
    const RegType type = random() % 2 ? D : UD;
    const unsigned exec = random() % 2 ? 16 : 8;
    const auto operand = [&] {
      return random() % 3 ? grf(110 + 2 * (random() % 8), type) : scalar(110 + random() % 16, type, random() % 8);
    };
    Pair pair = product(exec, 110 + 2 * (random() % 8), operand(), operand());
    if (random() % 4 == 0) pair.mul.pred_control = pair.mach.pred_control = 1;
    if (random() % 4 == 0) pair.mul.no_mask = pair.mach.no_mask = true;
    code.insert(code.end(), {pair.mul, pair.mach});
  }
  code.push_back(op(Opcode::mov, 8, grf(127, UD), grf(110 + 2 * (random() % 8), UD)));
  return code;
}

unsigned stepped(const std::vector<Instruction>& work) {
  quiet_log();
  return jit::compile(*Program::decode(gen12_isa(), kernel(work)), {}, jit::HostIsa::avx2).stepped;
}

}  // namespace

TEST_CASE("eu jit: products through the accumulator give the interpreter's results") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  for (uint32_t seed = 1; seed <= 40; seed++)
    for (const uint32_t mask : {0xffffu, 0xa5u})
      for (const auto runner : {Runner::engine, Runner::executor}) {
        INFO("seed " << seed << " mask " << mask);
        const auto code = kernel(random_products(seed));
        CHECK(trace(code, mask, seed, runner, grf_count, 0, gen12_isa()) ==
              trace(code, mask, seed, Runner::interpreter, grf_count, 0, gen12_isa()));
      }
}

TEST_CASE("eu jit: the accumulator stays where something else reads it") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  const auto [mul, mach] = product(8, 127, grf(2, D), grf(4, D));
  CHECK(stepped({mul, mach}) == 0);
  Instruction look = op(Opcode::mov, 8, grf(127, UD), arf(Arf::accumulator, UD));
  look.src[0].vstride = 4, look.src[0].width = 3, look.src[0].hstride = 1;
  CHECK(stepped({mul, mach, look}) == 1);
  const auto code = kernel({mul, mach, look});
  CHECK(trace(code, 0xff, 1, Runner::engine, grf_count, 0, gen12_isa()) ==
        trace(code, 0xff, 1, Runner::interpreter, grf_count, 0, gen12_isa()));
}

TEST_CASE("eu jit: mul and mach that are no product of two dwords are two instructions") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  const Pair pair = product(8, 127, grf(2, D), grf(4, D));
  const auto check = [&](auto change) {
    Pair other = pair;
    change(other);
    CHECK(stepped({other.mul, other.mach}) == 2);
    const auto code = kernel({other.mul, other.mach});
    CHECK(trace(code, 0xff, 1, Runner::engine, grf_count, 0, gen12_isa()) ==
          trace(code, 0xff, 1, Runner::interpreter, grf_count, 0, gen12_isa()));
  };
  check([](Pair& p) { p.mul.src[1].subreg = 2; });  // the high words
  check([](Pair& p) { p.mul.src[1].reg = 6; });     // another register
  check([](Pair& p) { p.mul.src[0].reg = 6; });     // another factor
  check([](Pair& p) { p.mul.src[0].negate = true; });
  check([](Pair& p) { p.mach.pred_control = 1; });
  check([](Pair& p) { p.mul.exec_size = 16; });
  check([](Pair& p) { p.mach.src[1].negate = true; });
}
