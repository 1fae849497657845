// SPDX-License-Identifier: GPL-2.0-or-later
// The display of a platform whose display engine is not modelled: no pipe is ever on. Its registers are storage.
#pragma once

#include "hw/display/display.h"

namespace softgen::display {

/// A MakeDisplay.
std::unique_ptr<Display> absent(const DisplayLinks& links, const DisplayConfig& config);

}  // namespace softgen::display
