// SPDX-License-Identifier: GPL-2.0-or-later
// What softgen-replay writes after a run: statistics and the timeline.
#pragma once

#include <string>
#include <vector>

#include "hw/base/work.h"
#include "hw/replay/player.h"

namespace softgen::replay {

/// JSON: counts of the last run and the work it was, pipeline statistics registers, failures counted, times. `runs`: busy time of each repetition.
std::string stats_json(gt::Device& device, const PlayResult& result, const WorkCounts& work, const std::vector<int64_t>& runs);

/// Trace event JSON, which Perfetto (ui.perfetto.dev) opens: a track an engine, a slice a draw, walker, blit and flush. False: not written.
bool write_timeline(const std::string& path, const PlayResult& result);

}  // namespace softgen::replay
