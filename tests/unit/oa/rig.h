// SPDX-License-Identifier: GPL-2.0-or-later
// An observation unit with clock and work set by the test, and the driver's part: a buffer, its registers, reports read from it.
#pragma once

#include <array>
#include <vector>

#include "hw/defs/metric_set.h"
#include "hw/defs/platform.h"
#include "hw/iface/quiet_host.h"
#include "hw/memory/ggtt.h"
#include "hw/memory/sparse_memory.h"
#include "hw/oa/observation_unit.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"

namespace softgen::oa::test {

struct Clock final : QuietHost {
  int64_t now = 0;
  int64_t clock_ns() override { return now; }
};

/// Platform `name`'s unit. Timestamps count at 12 MHz on kbl.
struct Rig {
  static constexpr uint32_t buffer = 16 << 20, buffer_size = 128 << 10;
  static constexpr uint32_t context = 0x20, image = 0x5000;
  static constexpr uint32_t a36_b8_c8 = 5;
  static constexpr int64_t us = 1000;

  explicit Rig(const char* name = "kbl", const Form& form = oa);

  const defs::Platform& platform;
  const Form& form;
  Clock clock;
  WorkCounts work;
  memory::SparseMemory memory{64 << 20};
  memory::Ggtt ggtt;
  mmio::RegisterFile registers;
  std::vector<defs::MetricSet> sets;
  std::unique_ptr<ObservationUnit> unit;

  /// Enables a stream as i915 does: empty buffer, counters enabled, a timer report every 2 << `exponent` ticks (< 0: none).
  void open(int exponent, uint32_t format = a36_b8_c8);
  void timer(int exponent);
  void count(Work what, uint64_t n) { work.done[static_cast<size_t>(what)] += n; }
  /// Advances the clock.
  void wait(int64_t ns) { clock.now += ns; }
  uint32_t tail() { return registers.read(form.tail); }
  using Report = std::array<uint32_t, 64>;
  /// The reports from the last one taken to the tail.
  std::vector<Report> take();
  uint32_t status() { return registers.read(form.status); }

 private:
  uint32_t read_ = buffer;
};

inline uint32_t reason_of(const Rig::Report& report) { return report[0] & (0x3fu << 19); }

}  // namespace softgen::oa::test
