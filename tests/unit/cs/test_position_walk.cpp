// SPDX-License-Identifier: GPL-2.0-or-later
// POCS's way through ring and batches: ICL PRM vol 9, "POSH Command Transport", "POSH Functionality Controls".
#include "hw/defs/gen11/set.h"
#include "tests/unit/cs/position_rig.h"

using namespace softgen;
using namespace softgen::cs::test;
using softgen::cs::test::batch_start;

namespace {

constexpr uint32_t out = 0x0018'0000, condition = 0x0018'1000;
const Dwords end{batch_end};

/// What either engine got, in order.
std::vector<uint32_t> words_of(const FakeEngine& engine) { return engine.headers; }

struct Walk : PositionRig {
  PositionContext context{*this, 0x20};
  /// POCS has executed so many stores to `out` + 4 n: each is in a batch of its own kind.
  Walk() {
    engine(EngineId::pocs).on_execute = [this](const Packet& packet, EngineEnv&) {
      seen.push_back(packet.dwords.back());
      return ExecResult::done;
    };
  }
  std::vector<uint32_t> run() {
    submit(context);
    until_idle();
    return seen;
  }
  uint32_t vs_batch(uint32_t word, const Dwords& more = end) { return batch(state_vs(word) + more); }
  std::vector<uint32_t> seen;
};

using Words = std::vector<uint32_t>;

}  // namespace

TEST_CASE("POSH Start: POCS executes the batch, RCS takes its start for a no-op") {
  // "RCS on parsing MI_BATCH_BUFFER_START command with POSH Start enabled NOOPS the command and moves on the following command."
  Walk walk;
  walk.context.emit(batch_start(walk.vs_batch(1), posh_start)).emit(state_ps(2));
  CHECK(walk.run() == Words{1});
  CHECK(words_of(walk.rcs()) == Words{ps_header});
  CHECK(walk.events() == std::vector<Event>{{0x1, 0}, {0x18, 0x20}});
}

TEST_CASE("the ring: POCS skips what is not a start with one of the bits") {
  // "POCS executes only the MI_BATCH_BUFFER_START commands programmed in the ring buffer with POSH Enable or POSH Start."
  Walk walk;
  walk.context.emit(state_vs(1)).emit(batch_start(walk.vs_batch(2))).emit(store(out, 1));
  CHECK(walk.run().empty());
  CHECK(words_of(walk.rcs()) == Words{vs_header, vs_header});
  CHECK(walk.reg(EngineId::pocs, softgen::reg::RING_HEAD) == walk.context.tail);
}

TEST_CASE("the ring: predication is disabled for POCS's starts, and not for RCS's") {
  Walk walk;
  walk.context.emit(batch_start(walk.vs_batch(1), posh_start | predicated));
  walk.context.emit(batch_start(walk.batch(batch_start(walk.vs_batch(2), posh_start) + state_ps(3) + end), posh_enable | predicated));
  CHECK(walk.run() == Words{1, 2});
  CHECK(words_of(walk.rcs()).empty());  // MI_PREDICATE_RESULT_1 is clear
}

TEST_CASE("POSH Start is inherited by chained batches and by the next level") {
  // "All the following chained batch buffers and next level batch buffers will implicitly inherit the value."
  Walk walk;
  const uint32_t chained = walk.vs_batch(3);
  const uint32_t nested = walk.vs_batch(2);
  walk.context.emit(batch_start(walk.vs_batch(1, batch_start(nested, second_level) + batch_start(chained)), posh_start));
  CHECK(walk.run() == Words{1, 2, 3});
  CHECK(words_of(walk.rcs()).empty());
}

TEST_CASE("POSH Start of the first level ends with that level") {
  // "It will get reset only when the first level batch buffer execution is terminated through batch buffer end and the command execution
  // sequence goes back to the ring buffer."
  Walk walk;
  const uint32_t nested = walk.vs_batch(2);
  walk.context.emit(batch_start(walk.vs_batch(1, batch_start(nested, second_level) + state_vs(3) + end), posh_start)).emit(state_vs(4));
  CHECK(walk.run() == Words{1, 2, 3});
}

