// SPDX-License-Identifier: GPL-2.0-or-later
// The state packets of a picture: what MFX_PIPE_MODE_SELECT or HCP_PIPE_MODE_SELECT begins and objects refer to. Drivers send all of it again for each
// picture, so contexts keep none of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "hw/iface/engine.h"

namespace softgen::media {

class PacketStore {
 public:
  /// `index`: which of several of a kind (lists, matrices, tables, surfaces) it is; at most max_index.
  static constexpr unsigned max_index = 63;
  void put(defs::CommandId id, unsigned index, std::span<const uint32_t> dwords) {
    packets_[{id, std::min(index, max_index)}].assign(dwords.begin(), dwords.end());
  }
  /// As last written, header first; empty when there was none since the picture's beginning. Typed structures unpack what is missing as 0.
  std::span<const uint32_t> get(defs::CommandId id, unsigned index = 0) const {
    const auto found = packets_.find({id, index});
    return found == packets_.end() ? std::span<const uint32_t>{} : found->second;
  }
  bool has(defs::CommandId id, unsigned index = 0) const { return !get(id, index).empty(); }
  /// Memory is kept: the next picture writes the same.
  void clear() {
    for (auto& [key, dwords] : packets_) dwords.clear();
  }

 private:
  std::map<std::pair<defs::CommandId, unsigned>, std::vector<uint32_t>> packets_;
};

}  // namespace softgen::media
