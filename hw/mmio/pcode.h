// SPDX-License-Identifier: GPL-2.0-or-later
// The mailbox of the power control unit: 0x138124 command, 0x138128/0x13812c data. A command ends at once: its run/busy bit reads 0 and
// the low byte says how it went. i915 intel_pcode.c and the callers of snb_pcode_*.
#pragma once

#include <array>
#include <cstdint>

#include "hw/base/archive.h"
#include "hw/defs/memory_speeds.h"
#include "hw/mmio/register_file.h"

namespace softgen::mmio {

class Pcode {
 public:
  /// `memory`: what it tells of memory's speeds, if anything; it outlives this.
  Pcode(RegisterFile& registers, const defs::MemorySpeeds* memory);
  void reset() { min_freq_table_ = {}; }
  void state(Archive& archive);

 private:
  struct Reply {
    uint32_t status, data0, data1;
  };
  Reply run(uint32_t command, uint32_t data0, uint32_t data1);
  Reply memory_speeds(uint32_t command) const;

  const defs::MemorySpeeds* const memory_;
  std::array<uint32_t, 256> min_freq_table_{};  ///< by GT ratio: ring [23:16] and IA [15:8] ratio that go with it
};

}  // namespace softgen::mmio
