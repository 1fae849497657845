// SPDX-License-Identifier: GPL-2.0-or-later
// The image is a batch of MI_LOAD_REGISTER_IMM lists: the owner of each dword, and restores that follow the lists.
#include "hw/base/log.h"
#include "hw/defs/gen9/set.h"
#include "tests/unit/cs/machine.h"

using namespace softgen;
using namespace softgen::cs::test;

namespace {

constexpr uint32_t out = 0x0018'0000;
constexpr uint32_t end_of_lists = 0x0500'0000;
constexpr uint32_t image_dwords = 1024;

/// A list of an image as hardware writes it.
struct FrameList {
  uint32_t dword, header;
  std::vector<uint32_t> offsets;  ///< from the engine's base
};

/// KBL PRM vol 3, "Register/State Context" of VCS, BCS and VECS; for RCS, which that volume leaves out, i915's gen9_rcs_offsets.
/// Where the two differ i915's is taken, which its live_lrc_layout test compares with chips: list 41h, which the manual has without Force
/// Posted for BCS, and as no-ops for VCS and VECS.
std::vector<FrameList> documented_lists(EngineId id) {
  std::vector<FrameList> lists = {
      {0x01, 0x1100'101b, {0x244, 0x34, 0x30, 0x38, 0x3c, 0x168, 0x140, 0x110, 0x11c, 0x114, 0x118, 0x1c0, 0x1c4, 0x1c8}},
      {0x21, 0x1100'1011, {0x3a8, 0x28c, 0x288, 0x284, 0x280, 0x27c, 0x278, 0x274, 0x270}},
      {0x41, id == EngineId::rcs ? 0x1100'0001u : 0x1100'1001u, {id == EngineId::rcs ? 0xc8u : 0x200u}},
      {0x51, 0x1100'1057, {0x28, 0x9c, 0xc0, 0x178, 0x17c, 0x358, 0x170, 0x150, 0x154, 0x158, 0x41c}}};
  for (uint32_t gpr = 0x600; gpr < 0x680; gpr += 4) lists.back().offsets.push_back(gpr);
  lists.back().offsets.push_back(0x68);
  return lists;
}

/// Reads registers by the context's own commands while it runs; results from `out` on.
void read_back(Context& context, std::span<const uint32_t> offsets) {
  for (size_t i = 0; i < offsets.size(); ++i) context.emit(srm(offsets[i], out + 4 * i));
}

/// A context that has been saved once, so that its next restore loads all of its image.
Context saved_context(Rig& rig, uint32_t id = 0x20) {
  Context context(rig, rig.id, id);
  context.emit(store(out, 0));
  rig.submit(context);
  return context;
}

}  // namespace

TEST_CASE("a context runs with the registers that i915-perf wrote to its image") {
  // i915_perf.c, gen8_update_reg_state_unlocked: ctx_oactxctrl_offset 128h and ctx_flexeu0_offset 3DEh name the offset words.
  Rig rig(EngineId::rcs);
  Context context = saved_context(rig);
  const std::array<uint32_t, 8> offsets = {0x2360, 0xe458, 0xe558, 0xe658, 0xe758, 0xe45c, 0xe55c, 0xe65c};
  context.set_image(0x129, 0x1234'0041);
  for (uint32_t n = 0; n < 7; ++n) context.set_image(0x3df + 2 * n, 0x100 + n);
  read_back(context, offsets);
  rig.submit(context);
  CHECK(rig.read(out) == 0x1234'0041);
  for (uint32_t n = 0; n < 7; ++n) CHECK(rig.read(out + 4 + 4 * n) == 0x100 + n);
  // As i915 finds them in the image of the next context that it clones from this one.
  CHECK(context.image(0x128) == offsets[0]);
  CHECK(context.image(0x129) == 0x1234'0041);
  for (uint32_t n = 0; n < 7; ++n) {
    CHECK(context.image(0x3de + 2 * n) == offsets[1 + n]);
    CHECK(context.image(0x3df + 2 * n) == 0x100 + n);
  }
}

TEST_CASE("a saved image has the manual's layout, dword by dword") {
  const EngineId id = GENERATE(EngineId::rcs, EngineId::bcs, EngineId::vcs0, EngineId::vecs);
  CAPTURE(id);
  Rig rig(id);
  Context context(rig, id, 0x20);
  rig.submit(context);

  std::vector<int64_t> expected(0xb0, 0);  // no-ops, but for what the lists hold; -1: a value
  for (const FrameList& list : documented_lists(id)) {
    expected[list.dword] = list.header;
    for (size_t i = 0; i < list.offsets.size(); ++i) {
      expected[list.dword + 1 + 2 * i] = softgen::test::engine_register(id, list.offsets[i]);
      expected[list.dword + 2 + 2 * i] = -1;
    }
  }
  for (uint32_t dword = 0; dword < expected.size(); ++dword) {
    CAPTURE(dword);
    if (expected[dword] >= 0) CHECK(context.image(dword) == expected[dword]);
  }
  // The other engines' images end there (the manual counts 176 dwords). After that, render has lists of its further context registers.
  if (id != EngineId::rcs) {
    CHECK(context.image(0xb0) == end_of_lists);
    return;
  }
  uint32_t dword = 0xb0, registers = 0;
  while (dword < image_dwords && context.image(dword) != end_of_lists) {
    CAPTURE(dword);
    const uint32_t header = context.image(dword);
    if (header == 0) {
      ++dword;
      continue;
    }
    REQUIRE((header & 0xffff'ff00) == 0x1100'1000);
    REQUIRE(dword % 2 == 1);  // as on a chip, so that values are at odd dwords
    const uint32_t count = ((header & 0xff) + 1) / 2;
    for (uint32_t i = 0; i < count; ++i) {
      const defs::Register* row = softgen::defs::gen9::registers.find(context.image(dword + 1 + 2 * i));
      REQUIRE(row);
      CHECK(row->context);
    }
    registers += count, dword += 1 + 2 * count;
  }
  REQUIRE(dword < image_dwords);
  CHECK(registers ==
        cs::other_context_registers(softgen::defs::gen9::registers, softgen::defs::gen9::context_images.of(defs::EngineClass::render), id)
            .size());
}

TEST_CASE("a list of more than 128 registers is split, since its length field ends there") {
  std::vector<cs::OtherRegister> others;
  for (uint32_t i = 0; i < 150; ++i) others.push_back({0x8000 + 4 * i, i % 3 == 0});
  const cs::ImageLayout layout(defs::gen9::context_images.of(defs::EngineClass::render), 0x2000, others);
  cs::ImageWalk walk(layout.frame(), defs::gen9::commands, defs::EngineClass::render, 0xb0);
  const auto first = walk.next(image_dwords), second = walk.next(image_dwords);
  REQUIRE(first);
  REQUIRE(second);
  CHECK(first->count == 128);
  CHECK(second->count == 22);
  CHECK(!walk.next(image_dwords));
  CHECK(!walk.bad());
  for (uint32_t i = 0; i < 150; ++i) {
    const cs::ImageWalk::Entry& list = i < 128 ? *first : *second;
    CHECK(layout.frame()[list.first + 2 * (i < 128 ? i : i - 128)] == 0x8000 + 4 * i);
    CHECK(layout.restore(0x8000 + 4 * i) == (i % 3 == 0 ? cs::Restore::rules_masked : cs::Restore::rules));
  }
  CHECK(layout.restore(0x8000 + 600) == cs::Restore::skip);
}

TEST_CASE("a restore uses the register offsets in the image's lists, whatever their position") {
  Rig rig(EngineId::rcs);
  Context context = saved_context(rig);
  const std::array<uint32_t, 5> offsets = {0x2600, 0x2604, 0x2430, 0x7034, 0x2360};
  SECTION("two registers have changed places") {
    context.set_image(0x68, 0x2604), context.set_image(0x69, 11);
    context.set_image(0x6a, 0x2600), context.set_image(0x6b, 10);
    read_back(context, offsets);
    rig.submit(context);
    CHECK(rig.read(out) == 10);
    CHECK(rig.read(out + 4) == 11);
  }
  SECTION("an image as softgen saved it before: one list, its header at an even dword") {
    const std::array<uint32_t, 9> list = {0x1100'1007, 0x2430, 20, 0x2360, 21, 0x7034, 22, 0x23bc, 23};
    for (uint32_t i = 0; i < list.size(); ++i) context.set_image(0xb0 + i, list[i]);
    context.set_image(0xb0 + list.size(), end_of_lists);
    read_back(context, offsets);
    rig.submit(context);
    CHECK(rig.read(out + 8) == 20);
    CHECK(rig.read(out + 12) == 22);
    CHECK(rig.read(out + 16) == 21);
  }
  SECTION("bytes that the list disables keep their values") {
    rig.set_reg(rig.id, 0x600, 0x1122'3344);
    for (uint32_t dword = 0x51; dword < 0xb0; ++dword) context.set_image(dword, 0);
    context.set_image(0x51, 0x1100'1601), context.set_image(0x52, 0x2600), context.set_image(0x53, 0xaabb'ccdd);
    read_back(context, offsets);
    rig.submit(context);
    CHECK(rig.read(out) == 0xaa22'33dd);
  }
}

TEST_CASE("a register that an engine's contexts do not have is skipped, and counted") {
  Rig rig;
  Context context = saved_context(rig);
  // Another engine's, a reset, the submit port, one that no row declares, and beyond the register space.
  const std::array<uint32_t, 6> foreign = {0x12600, 0x941c, 0x22230, 0x100000 + 0x7ffc, 0x1f'0000, 0xffff'fffc};
  context.set_image(0xb1, 0x1100'1000 | (2 * foreign.size() - 1));
  context.set_image(0xb0, 0);
  for (uint32_t i = 0; i < foreign.size(); ++i)
    context.set_image(0xb2 + 2 * i, foreign[i]), context.set_image(0xb3 + 2 * i, 0xabcd'0001 + i);
  context.emit(store(out + 4, 1));
  constexpr auto skipped = "register of a context image that its engine's contexts do not have";
  const uint64_t before = failure_count(Failure::guest_error, skipped);
  rig.submit(context);
  CHECK(failure_count(Failure::guest_error, skipped) == before + 1);
  CHECK(rig.read(out + 4) == 1);
  CHECK(rig.reg(EngineId::vcs0, 0x600) == 0);
  CHECK(rig.registers.peek(0x1f'0000) == 0);
  CHECK(rig.events() == std::vector<Event>{{0x1, 0}, {0x18, 0x20}, {0x1, 0}, {0x18, 0x20}});
}

TEST_CASE("an image with an invalid command hangs its engine there until a reset") {
  const EngineId id = GENERATE(EngineId::rcs, EngineId::bcs);
  Rig rig(id);
  Context context = saved_context(rig);
  rig.events();
  struct Bad {
    uint32_t dword, header;
  };
  const uint32_t last = (id == EngineId::rcs ? 1024 : 512) - 1;
  const Bad bad = GENERATE_COPY(Bad{0x01, 0xffff'ffff}, Bad{0x51, 0x7b00'0005}, Bad{0x51, 0x1100'1058}, Bad{0xaa, 0x1840'0001},
                                Bad{last, 0x1100'1001}, Bad{last - 254, 0x1100'10ff});
  CAPTURE(bad.dword, bad.header);
  for (uint32_t dword = 0xaa; dword <= last; ++dword) context.set_image(dword, 0);
  context.set_image(bad.dword, bad.header);
  context.emit(store(out + 4, 1));
  rig.submit(context);
  CHECK(rig.read(out + 4) == 0);
  CHECK((rig.reg(id, softgen::reg::RING_ESR) & 1) == 1);
  CHECK(rig.reg(id, softgen::reg::RING_IPEHR) == bad.header);
  CHECK(rig.reg(id, softgen::reg::RING_ACTHD) == context.lrca + 0x1000 + 4 * bad.dword);
  CHECK(rig.events() == std::vector<Event>{{0x1, 0}});
  rig.reset_engine(id);
  rig.enable_execlists(id);
  Context other(rig, id, 0x40);
  other.emit(store(out + 4, 2));
  rig.submit(other);
  CHECK(rig.read(out + 4) == 2);
}

TEST_CASE("INDIRECT_CTX runs at the place that INDIRECT_CTX_OFFSET selects") {
  Rig rig(EngineId::rcs);
  Context context = saved_context(rig);
  rig.registers.write(softgen::reg::COMMON_SLICE_CHICKEN2, 0x1000'0000);
  // The batch sees the context's values of registers before it, and the chip's values of those after it.
  const std::array<uint32_t, 4> offsets = {0x2244, 0x2600, 0x2360, 0x7014};
  Dwords batch;
  for (uint32_t i = 0; i < offsets.size(); ++i) batch = batch + srm(offsets[i], out + 16 + 4 * i);
  batch.resize(16);
  const uint32_t at = rig.allocate(1);
  rig.write(at, batch);
  const auto image_value = [&](uint32_t offset, uint32_t value) {
    for (uint32_t dword = 0; dword < image_dwords; ++dword)
      if (context.image(dword) == offset) return context.set_image(dword + 1, value);
    FAIL("not in the image");
  };
  image_value(0x2600, 7), image_value(0x2360, 8), image_value(0x7014, 0xffff'1000);
  for (const uint32_t offset : {0x2600u, 0x2360u}) rig.registers.write(offset, 0);
  context.set_image(0x1b, at | 1);
  const uint32_t cachelines = GENERATE(0x0, 0x5, 0xb, 0x26, 0x3ff);
  context.set_image(0x1d, cachelines << 6);
  rig.submit(context);
  CAPTURE(cachelines);
  CHECK(rig.read(out + 16) != 0);
  CHECK(rig.read(out + 20) == (cachelines > 5 ? 7 : 0));
  CHECK(rig.read(out + 24) == (cachelines > 0xb ? 8 : 0));
  CHECK(rig.read(out + 28) == (cachelines > 0x26 ? 0x1000 : 0));
  CHECK(rig.registers.read(0x7014) == 0x1000);
}

TEST_CASE("registers of the power context belong to the engine, not to its contexts") {
  // MI_PREDICATE_RESULT_2 and, on Gen9, CTX_PREEMPT (KBL PRM vol 3, "Power Context"; IGT gem_ctx_isolation.c: NOCTX).
  Rig rig(EngineId::rcs);
  Context a(rig, rig.id, 0x20), b(rig, rig.id, 0x40);
  a.emit(lri(0x23bc, 1)).emit(lri(0x2248, 5)).emit(lri(0x2430, 6));
  rig.submit(a);
  b.emit(srm(0x23bc, out)).emit(srm(0x2248, out + 4)).emit(srm(0x2430, out + 8));
  rig.submit(b);
  CHECK(rig.read(out) == 1);
  CHECK(rig.read(out + 4) == 5);
  CHECK(rig.read(out + 8) == 0);
}

TEST_CASE("ring mode: MI_SET_CONTEXT saves the ring context as no-ops") {
  Machine machine;
  const EngineId id = EngineId::rcs;
  const uint32_t ring = machine.allocate(1), first = machine.allocate(21), second = machine.allocate(21);
  for (uint32_t dword = 0; dword < image_dwords; ++dword) machine.write(first + 4 * dword, 0xffff'ffff);
  machine.set_reg(id, softgen::reg::RING_HWS_PGA, Machine::hwsp(id));
  machine.set_reg(id, softgen::reg::RING_START, ring);
  machine.set_reg(id, softgen::reg::RING_CTL, 1);
  const auto set_context = [](uint32_t image, uint32_t flags) { return Dwords{mi(0x18), image | 1u << 8 | flags}; };
  const Dwords commands = set_context(first, 1) + lri(0x2600, 7) + Dwords{noop} + set_context(second, 1) + lri(0x2600, 9) + Dwords{noop} +
                          set_context(first, 0) + srm(0x2600, out) + set_context(second, 0) + srm(0x2600, out + 4);
  machine.write(ring, commands);
  machine.set_reg(id, softgen::reg::RING_TAIL, static_cast<uint32_t>(commands.size() * 4));
  CHECK(machine.read(out) == 7);
  CHECK(machine.read(out + 4) == 9);
  for (uint32_t dword = 0; dword < 0x50; ++dword) {
    CAPTURE(dword);
    CHECK(machine.read(first + 4 * dword) == 0);
  }
  CHECK(machine.read(first + 4 * 0x51) == 0x1100'1057);
  CHECK(machine.read(first + 4 * 0x69) == 7);
}

TEST_CASE("copy and media engines have no MI_SET_CONTEXT") {
  // KBL PRM vol 3, "Context Layout": with execlists disabled they have no concept of context.
  Machine machine;
  const EngineId id = GENERATE(EngineId::bcs, EngineId::vcs0, EngineId::vecs);
  const uint32_t ring = machine.allocate(1), image = machine.allocate(2);
  machine.set_reg(id, softgen::reg::RING_HWS_PGA, Machine::hwsp(id));
  machine.set_reg(id, softgen::reg::RING_START, ring);
  machine.set_reg(id, softgen::reg::RING_CTL, 1);
  const Dwords commands = {mi(0x18), image | 1u << 8 | 1, mi(0x18), (image + 4096) | 1u << 8 | 1};
  machine.write(ring, commands);
  machine.set_reg(id, softgen::reg::RING_TAIL, static_cast<uint32_t>(commands.size() * 4));
  CHECK((machine.reg(id, softgen::reg::RING_ESR) & 1) == 1);
  CHECK(machine.reg(id, softgen::reg::RING_IPEHR) == mi(0x18));
  CHECK(machine.read(image + 4) == 0);
}
