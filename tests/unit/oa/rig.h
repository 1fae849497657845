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
#include "hw/mmio/interrupts/gen11.h"
#include "hw/mmio/interrupts/gen8.h"
#include "hw/oa/observation_unit.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"

namespace softgen::oa::test {

struct Clock final : QuietHost {
  int64_t now = 0;
  int64_t clock_ns() override { return now; }
  void interrupt(bool level) override { rises += level; }
  unsigned rises = 0;
};

/// Platform `name`'s unit. Timestamps count at 12 MHz on kbl.
struct Rig {
  static constexpr uint32_t buffer = 16 << 20, buffer_size = 128 << 10;
  static constexpr uint32_t context = 0x20, image = 0x5000;
  static constexpr uint32_t a36_b8_c8 = 5;
  static constexpr int64_t us = 1000;
  /// A metric set that routes TestOa's signals: a sequence of one write. C0 counts clocks, C1 clocks with a context.
  static constexpr uint32_t test_pattern = 0x1234, unknown_signals = 0x4321;
  static constexpr std::array<defs::MetricSet, 1> sets = {{{.mux = defs::MetricSet::hash(defs::MetricSet::hash_begin, test_pattern),
                                                            .name = "pattern",
                                                            .test_pattern = true,
                                                            .b = {defs::OaSignal::events, defs::OaSignal::events},
                                                            .c = {defs::OaSignal::clock, defs::OaSignal::render_busy}}}};

  explicit Rig(const char* name = "kbl", const Form& form = oa);

  const defs::Platform& platform;
  const Form& form;
  Clock clock;
  WorkCounts work;
  memory::SparseMemory memory{64 << 20};
  memory::Ggtt ggtt;
  mmio::RegisterFile registers;
  std::unique_ptr<mmio::Interrupts> interrupts;
  std::vector<int64_t> wakes;
  std::unique_ptr<ObservationUnit> unit;

  /// Enables a stream as i915 does: empty buffer, counters enabled, a timer report every 2 << `exponent` ticks (< 0: none).
  void open(int exponent, uint32_t format = a36_b8_c8);
  void timer(int exponent);
  /// Writes a sequence to NOA_WRITE.
  void route(uint32_t sequence);
  /// Programs report trigger 0 or 1, start trigger 0 or 1.
  void report_trigger(unsigned i, uint32_t condition, uint32_t threshold = 0, uint32_t inputs = 0);
  void start_trigger(unsigned i, uint32_t condition, uint32_t threshold = 0, uint32_t inputs = 0);
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

inline uint32_t reason_of(const Rig::Report& report) { return report[0] & (0x7fu << 19); }

// Bits of a trigger's condition.
inline constexpr uint32_t report_enable = 1u << 31, threshold_enable = 1u << 23, invert_d = 1u << 22, invert_c1 = 1u << 21;

}  // namespace softgen::oa::test
