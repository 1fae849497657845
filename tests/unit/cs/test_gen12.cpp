// SPDX-License-Identifier: GPL-2.0-or-later
// What streamers do otherwise on Gen12: images, status events, workaround batches of all classes, MI commands with new bits.
#include "hw/cs/submission/elsq.h"
#include "hw/defs/gen12/set.h"
#include "hw/mmio/interrupts/gen11.h"
#include "hw/mmio/memory_registers.h"
#include "tests/unit/cs/machine.h"

using namespace softgen;
using namespace softgen::cs::test;

namespace {

constexpr uint32_t result = 0x0018'0000;
constexpr uint32_t relative = 1u << 19, relative_source = 1u << 18;  // of MI_LOAD_REGISTER_*, MI_STORE_REGISTER_MEM
constexpr EngineId all_engines[] = {EngineId::rcs, EngineId::bcs, EngineId::vcs0, EngineId::vcs1, EngineId::vecs};

Form gen12_form() {
  return {&defs::gen12::commands, &defs::gen12::registers, &defs::gen12::context_images, &cs::elsq_gen12, mmio::gen12_interrupts, 0x1f};
}

/// i915's part of submission, for one engine at a time.
struct Gen12 : Machine {
  Gen12() : Machine(false, gen12_form()) {
    for (const EngineId e : all_engines) {
      set_reg(e, reg::RING_MODE, 0x0008'0008);
      set_reg(e, reg::RING_MI_MODE, 0x0100'0000);
      set_reg(e, reg::RING_HWS_PGA, hwsp(e));
      set_reg(e, reg::RING_EMR, ~1u);
      set_reg(e, reg::RING_CONTEXT_STATUS_PTR, 0xffff'0b0b);
    }
  }
  void submit(EngineId e, Context& context) {
    context.set_image(7, context.tail);
    set_reg(e, reg::RING_EXECLIST_SQ(1, 0), 0);
    set_reg(e, reg::RING_EXECLIST_SQ(1, 1), 0);
    set_reg(e, reg::RING_EXECLIST_SQ(0, 0), static_cast<uint32_t>(context.descriptor()));
    set_reg(e, reg::RING_EXECLIST_SQ(0, 1), static_cast<uint32_t>(context.descriptor() >> 32));
    set_reg(e, reg::RING_EXECLIST_CONTROL, 1);
  }
  /// The engine's context has come to its end, by its last event.
  bool completes(EngineId e, Context& context, const Dwords& commands) {
    submit(e, context.emit(commands));
    const uint32_t at = hwsp(e) + 0x40 + 8 * read(hwsp(e) + 0xbc);
    return read(at) == 0x7ffu << 15 && read(at + 4) == context.id >> 5 << 15;
  }
  uint32_t base(EngineId e) const { return registers.engine_register(e, 0); }
};

}  // namespace

// IGT's rendercopy_gen9.c, gen9_emit_depth.
TEST_CASE("gen12: 3DSTATE_STENCIL_BUFFER may have Gen9's length") {
  Gen12 machine;
  Context context(machine, EngineId::rcs, 0x20 << 5);
  CHECK(machine.completes(EngineId::rcs, context, {0x7806'0003, 0, 0, 0, 0, noop}));
  CHECK(machine.reg(EngineId::rcs, softgen::reg::RING_ESR) == 0);
}

// i915 gt/intel_lrc.c, gen12_rcs_offsets and gen12_xcs_offsets; what it finds by number: lrc_ring_mi_mode, lrc_ring_bb_offset, lrc_ring_gpr0,
// lrc_ring_cmd_buf_cctl, lrc_ring_wa_bb_per_ctx, lrc_ring_indirect_ptr.
TEST_CASE("gen12: images have the driver's lists, on all engines, relative to the engine's base") {
  for (const EngineId e : all_engines) {
    CAPTURE(name_of(e));
    Gen12 machine;
    Context context(machine, e, 0x20 << 5);
    REQUIRE(machine.completes(e, context, {noop}));
    const uint32_t base = machine.base(e);
    const std::pair<uint32_t, uint32_t> lists[] = {{0x01, 13}, {0x21, 9}, {0x51, 51}};
    for (const auto& [dword, count] : lists) CHECK(context.image(dword) == (0x1108'1000 | (2 * count - 1)));
    const std::pair<uint32_t, uint32_t> slots[] = {{0x02, 0x244}, {0x06, 0x30},  {0x10, 0x110}, {0x12, 0x1c0}, {0x14, 0x1c4}, {0x16, 0x1c8},
                                                   {0x18, 0x180}, {0x1a, 0x2b4}, {0x22, 0x3a8}, {0x32, 0x270}, {0x52, 0x588}, {0x5c, 0x588},
                                                   {0x60, 0x9c},  {0x68, 0x358}, {0x70, 0x158}, {0x74, 0x600}, {0xb2, 0x67c}, {0xb6, 0x84}};
    for (const auto& [dword, offset] : slots) {
      CAPTURE(dword);
      CHECK(context.image(dword) == base + offset);
    }
    if (e != EngineId::rcs) continue;
    CHECK(context.image(0x34) == 0x1108'1005);
    CHECK((context.image(0x35) == base + 0x1b0 && context.image(0x39) == base + 0x5ac));
    CHECK((context.image(0x41) == 0x1108'0001 && context.image(0x42) == base + 0xc8));
    CHECK(context.image(0x144) == 0x2360);  // i915_perf.c: OA_CTX_CONTROL
  }
}

TEST_CASE("gen12: an image that one video engine saved runs on the other") {
  Gen12 machine;
  Context context(machine, EngineId::vcs0, 0x21 << 5);
  REQUIRE(machine.completes(EngineId::vcs0, context, {mi(0x22, 1 | relative), 0x600, 0x1234}));
  CHECK(machine.completes(EngineId::vcs1, context, {mi(0x24, 2 | global | relative), 0x600, result, 0}));
  CHECK(machine.read(result) == 0x1234);
  CHECK(context.image(0x74) == machine.base(EngineId::vcs1) + 0x600);
}

TEST_CASE("gen12: the indirect batch runs when GPR0 is restored, the per-context batch at the end, on all engines") {
  for (const EngineId e : all_engines) {
    CAPTURE(name_of(e));
    Gen12 machine;
    Context context(machine, e, 0x22 << 5, false);
    context.set_image(0x75, 0x77);
    context.set_image(0x23, 0x8000'0000);
    // As gen12_emit_timestamp_wa(): the saved timestamp by way of GPR0 to CTX_TIMESTAMP, relative to the engine.
    const uint32_t saved = context.lrca + 0x1000 + 4 * 0x23;
    Dwords indirect = Dwords{mi(0x24, 2 | global | relative), 0x600, result, 0} + Dwords{mi(0x29, 2 | global | relative), 0x600, saved, 0} +
                      Dwords{mi(0x2a, 1 | relative | relative_source), 0x600, 0x3a8};
    indirect.resize(16);
    const uint32_t at = machine.batch(indirect);
    context.set_image(0x15, at | 1);
    context.set_image(0x17, 0xd << 6);
    const uint32_t per_context = machine.batch(store(result + 4, 2) + Dwords{batch_end});
    context.set_image(0x13, per_context | 1u << 2 | 1);  // PER_CTX_BB_FORCE, PER_CTX_BB_VALID
    CHECK(machine.completes(e, context, {mi(0x24, 2 | global | relative), 0x3a8, result + 8, 0}));
    CHECK(machine.read(result) == 0x77);
    CHECK(machine.read(result + 4) == 2);
    CHECK(machine.read(result + 8) >= 0x8000'0000);
  }
}

TEST_CASE("gen12: commands with new bits do what they did") {
  Gen12 machine;
  Context context(machine, EngineId::rcs, 0x23 << 5);
  // MI_SEMAPHORE_WAIT with a token (five dwords), MI_ARB_CHECK that stops the pre-parser, MI_STORE_DATA_IMM with Force Write Completion Check,
  // MI_LOAD_REGISTER_IMM with MMIO Remap Enable.
  machine.write(result, 5);
  CHECK(machine.completes(EngineId::rcs, context,
                          Dwords{mi(0x1c, 3 | global | 1u << 15 | 4u << 12), 5, result, 0, 7u << 5} + Dwords{mi(0x05, 1u << 8 | 1)} +
                              store(result + 4, 6, global | 1u << 10) + Dwords{mi(0x22, 1 | 1u << 17), 0x2600, 0x99} +
                              srm(0x2600, result + 8)));
  CHECK(machine.read(result + 4) == 6);
  CHECK(machine.read(result + 8) == 0x99);
}

// TGL PRM vol 13, "Force Wake and Steering Table": "CS access point: 20CC, access steering towards all GT endpoints", where the host's is FDC.
TEST_CASE("gen12: a ring's register accesses are steered by the streamer's own register") {
  constexpr uint32_t multicast = 1u << 31, selector = 0x20cc, host_selector = 0xfdc, replicated = 0x9524;
  Gen12 machine;
  Context context(machine, EngineId::rcs, 0x24 << 5);
  CHECK(machine.completes(EngineId::rcs, context,
                          lri(replicated, 1) + lri(selector, 3u << 24) + lri(replicated, 2) + srm(replicated, result) +
                              lri(selector, 6u << 24) + lri(replicated, 3) + srm(replicated, result + 4) + lri(selector, multicast) +
                              srm(replicated, result + 8)));
  CHECK(machine.read(result) == 2);
  CHECK(machine.read(result + 4) == 0);  // there is no such instance
  CHECK(machine.read(result + 8) == 1);
  CHECK(machine.registers.read(host_selector) == multicast);
  machine.registers.write(host_selector, 3u << 24);
  CHECK(machine.registers.read(replicated) == 2);
}

// TGL PRM vol 13, "Multicast Steering and Die Recovery": "GT hardware is aware of the fuses and internally targets reads for context save toward the first
// enabled instance." What is restored is in all of them.
TEST_CASE("gen12: contexts keep the first instance of a replicated register, and restore all") {
  constexpr uint32_t selector = 0x20cc, l3alloc = 0xb134, one = 0x1000'0040, other = 0x2000'0040;
  Gen12 machine;
  Context a(machine, EngineId::rcs, 0x25 << 5), b(machine, EngineId::rcs, 0x26 << 5);
  CHECK(machine.completes(EngineId::rcs, a, lri(selector, 1u << 31) + lri(l3alloc, one) + lri(selector, 3u << 24) + lri(l3alloc, other)));
  CHECK(machine.completes(EngineId::rcs, b, {noop}));
  CHECK(machine.completes(EngineId::rcs, a, lri(selector, 3u << 24) + srm(l3alloc, result) + lri(selector, 0) + srm(l3alloc, result + 4)));
  CHECK(machine.read(result) == one);
  CHECK(machine.read(result + 4) == one);
}

// i915 gt/gen8_engine_cs.c, gen12_emit_aux_table_inv: the register is written, and the ring waits without a limit for it to read 0.
TEST_CASE("gen12: a ring that invalidates its aux map and waits for the end goes on, on all engines") {
  constexpr uint32_t register_poll = 1u << 16, poll = 1u << 15, equal = 4u << 12;
  const std::pair<EngineId, uint32_t> rows[] = {{EngineId::rcs, 0x4208}, {EngineId::rcs, 0x42c8},  {EngineId::vcs0, 0x4218},
                                                {EngineId::bcs, 0x4248}, {EngineId::vecs, 0x4238}, {EngineId::vcs1, 0x4298}};
  Gen12 machine;
  memory::Aperture aperture(machine.ggtt, machine.memory, &machine.faults);
  mmio::attach_memory_registers(machine.registers, {machine.ggtt, aperture, machine.faults, machine.tlb});
  uint32_t id = 0x30;
  for (const auto& [engine, offset] : rows) {
    CAPTURE(name_of(engine), offset);
    Context context(machine, engine, id++ << 5);
    const auto before = machine.tlb.value().load();
    CHECK(machine.completes(
        engine, context, Dwords{mi(0x22, 1 | 1u << 17), offset, 1} + Dwords{mi(0x1c, 3 | register_poll | poll | equal), 0, offset, 0, 0}));
    CHECK(machine.tlb.value().load() != before);
  }
}
