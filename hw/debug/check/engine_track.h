// SPDX-License-Identifier: GPL-2.0-or-later
// What the checker knows of an engine and of what the driver's kernel part writes to registers.
#pragma once

#include <cstdint>

namespace softgen::debug::check {

/// Of the thread that runs the streamer.
struct EngineTrack {
  uint32_t context = 0;     ///< GGTT address of the running context's image; 0: none
  uint64_t noops = 0;       ///< MI_NOOPs in a row, in one batch
  bool noops_told = false;  ///< the rule has reported this row of them
};

/// Of the front end's thread.
struct HostTrack {
  uint32_t reset_requested = 0;  ///< bit i: EngineId i: Request Reset of RESET_CTL is set
};

}  // namespace softgen::debug::check
