// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "hw/defs/registers/engines.h"
#include "hw/iface/engine.h"

namespace softgen {

static_assert(defs::engines.size() == engine_count);

/// Whose instructions an engine's streamer takes.
constexpr defs::EngineClass class_of(EngineId engine) { return defs::engines[static_cast<size_t>(engine)].engine_class; }

}  // namespace softgen
