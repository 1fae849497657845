// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/sampler/clear_colors.h"

#include <algorithm>

namespace softgen::sampler {
namespace {

/// Beyond this many surface states they are expanded again, which changes nothing.
constexpr size_t max_remembered = 256;

}  // namespace

void ClearColors::invalidate() {
  static std::atomic<uint64_t> rounds{0};
  const std::lock_guard lock(mutex_);
  expanded_.clear();
  round_.store(rounds.fetch_add(1, std::memory_order_relaxed) + 1, std::memory_order_release);
}

void ClearColors::expand_now(memory::View& view, Bound& bound) {
  const std::lock_guard lock(mutex_);
  bound.expanded = round_.load(std::memory_order_relaxed);
  if (std::find(expanded_.begin(), expanded_.end(), bound.surface_dwords) != expanded_.end()) return;
  const Texture& texture = bound.texture;
  const surface::Surface& surface = texture.surface();
  for (unsigned level = 0; level < bound.controls.size(); ++level) {
    const surface::CcsRect all{0, 0, texture.extent(level).width, texture.extent(level).height};
    for (unsigned slice = 0; slice < texture.slices(level); ++slice)
      surface::expand_clears(view, bound.controls[level], surface, texture.place(level), all, slice + surface.min_array_element);
  }
  if (expanded_.size() >= max_remembered) expanded_.clear();
  expanded_.push_back(bound.surface_dwords);
}

}  // namespace softgen::sampler
