// SPDX-License-Identifier: GPL-2.0-or-later
// The device's side of its fault plan.
#include "hw/base/log.h"
#include "hw/gt/device.h"

namespace softgen::gt {

faults::Plan::Links Device::plan_links() {
  return {.platform = *config_.platform,
          .clock_ns = [this] { return host_.clock_ns(); },
          .wake_at = [this](int64_t ns) { wake_at(ns); },
          .pulse = [this](const faults::Rule& rule, const FaultAnswer& answer) { pulse(rule, answer); },
          .fired =
              [this](const faults::Firing& firing) {
                const sg_fault fault{.time_ns = firing.time_ns,
                                     .line = firing.line,
                                     .count = firing.count,
                                     .point = firing.point,
                                     .where = firing.where.c_str(),
                                     .text = firing.text.c_str()};
                note("fault plan", "line {}: {}", firing.line, firing.text);
                host_.fault_fired(fault);
              },
          .active = [this](bool active) { registers_.set_faults(active ? &faults_.plan : nullptr); }};
}

void Device::pulse(const faults::Rule& rule, const FaultAnswer& answer) {
  switch (rule.point) {
    case FaultPoint::interrupt: return faults_.interrupts.pulse(answer, rule.unit.value, rule.what.value);
    case FaultPoint::hot_plug:
      for (unsigned i = 0; i < config_.platform->connectors; ++i)
        if (rule.unit(config_.platform->board.ddc[i].pin)) display_->pulse(i);
      return;
    case FaultPoint::underrun:
      for (unsigned pipe = 0; pipe < config_.platform->pipes; ++pipe)
        if (rule.unit(pipe)) faults_.interrupts.post(pipe, mmio::pipe_event::underrun);
      return faults_.interrupts.deliver();
    default: return;
  }
}

Device::Entries Device::planned_wakeup() {
  const FaultAnswer answer = ask(registers_.faults(), {.point = FaultPoint::resume});
  if (answer.action == FaultAction::ones) faults_.plan.silence(answer.time_ns);
  return answer.action == FaultAction::lose ? Entries::cleared : Entries::kept;
}

}  // namespace softgen::gt
