// SPDX-License-Identifier: GPL-2.0-or-later
// GDRST 0x941c: resets of the whole GT or of single engines. The bits clear when the reset is over, which is before the write returns.
// SKL PRM vol 2c, GDRST; i915 gt/intel_reset.c:gen8_reset_engines.
#pragma once

#include <cstdint>
#include <functional>

#include "hw/mmio/interrupts.h"
#include "hw/mmio/register_file.h"

namespace softgen::mmio {

/// Stops these engines (bit i: EngineId i), drops what they ran and waits until they have stopped. Called before the registers go to their
/// reset values, and on the writing vCPU's thread.
using StopEngines = std::function<void(uint32_t engines)>;
/// After the registers have their reset values.
using RestartEngines = std::function<void(uint32_t engines)>;

void attach_reset_control(RegisterFile& registers, Interrupts& interrupts, StopEngines stop, RestartEngines restart);

}  // namespace softgen::mmio
