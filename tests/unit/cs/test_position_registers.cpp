// SPDX-License-Identifier: GPL-2.0-or-later
// POCS's registers and image: ICL PRM vol 9, "POSH MMIO", "POSH Register State Context ICL", "POSH Power Context".
#include <set>

#include "hw/defs/gen11/set.h"
#include "tests/unit/cs/position_rig.h"

using namespace softgen;
using namespace softgen::cs::test;

namespace {

constexpr uint32_t base = 0x18000;

/// "Listed below are the only registers that are accessible": those whose offsets follow from the context and power images, or from the names of RCS's.
const std::set<uint32_t> listed = [] {
  std::set<uint32_t> found = {0x78,  0x60,  0x74,  0x5c,  0x140, 0x154, 0x168, 0x158, 0x1c0, 0x148, 0x16c, 0x150, 0x170, 0x110,
                              0x180, 0x248, 0x244, 0x1ac, 0xc4,  0x4cc, 0x3a8, 0x58,  0x28,  0x29c, 0x80,  0x54,  0x68,  0x23c,
                              0x20c, 0xc0,  0x70,  0x41c, 0x3bc, 0x9c,  0x94,  0x17c, 0x214, 0x4bc, 0x4c8, 0x3c,  0x34,  0x14c,
                              0x38,  0x30,  0x358, 0x35c, 0xd0,  0x114, 0x11c, 0x13c, 0x138, 0x118, 0x24c, 0x440, 0x420, 0x438,
                              0x43c, 0x430, 0x434, 0x690, 0x694, 0x698, 0x410, 0x414, 0x418, 0x400, 0x404, 0x408, 0x40c, 0x184,
                              0x194, 0x198, 0xa0,  0xf0,  0xf8,  0x100, 0x590, 0x594, 0xcc,  0x234, 0x238, 0x424, 0x428, 0x42c};
  for (uint32_t i = 0; i < 12; ++i) found.insert(0x4d0 + 4 * i);
  for (uint32_t i = 0; i < 32; ++i) found.insert(0x600 + 4 * i);
  for (uint32_t i = 0; i < 8; ++i) found.insert(0x270 + 4 * i);
  for (const uint32_t counter : {0x310, 0x318, 0x320, 0x338, 0x340}) found.insert({counter, counter + 4});
  return found;
}();

}  // namespace

TEST_CASE("POCS has the manual's registers, and no others: they read 0") {
  PositionRig rig;
  const defs::RegisterSet& set = defs::gen11::registers;
  for (uint32_t offset = base; offset < base + 0x2000; offset += 4) {
    CAPTURE(offset);
    const defs::Register* row = set.find(offset);
    REQUIRE(row);
    CHECK((row->block == 0) == listed.contains(offset - base));
    if (row->block == 0) continue;
    rig.registers.write(offset, ~0u);
    CHECK(rig.registers.read(offset) == 0);
  }
  // Nor does what the streamer itself keeps there show.
  rig.registers.poke(base + softgen::reg::RING_EMR, ~0u);
  CHECK(rig.registers.read(base + softgen::reg::RING_EMR) == 0);
  for (const uint32_t offset : {0x16e00u, 0x16e84u, 0x16e90u, 0x16ea4u, 0x17100u, 0x17210u, 0x172a8u, 0x17520u, 0x17b1cu})
    CHECK(set.find(offset));
}

