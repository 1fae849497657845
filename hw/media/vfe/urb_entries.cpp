// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vfe/urb_entries.h"

#include <algorithm>

#include "hw/base/log.h"

namespace softgen::media::vfe {

void EntryPool::configure(const render::ilk::UrbRegion& region, const VfeState& state) {
  if (configured_ && region.first == first_ && region.rows == region_rows_ && state.entries == asked_entries_ &&
      state.entry_rows == entry_rows_)
    return;
  configured_ = true;
  first_ = region.first, region_rows_ = region.rows;
  asked_entries_ = state.entries, entry_rows_ = state.entry_rows;
  next_ = 0;
  const unsigned count = std::min(state.entries, region.rows / state.entry_rows);
  taken_.assign(count, false);
  if (!count || count < state.entries)
    guest_error("URB entries of VFE", "{} of {} rows, its region has {}", state.entries, state.entry_rows, region.rows);
}

std::optional<uint32_t> EntryPool::take() {
  for (unsigned tries = 0; tries < count(); ++tries) {
    const unsigned n = next_;
    next_ = (next_ + 1) % count();
    if (taken_[n]) continue;
    taken_[n] = true;
    return first_ + n * entry_rows_;
  }
  return std::nullopt;
}

void EntryPool::release(uint32_t handle) {
  const uint32_t row = handle - first_, n = row / entry_rows_;
  if (handle < first_ || row % entry_rows_ || n >= count() || !taken_[n])
    return guest_error("a URB handle that no thread has", "{:#x}", handle);
  taken_[n] = false;
}

}  // namespace softgen::media::vfe
