// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/urb.h"

#include <algorithm>

namespace softgen::render {

uint32_t Urb::allocate(uint32_t bytes) {
  const uint32_t count = units(bytes);
  if (count > room()) return 0;
  if (memory_.empty()) memory_.resize(size_t{max_units} * unit / 4);
  const uint32_t handle = next_;
  next_ += count;
  std::fill_n(memory_.begin() + size_t{handle} * unit / 4, size_t{count} * unit / 4, 0u);
  return handle;
}

void Urb::release(uint32_t mark) { next_ = std::clamp(mark, 1u, next_); }

}  // namespace softgen::render