TEST_CASE("POSH Start of the second level ends with that level") {
  // "It will get reset only when the second level batch buffer execution is terminated and the sequence goes back to the first level."
  Walk walk;
  const uint32_t nested = walk.vs_batch(1);
  walk.context.emit(batch_start(walk.batch(batch_start(nested, second_level | posh_start) + state_vs(2) + end), posh_enable));
  CHECK(walk.run() == Words{1});
  CHECK(words_of(walk.rcs()) == Words{vs_header});
}

TEST_CASE("POSH Start of a chained batch ends the traversal of its level") {
  Walk walk;
  const uint32_t first = walk.batch(batch_start(walk.vs_batch(1), posh_start) + state_ps(2) + end);
  walk.context.emit(batch_start(first, posh_enable)).emit(batch_start(walk.vs_batch(3), posh_start));
  CHECK(walk.run() == Words{1, 3});
  CHECK(words_of(walk.rcs()) == Words{ps_header});  // behind its no-op
}

TEST_CASE("POSH Start takes precedence over POSH Enable") {
  Walk walk;
  walk.context.emit(batch_start(walk.vs_batch(1), posh_start | posh_enable));
  CHECK(walk.run() == Words{1});
  CHECK(words_of(walk.rcs()).empty());
}

TEST_CASE("POSH Enable: POCS looks for POSH Start batches and executes nothing else; RCS ignores the bit") {
  Walk walk;
  const uint32_t nested = walk.vs_batch(2);
  walk.context.emit(
      batch_start(walk.batch(state_vs(1) + store(out, 1) + batch_start(nested, second_level | posh_start) + end), posh_enable));
  CHECK(walk.run() == Words{2});
  CHECK(words_of(walk.rcs()) == Words{vs_header});
  CHECK(walk.read(out) == 1);
}

TEST_CASE("POSH Enable is inherited by chained batches, and not by the next level") {
  // "Field is only inherited to the chained batch buffers"; "POCS by default will not traverse the second level batch buffers".
  Walk walk;
  const uint32_t marked = walk.batch(batch_start(walk.vs_batch(1), posh_start) + end),
                 unmarked = walk.batch(batch_start(walk.vs_batch(2), posh_start) + end);
  const uint32_t chained = walk.batch(batch_start(marked, second_level | posh_enable) + batch_start(unmarked, second_level) +
                                      batch_start(walk.vs_batch(3), posh_start) + end);
  walk.context.emit(batch_start(walk.batch(batch_start(chained)), posh_enable));
  CHECK(walk.run() == Words{1, 3});
}

TEST_CASE("a traversed second-level batch traverses what it chains to") {
  Walk walk;
  const uint32_t chained = walk.batch(batch_start(walk.vs_batch(1), posh_start) + end);
  const uint32_t nested = walk.batch(batch_start(chained));
  walk.context.emit(batch_start(walk.batch(batch_start(nested, second_level | posh_enable) + end), posh_enable));
  CHECK(walk.run() == Words{1});
}

TEST_CASE("POSH Enable ends with a conditional batch end whose condition is met") {
  // "Gets reset on executing MI_BATCH_BUFFER_END or on MI_CONDITIONAL_BATCH_BUFFER_END meeting the required condition."
  const bool met = GENERATE(false, true);
  Walk walk;
  walk.write(condition, met ? 0 : 5);
  const Dwords conditional_end{mi(0x36, 2 | global | 1u << 21), 1, condition, 0};
  walk.context.emit(batch_start(walk.batch(conditional_end + batch_start(walk.vs_batch(1), posh_start) + end), posh_enable))
      .emit(batch_start(walk.vs_batch(2), posh_start));
  CHECK(walk.run() == (met ? Words{2} : Words{1, 2}));
}

