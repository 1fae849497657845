// SPDX-License-Identifier: GPL-2.0-or-later
// The registers that add the aux map and tiled resources to a context's address space.
#include "hw/cs/translation.h"

#include "hw/cs/submission/elsq.h"
#include "hw/defs/gen12/set.h"
#include "hw/mmio/interrupts/gen11.h"
#include "tests/quiet_log.h"
#include "tests/unit/cs/machine.h"

using namespace softgen;
using namespace softgen::cs;
using cs::test::operator+;

namespace {

struct Gen12Machine : cs::test::Machine {
  Gen12Machine()
      : Machine(false,
                {&defs::gen12::commands, &defs::gen12::registers, &defs::gen12::context_images, &elsq_gen12, mmio::gen11_interrupts, 1}) {
    set_reg(EngineId::rcs, softgen::reg::RING_MODE, 0x0008'0008);
    set_reg(EngineId::rcs, softgen::reg::RING_MI_MODE, 0x0100'0000);
    set_reg(EngineId::rcs, softgen::reg::RING_HWS_PGA, hwsp(EngineId::rcs));
  }
  void submit(cs::test::Context& context) {
    context.set_image(7, context.tail);
    for (uint32_t i = 0; i < 8; ++i) {
      const uint64_t descriptor = i ? 0 : context.descriptor();
      set_reg(EngineId::rcs, softgen::reg::RING_EXECLIST_SQ(i, 0), static_cast<uint32_t>(descriptor));
      set_reg(EngineId::rcs, softgen::reg::RING_EXECLIST_SQ(i, 1), static_cast<uint32_t>(descriptor >> 32));
    }
    set_reg(EngineId::rcs, softgen::reg::RING_EXECLIST_CONTROL, 1);
  }
};

}  // namespace

TEST_CASE("a batch that loads the aux map's register changes the engine's address space at once; contexts keep it") {
  quiet_log();
  Gen12Machine machine;
  cs::test::Context one(machine, EngineId::rcs, 0x20), two(machine, EngineId::rcs, 0x40);
  std::vector<memory::AddressSpace> seen;
  machine.engine(EngineId::rcs).on_execute = [&](const Packet&, EngineEnv& env) {
    seen.push_back(env.view.space());
    return ExecResult::done;
  };
  const cs::test::Dwords work{0x6904'0000};  // PIPELINE_SELECT
  // Each context's first restore is inhibited: it has the registers that are there.
  two.emit(work);
  machine.submit(two);
  one.emit(work + cs::test::lri(0x4200, 0xc004'0000) + cs::test::lri(0x4204, 1) + work + cs::test::lri(0x4400, 1) +
           cs::test::lri(0x4208, 1) + work);
  machine.submit(one);
  two.emit(work);
  machine.submit(two);
  one.emit(work);
  machine.submit(one);
  REQUIRE(seen.size() == 6);
  CHECK(seen[1].aux_table == 0);
  CHECK(seen[2].aux_table == 0x1'c004'0000);
  CHECK_FALSE(seen[2].tiled.enabled);
  CHECK(seen[3].tiled.enabled);
  CHECK(seen[4].aux_table == 0);
  CHECK_FALSE(seen[4].tiled.enabled);
  CHECK(seen[5].aux_table == 0x1'c004'0000);
  CHECK(seen[5].tiled.enabled);
}

TEST_CASE("the aux map's table is that of the engine's register") {
  quiet_log();
  mmio::RegisterFile registers(defs::gen12::registers);
  registers.write(0x4200, 0xfff0'0000);
  registers.write(0x4204, 0xffff'fffe);
  registers.write(0x4240, 0x1234'8000);
  memory::AddressSpace space;
  Translation(registers, EngineId::rcs).add_to(space);
  CHECK(space.aux_table == 0xffff'fffe'fff0'0000);
  CHECK_FALSE(space.tiled.enabled);
  Translation(registers, EngineId::bcs).add_to(space);
  CHECK(space.aux_table == 0x1234'8000);
  const Translation render(registers, EngineId::rcs), copy(registers, EngineId::bcs);
  for (const uint32_t offset : {0x4200u, 0x4204u, 0x4400u, 0x4414u}) CHECK((render.has(offset) && !copy.has(offset)));
  for (const uint32_t offset : {0x4240u, 0x4480u}) CHECK((copy.has(offset) && !render.has(offset)));
  for (const uint32_t offset : {0x4208u, 0x41fcu, 0x43fcu, 0x4418u, 0x2600u}) CHECK_FALSE((render.has(offset) || copy.has(offset)));
  // VECS and VCS have no tiled resources.
  registers.write(0x4230, 0x5678'8000);
  memory::AddressSpace video;
  const Translation enhance(registers, EngineId::vecs);
  enhance.add_to(video);
  CHECK((video.aux_table == 0x5678'8000 && !video.tiled.enabled));
  CHECK((enhance.has(0x4230) && enhance.has(0x4234) && !enhance.has(0) && !enhance.has(0x4400)));
  registers.write(0x4210, 0x1'0000), registers.write(0x4290, 0x2'0000);
  Translation(registers, EngineId::vcs0).add_to(video);
  CHECK(video.aux_table == 0x1'0000);
  Translation(registers, EngineId::vcs1).add_to(video);
  CHECK(video.aux_table == 0x2'0000);
  // Chips without them.
  mmio::RegisterFile others(defs::gen9::registers);
  others.write(0x4200, 0xfff0'0000);
  memory::AddressSpace plain;
  Translation(others, EngineId::rcs).add_to(plain);
  CHECK(plain == memory::AddressSpace{});
  CHECK_FALSE(Translation(others, EngineId::rcs).has(0x4200));
}

TEST_CASE("tiled resources count when they are enabled") {
  mmio::RegisterFile registers(defs::gen12::registers);
  registers.write(0x4404, 0xfe);
  registers.write(0x4408, 0xffff'ffff);
  registers.write(0x440c, 0xffff'ffff);
  registers.write(0x4410, 7);
  registers.write(0x4414, 8);
  memory::AddressSpace space;
  Translation(registers, EngineId::rcs).add_to(space);
  CHECK_FALSE(space.tiled.enabled);
  registers.write(0x4400, 1);
  Translation(registers, EngineId::rcs).add_to(space);
  CHECK(space.tiled ==
        memory::TiledResources{.enabled = true, .mask = 0xf, .data = 0xe, .root = 0xffff'ffff'f000, .null_tile = 7, .invalid_tile = 8});
  memory::AddressSpace of_copies;
  Translation(registers, EngineId::bcs).add_to(of_copies);
  CHECK_FALSE(of_copies.tiled.enabled);
}