TEST_CASE("POCS's image has the manual's lists") {
  PositionRig rig;
  PositionContext context(rig, 0x20);
  context.set_position_image(0x1b, 0xfff);  // INDIRECT_CTX: "always invalid"
  rig.submit(context);
  rig.until_idle();
  const uint32_t first[] = {0x244, 0x34, 0x30, 0x38, 0x3c, 0x168, 0x140, 0x110, 0x11c, 0x114, 0x118, 0x1c0, 0x1c4, 0x1c8};
  CHECK(context.position_image(0x01) == 0x1100'101b);
  for (uint32_t i = 0; i < 14; ++i) CHECK(context.position_image(2 + 2 * i) == base + first[i]);
  CHECK(context.position_image(0x1b) == 0);
  for (uint32_t dword = 0x1e; dword < 0x51; ++dword) CHECK(context.position_image(dword) == 0);
  const uint32_t second[] = {0x28, 0x9c, 0xc0, 0x358, 0x170, 0x150, 0x154, 0x158, 0x41c, 0x600};
  for (uint32_t i = 0; i < 10; ++i) CHECK(context.position_image(0x52 + 2 * i) == base + second[i]);
  CHECK(context.position_image(0x52 + 2 * 41) == base + 0x68);
  const uint32_t third[] = {0x184, 0x310, 0x314, 0x318, 0x31c, 0x320, 0x324, 0x338, 0x33c, 0x340, 0x344, 0x400, 0x404, 0x408, 0x40c, 0x410,
                            0x414, 0x418, 0x420, 0x430, 0x434, 0x438, 0x43c, 0x440, 0x690, 0x694, 0x698, 0x194, 0x198, 0x594, 0x590};
  for (uint32_t i = 0; i < std::size(third); ++i) CHECK(context.position_image(0xb2 + 2 * i) == base + third[i]);
  // Then what the stages keep, and no register of another engine.
  const auto others = cs::other_context_registers(defs::gen11::registers, rig.contexts.of(EngineId::pocs), EngineId::pocs);
  CHECK(others.size() == 34 + 3 + 3 + 5);
  for (const cs::OtherRegister& other : others) CHECK((other.offset >= 0x16e00 && other.offset < 0x18000));
}

TEST_CASE("POCS's image keeps its registers apart from RCS's") {
  PositionRig rig;
  PositionContext context(rig, 0x20);
  const uint32_t batch = rig.batch(Dwords{mi(0x22, 5), 0x18600, 1, 0x18590, 64, 0x16e00, 9} + Dwords{batch_end});
  context.emit(batch_start(batch, posh_start)).emit(lri(0x2600, 2));
  rig.submit(context);
  rig.until_idle();
  for (const uint32_t offset : {0x18600, 0x18590, 0x16e00, 0x2600}) rig.registers.poke(offset, 0);
  context.emit({0, 0});
  rig.submit(context);
  rig.until_idle();
  CHECK(rig.registers.peek(0x18600) == 1);
  CHECK(rig.registers.peek(0x18590) == 64);
  CHECK(rig.registers.peek(0x16e00) == 9);
  CHECK(rig.registers.peek(0x2600) == 2);
}

TEST_CASE("a reset of the render domain brings POCS's registers back") {
  PositionRig rig;
  for (const uint32_t offset : {0x18590u, 0x18310u, 0x16e00u, 0x18600u}) rig.registers.write(offset, 3);
  rig.reset_render();
  for (const uint32_t offset : {0x18590u, 0x18310u, 0x16e00u, 0x18600u}) CHECK(rig.registers.read(offset) == 0);
}

TEST_CASE("MI_SEMAPHORE_WAIT polls a register") {
  // Register Poll Mode: the address is a register's offset (ICL PRM vol 2a, MI_SEMAPHORE_WAIT).
  PositionRig rig(GENERATE(false, true));
  Context context(rig, EngineId::rcs, 0x20);
  constexpr uint32_t out = 0x0018'0000;
  context.emit(semaphore(0x2600, 5, 4, 1u << 16 | 1u << 15)).emit(store(out, 1));
  rig.submit(context);
  rig.until([&] { return (rig.reg(EngineId::rcs, softgen::reg::RING_CTL) & 0x400) != 0; });
  CHECK(rig.load(out) == 0);
  rig.registers.write(0x2600, 5);
  rig.until([&] { return rig.load(out) == 1; });
  rig.until_idle();
}

TEST_CASE("PIPE_CONTROL writes a register after the flush, and only without another post-sync operation") {
  // "LRI Post Sync Operation: Post Sync Operation ([15:14] of DW1) must be set to 0x0."
  PositionRig rig;
  Context context(rig, EngineId::rcs, 0x20);
  const uint32_t operation = GENERATE(0u, 1u);
  constexpr uint32_t out = 0x0018'0000;
  rig.write(0x2600, 77);
  context.emit({0x7a00'0004, 1u << 24 | 1u << 23 | operation << 14, 0x2600, 0, 9, 0}).emit(srm(0x2600, out));
  rig.submit(context);
  rig.until_idle();
  CHECK(rig.read(out) == (operation ? 0 : 9));
  CHECK(rig.read(0x2600) == (operation ? 9 : 77));
}
