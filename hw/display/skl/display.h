// SPDX-License-Identifier: GPL-2.0-or-later
// The display engine of Skylake and Kaby Lake (SKL PRM vol 12).
#pragma once

#include "hw/display/display.h"

namespace softgen::display {

/// A MakeDisplay. At most max_pipes pipes.
std::unique_ptr<Display> skl(const DisplayLinks& links, const DisplayConfig& config);

}  // namespace softgen::display
