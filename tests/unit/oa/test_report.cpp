// SPDX-License-Identifier: GPL-2.0-or-later
// Formats (SKL PRM vol 2c, "Performance Counter Report Formats"; i915 i915_perf.c, oa_formats) and custom events.
#include "hw/oa/report.h"

#include "hw/oa/custom_event.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"

using namespace softgen;
using namespace softgen::oa;

namespace {

/// A counter i: 0x100 + i, B: 0x200 + i, C: 0x300 + i; A3 has more than 32 bits.
Counters numbered() {
  Counters counters;
  counters.ticks = 0x1'0000'0099;
  for (unsigned i = 0; i < a_counters; ++i) counters.a[i] = 0x100 + i;
  counters.a[3] = 0x12'0000'0103;
  for (unsigned i = 0; i < boolean_counters; ++i) counters.b[i] = 0x200 + i, counters.c[i] = 0x300 + i;
  return counters;
}

constexpr ReportHead head{0xbeef, 0x1234, 0x20};

}  // namespace

TEST_CASE("all counters: 256 bytes") {
  Observation::Report room;
  const auto report = write_report(5, head, numbered(), room);
  REQUIRE(report.size() == 64);
  CHECK(report[0] == 0xbeef);
  CHECK(report[1] == 0x1234);
  CHECK(report[2] == 0x20);
  CHECK(report[3] == 0x99);
  for (unsigned i = 0; i < 32; ++i) CHECK(report[4 + i] == 0x100 + i);
  for (unsigned i = 0; i < 4; ++i) CHECK(report[36 + i] == 0x120 + i);
  CHECK(report[40] == 0x1200'0000);
  for (unsigned i = 41; i < 48; ++i) CHECK(report[i] == 0);
  for (unsigned i = 0; i < 8; ++i) {
    CHECK(report[48 + i] == 0x200 + i);
    CHECK(report[56 + i] == 0x300 + i);
  }
}

TEST_CASE("the shorter formats") {
  Observation::Report room;
  const auto a12 = write_report(0, head, numbered(), room);
  REQUIRE(a12.size() == 16);
  for (unsigned i = 0; i < 12; ++i) CHECK(a12[4 + i] == 0x107 + i);
  const auto a12_b8_c8 = write_report(2, head, numbered(), room);
  REQUIRE(a12_b8_c8.size() == 32);
  for (unsigned i = 0; i < 12; ++i) CHECK(a12_b8_c8[4 + i] == 0x107 + i);
  for (unsigned i = 0; i < 8; ++i) {
    CHECK(a12_b8_c8[16 + i] == 0x200 + i);
    CHECK(a12_b8_c8[24 + i] == 0x300 + i);
  }
  const auto c4_b8 = write_report(7, head, numbered(), room);
  REQUIRE(c4_b8.size() == 16);
  for (unsigned i = 0; i < 4; ++i) CHECK(c4_b8[4 + i] == 0x300 + i);
  for (unsigned i = 0; i < 8; ++i) CHECK(c4_b8[8 + i] == 0x200 + i);
}

TEST_CASE("a reserved format writes nothing, and is counted as a guest error") {
  quiet_log();
  Observation::Report room;
  for (const uint32_t format : {1u, 3u, 4u, 6u}) CHECK(write_report(format, head, numbered(), room).empty());
  CHECK(failure_count(Failure::guest_error, "reserved format of a performance report") == 4);
}

// The events that Mesa's and IGT's set TestOa programs, and how often they hold (IGT tests/i915/perf.c, read_report_and_check).
TEST_CASE("custom events of TestOa hold in the share of clocks that IGT expects") {
  struct {
    uint32_t event, mask;
    unsigned of_six;
  } const events[] = {{4, 0, 0},
                      {3, 0, 6},
                      {7, 0, 6},
                      {0x100002, 0xfff7, 3},
                      {0x100002, 0xffcf, 2},
                      {0x100082, 0xffef, 2},
                      {0x1000c2, 0xffe7, 1},
                      {0x100001, 0xffe7, 4}};
  for (const auto& event : events) {
    const EventClocks clocks(event.event, event.mask, true);
    INFO(std::hex << event.event);
    CHECK(clocks.among(6) == event.of_six);
    CHECK(clocks.among(6'000'000) == 1'000'000 * event.of_six);
    uint64_t before = 0;
    for (uint64_t n = 1; n < 20; ++n) {
      CHECK(clocks.among(n) - before <= 1);
      before = clocks.among(n);
    }
  }
}

TEST_CASE("without known signals a custom event holds in all clocks or in none") {
  CHECK(EventClocks(2, 0, false).among(100) == 100);           // == 0
  CHECK(EventClocks(2 | 5 << 3, 0, false).among(100) == 0);    // == 5
  CHECK(EventClocks(5 | 5 << 3, 0, false).among(100) == 100);  // != 5
  CHECK(EventClocks(6, 0, false).among(100) == 100);           // <= 0
  CHECK(EventClocks(1, 0, false).among(100) == 0);             // > 0
  CHECK(EventClocks(0, 0, false).among(100) == 100);           // any
}
