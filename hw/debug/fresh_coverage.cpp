// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/debug/fresh_coverage.h"

#include <bit>

namespace softgen::debug {

uint8_t FreshCoverage::class_of(uint64_t count) {
  if (count < 4) return static_cast<uint8_t>(count ? 1u << (count - 1) : 0);
  if (count >= 128) return 0x80;
  if (count >= 32) return 0x40;
  return static_cast<uint8_t>(1u << std::bit_width(count));
}

void FreshCoverage::begin(std::span<const uint64_t> counts) {
  before_.assign(counts.begin(), counts.end());
  seen_.assign(counts.size(), 0);
  blocks_ = 0;
}

FreshCoverage::Found FreshCoverage::look(std::span<const uint64_t> counts) {
  Found found;
  before_.resize(counts.size());
  seen_.resize(counts.size());
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == before_[i]) continue;
    const uint8_t bit = class_of(counts[i] - before_[i]);
    before_[i] = counts[i];
    if (seen_[i] & bit) continue;
    found.blocks += seen_[i] == 0;
    ++found.classes;
    seen_[i] |= bit;
  }
  blocks_ += found.blocks;
  return found;
}

}  // namespace softgen::debug
