// SPDX-License-Identifier: GPL-2.0-or-later
// Kernels dominated by dependency chains, of which two threads run at a time.
#include <cstdlib>
#include <random>

#include "hw/base/log.h"
#include "hw/eu/isa/gen9/isa.h"
#include "hw/eu/jit/chains.h"
#include "hw/eu/jit/compile.h"
#include "hw/eu/jit/engine.h"
#include "tests/catch.h"
#include "tests/unit/eu/trace.h"

using namespace softgen;
using namespace softgen::eu;
using namespace softgen::eu::test;

namespace {

constexpr RegType F = RegType::f;

/// A chain of inverse roots, with other work in between; the last message has four components.
std::vector<std::byte> chain(uint32_t seed, unsigned roots) {
  std::mt19937 random(seed);
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random()) % n; };
  const auto reg = [&] { return 20 + 2 * below(4); };
  std::vector<Instruction> code;
  const auto own = [&](unsigned to, unsigned from) { code.push_back(op_imm(Opcode::mul, 16, grf(to, F), grf(from, F), F, 0x3f800001)); };
  for (unsigned n = 0; n < 4; n++) own(20 + 2 * n, 2 * n);
  for (unsigned n = 0; n < roots; n++) {
    const unsigned last = 20 + 2 * (n % 4), next = 20 + 2 * ((n + 1) % 4);
    code.push_back(op(Opcode::mul, 16, grf(40, F), grf(last, F), grf(last, F)));
    code.push_back(op_imm(Opcode::add, 16, grf(40, F), grf(40, F), F, below(3) ? 0x3f800000 : 0xbf000000));
    code.push_back(op(Opcode::math, 16, grf(42, F), grf(40, F)));
    code.back().cond_mod = static_cast<uint8_t>(below(8) ? MathFunction::rsq : below(2) ? MathFunction::sqrt : MathFunction::inv);
    code.push_back(op(Opcode::mad, 16, grf(next, F), grf(next, F), grf(42, F), grf(reg(), F)));
    // Each thread has its own flags and single elements, too.
    Instruction compared = op(Opcode::cmp, 16, null(F), grf(reg(), F), scalar(reg(), F, below(8)));
    compared.cond_mod = static_cast<uint8_t>(CondMod::l);
    code.push_back(compared);
    code.push_back(op(Opcode::sel, below(2) ? 16 : 8, grf(reg(), F), grf(reg(), F), grf(42, F)));
    code.back().pred_control = 1;
    code.push_back(op(Opcode::mov, 1, grf(reg(), F, below(8)), scalar(42, F, below(8))));
    code.back().no_mask = true;
  }
  Instruction final_send = end();
  final_send.exec_size = 16;
  final_send.no_mask = false;
  final_send.src[0] = grf(20, RegType::ud);
  final_send.descriptor = 8u << 25 | 0x10;
  code.push_back(final_send);
  return assemble(code);
}

bool chained(const std::vector<std::byte>& code) {
  const auto program = Program::decode(gen9_isa(), code, 0);
  jit::FlowGraph graph;
  REQUIRE(jit::analyze(*program, graph) == nullptr);
  return jit::gains_from_pairing(*program, graph);
}

}  // namespace

TEST_CASE("eu jit: pairs of threads of a series give the same result as single threads in the interpreter") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  constexpr SeriesLayout layout{4, 6, 8};
  for (uint32_t seed = 1; seed <= 12; seed++) {
    const auto code = chain(seed, 12 + seed % 5);
    REQUIRE(chained(code));
    for (const SeriesOf& series : {SeriesOf{1}, SeriesOf{2}, SeriesOf{7}, SeriesOf{8}, SeriesOf{8, 2}, SeriesOf{8, 3}, SeriesOf{7, 6}}) {
      INFO("seed " << seed << ", " << series.threads << " threads of which number " << series.fails << " fails");
      const uint64_t before = compiler_now().stats().compiled_threads;
      const Trace compiled = trace_series(code, 0xffff, seed, layout, series, &compiler_now());
      CHECK(compiler_now().stats().compiled_threads - before == series.threads);
      CHECK(compiled == trace_series(code, 0xffff, seed, layout, series));
    }
  }
}

TEST_CASE("eu jit: kernels dominated by dependency chains run two threads at a time") {
  CHECK(chained(chain(1, 16)));
  CHECK_FALSE(chained(chain(1, 2)));    // short: the processor sees the next thread
  CHECK_FALSE(chained(chain(1, 400)));  // too long for LLVM
  // Much independent work.
  std::vector<Instruction> wide;
  for (unsigned n = 0; n < 400; n++) wide.push_back(op(Opcode::mul, 16, grf(20 + 2 * (n % 40), F), grf(2, F), grf(4, F)));
  wide.push_back(end());
  CHECK_FALSE(chained(assemble(wide)));
  // A message, and a branch, on the way.
  for (const bool branches : {false, true}) {
    std::vector<std::byte> code = chain(1, 16);
    Instruction one = end();
    one.end_of_thread = false;
    const auto before = assemble(branches ? std::vector{branch(Opcode::if_, 16, 1), branch(Opcode::endif, 16, 1)} : std::vector{one});
    code.insert(code.begin(), before.begin(), before.end());
    CHECK_FALSE(chained(code));
  }
}
