// SPDX-License-Identifier: GPL-2.0-or-later
// Units of the GT's frequencies (i915 gt/intel_rps.c; i915_reg.h, GT_FREQUENCY_MULTIPLIER, GEN9_FREQ_SCALER).
#pragma once

#include <cstdint>

namespace softgen::defs {

/// Unit of RP_STATE_CAP, in MHz.
inline constexpr uint32_t cap_frequency_mhz = 50;
/// Units of RPSTAT1 and of performance reports per unit of RP_STATE_CAP.
inline constexpr uint32_t frequency_parts = 3;

}  // namespace softgen::defs
