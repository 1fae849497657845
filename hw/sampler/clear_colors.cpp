// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/sampler/clear_colors.h"

#include <algorithm>

namespace softgen::sampler {
namespace {

/// Beyond this many surface states they are expanded again, which is idempotent.
constexpr size_t max_remembered = 256;
/// Of the widest surface, 16 MiB at most between two polls of the stop flag.
constexpr uint32_t band_rows = 64;

/// False: stopped.
bool expand_slice(memory::View& view, const Bound& bound, unsigned level, unsigned slice, const StopFlag& stop) {
  const Texture& texture = bound.texture;
  const uint32_t in_surface = slice + texture.surface().min_array_element;
  if (!bound.hiz.empty()) return bound.hiz[level].follow(view, texture.surface(), texture.place(level), in_surface, stop);
  if (!bound.controls[level]) return true;
  const surface::Extent& extent = texture.extent(level);
  for (uint32_t y = 0; y < extent.height; y += band_rows) {
    if (stop.aborting()) return false;
    const surface::CcsRect band{0, y, extent.width, std::min(y + band_rows, extent.height)};
    surface::expand_clears(view, bound.controls[level], texture.surface(), surface::ClearUse::sampling, texture.place(level), band,
                           in_surface);
  }
  return true;
}

}  // namespace

void ClearColors::invalidate() {
  static std::atomic<uint64_t> rounds{0};
  MutexLock lock(mutex_);
  expanded_.clear();
  round_.store(rounds.fetch_add(1, std::memory_order_relaxed) + 1, std::memory_order_release);
}

void ClearColors::expand_now(memory::View& view, Bound& bound, const StopFlag& stop) {
  if (bound.texture.surface().clear_address) bound.texture.read_clear_color(view);
  MutexLock lock(mutex_);
  const bool known = std::find(expanded_.begin(), expanded_.end(), bound.surface_dwords) != expanded_.end();
  const auto levels = static_cast<unsigned>(std::max(bound.controls.size(), bound.hiz.size()));
  for (unsigned level = 0; !known && level < levels; ++level)
    for (unsigned slice = 0; slice < bound.texture.slices(level); ++slice)
      if (!expand_slice(view, bound, level, slice, stop)) return;
  bound.expanded = round_.load(std::memory_order_relaxed);
  if (known) return;
  if (expanded_.size() >= max_remembered) expanded_.clear();
  expanded_.push_back(bound.surface_dwords);
}

}  // namespace softgen::sampler