TEST_CASE("a start in a traversed batch follows POCS's own predicate") {
  const bool set = GENERATE(false, true);
  Walk walk;
  walk.context.emit(batch_start(walk.batch(lri(0x1841c, set) + end), posh_start));
  walk.context.emit(batch_start(walk.batch(batch_start(walk.vs_batch(1), posh_start | predicated) + end), posh_enable));
  CHECK(walk.run() == (set ? Words{1} : Words{}));
}

TEST_CASE("MI commands that POCS does not support are no-ops") {
  // "MI Commands Supported by POCS": all of RCS's but these.
  Walk walk;
  const Dwords no_ops = Dwords{mi(0x14, 1), 0, 0x1000} + Dwords{mi(0x12), 0} + Dwords{mi(0x13), 0} + Dwords{mi(0x03), mi(0x02)} +
                        Dwords{mi(0x28, 2 | 0), out | 1, 0, 7} + Dwords{mi(0x18), 0x1000} + Dwords{mi(0x08, 0)};
  walk.context.emit(batch_start(walk.batch(no_ops + state_vs(1) + end), posh_start));
  CHECK(walk.run() == Words{1});
  CHECK(walk.read(out) == 0);
  CHECK(walk.events() == std::vector<Event>{{0x1, 0}, {0x18, 0x20}});
}

TEST_CASE("packets that the position-only pipe does not have are discarded, and draws without POSH Enable") {
  // "State commands programmed for POSH which are not listed in the table below will be gracefully discarded (NOOP'ed) by POCS."
  Walk walk;
  walk.context.emit(batch_start(walk.batch(state_ps(1) + draw(false) + draw(true) + state_vs(2) + end), posh_start));
  walk.run();
  CHECK(words_of(walk.pocs()) == Words{recording_draw_header, vs_header});
}

TEST_CASE("all packets of the manual's list reach the position-only pipe") {
  // "3D State Commands Supported by POCS", "Common Non-Pipeline State Commands"; those of the image; PTBR's.
  Walk walk;
  Dwords commands;
  Words headers;
  for (const char* name : {"3DSTATE_VF",
                           "3DSTATE_INDEX_BUFFER",
                           "3DSTATE_VERTEX_BUFFERS",
                           "3DSTATE_VERTEX_ELEMENTS",
                           "3DSTATE_VF_COMPONENT_PACKING",
                           "3DSTATE_VF_INSTANCING",
                           "3DSTATE_VF_SGVS",
                           "3DSTATE_VF_TOPOLOGY",
                           "3DSTATE_VF_STATISTICS",
                           "3DSTATE_VS",
                           "3DSTATE_PUSH_CONSTANT_ALLOC_VS",
                           "3DSTATE_CONSTANT_VS",
                           "3DSTATE_BINDING_TABLE_POOL_ALLOC",
                           "3DSTATE_BINDING_TABLE_POINTERS_VS",
                           "3DSTATE_SAMPLER_STATE_POINTERS_VS",
                           "3DSTATE_URB_VS",
                           "3DSTATE_CLIP",
                           "3DSTATE_SF",
                           "3DSTATE_VIEWPORT_STATE_POINTERS_SF_CLIP",
                           "3DSTATE_SCISSOR_STATE_POINTERS",
                           "3DSTATE_MULTISAMPLE",
                           "3DSTATE_RASTER",
                           "3DSTATE_DRAWING_RECTANGLE",
                           "3DSTATE_SBE",
                           "3DSTATE_SAMPLE_PATTERN",
                           "3DSTATE_PTBR_PAGE_POOL_BASE_ADDRESS",
                           "3DSTATE_PTBR_FREE_LIST_BASE_ADDRESS",
                           "3DSTATE_PTBR_RENDER_LIST_BASE_ADDRESS",
                           "3DSTATE_PTBR_TILE_PASS_INFO",
                           "STATE_BASE_ADDRESS",
                           "PIPELINE_SELECT",
                           "3DSTATE_VF_SGVS_2",
                           "3DSTATE_PTBR_MARKER"}) {
    const defs::Command* command = defs::gen11::commands.find(std::string_view(name));
    CAPTURE(name);
    REQUIRE(command);
    const uint32_t dwords = std::max<uint32_t>(command->dwords, command->length_high ? 2 : 1);
    headers.push_back(command->match | (command->length_high ? dwords - 2 : 0));
    commands = commands + Dwords{headers.back()} + Dwords(dwords - 1);
  }
  walk.context.emit(batch_start(walk.batch(commands + end), posh_start));
  walk.run();
  CHECK(words_of(walk.pocs()) == headers);
}

