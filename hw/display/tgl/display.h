// SPDX-License-Identifier: GPL-2.0-or-later
// The display engine of Tiger Lake with its PCH: HDMI on DDI B (a combo PHY) and on the Type-C ports 1 and 2, as a board wires them that has no
// Type-C connectors. i915 display/, of Linux 6.1 and 6.12.
#pragma once

#include "hw/display/display.h"

namespace softgen::display {

/// A MakeDisplay. At most max_pipes pipes.
std::unique_ptr<Display> tgl(const DisplayLinks& links, const DisplayConfig& config);

}  // namespace softgen::display
