// SPDX-License-Identifier: GPL-2.0-or-later
// The micro-controller's processor as the shim sees it: it is started with a firmware, interrupted, and stopped.
#pragma once

#include <array>
#include <cstdint>

#include "hw/base/archive.h"
#include "hw/guc/firmware_file.h"

namespace softgen::guc {

/// All functions: any thread.
class GucCore {
 public:
  struct Start {
    FirmwareFile file;
    std::array<uint32_t, defs::guc::parameters> parameters;  ///< in the scratch registers behind the first
    bool huc_loaded;                                         ///< an image of the HuC is in WOPCM
    uint64_t memory_bottom;                                  ///< GGTT addresses below it are WOPCM for the GuC
  };
  virtual ~GucCore() = default;
  /// The boot ROM jumps to the firmware. What the Kernel field of GUC_STATUS shows then; it runs if that is kernel_ready.
  virtual uint32_t start(const Start& start) = 0;
  /// It is in reset: all that it knew is gone.
  virtual void stop() = 0;
  /// The host interrupts it.
  virtual void notify() = 0;
  virtual void state(Archive& archive) = 0;
};

}  // namespace softgen::guc
