// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/debug/context_state.h"

#include "hw/defs/gen9/set.h"
#include "tests/catch.h"

using namespace softgen;
using namespace softgen::debug;

TEST_CASE("the last 64 contexts of a capture are kept") {
  ContextStates states;
  states.of(EngineId::rcs, 0).general = 7;
  for (uint32_t id = 1; id < 1000; ++id) {
    states.of(EngineId::rcs, id).general = id;
    REQUIRE(states.of(EngineId::rcs, 0).general == 7);
    REQUIRE(states.size() <= ContextStates::max_contexts);
  }
  CHECK(states.size() == ContextStates::max_contexts);
  CHECK(states.of(EngineId::rcs, 999).general == 999);
  CHECK(states.of(EngineId::bcs, 999).general == 0);
  CHECK(states.of(EngineId::rcs, 1).general == 0);
}

TEST_CASE("a packet longer than any state command is kept in part only") {
  const defs::Command* const command = defs::gen9::commands.find("3DSTATE_CLIP");
  std::vector<uint32_t> dwords(65537, 5);
  ContextState state;
  state.note({0, BatchLevel::first, true, command, dwords});
  CHECK(state.packet(command->id).size() == ContextState::max_dwords);
  dwords.resize(4);
  state.note({0, BatchLevel::first, true, command, dwords});
  CHECK(state.packet(command->id).size() == 4);
}
