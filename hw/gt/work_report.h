// SPDX-License-Identifier: GPL-2.0-or-later
// Counts of hw/base/work.h as the device's report and softgen-replay --stats show them.
#pragma once

#include <nlohmann/json.hpp>

#include "hw/base/work.h"
#include "hw/eu/isa/isa.h"
#include "hw/eu/jit/engine.h"

namespace softgen::gt {

/// "draws", …, "threads"; "messages" and, of them, "direct_messages": by shared function and kind; "paths": by name of Path;
/// "stage_milliseconds": by stage. `isa`: whose messages were counted.
nlohmann::ordered_json work_json(const WorkCounts& counts, const eu::Isa& isa);

/// Threads and kernels, interpreted and compiled.
nlohmann::ordered_json eu_json(const eu::EngineStats& eu);

}  // namespace softgen::gt
