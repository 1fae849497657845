// SPDX-License-Identifier: GPL-2.0-or-later
// What an engine's registers say of its graphics addresses besides the page tables: the aux map, and tiled resources. A generation may have none of
// them.
#pragma once

#include "hw/iface/engine.h"
#include "hw/memory/address_space.h"
#include "hw/mmio/register_file.h"

namespace softgen::cs {

/// Of one engine.
struct TranslationRegisters {
  EngineId engine;
  uint32_t aux_table = 0;
  uint32_t control = 0;  ///< 0: it has no tiled resources
  uint32_t range = 0, root = 0, root_udw = 0, null_tile = 0, invalid_tile = 0;
};

class Translation {
 public:
  /// `registers` outlives it.
  Translation(const mmio::RegisterFile& registers, EngineId engine);
  /// Adds it to the space of a context.
  void add_to(memory::AddressSpace& space) const;
  /// Whether a write to the register may change what add_to() says.
  bool has(uint32_t offset) const {
    if (!row_) return false;
    return (offset & ~4u) == row_->aux_table || (row_->control && offset >= row_->control && offset <= row_->invalid_tile);
  }

 private:
  const mmio::RegisterFile& registers_;
  const TranslationRegisters* row_ = nullptr;  ///< null: the engine has none
};

}  // namespace softgen::cs
