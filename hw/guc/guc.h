// SPDX-License-Identifier: GPL-2.0-or-later
// The micro-controller of a device: its shim, its doorbells and its firmware.
#pragma once

#include "hw/guc/doorbells.h"
#include "hw/guc/processor.h"
#include "hw/guc/shim.h"

namespace softgen::guc {

class Guc {
 public:
  using Environment = Firmware::Environment;
  /// Registers its hooks: after those of GDRST that stop engines.
  explicit Guc(const Environment& environment)
      : doorbells_({.registers = environment.registers,
                    .memory = environment.memory,
                    .host = environment.host,
                    .wake_at = [&engines = environment.engines](int64_t ns) { engines.wake_at(ns); },
                    .wake_power =
                        [wake = environment.wake_power] {
                          if (wake) wake();
                        },
                    .message = [this] { processor_.rung(); }}),
        processor_(environment, doorbells_),
        shim_(environment.registers, environment.memory, environment.ggtt, processor_, environment.layout,
              [&host = environment.host, clock = environment.clock] { return clock.all_ticks(host.clock_ns()); }) {}

  /// Any thread.
  void switched(EngineId engine, const cs::ContextSwitch& event) { processor_.switched(engine, event); }
  void look() {
    processor_.look();
    doorbells_.look();
  }

  /// Power or function level reset, after that of the registers.
  void reset() {
    shim_.reset();
    doorbells_.reset();
  }
  /// After the registers and the GGTT.
  void state(Archive& archive) {
    const uint32_t version = archive.section("guc", 3);
    shim_.state(archive);
    processor_.state(archive);
    if (version < 2) return forget_later();
    processor_.later_state(archive);
    doorbells_.state(archive);
    if (version >= 3) processor_.policies_state(archive);
  }

 private:
  /// A state from before there were groups of contexts, records of activity, doorbells and firmware 9.
  void forget_later() {
    processor_.v9_stop();
    doorbells_.reset();
  }

  Doorbells doorbells_;
  Processor processor_;
  Shim shim_;
};

}  // namespace softgen::guc
