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

std::span<uint32_t> Urb::dwords(uint32_t handle, uint64_t offset, uint32_t count) {
  const uint64_t at = uint64_t{handle & 0xffff} * (unit / 4) + offset, end = uint64_t{next_} * (unit / 4);
  if ((handle & 0xffff) == 0 || at >= end) return {};
  return std::span(memory_).subspan(at, std::min<uint64_t>(count, end - at));
}

}  // namespace softgen::render
