// SPDX-License-Identifier: GPL-2.0-or-later
// The log's ring for captures, in memory. The logs of debugging and crashes stay empty: there is no firmware that would write them.
#pragma once

#include <cstdint>
#include <span>

#include "hw/base/archive.h"
#include "hw/defs/guc_abi.h"
#include "hw/guc/messages.h"
#include "hw/memory/view.h"

namespace softgen::guc {

/// Its owner's mutex guards it.
class CaptureLog {
 public:
  /// By the start parameter for logs. The ring is empty then.
  void start(uint32_t parameter, const AddressRange& memory, memory::View& ggtt);
  void stop() { *this = {}; }
  /// False: there is no ring, or no room in it.
  bool append(std::span<const uint32_t> group, memory::View& ggtt);
  void state(Archive& archive);

 private:
  uint64_t state_ = 0, ring_ = 0;  ///< GGTT addresses; 0: there is none
  uint32_t bytes_ = 0, write_ = 0;
};

}  // namespace softgen::guc
