// SPDX-License-Identifier: GPL-2.0-or-later
// The plan of a device, and what stands between its units and its host so that the plan can act there.
#pragma once

#include <memory>
#include <utility>

#include "hw/faults/interrupts.h"
#include "hw/faults/monitors.h"
#include "hw/faults/plan.h"

namespace softgen::gt {

struct FaultUnits {
  /// `tree`: the platform's interrupts.
  FaultUnits(mmio::RegisterFile& registers, std::unique_ptr<mmio::Interrupts> tree, Host& host, faults::Plan::Links links)
      : interrupts(std::move(tree), registers, host), monitors(host, registers), plan(std::move(links)) {}
  faults::Interrupts interrupts;
  faults::Monitors monitors;
  faults::Plan plan;
};

}  // namespace softgen::gt
