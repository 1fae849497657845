// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdexcept>

#include "hw/debug/packet_json.h"
#include "hw/defs/gen9/set.h"
#include "tests/catch.h"

using namespace softgen;
using debug::Fields;

TEST_CASE("layouts by name, commands and structures") {
  CHECK(debug::layout_named(defs::gen9::commands, "3DSTATE_PS").dwords == 12);
  CHECK(debug::layout_named(defs::gen9::commands, "SAMPLER_STATE").dwords == 4);
  CHECK_THROWS_AS(debug::layout_named(defs::gen9::commands, "3DSTATE_CPS"), std::out_of_range);  // Gen11 has it
}

TEST_CASE("fields by name, and a name that the packet has not") {
  const defs::Command& command = *defs::gen9::commands.find("3DSTATE_INDEX_BUFFER");
  const uint32_t dwords[] = {0x780a0003, 0x200, 0x1000, 0, 60};
  const Fields buffer(command, dwords);
  CHECK(buffer["Index Format"] == 2);
  CHECK(buffer["Buffer Size"] == 60);
  CHECK_THROWS_AS(buffer["Buffer size"], std::out_of_range);
  CHECK_THROWS_WITH(buffer["Size"], "3DSTATE_INDEX_BUFFER has no field called Size");
  CHECK_THROWS_AS(buffer[""], std::out_of_range);
}

TEST_CASE("repeated fields by name: zero behind the packet's end, an error without the name") {
  const defs::Command& command = *defs::gen9::commands.find("MI_LOAD_REGISTER_IMM");
  const uint32_t dwords[] = {0x11000003, 0x7034, 5, 0x2580, 6};
  const Fields load(command, dwords);
  CHECK(load.repeated("Data DWord", 0) == 5);
  CHECK(load.repeated("Data DWord", 1) == 6);
  CHECK(load.repeated("Data DWord", 2) == 0);
  CHECK_THROWS_AS(load.repeated("Data", 0), std::out_of_range);
  CHECK_THROWS_AS(load.repeated("Byte Write Disables", 0), std::out_of_range);  // a field, but not a repeated one
}
