// SPDX-License-Identifier: GPL-2.0-or-later
// The context image: layout, inhibit, round trips, clones, workaround batches.
#include "tests/unit/cs/machine.h"

using namespace softgen;
using softgen::cs::state_offset;
using softgen::cs::StateHeader;
using namespace softgen::cs::test;

namespace {
constexpr uint32_t out = 0x0018'0000;
}

TEST_CASE("slots are where i915 has them") {
  // Dword of each register as gt/intel_lrc_reg.h and intel_lrc.c name them.
  const auto slot = [](defs::EngineClass e, uint32_t reg) {
    for (const defs::ContextSlot& s : defs::gen9::context_images.of(e).slots)
      if (s.reg == reg) return int(s.dword);
    return -1;
  };
  constexpr auto r = defs::EngineClass::render, c = defs::EngineClass::copy;
  CHECK(slot(r, 0x244) == 0x02);  // CTX_CONTEXT_CONTROL
  CHECK(slot(r, 0x034) == 0x04);  // CTX_RING_HEAD
  CHECK(slot(r, 0x030) == 0x06);
  CHECK(slot(r, 0x038) == 0x08);
  CHECK(slot(r, 0x03c) == 0x0a);
  CHECK(slot(r, 0x140) == 0x0e);
  CHECK(slot(r, 0x110) == 0x10);
  CHECK(slot(r, 0x1c0) == 0x18);
  CHECK(slot(r, 0x1c8) == 0x1c);
  CHECK(slot(r, 0x3a8) == 0x22);  // CTX_TIMESTAMP
  CHECK(slot(r, 0x28c) == 0x24);  // PDP3_UDW
  CHECK(slot(r, 0x274) == 0x30);
  CHECK(slot(r, 0x270) == 0x32);  // PDP0_LDW
  CHECK(slot(r, 0x0c8) == 0x42);
  CHECK(slot(c, 0x200) == 0x42);
  CHECK(slot(r, 0x09c) == 0x54);
  CHECK(slot(r, 0x158) == 0x64);
  CHECK(slot(r, 0x600) == 0x68);
  CHECK(slot(r, 0x67c) == 0xa6);
  CHECK(slot(r, 0x068) == 0xa8);
  CHECK(defs::gen9::context_images.of(r).slots.size() == 14 + 9 + 1 + 44);
}

