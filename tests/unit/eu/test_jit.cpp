// SPDX-License-Identifier: GPL-2.0-or-later
// The compiler against the interpreter: random arithmetic, captured kernels with all their messages.
#include <random>

#include "hw/base/log.h"
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

Trace trace(const std::vector<std::byte>& code, uint32_t mask, uint32_t seed, bool compiled) {
  Machine m;
  m.load(code, mask);
  std::mt19937 random(seed);
  const auto number = [&] { return std::bit_cast<uint32_t>(static_cast<float>(random() % 4096) / 64.0f - 8.0f); };
  for (unsigned r = 0; r < 128; r++)
    for (unsigned n = 0; n < 8; n++) m.set<uint32_t>(r, n, random() % 4 ? number() : random() % 64);
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
  t.words.push_back(static_cast<uint32_t>(compiled ? m.run() : eu::interpret(m.thread, m.env, m.target)));
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
      CHECK(trace(from_hex(hex), mask, mask + 7, true) == trace(from_hex(hex), mask, mask + 7, false));
    }
}
