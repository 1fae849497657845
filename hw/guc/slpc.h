// SPDX-License-Identifier: GPL-2.0-or-later
// Single loop power control (i915 gt/uc/intel_guc_slpc.c): the firmware chooses the GT's frequency between limits that the host sets. There is one speed
// here: the frequency that shows is the upper limit.
#pragma once

#include <cstdint>
#include <span>

#include "hw/base/archive.h"
#include "hw/defs/guc_abi.h"
#include "hw/guc/messages.h"
#include "hw/memory/view.h"
#include "hw/mmio/register_file.h"

namespace softgen::guc {

/// Its owner's mutex guards it.
class Slpc {
 public:
  explicit Slpc(mmio::RegisterFile& registers) : registers_(registers) {}
  /// An event of the host, and its arguments; shared pages are in `memory`. 0: done; else defs::guc::Error.
  uint32_t handle(std::span<const uint32_t> event, memory::View& ggtt, const AddressRange& memory);
  void stop() { limits_ = {}; }
  void state(Archive& archive);

 private:
  /// MHz; 0: the chip's.
  struct Limits {
    uint32_t min = 0, max = 0;
    bool run = false;
  };
  uint32_t set(uint32_t parameter, uint32_t value);
  /// The limits as the shared page has them.
  uint32_t frequencies() const;
  void show() const;

  mmio::RegisterFile& registers_;
  Limits limits_;
};

}  // namespace softgen::guc
