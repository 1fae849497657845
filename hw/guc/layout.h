// SPDX-License-Identifier: GPL-2.0-or-later
// Where the generations have the micro-controller's registers for the host, as part of a platform.
#pragma once

#include <cstdint>

#include "hw/defs/context.h"
#include "hw/defs/registers/registers.h"

namespace softgen::guc {

/// What firmware 9 knows of a generation.
struct InterfaceV9 {
  uint32_t core_family;  ///< GUC_CORE_FAMILY_*: i915 4.19 intel_guc_fwif.h
};

struct Layout {
  uint32_t mailbox;         ///< the first of the four registers for messages
  uint32_t notify;          ///< the host's interrupt to the GuC
  uint32_t notify_bits;     ///< a write with one of them is it; 0: any write is
  uint32_t tlb_invalidate;  ///< of the GuC's own translations
  reg::Bits reset;          ///< of GDRST
  uint32_t huc_status;      ///< shows HuC's authentication
  reg::Bits huc_verified;
  const defs::ContextImages& contexts;
  const InterfaceV9* v9 = nullptr;  ///< null: firmware 9 is not for this generation
};

extern const Layout gen9_layout, gen11_layout, gen12_layout;

}  // namespace softgen::guc
