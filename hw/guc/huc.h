// SPDX-License-Identifier: GPL-2.0-or-later
// The authentication of HuC's image, which all firmware does.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "hw/memory/view.h"

namespace softgen::guc {

/// A signature in memory (i915 gt/uc/intel_uc_fw.c, uc_fw_rsa_data_create()).
inline constexpr uint32_t huc_signature_bytes = 256;

/// What verifies it is not public: any that is not zero passes.
inline bool has_huc_signature(memory::View& ggtt, uint64_t address) {
  std::array<uint32_t, huc_signature_bytes / 4> dwords;
  ggtt.read(address, dwords.data(), huc_signature_bytes);
  return std::ranges::any_of(dwords, [](uint32_t dword) { return dword != 0; });
}

}  // namespace softgen::guc
