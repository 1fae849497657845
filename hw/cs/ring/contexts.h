// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's logical rendering contexts: MI_SET_CONTEXT and the images that it saves and restores (ILK PRM vol 1 part 2, 5.8). The manual leaves the layout
// of the 2 KiB to the device; this one is chosen:
//
//   0      a MI_LOAD_REGISTER_IMM of the registers that 5.8 names, then MI_BATCH_BUFFER_END
//   200h   StateHeader, then the plugged Engine's own bytes
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "hw/cs/engine_core.h"

namespace softgen::cs {

class RingContexts {
 public:
  explicit RingContexts(EngineCore& core);

  /// MI_SET_CONTEXT. The Engine is flushed.
  void set_context(std::span<const uint32_t> packet);
  /// The Engine's state as part of a saved state of the device; accept() gives it to the Engine.
  void engine_state(Archive& archive);
  void accept();

 private:
  struct Saved {
    uint32_t offset;  ///< in BAR0
    bool masked;
  };
  static std::vector<Saved> saved_registers(const EngineCore& core, const defs::RegisterSet& set);
  void save(uint32_t address);
  void restore(uint32_t address);
  void restore_registers(uint32_t address);
  void restore_engine(uint32_t address);

  EngineCore& core_;
  const std::vector<Saved> registers_;
  std::vector<std::byte> engine_image_;  ///< the Engine's bytes as they were last saved or read
};

}  // namespace softgen::cs
