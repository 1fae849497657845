// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/jit/pairs.h"

#include <algorithm>
#include <numeric>

namespace softgen::eu::jit {

void Pairs::choose() {
  std::array<unsigned, slot_count> order;
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [this](unsigned a, unsigned b) { return uses_[a] > uses_[b]; });
  Slots taken;
  for (const unsigned s : order) {
    if (!uses_[s] || taken[s] || taken[s + 1]) continue;
    first_.set(s);
    taken.set(s);
    taken.set(s + 1);
  }
}

}  // namespace softgen::eu::jit
