// SPDX-License-Identifier: GPL-2.0-or-later
// What triggers do in the unit: reports of the report triggers and of MMIO, the start of the B and C counters; and the free-running counters.
#include "tests/unit/oa/rig.h"

using namespace softgen;
using namespace softgen::oa;
using namespace softgen::oa::test;

namespace {

namespace report_id = defs::oa_report_id;

/// The unit of Gen9, or OAG.
struct EachRig : Rig {
  EachRig() : EachRig(GENERATE(false, true)) {}
  explicit EachRig(bool gen12) : Rig(gen12 ? "tgl" : "kbl", gen12 ? oag : softgen::oa::oa) {}
  uint64_t clocks() { return registers.read(form.counters.ticks); }
  uint32_t b(unsigned i) { return registers.read(form.counters.b + 4 * i); }
  uint32_t c(unsigned i) { return registers.read(form.counters.c + 4 * i); }
};

}  // namespace

// Intel's metrics library, TriggerQueryReport() and TriggerStreamReport(): a rising and a falling edge, per report.
TEST_CASE_METHOD(EachRig, "the metrics library's two writes to a report trigger make one report of its reason") {
  route(unknown_signals);
  open(-1);
  for (const unsigned i : {0u, 1u, 1u, 0u}) {
    const uint32_t at = form.report_triggers[i].condition;
    registers.write(at, report_enable | invert_c1);
    wait(1 * us);
    registers.write(at, report_enable | invert_c1 | invert_d);
    wait(10 * us);
    const auto reports = take();
    REQUIRE(reports.size() == 1);
    CHECK(reason_of(reports[0]) == (i ? report_id::trigger_2 : report_id::trigger_1).mask());
  }
}

TEST_CASE_METHOD(EachRig, "a report trigger makes no report while the unit or the trigger is disabled") {
  open(-1);
  registers.write(form.control, 0);
  registers.write(form.report_triggers[0].condition, report_enable | invert_c1);
  registers.write(form.control, a36_b8_c8 << 2);
  registers.write(form.report_triggers[0].condition, 0);
  registers.write(form.control, a36_b8_c8 << 2 | 1);
  registers.write(form.report_triggers[0].condition, invert_c1);
  wait(10 * us);
  CHECK(take().empty());
}

