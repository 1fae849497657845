// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's display: pipes and planes in the CPU, FDI links to the PCH (Ibex Peak), HDMI ports there.
#pragma once

#include "hw/display/display.h"

namespace softgen::display {

/// A MakeDisplay. At most two pipes.
std::unique_ptr<Display> ilk(const DisplayLinks& links, const DisplayConfig& config);

}  // namespace softgen::display
