// SPDX-License-Identifier: GPL-2.0-or-later
// Lists of registers in the additional data structures: those that the GuC keeps over a reset of an engine, and those whose values it reports before it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/defs/guc_abi.h"
#include "hw/guc/messages.h"
#include "hw/memory/view.h"
#include "hw/mmio/register_file.h"

namespace softgen::guc {

/// As lists have it, with the value that the register holds.
using ListedRow = std::array<uint32_t, defs::guc::listed_dwords>;

/// What the lists are about.
struct ListedEngine {
  uint32_t cls = 0, instance = 0;    ///< the firmware's class, the hardware's instance
  uint32_t lrca = 0, context = ~0u;  ///< of the context that hangs
};

/// Reads lists. Structures and lists are in `memory`. Of a list of more than 1023 registers (chosen; i915's have about 80): nothing.
class RegisterLists {
 public:
  RegisterLists(uint64_t ads, const AddressRange& memory, memory::View& ggtt, const mmio::RegisterFile& registers)
      : ads_(ads), memory_(memory), ggtt_(ggtt), registers_(registers) {}
  /// Those that are to outlive a reset of the engine, with what is to be written after it.
  std::vector<ListedRow> kept(const ListedEngine& engine);
  /// A group of captures, as the log has it: what is global, of the class, of the instance.
  std::vector<uint32_t> capture(const ListedEngine& engine);

 private:
  std::vector<ListedRow> rows(uint64_t list, uint32_t count);

  const uint64_t ads_;
  const AddressRange memory_;
  memory::View& ggtt_;
  const mmio::RegisterFile& registers_;
};

}  // namespace softgen::guc
