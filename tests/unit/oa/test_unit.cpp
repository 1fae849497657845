// SPDX-License-Identifier: GPL-2.0-or-later
// The unit, used as i915's i915_perf.c uses it.
#include "tests/unit/oa/rig.h"

using namespace softgen;
using namespace softgen::oa;
using namespace softgen::oa::test;

namespace {

namespace report_id = defs::oa_report_id;
constexpr uint32_t overflow = 2, lost = 1, tail_wrapped = 1 << 16;
constexpr uint32_t valid_context = 1 << 16;

}  // namespace

TEST_CASE("the busy counter of an engine that is always busy grows by the core clocks between any two reads") {
  Rig rig;
  rig.route(Rig::test_pattern);
  rig.wait(1234'567);
  rig.open(-1);
  rig.start_trigger(1, reg::field::OASTARTTRIG_CONDITION_THRESHOLD_ENABLE.mask());  // at once
  rig.unit->context_entered({Rig::context, Rig::image});
  const auto busy = [&] { return rig.registers.read(reg::OAPERF_C(1)); };
  uint32_t ticks = rig.registers.read(reg::OAPERF_TICKS), counted = busy();
  for (int i = 1; i < 200; ++i) {
    rig.wait(977 * i);
    const uint32_t before = std::exchange(ticks, rig.registers.read(reg::OAPERF_TICKS)), counted_before = std::exchange(counted, busy());
    CHECK(counted - counted_before == ticks - before);
  }
}

TEST_CASE("occupancy counts an eighth per thread and clock, so seven eighths per full EU") {
  Rig rig;
  rig.open(-1);
  rig.unit->context_entered({Rig::context, Rig::image});
  rig.registers.write(reg::EU_PERF_CNTL(0, 0), 0x008 | 0x004 << 12);  // A7: occupancy; A8: EU active
  static_cast<void>(rig.take());
  const uint32_t occupied = rig.registers.read(reg::OAPERF_A(7)), active = rig.registers.read(reg::OAPERF_A(8));
  rig.work.nanoseconds[static_cast<size_t>(TimedStage::compute)] += 1000 * Rig::us;
  rig.wait(1000 * Rig::us);
  const double of_active = (rig.registers.read(reg::OAPERF_A(7)) - occupied) / (rig.registers.read(reg::OAPERF_A(8)) - active + 0.0);
  CHECK(std::abs(of_active - 7 / 8.0) < 0.001);
}

TEST_CASE("a timer report is due whenever the exponent's bit of the timestamp becomes 1") {
  Rig rig;
  rig.wait(1000 * Rig::us);  // timestamp 12'000
  rig.open(5);
  rig.wait(100 * Rig::us);  // 13'200
  const auto reports = rig.take();
  REQUIRE(reports.size() == 18);  // odd multiples of 32: from 12'064 to 13'152
  for (size_t i = 0; i < reports.size(); ++i) {
    CHECK(reports[i][1] == 12'064 + 64 * i);
    CHECK(reason_of(reports[i]) == report_id::timer.mask());
  }
  rig.wait(1 * Rig::us);  // 13'212
  CHECK(rig.take().empty());
}

TEST_CASE("counters of reports between two updates are interpolated, and end at the exact count") {
  Rig rig;
  rig.open(9);
  rig.unit->context_entered({Rig::context, Rig::image});
  static_cast<void>(rig.take());
  rig.count(Work::samples_written, 48'000);
  rig.wait(10'000 * Rig::us);
  const auto reports = rig.take();
  REQUIRE(reports.size() > 100);
  for (size_t i = 1; i < reports.size(); ++i) {
    const uint32_t written = reports[i][4 + 26] - reports[i - 1][4 + 26];
    CHECK(written >= 409);
    CHECK(written <= 410);  // of 48'000 in 120'000 ticks, 409.6 in 1024
  }
  CHECK(rig.registers.read(reg::OAPERF_A(26)) == 48'000);
}

TEST_CASE("core clocks follow the frequency that software has requested") {
  Rig rig;
  rig.open(-1);
  const uint64_t highest = reg::field::RP_STATE_CAP_RP0.of(rig.registers.peek(reg::RP_STATE_CAP)) * 50;
  rig.wait(1000 * Rig::us);
  CHECK(rig.registers.read(reg::OAPERF_TICKS) == highest * 999);
  rig.registers.poke(reg::RPSTAT1, reg::field::RPSTAT1_CURRENT_FREQUENCY.with(0, 18));  // 300 MHz
  rig.registers.write(reg::RPNSWREQ, 0);
  rig.wait(1000 * Rig::us);
  CHECK(rig.registers.read(reg::OAPERF_TICKS) == highest * 999 + 299'700);
}

TEST_CASE("a frequency change writes a report, unless disabled, and report ids have the clock ratios") {
  Rig rig;
  rig.open(-1);
  rig.registers.write(reg::OA_DEBUG, 1 << 6 | 1 << 22);
  rig.registers.poke(reg::RPSTAT1, reg::field::RPSTAT1_CURRENT_FREQUENCY.with(0, 0x30));
  rig.registers.write(reg::RPNSWREQ, 0);
  const auto reports = rig.take();
  REQUIRE(reports.size() == 1);
  CHECK((reports[0][0] & report_id::clock_ratio.mask()) != 0);
  CHECK((reports[0][0] & 0x1ff) == 0x30);
  CHECK(reports[0][0] >> 25 == 0x30);
  rig.registers.write(reg::OA_DEBUG, 1 << 5 | 1 << 21);
  rig.registers.poke(reg::RPSTAT1, reg::field::RPSTAT1_CURRENT_FREQUENCY.with(0, 20));
  rig.registers.write(reg::RPNSWREQ, 0);
  CHECK(rig.take().empty());
}

TEST_CASE("a context switch writes a report with the new context's id, unless disabled") {
  Rig rig;
  rig.open(-1);
  rig.unit->context_entered({Rig::context, Rig::image});
  auto reports = rig.take();
  REQUIRE(reports.size() == 1);
  CHECK(reason_of(reports[0]) == report_id::context_switch.mask());
  CHECK(reports[0][2] == Rig::context);
  CHECK((reports[0][0] & valid_context) != 0);
  rig.unit->context_leaves();
  rig.registers.write(reg::OA_DEBUG, 1 << 1 | 1 << 17);
  rig.unit->context_entered({Rig::context, Rig::image});
  CHECK(rig.take().empty());
}

TEST_CASE("timer reports name the context that ran when they were due") {
  Rig rig;
  rig.open(9);
  rig.wait(200 * Rig::us);
  rig.unit->context_entered({Rig::context, Rig::image});
  rig.wait(200 * Rig::us);
  rig.unit->context_leaves();
  rig.wait(200 * Rig::us);
  unsigned idle = 0, busy = 0;
  for (const Rig::Report& report : rig.take()) {
    if (reason_of(report) != report_id::timer.mask()) continue;
    const bool runs = report[1] > 2400 && report[1] <= 4800;
    CHECK(((report[0] & valid_context) != 0) == runs);
    CHECK(report[2] == (runs ? Rig::context : 0));
    ++(runs ? busy : idle);
  }
  CHECK(idle > 2);
  CHECK(busy > 1);
}

TEST_CASE("the render engine is busy while it has a context") {
  Rig rig;
  rig.open(-1);
  rig.wait(100 * Rig::us);
  rig.unit->context_entered({Rig::context, Rig::image});
  rig.wait(50 * Rig::us);
  rig.unit->context_leaves();
  rig.wait(100 * Rig::us);
  const uint32_t ticks = rig.registers.read(reg::OAPERF_TICKS);
  CHECK(rig.registers.read(reg::OAPERF_A(0)) == ticks / 5);
  // Whenever the updates occur, the engine is busy for at most all core clocks.
  rig.unit->context_entered({Rig::context, Rig::image});
  for (unsigned i = 0; i < 100; ++i) {
    rig.wait(130 + i);
    Observation::Report before, after;
    rig.unit->report(1, before);
    rig.wait(90 + 7 * i);
    rig.unit->report(1, after);
    CHECK(after[4] - before[4] <= after[3] - before[3]);
  }
}

TEST_CASE("without Counter Resume nothing counts") {
  Rig rig;
  rig.open(-1);
  rig.registers.write(reg::OACTXCONTROL, 0);
  rig.count(Work::ps_threads, 10);
  rig.wait(100 * Rig::us);
  rig.timer(-1);
  CHECK(rig.registers.read(reg::OAPERF_TICKS) == 0);
  CHECK(rig.registers.read(reg::OAPERF_A(6)) == 0);
  rig.count(Work::ps_threads, 7);
  rig.wait(1 * Rig::us);
  CHECK(rig.registers.read(reg::OAPERF_A(6)) == 7);
}

TEST_CASE("a full buffer sets Buffer Overflow, and drops reports until software clears that") {
  Rig rig;
  rig.open(5);
  rig.wait(5'000 * Rig::us);  // 937 reports, and there is room for 511
  CHECK((rig.status() & overflow) != 0);
  CHECK(rig.tail() == Rig::buffer + Rig::buffer_size - 256);
  CHECK(rig.take().size() == 511);
  rig.wait(100 * Rig::us);
  CHECK(rig.take().empty());
  rig.registers.write(reg::OASTATUS, 0);
  rig.wait(100 * Rig::us);
  CHECK(rig.take().size() > 10);
  CHECK((rig.status() & tail_wrapped) != 0);
}

TEST_CASE("reports beyond the max per update are lost, and set Report Lost") {
  Rig rig;
  rig.open(0);
  rig.registers.write(reg::OABUFFER, Rig::buffer | 7 << 3 | 1);  // 16 MiB: 65'536 reports
  rig.wait(3'000 * Rig::us);                                     // 18'000 are due
  CHECK((rig.status() & lost) != 0);
  CHECK((rig.status() & overflow) == 0);
  CHECK(rig.tail() == Rig::buffer + 16384 * 256);
}

TEST_CASE("reports that are due while the unit is disabled are never written") {
  Rig rig;
  rig.open(5);
  rig.registers.write(reg::OACONTROL, 0);
  rig.wait(1'000 * Rig::us);
  CHECK(rig.take().empty());
  rig.registers.write(reg::OACONTROL, Rig::a36_b8_c8 << 2 | 1);
  CHECK(rig.take().empty());
  rig.wait(100 * Rig::us);
  CHECK(rig.take().size() == 18);
}

TEST_CASE("MI_REPORT_PERF_COUNT writes the command's id, the timestamp, the context and as many dwords as the format has") {
  Rig rig;
  rig.wait(10 * Rig::us);
  rig.open(-1, 2);
  rig.unit->context_entered({Rig::context, Rig::image});
  Observation::Report room;
  CHECK(rig.unit->report(7, room).size() == 32);
  CHECK(room[0] == 7);
  CHECK(room[1] == 120);
  CHECK(room[2] == Rig::context);
}

TEST_CASE("the events of units are in their A counters") {
  Rig rig;
  rig.open(-1);
  struct {
    Work work;
    unsigned counter;
  } const events[] = {
      {Work::vs_threads, 1},      {Work::hs_threads, 2},           {Work::ds_threads, 3},          {Work::cs_threads, 4},
      {Work::gs_threads, 5},      {Work::ps_threads, 6},           {Work::samples_rasterized, 21}, {Work::samples_failed_early, 23},
      {Work::pixels_killed, 24},  {Work::samples_failed_late, 25}, {Work::samples_written, 26},    {Work::samples_blended, 27},
      {Work::pixels_sampled, 28}, {Work::slm_reads, 30},           {Work::slm_writes, 31}};
  for (const auto& event : events) rig.count(event.work, 100 + event.counter);
  rig.count(Work::atomics, 134);
  rig.wait(1 * Rig::us);
  for (const auto& event : events) CHECK(rig.registers.read(reg::OAPERF_A(event.counter)) == 100 + event.counter);
  CHECK(rig.registers.read(reg::OAPERF_A32(2)) == 134);
}

TEST_CASE("flexible events count EU clocks of their stage, at most those of all EUs") {
  Rig rig;
  const auto counts = [&rig](unsigned counter, double clocks) {  // within a clock, since the counter is rounded
    CHECK(std::abs(rig.registers.read(reg::OAPERF_A(counter)) - clocks * 24) <= 24);
  };
  rig.open(-1);
  rig.registers.write(reg::EU_PERF_CNTL(0, 0), 0x004 | 0x054 << 12);  // A7: EU active; A8: EU active in pixel shaders
  rig.work.nanoseconds[static_cast<size_t>(TimedStage::pixels)] += 30 * Rig::us;
  rig.work.nanoseconds[static_cast<size_t>(TimedStage::compute)] += 20 * Rig::us;
  rig.wait(100 * Rig::us);
  const uint32_t ticks = rig.registers.read(reg::OAPERF_TICKS);
  counts(7, ticks / 2.0);
  counts(8, ticks * 0.3);
  // A stage that ends now and began before the last update: the excess over the time since then counts later.
  rig.work.nanoseconds[static_cast<size_t>(TimedStage::pixels)] += 300 * Rig::us;
  rig.wait(100 * Rig::us);
  counts(8, ticks * 1.3);
  rig.wait(300 * Rig::us);
  counts(8, ticks * 3.3);
}

// What IGT's perf asserts of successive reports (tests/i915/perf.c, sanity_check_reports and hsw_sanity_check_render_basic_reports).
TEST_CASE("no counter grows by more than the number of EUs per core clock, and no event is lost by that limit") {
  Rig rig;
  rig.open(5);
  rig.wait(100 * Rig::us);
  static_cast<void>(rig.tail());
  rig.count(Work::samples_written, 2'000'000);
  rig.wait(20 * Rig::us);
  static_cast<void>(rig.tail());
  rig.wait(200 * Rig::us);
  const auto reports = rig.take();
  for (size_t i = 1; i < reports.size(); ++i)
    CHECK(reports[i][4 + 26] - reports[i - 1][4 + 26] <= (reports[i][3] - reports[i - 1][3]) * 24);
  CHECK(rig.registers.read(reg::OAPERF_A(26)) == 2'000'000);
}

TEST_CASE("two reports in one tick of the timestamp have the same counters") {
  Rig rig;
  rig.open(-1);
  rig.unit->context_entered({Rig::context, Rig::image});
  rig.wait(1000 * Rig::us);
  Observation::Report one, other;
  rig.unit->report(1, one);
  rig.count(Work::ps_threads, 3);
  rig.wait(50);
  rig.unit->report(1, other);
  CHECK(one == other);
  rig.wait(100);
  rig.unit->report(1, other);
  CHECK(other[4 + 6] == 3);
  CHECK(other[3] - one[3] >= 6);
}

TEST_CASE("a read of OASTATUS writes no reports, unless the buffer overflows") {
  Rig rig;
  rig.open(5);
  rig.wait(1000 * Rig::us);
  CHECK(rig.status() == 0);
  CHECK(rig.registers.peek(reg::OATAILPTR) == Rig::buffer);
  rig.wait(4000 * Rig::us);
  CHECK((rig.status() & overflow) != 0);
}

TEST_CASE("a loaded state has the saved counters") {
  Rig rig;
  rig.open(9);
  rig.unit->context_entered({Rig::context, Rig::image});
  rig.count(Work::ps_threads, 5);
  rig.wait(100 * Rig::us);
  Archive out;
  rig.unit->state(out);
  const std::vector<std::byte> bytes = out.take();
  const uint32_t ticks = rig.registers.read(reg::OAPERF_TICKS);
  rig.count(Work::ps_threads, 50);
  rig.wait(100 * Rig::us);
  static_cast<void>(rig.tail());
  Archive in(bytes);
  rig.unit->state(in);
  REQUIRE(!in.failed());
  CHECK(rig.registers.read(reg::OAPERF_TICKS) == ticks);
  CHECK(rig.registers.read(reg::OAPERF_A(6)) == 5);
}

TEST_CASE("OAR counts per context") {
  Rig rig("tgl", oag);
  const auto enter = [&](uint32_t image, bool counts) {
    rig.registers.write(reg::OAR_OACONTROL, counts ? Rig::a36_b8_c8 << 1 | 1 : 0, mmio::Initiator::context);
    rig.registers.write(reg::OACTXCONTROL, counts, mmio::Initiator::context);
    rig.unit->context_entered({Rig::context, image});
  };
  const auto counted = [&] {
    rig.wait(1 * Rig::us);
    Observation::Report room{};
    rig.unit->report(1, room);
    return room[4 + 26];
  };
  enter(0x1000, true);
  rig.count(Work::samples_written, 100);
  CHECK(counted() == 100);
  rig.unit->context_leaves();
  enter(0x2000, false);
  Observation::Report room;
  const auto report = rig.unit->report(9, room);
  CHECK(report.size() == 64);
  CHECK(std::ranges::all_of(report.subspan(3), [](uint32_t dword) { return dword == 0; }));
  rig.count(Work::samples_written, 1000);
  CHECK(counted() == 0);
  rig.unit->context_leaves();
  enter(0x3000, true);
  rig.count(Work::samples_written, 30);
  CHECK(counted() == 30);
  rig.unit->context_leaves();
  enter(0x1000, true);
  CHECK(counted() == 100);
  rig.count(Work::samples_written, 1);
  CHECK(counted() == 101);
  CHECK(rig.registers.read(reg::OAG_A(26)) == 0);  // OAG is not enabled
}
