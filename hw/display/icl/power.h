// SPDX-License-Identifier: GPL-2.0-or-later
// Ice Lake's wells, PLLs and PHYs. All state is in the register file.
#pragma once

#include "hw/display/power.h"

namespace softgen::display {

/// What DSSM names, the reference of all PLLs.
constexpr uint64_t icl_reference_hz = 24'000'000;

std::unique_ptr<Clocks> icl_power(mmio::RegisterFile& registers, std::function<void()> clocks_changed);

}  // namespace softgen::display
