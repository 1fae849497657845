// SPDX-License-Identifier: GPL-2.0-or-later
// Kernels that Mesa compiled, run against what their source computes.
#include <map>

#include "tests/catch.h"
#include "tests/unit/eu/data.h"
#include "tests/unit/eu/harness.h"

using namespace softgen;
using namespace softgen::eu;
using namespace softgen::eu::test;

namespace {
uint32_t collatz_steps(uint32_t n) {
  uint32_t steps = 0;
  for (; n > 1 && steps < 200; steps++) n = n & 1 ? 3 * n + 1 : n / 2;
  return steps;
}
}  // namespace

TEST_CASE("eu interp: a divergent loop gives each channel its own count (gl_csonly: Collatz steps)") {
  const auto [isa, name, code] = captured_kernel(GENERATE(as<std::string>{}, "gl_csonly_cs_0", "tgl gl_csonly_0"));
  INFO(name);
  std::map<uint32_t, uint32_t> stored;
  for (uint32_t group = 0; group < 8; group++) {
    for (uint32_t subgroup = 0; subgroup < 4; subgroup++) {
      Machine m(isa);
      m.load(code, 0xffff);
      m.set<uint32_t>(0, 1, group);
      m.set<uint32_t>(1, 0, subgroup);
      m.target.answer = [&](const Message& message, ThreadEnv&) {
        if (message.op.sfid != Sfid::dp_data1) return SendResult::done;
        REQUIRE(message.payload.size() == 2);
        REQUIRE(message.payload2.size() == 2);
        for (unsigned c = 0; c < 16; c++)
          if (message.exec_mask >> c & 1) stored[message.payload[c / 8].dw[c % 8]] = message.payload2[c / 8].dw[c % 8];
        return SendResult::done;
      };
      REQUIRE(m.run() == RunResult::finished);
    }
  }
  REQUIRE(stored.size() == 512);
  for (const auto& [address, steps] : stored) {
    INFO("element " << address / 4);
    CHECK(steps == collatz_steps(address / 4));
  }
  CHECK(stored[27 * 4] == 111);
  CHECK(stored[97 * 4] == 118);
}

TEST_CASE("eu interp: every captured kernel runs to its end, whatever its input") {
  for (const auto& [isa, name, code] : captured_kernels()) {
    for (const uint32_t mask : {0xffu, 0x5au, 0xffffu}) {
      INFO(name << " mask " << mask);
      Machine m(isa);
      m.load(code, mask);
      for (unsigned r = 0; r < 128; r++)
        for (unsigned n = 0; n < 8; n++) m.set<uint32_t>(r, n, (r * 8 + n) * 0x01010101u);
      unsigned messages = 0;
      m.target.answer = [&](const Message& message, ThreadEnv&) {
        messages++;
        for (Grf& g : message.response) g = Grf{};
        m.thread.notify();
        return SendResult::done;
      };
      const RunResult result = m.run();
      CHECK(result == RunResult::finished);
      CHECK(messages > 0);
    }
  }
}
