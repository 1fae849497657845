// SPDX-License-Identifier: GPL-2.0-or-later
// The compiler against the interpreter: random arithmetic, captured kernels with all their messages.
#include <cstdlib>
#include <random>
#include <utility>

#include "hw/base/log.h"
#include "hw/eu/jit/engine.h"
#include "tests/catch.h"
#include "tests/ref/eu_fuzz.h"
#include "tests/unit/eu/data.h"
#include "tests/unit/eu/harness.h"

using namespace softgen;
using namespace softgen::eu;
using namespace softgen::eu::test;

namespace {

/// All that a thread told others, and what it left.
struct Trace {
  std::vector<uint32_t> words;
  bool operator==(const Trace&) const = default;
  void add(std::span<const Grf> registers) {
    for (const Grf& g : registers) words.insert(words.end(), g.dw, g.dw + 8);
  }
};

enum class Runner : uint8_t {
  interpreter,
  executor,  ///< the compiler, which leaves all registers in memory
  engine,    ///< as it runs outside tests: in variants for full dispatches, registers where it likes
};

/// `payload`: registers that are filled as a fixed function does; the others hold what `leftovers` makes of them.
Trace trace(const std::vector<std::byte>& code, uint32_t mask, uint32_t seed, Runner runner, unsigned payload = grf_count, uint32_t leftovers = 0) {
  Machine m;
  m.load(code, mask, 0, payload);
  std::mt19937 random(seed);
  const auto number = [&] { return std::bit_cast<uint32_t>(static_cast<float>(random() % 4096) / 64.0f - 8.0f); };
  for (unsigned r = 0; r < 128; r++)
    for (unsigned n = 0; n < 8; n++) m.set<uint32_t>(r, n, random() % 4 ? number() : random() % 64);
  std::mt19937 rubbish(leftovers);
  for (unsigned r = payload; r < grf_count + 16; r++)
    for (unsigned n = 0; n < 8; n++) m.set<uint32_t>(r, n, static_cast<uint32_t>(rubbish()));
  Trace t;
  std::mt19937 answers(seed + 1);
  unsigned messages = 0;
  m.target.answer = [&](const Message& message, ThreadEnv&) {
    t.words.insert(t.words.end(), {static_cast<uint32_t>(message.sfid), message.descriptor, message.ex_descriptor, message.exec_mask,
                                   message.dispatch_mask, message.exec_size});
    t.add(message.payload);
    t.add(message.payload2);
    for (Grf& g : message.response)
      for (unsigned n = 0; n < 8; n++)
        if (message.exec_mask >> n & 1) g.dw[n] = answers() % 3 ? std::bit_cast<uint32_t>(static_cast<float>(answers() % 64)) : answers() % 16;
    m.thread.notify();
    // A loop that waits for an answer we do not give ends here, at the same message either way.
    if (++messages == 5000) m.stop.request(StopFlag::reset);
    return SendResult::done;
  };
  RunResult result;
  switch (runner) {
    case Runner::interpreter: result = eu::interpret(m.thread, m.env, m.target); break;
    case Runner::executor: result = m.run(); break;
    case Runner::engine: result = eu::run(m.thread, m.env, m.target); break;
  }
  t.words.push_back(static_cast<uint32_t>(result));
  return t;
}

}  // namespace

TEST_CASE("eu jit: random instructions give the interpreter's bits, for AVX2 and for all that the host has") {
  if (jit::best_isa() == jit::Isa::none) return note("test", "no compiler here");
  for (const jit::Isa isa : {jit::Isa::avx2, jit::Isa::host}) {
    fuzz::JitExecutor executor(isa);
    const auto outcome = fuzz::compare(11, 1200, 24, std::ref(executor));
    CHECK(outcome.difference == "");
    CHECK(executor.refused() == 0);
    CHECK(executor.stepped() < executor.ops());
  }
}

TEST_CASE("eu jit: captured kernels send the same messages and leave the same answer") {
  if (jit::best_isa() == jit::Isa::none) return note("test", "no compiler here");
  for (const auto& [name, hex] : rows("kernels.txt"))
    for (const uint32_t mask : {0xffu, 0x5au, 0xffffu}) {
      INFO(name << " mask " << mask);
      CHECK(trace(from_hex(hex), mask, mask + 7, Runner::executor) == trace(from_hex(hex), mask, mask + 7, Runner::interpreter));
    }
}

TEST_CASE("eu jit: no kernel sees what another thread left in the registers") {
  if (jit::best_isa() == jit::Isa::none) return note("test", "no compiler here");
  setenv("SOFTGEN_CACHE", "off", 1);
  set_engine(eu::Engine::jit);
  constexpr std::pair<uint32_t, unsigned> starts[] = {{0xff, 9}, {0xffff, 24}, {0x5a, 2}};
  for (const auto& [name, hex] : rows("kernels.txt"))
    for (const auto& [mask, payload] : starts) {
      INFO(name << " mask " << mask << " payload " << payload);
      CHECK(trace(from_hex(hex), mask, mask + 7, Runner::engine, payload, 1) == trace(from_hex(hex), mask, mask + 7, Runner::interpreter, payload, 2));
    }
  set_engine(eu::Engine::interp);
}