TEST_CASE_METHOD(EachRig, "a report trigger with a threshold reports whenever its condition has held for so many core clocks") {
  open(9);
  report_trigger(1, report_enable | threshold_enable | invert_d, 1000);
  wait(200 * us);
  unsigned triggered = 0;
  uint32_t timestamp = 0;
  const uint64_t clock_in_tick = clocks() / (200 * us * platform.timestamp_hz / 1'000'000'000) + 1;
  for (const Report& report : take()) {
    CHECK(report[1] >= timestamp);
    timestamp = report[1];
    CHECK((report[0] & report_id::report_threshold.mask()) == (reason_of(report) == report_id::trigger_2.mask() ? 1u << 17 : 0));
    if (reason_of(report) != report_id::trigger_2.mask()) continue;
    ++triggered;
    CHECK(report[3] >= 1000 * triggered);
    CHECK(report[3] < 1000 * triggered + clock_in_tick);
  }
  CHECK(triggered == clocks() / 1000);
}

TEST_CASE_METHOD(EachRig, "reports of a trigger that fires all the time are bounded: they overflow the buffer") {
  route(test_pattern);
  open(-1);
  report_trigger(0, report_enable, 0, 0x3333'3333);  // every second clock
  wait(1000 * us);
  CHECK(take().size() == buffer_size / 256 - 1);
  CHECK((status() & 2) != 0);
}

TEST_CASE_METHOD(EachRig, "B and C counters wait for a start trigger, A counters do not") {
  route(test_pattern);
  registers.write(form.event(1), 3);  // always
  open(-1);
  count(Work::ps_threads, 100);
  wait(100 * us);
  CHECK(registers.read(form.counters.a + 8 * 6) == 100);
  CHECK(b(1) == 0);
  CHECK(c(0) == 0);
  start_trigger(1, threshold_enable);
  const uint64_t from = clocks();
  wait(100 * us);
  CHECK(b(1) == clocks() - from);
  CHECK(c(0) == clocks() - from);
  registers.write(form.control, 0);
  const uint32_t counted = b(1);
  wait(100 * us);
  CHECK(b(1) == counted);
}

TEST_CASE_METHOD(EachRig, "the B and C counters start in the clock in which the threshold is reached") {
  open(5);
  registers.write(form.event(0), 3);  // always
  start_trigger(0, threshold_enable | invert_d, 50'000);
  const uint64_t from = clocks() + 50'000;
  wait(300 * us);
  CHECK(b(0) == clocks() - from);
  for (const Report& report : take()) {
    CHECK(report[48] == (report[3] > from ? report[3] - from : 0));
    CHECK((report[0] & report_id::start_trigger.mask()) == (report[3] >= from ? 1u << 18 : 0));
  }
}

TEST_CASE_METHOD(EachRig, "a loaded state has the triggers as they were") {
  open(-1);
  registers.write(form.event(0), 3);
  start_trigger(0, threshold_enable | invert_d, 60'000);
  report_trigger(0, report_enable | threshold_enable | invert_d, 60'000);
  wait(30 * us);
  const uint64_t saved = clocks();
  REQUIRE(saved < 60'000);
  Archive out;
  unit->state(out);
  const std::vector<std::byte> bytes = out.take();
  wait(500 * us);
  static_cast<void>(take());
  Archive in(bytes);
  unit->state(in);
  REQUIRE(!in.failed());
  CHECK(clocks() == saved);
  wait(50 * us);
  CHECK(b(0) == clocks() - 60'000);
  const auto reports = take();
  REQUIRE(reports.size() == 1);
  CHECK(reports[0][3] >= 60'000);
}

// Linux 6.12 xe/xe_oa.c, oag_configure_mmio_trigger(); the value: Intel's metrics library (queryId).
TEST_CASE("an MMIO trigger writes a report with the written value in place of the context's id, unless disabled") {
  Rig rig("tgl", oag);
  rig.registers.write(reg::OAG_MMIOTRIGGER, 1);
  rig.open(-1);
  rig.unit->context_entered({Rig::context, Rig::image});
  static_cast<void>(rig.take());
  rig.wait(100 * Rig::us);
  rig.registers.write(reg::OAG_OA_DEBUG, 1 << 6 | 1 << 22);
  rig.registers.write(reg::OAG_MMIOTRIGGER, 0xc0ffee);
  const auto reports = rig.take();
  REQUIRE(reports.size() == 1);
  CHECK((reports[0][0] & report_id::mmio_trigger.mask()) != 0);
  CHECK(reports[0][1] == 1920);
  CHECK(reports[0][2] == 0xc0ffee);
  rig.registers.write(reg::OAG_OA_DEBUG, 1 << 14 | 1 << 30);
  rig.registers.write(reg::OAG_MMIOTRIGGER, 2);
  CHECK(rig.take().empty());
}

TEST_CASE("free-running counters count without a stream, by the events that are selected meanwhile") {
  Rig rig;
  const auto read = [&rig](unsigned i) {
    return rig.registers.read(reg::OAPERF_FREE(i, 0)) | uint64_t{rig.registers.read(reg::OAPERF_FREE(i, 1))} << 32;
  };
  rig.count(Work::cs_threads, 40);
  rig.count(Work::ps_threads, 60);
  rig.wait(1000 * Rig::us);
  CHECK(read(0) == 40);
  CHECK(read(1) == 60);
  CHECK(rig.registers.read(reg::OAPERF_A(4)) == 0);
  rig.registers.write(reg::EU_PERF_CNTL(2, 1), 0x054);  // A19: EU active in pixel shaders
  rig.work.nanoseconds[static_cast<size_t>(TimedStage::pixels)] += 500 * Rig::us;
  rig.wait(1000 * Rig::us);
  const uint64_t active = read(2);
  CHECK(active > 0);
  rig.registers.write(reg::EU_PERF_CNTL(2, 1), 0xf << 12 | 0xf);
  rig.work.nanoseconds[static_cast<size_t>(TimedStage::pixels)] += 500 * Rig::us;
  rig.wait(1000 * Rig::us);
  CHECK(read(2) == active);
  Archive out;
  rig.unit->state(out);
  const std::vector<std::byte> bytes = out.take();
  rig.unit->reset();
  CHECK(read(2) == 0);
  Archive in(bytes);
  rig.unit->state(in);
  REQUIRE(!in.failed());
  CHECK(read(2) == active);
  CHECK(read(0) == 40);
}
