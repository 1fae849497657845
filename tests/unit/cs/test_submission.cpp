// SPDX-License-Identifier: GPL-2.0-or-later
// The port and the status buffer alone, without a streamer.
#include <array>

#include "hw/cs/submission/elsp.h"
#include "hw/cs/submission/elsq.h"
#include "hw/defs/gen11/set.h"
#include "hw/defs/gen12/set.h"
#include "hw/defs/gen9/set.h"
#include "hw/memory/ggtt.h"
#include "hw/memory/sparse_memory.h"
#include "tests/catch.h"

namespace softgen::cs {
namespace {

constexpr uint32_t base = 0x2000, status_page = 0x5000;

struct Rig {
  mmio::RegisterFile registers;
  memory::SparseMemory memory{1 << 20};
  memory::Ggtt ggtt;
  memory::View view{memory, nullptr, EngineId::rcs};
  std::unique_ptr<Submission> submission;
  unsigned submitted = 0;

  explicit Rig(const SubmissionForm& form = elsp, const defs::RegisterSet& set = defs::gen9::registers)
      : registers(set), submission(form.make(registers, base)) {
    for (uint32_t page = 0; page < 16; ++page) ggtt.set_pte(page, uint64_t{page} << 12 | 1);
    view.set_space(memory::AddressSpace::ggtt(ggtt));
    submission->attach([this] { ++submitted; });
  }
  void write(std::initializer_list<uint32_t> dwords) {
    for (const uint32_t dword : dwords) registers.write(base + softgen::reg::RING_ELSP, dword);
  }
};

TEST_CASE("cs: the submit port takes a list with its fourth dword", "[cs]") {
  Rig rig;
  rig.write({4, 0x3001, 2});
  CHECK(rig.submitted == 0);
  CHECK(!rig.submission->pending());
  rig.write({0x1001});
  CHECK(rig.submitted == 1);
  const auto list = rig.submission->take();
  REQUIRE(list);
  CHECK((list->element[0].low == 0x1001 && list->element[0].high == 2));
  CHECK((list->element[1].low == 0x3001 && list->element[1].high == 4));
  CHECK(list->next(2) == max_elements);
  CHECK(!rig.submission->take());
}

TEST_CASE("cs: a second list replaces a pending one", "[cs]") {
  Rig rig;
  rig.write({0, 0, 1, 0x1001, 0, 0, 2, 0x2001});
  CHECK(rig.submitted == 2);
  CHECK(rig.submission->take()->element[0].low == 0x2001);
  CHECK(!rig.submission->pending());
}

TEST_CASE("cs: a reset drops the pending list and an incomplete one", "[cs]") {
  Rig rig;
  rig.write({0, 0, 1, 0x1001, 7, 7});
  rig.submission->reset();
  CHECK(!rig.submission->pending());
  rig.write({0, 0, 2, 0x2001});
  CHECK(rig.submission->take()->element[0].low == 0x2001);
}

TEST_CASE("cs: events wrap around the six entries of the status buffer, and are in the registers", "[cs]") {
  Rig rig;
  CHECK((rig.registers.read(base + softgen::reg::RING_CONTEXT_STATUS_PTR) & 7) == 5);
  for (uint32_t i = 0; i < 8; ++i) {
    rig.submission->report({.event = event_complete, .left = {1, 0x100 + i}}, rig.view, status_page);
    CHECK(rig.view.load<uint32_t>(status_page + 0x7c) == i % 6);
    CHECK(rig.view.load<uint64_t>(status_page + 0x40 + 8 * (i % 6)) == (event_complete | uint64_t{0x100 + i} << 32));
    CHECK(rig.registers.read(base + 0x370 + 8 * (i % 6) + 4) == 0x100 + i);
    CHECK((rig.registers.read(base + softgen::reg::RING_CONTEXT_STATUS_PTR) & 7) == i % 6);
  }
}

TEST_CASE("cs: half a list is saved with the port", "[cs]") {
  Rig rig, other;
  rig.write({4, 0x3001, 2});
  Archive out;
  rig.submission->state(out);
  CHECK(out.output().size() == 20);  // as builds before the interface saved it
  Archive in(out.output());
  other.submission->state(in);
  other.write({0x1001});
  CHECK(other.submission->take()->element[1].low == 0x3001);
}

/// Offsets as i915 has them (gt/intel_engine_regs.h, RING_EXECLIST_SQ_CONTENTS and RING_EXECLIST_CONTROL).
constexpr uint32_t queue = base + 0x510, control = base + 0x550;

TEST_CASE("cs: the submission queue takes its elements when Load is written, and keeps them", "[cs]") {
  Rig rig(elsq_gen11, defs::gen11::registers);
  CHECK(rig.submission->elements() == 8);
  rig.registers.write(queue + 8, 0x3001);
  rig.registers.write(queue + 12, 4);
  rig.registers.write(queue, 0x1001);
  rig.registers.write(queue + 4, 2);
  rig.registers.write(queue + 56, 0x9001);
  CHECK(rig.submitted == 0);
  rig.registers.write(control, 0);
  CHECK(rig.submitted == 0);
  rig.registers.write(control, 1);
  REQUIRE(rig.submitted == 1);
  const auto list = rig.submission->take();
  REQUIRE(list);
  CHECK((list->element[0].low == 0x1001 && list->element[0].high == 2));
  CHECK((list->element[1].low == 0x3001 && list->element[1].high == 4));
  CHECK(list->element[7].low == 0x9001);
  CHECK(list->next(2) == 7);
  rig.registers.write(queue + 4, 5);
  rig.registers.write(control, 1);
  const auto again = rig.submission->take();
  REQUIRE(again);
  CHECK((again->element[0].low == 0x1001 && again->element[0].high == 5 && again->element[1].low == 0x3001));
}

TEST_CASE("cs: Gen11's events wrap around twelve entries, the last six in registers of their own", "[cs]") {
  Rig rig(elsq_gen11, defs::gen11::registers);
  const auto pointers = [&] { return rig.registers.read(base + 0x3a0); };
  CHECK((pointers() & 0xf0f) == 0xb0b);
  for (uint32_t i = 0; i < 14; ++i) {
    rig.submission->report({.event = event_complete, .left = {1, 0x100 + i}}, rig.view, status_page);
    CHECK(rig.view.load<uint32_t>(status_page + 0xbc) == i % 12);
    CHECK(rig.view.load<uint64_t>(status_page + 0x40 + 8 * (i % 12)) == (event_complete | uint64_t{0x100 + i} << 32));
    const uint32_t copy = i % 12 < 6 ? 0x370 + 8 * (i % 12) : 0x3c0 + 8 * (i % 12 - 6);
    CHECK(rig.registers.read(base + copy + 4) == 0x100 + i);
    CHECK((pointers() & 0xf) == i % 12);
  }
}

TEST_CASE("cs: RING_MODE selects execlists by either bit on Gen11, by its own on Gen9", "[cs]") {
  Rig gen9, gen11(elsq_gen11, defs::gen11::registers);
  CHECK((gen9.submission->selected(0x8000) && !gen9.submission->selected(8)));
  CHECK((gen11.submission->selected(0x8000) && gen11.submission->selected(8) && !gen11.submission->selected(0x400)));
}

TEST_CASE("cs: the queue is saved with the port, and a reset clears it", "[cs]") {
  Rig rig(elsq_gen11, defs::gen11::registers), other(elsq_gen11, defs::gen11::registers);
  rig.registers.write(queue, 0x1001);
  Archive out;
  rig.submission->state(out);
  Archive in(out.output());
  other.submission->state(in);
  other.registers.write(control, 1);
  CHECK(other.submission->take()->element[0].low == 0x1001);
  rig.submission->reset();
  rig.registers.write(control, 1);
  CHECK_FALSE(rig.submission->take());  // a list without a valid element is dropped
}

// i915 gt/intel_execlists_submission.c, gen12_csb_parse: bit 0 of the low dword is a new queue, [25:15] of both are the contexts that the engine goes
// to and comes from (7FFh: none), [3:0] of the high one says why.
TEST_CASE("cs: Gen12's events name both contexts and a new queue", "[cs]") {
  Rig rig(elsq_gen12, defs::gen12::registers);
  const Descriptor none, one{1, 0x123 << 5}, two{1, 0x7fe << 5 | 3 << 16};
  const struct {
    ContextSwitch event;
    uint32_t low, high;
  } rows[] = {{{event_idle_to_active, none, one}, 0x123 << 15 | 1, 0x7ff << 15},
              {{event_preempted, one, two}, 0x7fe << 15 | 1, 0x123 << 15 | 5},
              {{event_preempted | event_lite_restore, two, two}, 0x7fe << 15 | 1, 0x7fe << 15 | 5},
              {{event_element_switch | event_complete, one, two}, 0x7fe << 15, 0x123 << 15},
              {{event_active_to_idle | event_complete, two, none}, 0x7ff << 15, 0x7fe << 15},
              {{event_active_to_idle | event_wait_semaphore, one, none}, 0x7ff << 15, 0x123 << 15 | 4}};
  for (uint32_t i = 0; i < std::size(rows); ++i) {
    rig.submission->report(rows[i].event, rig.view, status_page);
    CHECK(rig.view.load<uint32_t>(status_page + 0xbc) == i);
    CHECK(rig.view.load<uint64_t>(status_page + 0x40 + 8 * i) == (rows[i].low | uint64_t{rows[i].high} << 32));
  }
}

}  // namespace
}  // namespace softgen::cs
