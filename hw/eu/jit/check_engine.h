// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "hw/eu/jit/engine.h"

namespace softgen::eu {

/// Engine::check: nothing is compiled; threads of kernels with a software scoreboard run under a ScoreboardCheck.
std::unique_ptr<Compiler> make_check_engine();

}  // namespace softgen::eu
