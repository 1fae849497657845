// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/oa/context_counters.h"

#include <algorithm>
#include <cmath>

namespace softgen::oa {

void ContextCounters::enter(uint32_t image, const Moment& moment) {
  const auto found = std::ranges::find(kept_, image, &Kept::image);
  counters_.load(found == kept_.end() ? Counters{} : found->counters, moment);
}

void ContextCounters::leave(uint32_t image) {
  std::erase_if(kept_, [image](const Kept& kept) { return kept.image == image; });
  if (kept_.size() == max_kept) kept_.erase(kept_.begin());
  kept_.push_back({image, counters_.now()});
}

void ContextCounters::state(Archive& archive) {
  kept_.resize(archive.count(static_cast<uint32_t>(kept_.size()), max_kept));
  for (Kept& kept : kept_) {
    archive.value(kept.image);
    counters_state(archive, kept.counters);
  }
}

void counters_state(Archive& archive, Counters& counters) {
  archive.value(counters.ticks);
  const auto values = [&archive](std::span<double> counts) {
    constexpr double limit = 9007199254740992.0;  // 2^53
    for (double& count : counts) {
      archive.value(count);
      if (!(count >= 0 && count < limit)) archive.fail("a performance counter is out of range"), count = 0;
    }
  };
  values(counters.a);
  values(counters.b);
  values(counters.c);
}

}  // namespace softgen::oa
