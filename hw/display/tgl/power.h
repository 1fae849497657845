// SPDX-License-Identifier: GPL-2.0-or-later
// Tiger Lake's wells, PLLs and PHYs.
#pragma once

#include "hw/display/power.h"

namespace softgen::display {

/// What DSSM names, the reference of all PLLs.
constexpr uint64_t tgl_reference_hz = 19'200'000;

std::unique_ptr<Clocks> tgl_power(mmio::RegisterFile& registers, std::function<void()> clocks_changed);

}  // namespace softgen::display
