// SPDX-License-Identifier: GPL-2.0-or-later
// LLVM is never in the process that runs kernels, with a compiler process and without one. A separate program, since other tests load LLVM.
// $SOFTGEN_EU_COMPILER: the compiler; $EU_TEST_COMPILES: whether it works.
#include <cstdlib>
#include <fstream>
#include <string>

#include "hw/base/log.h"
#include "hw/eu/isa/gen9/isa.h"
#include "hw/eu/jit/compile.h"
#include "hw/eu/jit/engine.h"
#include "tests/catch.h"
#include "tests/unit/eu/harness.h"

using namespace softgen;
using namespace softgen::eu;
using namespace softgen::eu::test;

namespace {

bool has_llvm() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find("libLLVM") != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("eu jit: kernels run, and only the compiler's process has LLVM") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  const bool compiles = std::getenv("EU_TEST_COMPILES") != nullptr;
  // Without effect here: this program does not allow it, unlike softgen-run.
  setenv("SOFTGEN_JIT", "inprocess", 1);
  setenv("SOFTGEN_CACHE", "off", 1);
  const auto compiler = make_compiler({.engine = eu::Engine::jit});
  for (uint32_t value = 1; value <= 3; value++) {
    Machine m;
    uint32_t sent = 0;
    m.target.answer = [&](const Message& message, ThreadEnv&) {
      sent = message.payload[0].dw[0];
      return SendResult::done;
    };
    const auto p = Program::decode(gen9_isa(), assemble({mov_imm(8, grf(127, RegType::ud), RegType::ud, value), end()}), 0, compiler.get());
    ThreadStart how;
    how.program = p.get();
    m.thread.start(how);
    CHECK(eu::run(m.thread, m.env, m.target) == RunResult::finished);
    CHECK(sent == value);
  }
  const EngineStats stats = compiler->stats();
  CHECK(stats.compiled_threads == (compiles ? 3u : 0u));
  CHECK(stats.interpreted_threads == (compiles ? 0u : 3u));
  CHECK(failure_count(Failure::note, "EU JIT: kernels are interpreted") == (compiles ? 0u : 1u));
  CHECK_FALSE(has_llvm());
}
