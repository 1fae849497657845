// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/gt/gt_units.h"

#include <utility>

#include "hw/mmio/timestamp.h"

namespace softgen::gt {

GtUnits::GtUnits(const defs::Platform& platform, const Parts& parts, Links links) {
  if (parts.power_control) {
    pcode_.emplace(links.registers, platform.board.memory);
    power_.emplace(links.registers, links.host);
  }
  if (!parts.observation) return;
  observation_.emplace(oa::Environment{.registers = links.registers,
                                       .interrupts = links.interrupts,
                                       .host = links.host,
                                       .memory = links.memory,
                                       .ggtt = links.ggtt,
                                       .form = *parts.observation,
                                       .metric_sets = parts.metric_sets,
                                       .clock = mmio::TimestampClock(platform.timestamp_hz),
                                       .eus = {.count = platform.slices * platform.subslices * platform.eus, .threads = platform.threads},
                                       .wake_at = std::move(links.wake_at)});
}

void GtUnits::set_idle_query(std::function<bool()> idle) {
  if (power_) power_->set_idle_query(std::move(idle));
}

void GtUnits::wake() {
  if (power_) power_->wake();
}

void GtUnits::registers_changed() {
  if (observation_) observation_->registers_changed();
}

void GtUnits::look() {
  if (observation_) observation_->look();
}

void GtUnits::reset() {
  if (pcode_) pcode_->reset();
  if (power_) power_->reset();
  if (observation_) observation_->reset();
}

void GtUnits::power_state(Archive& archive) {
  if (pcode_) pcode_->state(archive);
  if (power_) power_->state(archive);
}

void GtUnits::observation_state(Archive& archive, bool saved) {
  if (!observation_) return;
  if (saved) observation_->state(archive);
  else observation_->reset();
}

}  // namespace softgen::gt
