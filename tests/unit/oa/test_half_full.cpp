// SPDX-License-Identifier: GPL-2.0-or-later
// The half-full interrupt ("For internal trigger (timer based) reporting, if the report buffer crosses the half full limit, this interrupt is generated",
// TGL PRM vol 13, "OA Interrupt Control Registers"), and the time for which the unit requests to be woken.
#include "tests/unit/oa/rig.h"

using namespace softgen;
using namespace softgen::oa;
using namespace softgen::oa::test;

namespace {

constexpr uint32_t half_full = 1u << 28, half_reports = Rig::buffer_size / 2 / 256;

/// With a driver that has enabled the interrupt in the tree, on Gen9 or Gen12.
struct InterruptedRig : Rig {
  InterruptedRig() : InterruptedRig(GENERATE(false, true)) {}
  explicit InterruptedRig(bool gen12) : Rig(gen12 ? "tgl" : "kbl", gen12 ? oag : softgen::oa::oa) {
    if (gen12) {
      registers.write(reg::GPM_WGBOXPERF_INTR_ENABLE, 0x1000);
      registers.write(reg::GPM_WGBOXPERF_INTR_MASK, ~0x1000u);
      registers.write(reg::GFX_MSTR_IRQ, 0x8000'0000);
    } else {
      registers.write(reg::GT_IMR(3), ~half_full);
      registers.write(reg::GT_IER(3), half_full);
      registers.write(reg::MASTER_INT_CTL, 0x8000'0000);
    }
  }
  void unmask(bool on = true) { registers.write(form.interrupt_mask, on ? ~half_full : ~0u); }
  /// Serves what pends: true if it was the interrupt.
  bool serve() {
    if (form.mmio_trigger) {
      if (!(registers.read(reg::GT_INTR_DW(0)) & 1 << 20)) return false;
      registers.write(reg::IIR_REG_SELECTOR(0), 1 << 20);
      registers.write(reg::INTR_IDENTITY_REG(0), 1u << 31);
      registers.write(reg::GT_INTR_DW(0), 1 << 20);
    } else {
      if (!(registers.read(reg::GT_IIR(3)) & half_full)) return false;
      registers.write(reg::GT_IIR(3), half_full);
    }
    return true;
  }
  /// Lets time pass until the unit has asked to be woken, and wakes it.
  void sleep() {
    REQUIRE_FALSE(wakes.empty());
    clock.now = wakes.back();
    wakes.clear();
    unit->look();
  }
  size_t written() { return (registers.peek(form.tail) - registers.peek(form.head)) / 256; }
};

}  // namespace

TEST_CASE_METHOD(InterruptedRig, "the unit is woken when its buffer becomes half full, and interrupts") {
  unmask();
  open(5);
  REQUIRE_FALSE(wakes.empty());
  sleep();
  CHECK(written() == half_reports);
  CHECK(serve());
  CHECK(clock.rises == 1);
  CHECK(wakes.empty());
}

TEST_CASE_METHOD(InterruptedRig, "it interrupts once, until software has moved the head and the half is crossed again") {
  open(5);
  unmask();
  sleep();
  CHECK(serve());
  wait(300 * us);
  static_cast<void>(tail());
  unit->look();
  CHECK_FALSE(serve());
  for (unsigned round = 2; round < 5; ++round) {
    wakes.clear();
    CHECK(take().size() >= half_reports);
    sleep();
    CHECK(serve());
    CHECK(clock.rises == round);
  }
}

TEST_CASE_METHOD(InterruptedRig, "while the interrupt is masked nothing wakes the unit, and nothing is raised") {
  open(5);
  unmask(false);
  wait(2'000 * us);
  CHECK(take().size() > half_reports);
  CHECK(wakes.empty());
  CHECK_FALSE(serve());
  unmask();
  wait(10 * us);
  wakes.clear();
  registers.write(form.control, 0);
  CHECK(wakes.empty());
  timer(-1);
  registers.write(form.control, a36_b8_c8 << 2 | 1);
  CHECK(wakes.empty());
  CHECK(clock.rises == 0);
}

TEST_CASE_METHOD(InterruptedRig, "woken too early it asks again; a crossing that software's own read finds interrupts, too") {
  open(5);
  unmask();
  const int64_t due = wakes.back();
  wakes.clear();
  wait(20 * us);
  unit->look();
  REQUIRE_FALSE(wakes.empty());
  CHECK(wakes.back() == due);
  wait(2'000 * us);
  static_cast<void>(tail());
  CHECK(serve());
}

TEST_CASE_METHOD(InterruptedRig, "other reports bring the half nearer, those of triggers also without a timer") {
  open(-1);
  unmask();
  CHECK(wakes.empty());
  report_trigger(0, report_enable | threshold_enable | invert_d, 1000);
  sleep();
  CHECK(written() == half_reports);
  CHECK(serve());
  static_cast<void>(take());
  registers.write(form.report_triggers[0].condition, 0);
  wakes.clear();
  for (unsigned i = 0; i + 1 < half_reports; ++i) unit->context_entered({context, image});
  CHECK_FALSE(serve());
  unit->context_entered({context, image});
  CHECK(serve());
}

TEST_CASE_METHOD(InterruptedRig, "after an overflow the unit is not woken until software has cleared that") {
  open(5);
  unmask();
  wait(10'000 * us);
  CHECK((status() & 2) != 0);
  CHECK(serve());
  wakes.clear();
  static_cast<void>(take());
  CHECK(wakes.empty());
  registers.write(form.status, 0);
  registers.write(form.head, tail());
  sleep();
  CHECK(serve());
}

TEST_CASE_METHOD(InterruptedRig, "a loaded state asks to be woken") {
  open(5);
  unmask();
  Archive out;
  unit->state(out);
  const std::vector<std::byte> bytes = out.take();
  wakes.clear();
  Archive in(bytes);
  unit->state(in);
  REQUIRE(!in.failed());
  sleep();
  CHECK(serve());
}
