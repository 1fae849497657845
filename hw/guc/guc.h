// SPDX-License-Identifier: GPL-2.0-or-later
// The micro-controller of a device: its shim and its firmware.
#pragma once

#include "hw/guc/firmware.h"
#include "hw/guc/shim.h"

namespace softgen::guc {

class Guc {
 public:
  using Environment = Firmware::Environment;
  /// Registers its hooks: after those of GDRST that stop engines.
  explicit Guc(const Environment& environment)
      : firmware_(environment),
        shim_(environment.registers, environment.memory, environment.ggtt, firmware_, environment.layout,
              [&host = environment.host, clock = environment.clock] { return clock.all_ticks(host.clock_ns()); }) {}

  /// Any thread.
  void switched(EngineId engine, const cs::ContextSwitch& event) { firmware_.switched(engine, event); }
  void look() { firmware_.look(); }

  /// Power or function level reset, after that of the registers.
  void reset() { shim_.reset(); }
  /// After the registers and the GGTT.
  void state(Archive& archive) {
    const uint32_t version = archive.section("guc", 3);
    shim_.state(archive);
    firmware_.state(archive);
    if (version >= 2) firmware_.groups_state(archive);  // before, there were none
    if (version >= 3) firmware_.activity_state(archive);
  }

 private:
  Firmware firmware_;
  Shim shim_;
};

}  // namespace softgen::guc
