// SPDX-License-Identifier: GPL-2.0-or-later
// Ice Lake's images: state packets between the lists (ICL PRM vol 9, "Register State Context ICL"), and restores that execute them.
#include "hw/base/log.h"
#include "hw/defs/gen11/set.h"
#include "hw/defs/ids.h"
#include "tests/unit/cs/position_rig.h"

using namespace softgen;
using namespace softgen::cs::test;
using defs::CommandId;

namespace {

constexpr uint32_t out = 0x0018'0000, clip_at = 0x620, allocation_at = 0x180;
Dwords clip(uint32_t word) { return {0x7812'0002, 1, word, 3}; }
Dwords allocation(uint32_t word) { return {0x7912'0000, word}; }

/// A context that has been saved once, with a clip state.
Context saved_context(PositionRig& rig, uint32_t id, uint32_t word) {
  Context context(rig, EngineId::rcs, id);
  context.emit(clip(word)).emit(allocation(word));
  rig.submit(context);
  return context;
}

Dwords image(const Context& context, uint32_t first, uint32_t count) {
  Dwords dwords;
  for (uint32_t i = 0; i < count; ++i) dwords.push_back(context.image(first + i));
  return dwords;
}

}  // namespace

TEST_CASE("lists and packets of Ice Lake's render image stand in the manual's places") {
  PositionRig rig;
  const Context context = saved_context(rig, 0x20, 7);
  // The headers of the manual, but for the registers that its text has lost or that software cannot know.
  const struct {
    uint32_t dword, registers, offset;
  } lists[] = {{0x1a1, 20, 0x5200}, {0x410, 99, 0x8300}, {0x4f1, 64, 0xc800}, {0x581, 6, 0x4de0}, {0x591, 1, 0x7034}, {0x595, 33, 0xb020},
               {0x69c, 1, 0x6b1c},  {0x74d, 11, 0x7000}, {0x771, 26, 0xe400}, {0x7d1, 1, 0x5524}, {0x823, 5, 0xe18c}};
  for (const auto& list : lists) {
    CAPTURE(list.dword);
    CHECK(context.image(list.dword) == (0x1100'1000 | (2 * list.registers - 1)));
    CHECK(context.image(list.dword + 1) == list.offset);
  }
  // i915_perf.c: ctx_oactxctrl_offset and ctx_flexeu0_offset of Gen11.
  CHECK(context.image(0x124) == 0x2360);
  CHECK(context.image(0x78e) == 0xe458);
  const auto place = [](CommandId id) {
    const auto& packets = defs::gen11::context_images.of(EngineId::rcs).packets;
    return std::ranges::find(packets, id, &defs::ContextPacket::command)->first;
  };
  CHECK(place(CommandId::GPGPU_CSR_BASE_ADDRESS) == 0x44);
  CHECK(place(CommandId::STATE_BASE_ADDRESS) == 0x16a);
  CHECK(place(CommandId::_3DSTATE_INDEX_BUFFER) == 0x2f0);  // VF
  CHECK(place(CommandId::_3DSTATE_CONSTANT_VS) == 0x5e0);   // SVG
  CHECK(place(CommandId::_3DSTATE_CONSTANT_PS) == 0x6a0);   // SVL
  CHECK(place(CommandId::STATE_SIP) == 0x7cc);              // TDL
  CHECK(place(CommandId::_3DSTATE_SAMPLER_PALETTE_LOAD1) == 0x943);
  CHECK(image(context, clip_at, 4) == clip(7));
  CHECK(image(context, allocation_at, 2) == allocation(7));
  CHECK(context.image(0x6a0) == 0);  // 3DSTATE_CONSTANT_PS, which the context never set
}

TEST_CASE("a restore executes the packets of the image") {
  PositionRig rig;
  FakeEngine& engine = rig.rcs();
  Context a = saved_context(rig, 0x20, 7);
  const Context b = saved_context(rig, 0x40, 8);
  SECTION("as they were saved") {
    rig.submit(a);
    CHECK(engine.kept[CommandId::_3DSTATE_CLIP] == clip(7));
    CHECK(image(b, clip_at, 4) == clip(8));
  }
  SECTION("as software has changed them since") {
    a.set_image(clip_at + 2, 9);
    rig.submit(a);
    CHECK(engine.kept[CommandId::_3DSTATE_CLIP] == clip(9));
    CHECK(engine.kept[CommandId::_3DSTATE_PUSH_CONSTANT_ALLOC_VS] == allocation(7));
    CHECK(image(a, clip_at, 4) == clip(9));
  }
  SECTION("in their order, wherever they stand") {
    const Dwords first = clip(10), last = clip(11);
    for (uint32_t i = 0; i < 4; ++i) a.set_image(0x161 + i, first[i]), a.set_image(0xa80 + i, last[i]);
    rig.submit(a);
    CHECK(engine.kept[CommandId::_3DSTATE_CLIP] == last);
    // All packets are from the context's memory, and none is written where it was.
    CHECK(image(a, clip_at, 4) == last);
    CHECK(a.image(0x161) == 0);
  }
  SECTION("and what is gone is not set") {
    for (uint32_t i = 0; i < 4; ++i) a.set_image(clip_at + i, 0);
    rig.submit(a);
    CHECK(!engine.kept.contains(CommandId::_3DSTATE_CLIP));
    CHECK(engine.kept[CommandId::_3DSTATE_PUSH_CONSTANT_ALLOC_VS] == allocation(7));
  }
}

TEST_CASE("an image that equals what the engine has is not executed again") {
  PositionRig rig;
  FakeEngine& engine = rig.rcs();
  Context a = saved_context(rig, 0x20, 7);
  const unsigned restored = engine.restored_packets, resets = engine.resets;
  a.emit(store(out, 1));
  rig.submit(a);
  CHECK(rig.read(out) == 1);
  CHECK(engine.restored_packets == restored);
  CHECK(engine.resets == resets);
  // A packet in place of WM's list: from there on all is executed.
  const Dwords stray = allocation(9) + Dwords{0};
  for (uint32_t i = 0; i < 3; ++i) a.set_image(0x7d1 + i, stray[i]);
  rig.submit(a);
  CHECK(engine.resets == resets);
  CHECK(engine.restored_packets == restored + 1);
  CHECK(engine.kept[CommandId::_3DSTATE_CLIP] == clip(7));
  CHECK(engine.kept[CommandId::_3DSTATE_PUSH_CONSTANT_ALLOC_VS] == allocation(9));
  CHECK(image(a, allocation_at, 2) == allocation(9));
}

TEST_CASE("restore inhibit starts without state, whatever the image's packets are") {
  PositionRig rig;
  Context a = saved_context(rig, 0x20, 7);
  a.set_image(3, 0x0009'0009);
  SECTION("from the bit's place") {}
  SECTION("from another list") {
    a.set_image(3, 0x0009'0008);
    a.set_image(0x06, 0x2244), a.set_image(0x07, 0x0009'0009);
    a.tail = 0x0009'0009;  // what submit() writes there
  }
  rig.submit(a);
  CHECK(rig.rcs().kept.empty());
}

TEST_CASE("a workaround batch's state holds until the image's packets that follow it") {
  PositionRig rig;
  Context a = saved_context(rig, 0x20, 7);
  if (GENERATE(false, true)) saved_context(rig, 0x40, 8);  // else the engine has all of it
  Dwords batch = allocation(1) + clip(2);
  batch.resize(16);
  const uint32_t at = rig.allocate(1);
  rig.write(at, batch);
  a.set_image(0x1b, at | 1);
  a.set_image(0x1d, 0x1a << 6);  // i915's GEN11_CTX_RCS_INDIRECT_CTX_OFFSET_DEFAULT: in front of SOL
  rig.submit(a);
  CHECK(rig.rcs().kept[CommandId::_3DSTATE_PUSH_CONSTANT_ALLOC_VS] == allocation(1));
  CHECK(rig.rcs().kept[CommandId::_3DSTATE_CLIP] == clip(7));
}

TEST_CASE("what is no state packet, or not whole, hangs the engine at its place in the image") {
  PositionRig rig;
  Context a = saved_context(rig, 0x20, 7);
  struct Bad {
    uint32_t dword, header;
  };
  // 3DPRIMITIVE, MEDIA_OBJECT, MI_STORE_DATA_IMM; shorter than 3DSTATE_CLIP; beyond the image's end.
  const Bad bad = GENERATE(Bad{clip_at, 0x7b00'0005}, Bad{clip_at, 0x7100'0004}, Bad{clip_at, mi(0x20, 2)}, Bad{clip_at, 0x7812'0000},
                           Bad{0xaff, 0x7812'0002});
  CAPTURE(bad.dword, bad.header);
  a.set_image(bad.dword, bad.header);
  for (uint32_t dword = bad.dword == clip_at ? 0xb00 : clip_at; dword < 0xaff; ++dword) a.set_image(dword, 0);
  a.emit(store(out, 1));
  rig.submit(a);
  CHECK(rig.read(out) == 0);
  CHECK((rig.reg(EngineId::rcs, softgen::reg::RING_ESR) & 1) == 1);
  CHECK(rig.reg(EngineId::rcs, softgen::reg::RING_IPEHR) == bad.header);
  CHECK(rig.reg(EngineId::rcs, softgen::reg::RING_ACTHD) == a.lrca + 0x1000 + 4 * bad.dword);
}

TEST_CASE("a saved state of the device has the packets") {
  PositionRig rig, other;
  saved_context(rig, 0x20, 7);
  rig.rcs().kept[CommandId::_3DSTATE_CLIP] = clip(9);
  const std::vector<std::byte> state = rig.save_state();
  other.rcs().kept[CommandId::STATE_SIP] = {0x6102'0001, 0, 0};
  REQUIRE(other.load_state(state));
  CHECK(other.rcs().kept[CommandId::_3DSTATE_CLIP] == clip(9));
  CHECK(!other.rcs().kept.contains(CommandId::STATE_SIP));
  CHECK(other.save_state() == state);
}
