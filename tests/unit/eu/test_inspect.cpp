// SPDX-License-Identifier: GPL-2.0-or-later
// Looking at a thread that never ends.
#include "hw/eu/interp/inspect.h"

#include <thread>

#include "tests/catch.h"
#include "tests/unit/eu/harness.h"

using namespace softgen;
using namespace softgen::eu;
using namespace softgen::eu::test;
using namespace std::chrono_literals;

TEST_CASE("eu inspect: a running thread shows its position, code and registers, and continues") {
  Machine endless;
  Instruction jump = op(Opcode::jmpi, 1, arf(Arf::ip, RegType::d), arf(Arf::ip, RegType::d), imm(RegType::d));
  jump.imm = static_cast<uint32_t>(-16);
  jump.jip = -16;
  jump.no_mask = true;
  endless.load({mov_imm(8, grf(20, RegType::ud), RegType::ud, 0xc0ffee), jump});
  RunResult result = RunResult::finished;
  std::thread runner([&] { result = endless.run(); });
  const std::vector<std::string> seen = Inspector::get().look(60s, 1);
  const std::vector<std::string> again = Inspector::get().look(60s, 1);
  endless.stop.request(StopFlag::reset);
  runner.join();
  CHECK(result == RunResult::aborted);
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].find("byte 0x10;") != std::string::npos);
  CHECK(seen[0].find("channels running 000000ff of 000000ff") != std::string::npos);
  CHECK(seen[0].find("-> 0x00010: jmpi") != std::string::npos);
  CHECK(seen[0].find("r20  00c0ffee 00c0ffee") != std::string::npos);
  CHECK(again.size() == 1);
}

TEST_CASE("eu inspect: without running threads nothing is shown") { CHECK(Inspector::get().look(1ms).empty()); }
