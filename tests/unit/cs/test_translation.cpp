// SPDX-License-Identifier: GPL-2.0-or-later
// The registers that add the aux map and tiled resources to a context's address space.
#include "hw/cs/translation.h"

#include "tests/catch.h"
#include "tests/quiet_log.h"

using namespace softgen;
using namespace softgen::cs;

TEST_CASE("the aux map's table is that of the engine's register") {
  quiet_log();
  mmio::RegisterFile registers(defs::gen12::registers);
  registers.write(0x4200, 0xfff0'0000);
  registers.write(0x4204, 0xffff'fffe);
  registers.write(0x4240, 0x1234'8000);
  memory::AddressSpace space;
  add_translation(space, registers, EngineId::rcs);
  CHECK(space.aux_table == 0xffff'fffe'fff0'0000);
  CHECK_FALSE(space.tiled.enabled);
  add_translation(space, registers, EngineId::bcs);
  CHECK(space.aux_table == 0x1234'8000);
  for (const uint32_t offset : {0x4200u, 0x4204u, 0x4240u, 0x4400u, 0x4414u, 0x4480u}) CHECK(is_translation_register(offset));
  for (const uint32_t offset : {0x4208u, 0x41fcu, 0x43fcu, 0x4418u, 0x2600u}) CHECK_FALSE(is_translation_register(offset));
  // Chips without them.
  mmio::RegisterFile others(defs::gen9::registers);
  others.write(0x4200, 0xfff0'0000);
  memory::AddressSpace plain;
  add_translation(plain, others, EngineId::rcs);
  CHECK(plain == memory::AddressSpace{});
}

TEST_CASE("tiled resources count when they are enabled") {
  mmio::RegisterFile registers(defs::gen12::registers);
  registers.write(0x4404, 0xfe);
  registers.write(0x4408, 0xffff'ffff);
  registers.write(0x440c, 0xffff'ffff);
  registers.write(0x4410, 7);
  registers.write(0x4414, 8);
  memory::AddressSpace space;
  add_translation(space, registers, EngineId::rcs);
  CHECK_FALSE(space.tiled.enabled);
  registers.write(0x4400, 1);
  add_translation(space, registers, EngineId::rcs);
  CHECK(space.tiled ==
        memory::TiledResources{.enabled = true, .mask = 0xf, .data = 0xe, .root = 0xffff'ffff'f000, .null_tile = 7, .invalid_tile = 8});
  memory::AddressSpace of_copies;
  add_translation(of_copies, registers, EngineId::bcs);
  CHECK_FALSE(of_copies.tiled.enabled);
}
