// SPDX-License-Identifier: GPL-2.0-or-later
// "Where does it hang?": the command of each engine, what is bound there, and which EU threads run.
#pragma once

#include <chrono>
#include <string>

#include "hw/gt/device.h"

namespace softgen::debug {

struct WhereOptions {
  bool bound_state = true;                  ///< the render engine's state with what it points to, when that engine is busy
  std::chrono::milliseconds patience{100};  ///< how long EU threads have to show themselves
};

/// Text, empty when no engine ever did anything. Any thread. A snapshot without locks: of an engine that runs meanwhile, the parts may
/// belong to different moments.
std::string describe_position(gt::Device& device, const WhereOptions& options = {});

}  // namespace softgen::debug
