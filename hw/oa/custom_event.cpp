// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/oa/custom_event.h"

#include "hw/base/log.h"
#include "hw/defs/registers/registers.h"

namespace softgen::oa {
namespace {

namespace field = reg::field;

/// OACEC Source: the event's inputs are other events.
constexpr uint32_t previous_event = 1;

/// The codes of Compare; 7 is in no manual, Mesa's sets use it for an event that always holds.
bool compare(uint32_t code, uint32_t signals, uint32_t value) {
  switch (code) {
    case 1: return signals > value;
    case 2: return signals == value;
    case 3: return signals >= value;
    case 4: return signals < value;
    case 5: return signals != value;
    case 6: return signals <= value;
    default: return true;
  }
}

}  // namespace

EventClocks::EventClocks(uint32_t event, uint32_t mask, bool test_pattern) {
  const uint32_t regarded = 0xffff & ~field::OACEC_MASK_IGNORED.of(mask);
  if (field::OACEC_EVENT_SOURCE.of(event) == previous_event) {
    unimplemented("custom event of another event (OACEC)");
    return;
  }
  for (unsigned clock = 0; clock < signal_period; ++clock) {
    const uint32_t signals = test_pattern ? test_signals(clock) & regarded : 0;
    if (compare(field::OACEC_EVENT_COMPARE.of(event), signals, field::OACEC_EVENT_VALUE.of(event))) add(clock);
  }
}

}  // namespace softgen::oa
