// SPDX-License-Identifier: GPL-2.0-or-later
// Where Kaby Lake's engines have their registers, for tests that speak to a device from outside.
#pragma once

#include "hw/defs/register.h"

namespace softgen::test {

/// Offset in BAR0 of an engine's own register (reg::RING_…).
inline uint32_t engine_register(EngineId engine, uint32_t relative) { return defs::gen9::registers.engine(engine)->mmio_base + relative; }

}  // namespace softgen::test