TEST_CASE("PIPE_CONTROL on POCS neither notifies nor writes the depth count") {
  // "Must not be set in PIPE_CONTROL command programmed for POCS"; "There are no interrupts generated by POSH pipe."
  Walk walk;
  walk.registers.write(softgen::reg::RENDER_COPY_INTR_ENABLE, ~0u);
  walk.registers.write(softgen::reg::RCS0_RSVD_INTR_MASK, 0);
  walk.registers.poke(softgen::reg::PS_DEPTH_COUNT(0), 77);
  const auto control = [](uint32_t flags, uint32_t at, uint32_t data) { return Dwords{0x7a00'0004, flags, at, 0, data, 0}; };
  constexpr uint32_t ggtt = 1u << 24, notify = 1u << 8;
  walk.context.emit(batch_start(
      walk.batch(control(ggtt | 1u << 14 | notify | 1u << 12 | 1u << 5, out, 1) + control(ggtt | 2u << 14, out + 8, 1) + end), posh_start));
  walk.run();
  CHECK(walk.read(out) == 1);
  CHECK(walk.read(out + 8) == 0);
  // RCS's context switches are the only events.
  walk.registers.write(softgen::reg::IIR_REG_SELECTOR(0), 1);
  CHECK((walk.registers.read(softgen::reg::INTR_IDENTITY_REG(0)) & 0xffff) == 1u << 8);
}

TEST_CASE("registers that count from the engine are POCS's in its batches") {
  Walk walk;
  const uint32_t relative = 1u << 19;
  const Dwords load{mi(0x22, 1 | relative), 0x600, 0x1234};
  walk.context.emit(batch_start(walk.batch(load + end), posh_start)).emit(store(out, 1));
  walk.run();
  CHECK(walk.reg(EngineId::pocs, softgen::reg::CS_GPR(0)) == 0x1234);
  CHECK(walk.reg(EngineId::rcs, softgen::reg::CS_GPR(0)) == 0);
}

TEST_CASE("POCS sees RCS's page tables, and a user's batch has no more rights there") {
  // "The PPGTT is setup by RCS."
  Walk walk;
  const uint64_t user = walk.user_batch(state_vs(1) + store(out, 1) + store(Machine::ppgtt_base + 0x10'0000, 5, 0) + end);
  walk.context.emit(batch_start(user, posh_start | 1u << 8));
  CHECK(walk.run() == Words{1});
  CHECK(walk.read(out) == 0);
  CHECK(walk.read(static_cast<uint32_t>(Machine::user_gpa(Machine::ppgtt_base + 0x10'0000))) == 5);
}

TEST_CASE("a context that is not POSH enabled does not engage POCS") {
  // "When the POSH is disabled in CTX_SR_CTL register, RCS will not engage POSH."
  Walk walk;
  PositionContext plain(walk, 0x40, false);
  plain.emit(batch_start(walk.vs_batch(1), posh_start)).emit(state_ps(2));
  walk.submit(plain);
  walk.until_idle();
  CHECK(walk.seen.empty());
  CHECK(words_of(walk.rcs()) == Words{ps_header});
  CHECK(plain.position_image(0x05) == 0);
}
