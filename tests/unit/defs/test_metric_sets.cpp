// SPDX-License-Identifier: GPL-2.0-or-later
// The tables of metric sets. TestOa's sequences are from Mesa's XML; those of IGT and of i915 before Linux 6.1 are the same, except for
// i915's on Ice Lake.
#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <string_view>

#include "hw/defs/metric_sets/gen11.h"
#include "hw/defs/metric_sets/gen12.h"
#include "hw/defs/metric_sets/gen9.h"
#include "tests/catch.h"

using namespace softgen::defs;

namespace {

using Sets = std::span<const MetricSet>;

constexpr Sets tables[] = {gen9::kbl_metric_sets, gen11::icl_metric_sets, gen12::tgl_metric_sets};

/// The set with this sequence of writes to NOA_WRITE; null: there is none.
const MetricSet* find(Sets sets, std::initializer_list<uint32_t> writes) {
  const uint64_t mux = std::accumulate(writes.begin(), writes.end(), MetricSet::hash_begin, MetricSet::hash);
  const auto found = std::ranges::find(sets, mux, &MetricSet::mux);
  return found == sets.end() ? nullptr : &*found;
}

const MetricSet& named(Sets sets, std::string_view name) {
  const auto found = std::ranges::find(sets, name, [](const MetricSet& set) { return std::string_view(set.name); });
  REQUIRE(found != sets.end());
  return *found;
}

/// `clocks`: the C counters that count core clocks.
void check_test_oa(const MetricSet* set, std::string_view name, std::initializer_list<unsigned> clocks) {
  REQUIRE(set);
  CHECK(set->name == name);
  CHECK(set->test_pattern);
  CHECK(std::ranges::all_of(set->b, [](OaSignal signal) { return signal == OaSignal::events; }));
  for (unsigned i = 0; i < set->c.size(); ++i) {
    CAPTURE(i);
    CHECK(set->c[i] == (std::ranges::count(clocks, i) ? OaSignal::clock : OaSignal::none));
  }
}

/// Whether only one counter may have the signal: there are several samplers, and clocks and events belong to no unit.
bool may_repeat(OaSignal signal) {
  return signal == OaSignal::none || signal == OaSignal::events || signal == OaSignal::clock || signal == OaSignal::sampler_busy;
}

}  // namespace

TEST_CASE("hashes of metric sets are unique") {
  for (const Sets sets : tables)
    for (const MetricSet& set : sets) {
      CAPTURE(set.name);
      CHECK(std::ranges::count(sets, set.mux, &MetricSet::mux) == 1);
      CHECK(set.mux != MetricSet::hash_begin);
    }
}

TEST_CASE("a metric set has each unit's signal in one counter only") {
  for (const Sets sets : tables)
    for (const MetricSet& set : sets) {
      CAPTURE(set.name);
      std::array<OaSignal, 16> signals;
      std::ranges::copy(set.c, std::ranges::copy(set.b, signals.begin()).out);
      for (const OaSignal signal : signals) CHECK((may_repeat(signal) || std::ranges::count(signals, signal) == 1));
      CHECK((set.test_pattern || !std::ranges::count(signals, OaSignal::events)));
    }
}

TEST_CASE("Kaby Lake: TestOa is recognized by its writes") {
  check_test_oa(find(gen9::kbl_metric_sets, {0x11810000, 0x07810013, 0x1f810000, 0x1d810000, 0x1b930040, 0x07e54000, 0x1f908000, 0x11900000,
                                             0x37900000, 0x53900000, 0x45900000, 0x33900000}),
                "TestOa", {7});
  CHECK_FALSE(find(gen9::kbl_metric_sets, {}));
  CHECK_FALSE(find(gen9::kbl_metric_sets, {0}));
}

TEST_CASE("Ice Lake: TestOa is recognized by its writes") {
  check_test_oa(find(gen11::icl_metric_sets,
                     {0x16130000, 0x24000001, 0x0e130056, 0x10130000, 0x1a130000, 0x541f0001, 0x181f0000, 0x4c1f0000, 0x301f0000}),
                "TestOa", {0});
  check_test_oa(find(gen11::icl_metric_sets, {0x10060000, 0x22060000, 0x16060000, 0x24060000, 0x18060000, 0x1a060000, 0x12060000,
                                              0x14060000, 0x10060000, 0x22060000, 0x16130000, 0x24000001, 0x0e130056, 0x10130000,
                                              0x1a130000, 0x541f0001, 0x181f0000, 0x4c1f0000, 0x301f0000}),
                "TestOa_i915", {0});
}

TEST_CASE("Tiger Lake: TestOa is recognized by its writes") {
  check_test_oa(
      find(gen12::tgl_metric_sets, {0x280e0000, 0x1e0e0147, 0x180e0000, 0x160e0000, 0x1e0f1000, 0x1e104000, 0x2e020100, 0x2c030004,
                                    0x38003000, 0x1e0a8000, 0x49110000, 0x5d101400, 0x1d140020, 0x1d1103a3, 0x01110000, 0x61111000,
                                    0x1f128000, 0x17100000, 0x55100630, 0x57100000, 0x31100000, 0x65100002, 0x42000001}),
      "TestOa", {0, 1});
}

TEST_CASE("Kaby Lake: ComputeBasic's bytes are in the first counter of each sum") {
  const MetricSet& set = named(gen9::kbl_metric_sets, "ComputeBasic");
  using enum OaSignal;
  CHECK(set.b == std::array{typed_reads, none, none, typed_writes, none, none, untyped_reads, none});
  CHECK(set.c == std::array{none, untyped_writes, none, none, memory_reads, memory_writes, none, none});
}

TEST_CASE("each platform: GpuBusyness has a counter per engine") {
  const auto check = [](Sets sets, unsigned render, unsigned video, unsigned video_enhance, unsigned copy) {
    const MetricSet& set = named(sets, "GpuBusyness");
    CHECK(set.c[render] == OaSignal::render_busy);
    CHECK(set.c[video] == OaSignal::video_busy);
    CHECK(set.c[video_enhance] == OaSignal::video_enhance_busy);
    CHECK(set.c[copy] == OaSignal::copy_busy);
  };
  check(gen9::kbl_metric_sets, 7, 6, 5, 4);
  check(gen11::icl_metric_sets, 7, 6, 4, 3);
  check(gen12::tgl_metric_sets, 6, 1, 7, 4);
}