TEST_CASE("saving rewrites the list headers and register offsets") {
  const EngineId id = GENERATE(EngineId::rcs, EngineId::bcs);
  Rig rig(id);
  Context a(rig, id, 0x20);
  // While it runs, so that the restore still found them.
  for (const uint32_t dword : {0x00u, 0x01u, 0x21u, 0x41u, 0x51u, 0x42u, 0x52u}) a.emit(store(a.lrca + 0x1000 + 4 * dword, 0xdead));
  rig.submit(a);
  CHECK(a.image(0x01) == 0x1100'101b);
  CHECK(a.image(0x21) == 0x1100'1011);
  CHECK((a.image(0x41) & ~0x1000u) == 0x1100'0001);
  CHECK(a.image(0x51) == 0x1100'1057);
  CHECK(a.image(0x02) == softgen::test::engine_register(id, 0x244));
  CHECK(a.image(0x52) == softgen::test::engine_register(id, 0x28));
  CHECK(a.image(0x00) == 0);
  CHECK((a.image(0x03) & 1) == 0);  // what has been saved may be restored
  CHECK(a.image(0x03) >> 16 == 0xffff);
  CHECK(a.image(0x55) >> 16 == 0xffff);
}

TEST_CASE("registers of two contexts do not mix") {
  const EngineId id = GENERATE(EngineId::rcs, EngineId::vecs);
  Rig rig(id);
  const uint32_t base = softgen::test::engine_register(id, 0);
  Context a(rig, id, 0x20), b(rig, id, 0x40);
  for (Context* c : {&a, &b}) {
    for (uint32_t n = 0; n < 16; ++n) c->emit(lri(base + 0x600 + 8 * n, c->id + n)).emit(lri(base + 0x604 + 8 * n, c->id * n));
    c->emit(lri(base + 0x41c, c->id + 1));
    rig.submit(*c);
  }
  for (Context* c : {&a, &b}) {
    for (uint32_t n = 0; n < 16; ++n) c->emit(srm(base + 0x600 + 8 * n, out)).emit(srm(base + 0x604 + 8 * n, out + 4));
    c->emit(srm(base + 0x41c, out + 12));
    rig.submit(*c);
    CHECK(rig.read(out) == c->id + 15);
    CHECK(rig.read(out + 4) == c->id * 15);
    CHECK(rig.read(out + 12) == c->id + 1);
  }
}

TEST_CASE("predicates of two render contexts do not mix") {
  Rig rig(EngineId::rcs);
  Context a(rig, rig.id, 0x20), b(rig, rig.id, 0x40);
  for (Context* c : {&a, &b}) {
    c->emit(lri(0x2400, c->id + 1)).emit(lri(0x2418, c == &a)).emit({mi(0x01, 3)});
    rig.submit(*c);
  }
  for (Context* c : {&a, &b}) {
    // b is under MI_SET_PREDICATE with a clear result, a with a set one.
    c->emit(store(out + 8, c->id)).emit({mi(0x01, 0)}).emit(srm(0x2400, out + 12));
    rig.submit(*c);
    CHECK(rig.read(out + 12) == c->id + 1);
  }
  CHECK(rig.read(out + 8) == 0x20);
}

TEST_CASE("the engine's state lives in the image, so that a clone has it") {
  Rig rig;
  Context a(rig, rig.id, 0x20);
  a.emit(color_blt(0xabcd));
  rig.submit(a);
  FakeEngine& engine = rig.engine(rig.id);
  CHECK(engine.context.word == 0xabcd);
  // As i915 does with its default state: copy the image, then set ring registers.
  Context b(rig, rig.id, 0x40);
  std::vector<std::byte> image(2 * 4096);
  rig.memory.read(a.lrca, image.data(), image.size());
  const uint32_t ring = b.image(9);
  rig.memory.write(b.lrca, image.data(), image.size());
  b.set_image(9, ring), b.set_image(5, 0);
  Context other(rig, rig.id, 0x60);
  rig.submit(other);
  CHECK(engine.context.packets == 0);
  b.emit(color_blt(1));
  rig.submit(b);
  CHECK(engine.context.packets == 2);
}

TEST_CASE("restore inhibit starts with the engine's defaults") {
  Rig rig;
  Context a(rig, rig.id, 0x20), b(rig, rig.id, 0x40);
  a.emit(color_blt(7)).emit(lri(0x22600, 5));
  rig.submit(a);
  b.emit(color_blt(8)).emit(srm(0x22600, out));
  rig.write(out, ~0u);
  rig.submit(b);
  CHECK(rig.engine(rig.id).context.packets == 1);
  CHECK(rig.read(out) == 0);
}

TEST_CASE(
    "a context whose save is inhibited runs again from where its image says") {  // i915 4.19 intel_guc_submission.c, guc_fill_preempt_context()
  const EngineId id = GENERATE(EngineId::rcs, EngineId::bcs);
  Rig rig(id);
  Context a(rig, id, 0x20), b(rig, id, 0x40);
  a.set_image(0x03, 0x000d'000d);
  a.emit(store(out, 0x1234));
  b.emit(store(out, 0x5678));
  for (unsigned round = 0; round < 3; ++round) {
    rig.submit(a);
    CHECK(rig.read(out) == 0x1234);
    CHECK(a.image(0x05) == 0);
    CHECK(a.image(0x03) == 0x000d'000d);
    rig.write(out, 0);
    if (round == 1) rig.submit(b);
  }
  CHECK(b.image(0x05) != 0);  // one that is not is saved
}

TEST_CASE("an image with random content is harmless") {
  const EngineId id = GENERATE(EngineId::rcs, EngineId::bcs);
  Rig rig(id);
  Context a(rig, id, 0x20);
  uint32_t seed = GENERATE(range(1u, 12u));
  CAPTURE(seed);
  for (uint32_t dword = 0; dword < 1024; ++dword) {
    seed = seed * 1664525 + 1013904223;
    a.set_image(dword, seed);
  }
  rig.submit(a);
  rig.reset_engine(id);
  rig.enable_execlists(id);
  Context b(rig, id, 0x40);
  b.emit(store(out, 1));
  rig.submit(b);
  CHECK(rig.read(out) == 1);
  CHECK(rig.events() == std::vector<Event>{{0x1, 0}, {0x18, 0x40}});
}

TEST_CASE("a context submitted again is not restored into the engine a second time") {
  Rig rig;
  Context a(rig, rig.id, 0x20);
  a.emit(color_blt(1));
  rig.submit(a);
  a.emit(color_blt(2));
  rig.submit(a);
  CHECK(rig.engine(rig.id).restores == 0);
  CHECK(rig.engine(rig.id).context.packets == 2);
  // Unless its image has been changed meanwhile.
  const uint32_t state = a.lrca + state_offset(defs::gen9::context_images.of(defs::EngineClass::copy)) + sizeof(StateHeader);
  rig.write(state + 4, 100);
  a.emit(color_blt(3));
  rig.submit(a);
  CHECK(rig.engine(rig.id).restores == 1);
  CHECK(rig.engine(rig.id).context.packets == 101);
}

TEST_CASE("preempted in a nested batch, resumed there") {
  Rig rig;
  Context a(rig, rig.id, 0x20), b(rig, rig.id, 0x40);
  const uint64_t flag = Machine::ppgtt_base + 0x18'0000, result = flag + 64;
  const uint64_t second =
      rig.user_batch(store(result, 1, 0) + semaphore(flag, 1, 4, 1u << 15) + store(result + 4, 2, 0) + Dwords{batch_end});
  const uint64_t first = rig.user_batch(start_batch(second, true, true) + store(result + 8, 3, 0) + Dwords{batch_end});
  a.emit(start_batch(first, true)).emit(store(out, 4));
  rig.submit(a);
  b.emit(store(out + 4, 5));
  rig.submit(b);
  CHECK(rig.events() == std::vector<Event>{{0x1, 0}, {0x2, 0x20}, {0x18, 0x40}});
  CHECK((a.image(0x0f) & 1) == 1);  // BB_ADDR, SBB_ADDR valid, both in PPGTT
  CHECK((a.image(0x15) & 1) == 1);
  CHECK(a.image(0x11) == 0x20);
  CHECK(a.image(0x17) == 0x20);
  CHECK((uint64_t{a.image(0x0d)} << 32 | (a.image(0x0f) & ~1u)) == first + 12);
  CHECK((uint64_t{a.image(0x13)} << 32 | (a.image(0x15) & ~1u)) == second + 16);
  rig.write(Machine::user_gpa(result), 0);
  rig.write(Machine::user_gpa(flag), 1);
  rig.submit(a);
  CHECK(rig.read(Machine::user_gpa(result)) == 0);
  CHECK(rig.read(Machine::user_gpa(result + 4)) == 2);
  CHECK(rig.read(Machine::user_gpa(result + 8)) == 3);
  CHECK(rig.read(out) == 4);
  CHECK(rig.events() == std::vector<Event>{{0x1, 0}, {0x18, 0x20}});
  CHECK((a.image(0x0f) & 1) == 0);
}

TEST_CASE("after a reset HEAD alone determines where the context continues") {
  Rig rig;
  Context a(rig, rig.id, 0x20), b(rig, rig.id, 0x40);
  const uint64_t flag = Machine::ppgtt_base + 0x18'0000;
  a.emit(start_batch(rig.user_batch(semaphore(flag, 1, 4, 1u << 15) + Dwords{batch_end}), true));
  const uint32_t next = a.tail;
  a.emit(store(out, 1));
  rig.submit(a);
  rig.submit(b);  // a is saved inside its batch
  rig.submit(a);  // and restored
  rig.reset_engine(rig.id);
  rig.enable_execlists(rig.id);
  a.set_image(5, next);  // i915 skips the guilty batch
  rig.submit(a);
  CHECK(rig.read(out) == 1);
  CHECK(rig.events() == std::vector<Event>{{0x1, 0}, {0x18, 0x20}});
}

TEST_CASE("INDIRECT_CTX and BB_PER_CTX_PTR run on each restore") {
  Rig rig(EngineId::rcs);
  Context a(rig, rig.id, 0x20);
  const uint32_t at = rig.allocate(2);
  Dwords indirect{mi(0x2f, 1 | global | 5 << 8), out, 0, mi(0x08, 0), mi(0x08, 1)};
  indirect.resize(16);
  rig.write(at + 64, indirect);
  rig.write(at + 4096, Dwords{mi(0x2f, 1 | global | 5 << 8), out + 4, 0, batch_end});
  a.set_image(0x1b, (at + 64) | 1);
  a.set_image(0x19, (at + 4096) | 1);
  for (uint32_t i = 1; i < 4; ++i) {
    a.emit(store(out + 8, i));
    rig.submit(a);
    CHECK(rig.read(out) == i);
    CHECK(rig.read(out + 4) == i);
    CHECK(rig.read(out + 8) == i);
    CHECK(rig.events() == std::vector<Event>{{0x1, 0}, {0x18, 0x20}});
  }
}

TEST_CASE("the image's values of the 3D pipeline's registers override INDIRECT_CTX") {
  // i915's gen9_init_indirectctx_bb clears a bit of COMMON_SLICE_CHICKEN2 on each restore; user space sets it per context.
  Rig rig(EngineId::rcs);
  Context a(rig, rig.id, 0x20), b(rig, rig.id, 0x40);
  const uint32_t at = rig.allocate(1), chicken = softgen::reg::COMMON_SLICE_CHICKEN2;
  Dwords indirect{mi(0x22, 1), chicken, 1u << 28};
  indirect.resize(16);
  rig.write(at, indirect);
  for (Context* context : {&a, &b}) context->set_image(0x1b, at | 1);
  a.emit(Dwords{mi(0x22, 1), chicken, 1u << 28 | 1u << 12});
  b.emit(Dwords{mi(0x24, 2 | global), chicken, out, 0});
  rig.submit(a);
  rig.submit(b);
  a.emit(Dwords{mi(0x24, 2 | global), chicken, out + 4, 0});
  rig.submit(a);
  CHECK(rig.read(out) == 0);
  CHECK(rig.read(out + 4) == 1u << 12);
}

TEST_CASE("an endless workaround batch hangs the engine, not its host thread") {
  Rig rig;
  Context a(rig, rig.id, 0x20);
  const uint32_t at = rig.allocate(1);
  const Dwords body = GENERATE_COPY(start_batch(at), semaphore(out, 1), Dwords{0xffff'ffff});
  rig.write(at, body);
  a.set_image(0x19, at | 1);
  a.emit(store(out + 4, 1));
  rig.submit(a);
  CHECK(rig.events() == std::vector<Event>{{0x1, 0}});
  CHECK(rig.read(out + 4) == 0);
  CHECK((rig.reg(rig.id, softgen::reg::RING_ESR) & 1) == 1);
}

TEST_CASE("a workaround batch may not start work, and sets state") {
  Rig rig(EngineId::rcs);
  Context a(rig, rig.id, 0x20);
  const uint32_t at = rig.allocate(1);
  const bool draws = GENERATE(true, false);
  Dwords body = draws ? Dwords{0x7b000005, 0, 3, 0, 1, 0, 0} : Dwords{0x780d0000, 0};  // 3DPRIMITIVE, 3DSTATE_MULTISAMPLE
  body.push_back(batch_end);
  rig.write(at, body);
  a.set_image(0x19, at | 1);
  a.emit(store(out, 1));
  rig.submit(a);
  CHECK(rig.read(out) == (draws ? 0 : 1));
  CHECK((rig.reg(rig.id, softgen::reg::RING_ESR) & 1) == (draws ? 1 : 0));
}
