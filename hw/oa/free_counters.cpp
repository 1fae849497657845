// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/oa/free_counters.h"

#include <array>

#include "hw/oa/context_counters.h"

namespace softgen::oa {

void FreeCounters::select(const Moment& moment, uint32_t events, uint64_t core_hz) {
  counters_.advance(moment, selection_, true);
  selection_.flexible.back() = events;
  selection_.core_hz = core_hz;
}

uint64_t FreeCounters::read(const Moment& moment, unsigned i) {
  constexpr std::array<uint8_t, 4> counters = {4, 6, 19, 20};
  counters_.advance(moment, selection_, true);
  return static_cast<uint64_t>(counters_.now().a[counters.at(i)]);
}

void FreeCounters::reset(const Moment& moment) { counters_.load({}, moment); }

void FreeCounters::state(Archive& archive, const Moment& moment) {
  if (!archive.reading()) counters_.advance(moment, selection_, true);
  Counters counters = counters_.now();
  counters_state(archive, counters);
  if (archive.reading()) counters_.load(counters, moment);
}

}  // namespace softgen::oa
