// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's logical rendering contexts: MI_SET_CONTEXT and the images that it saves and restores (ILK PRM vol 1 part 2, 5.8). The manual leaves the layout
// of the 2 KiB to the device; this one is chosen:
//
//   0      a MI_LOAD_REGISTER_IMM of the registers that 5.8 names, and of those of per-process tables (1.2.2, 1.3.2), then MI_BATCH_BUFFER_END
//   200h   StateHeader, then the plugged Engine's own bytes
//
// Contexts of the video streamer (part 4, 1.1.4) have the same layout, with the ring's registers and the table's. A restore obeys any
// MI_LOAD_REGISTER_IMM of these registers.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "hw/cs/engine_core.h"
#include "hw/cs/ring/process_tables.h"

namespace softgen::cs {

class RingContexts {
 public:
  /// Both outlive it.
  RingContexts(EngineCore& core, ProcessTables& tables);

  /// MI_SET_CONTEXT. The Engine is flushed.
  void set_context(std::span<const uint32_t> packet);
  /// The Engine's state as part of a saved state of the device; accept() gives it to the Engine.
  void engine_state(Archive& archive);
  void accept();
  /// To and from the image at a graphics address. The Engine is flushed.
  void save(uint32_t address);
  void restore(uint32_t address);
  // The parts of restore().
  void restore_registers(uint32_t address);
  void restore_engine(uint32_t address);
  /// What the lists of an image have for a register in BAR0, the last one.
  std::optional<uint32_t> value_of(uint32_t address, uint32_t offset) const;

 private:
  struct Saved {
    uint32_t offset;  ///< in BAR0
    bool masked;
    bool own;  ///< set without the register's rules: hardware's own, which software may not write
  };
  static std::vector<Saved> saved_registers(const EngineCore& core, const defs::RegisterSet& set);
  static std::vector<uint32_t> own_registers(EngineId id);

  EngineCore& core_;
  ProcessTables& tables_;
  const std::vector<Saved> registers_;
  std::vector<std::byte> engine_image_;  ///< the Engine's bytes as they were last saved or read
};

}  // namespace softgen::cs
