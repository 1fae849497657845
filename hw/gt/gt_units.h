// SPDX-License-Identifier: GPL-2.0-or-later
// The units of the GT beside its engines, as far as a platform's parts have them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "hw/base/archive.h"
#include "hw/defs/platform.h"
#include "hw/gt/parts.h"
#include "hw/iface/host.h"
#include "hw/memory/ggtt.h"
#include "hw/mmio/gt_power.h"
#include "hw/mmio/interrupts.h"
#include "hw/mmio/pcode.h"
#include "hw/mmio/register_file.h"
#include "hw/oa/observation_unit.h"

namespace softgen::gt {

class GtUnits {
 public:
  /// What they are connected to; outlives them.
  struct Links {
    mmio::RegisterFile& registers;
    mmio::Interrupts& interrupts;
    Host& host;
    HostMemory& memory;
    const memory::Ggtt& ggtt;
    std::function<void(int64_t ns)> wake_at;  ///< look() is to be called at this guest time, or earlier
  };
  GtUnits(const defs::Platform& platform, const Parts& parts, Links links);

  /// Null: the platform has none.
  oa::ObservationUnit* observation() { return observation_ ? &*observation_ : nullptr; }

  /// All engines idle? Any thread.
  void set_idle_query(std::function<bool()> idle);
  /// Work arrives: the GT leaves RC6. Any thread.
  void wake();
  /// Registers may have changed without their hooks (GDRST).
  void registers_changed();
  /// The time has come that Links::wake_at was given, or an earlier one.
  void look();
  void reset();
  // In this order in a saved state, with the display's and memory's between them. Reading: after the register file.
  void power_state(Archive& archive);
  /// `saved`: the state has it. Else it is reset.
  void observation_state(Archive& archive, bool saved);

 private:
  std::optional<mmio::Pcode> pcode_;
  std::optional<mmio::GtPower> power_;
  std::optional<oa::ObservationUnit> observation_;
};

}  // namespace softgen::gt
