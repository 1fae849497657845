// SPDX-License-Identifier: GPL-2.0-or-later
// VFE's entries of the URB: one for each thread from its start until its end gives the entry back.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hw/media/vfe/vfe_packets.h"
#include "hw/render/ilk/state.h"

namespace softgen::media::vfe {

class EntryPool {
 public:
  /// As many entries as the state asks for and the region holds, all free, if these are others than before. None is a guest's error.
  void configure(const render::ilk::UrbRegion& region, const VfeState& state);
  /// Forgets who has entries.
  void clear() { configured_ = false; }
  unsigned count() const { return static_cast<unsigned>(taken_.size()); }
  unsigned registers() const { return entry_rows_ * 2; }
  /// The handle of a free entry, the number of its first row. None: all are taken.
  std::optional<uint32_t> take();
  /// Handles of no entry are a guest's error.
  void release(uint32_t handle);

 private:
  bool configured_ = false;
  unsigned first_ = 0, entry_rows_ = 1, next_ = 0;
  unsigned asked_entries_ = 0, region_rows_ = 0;
  std::vector<bool> taken_;
};

}  // namespace softgen::media::vfe
