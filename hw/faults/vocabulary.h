// SPDX-License-Identifier: GPL-2.0-or-later
// What a plan for a platform can say, as JSON for programs that write plans (scripts/fuzz device).
#pragma once

#include <string>

#include "hw/defs/platform.h"
#include "hw/faults/plan.h"

namespace softgen::faults {

/// {"points": [{"name", "register", "pulses", "keys": {NAME: [value…]}, "actions": [{"name", "argument", "limit"}]}],
///  "registers": {NAME: [[high, low]…]}}: all registers of the platform, with their fields.
std::string vocabulary(const defs::Platform& platform);
/// [{"point", "where", "count"}].
std::string census_text(const std::vector<SiteCount>& sites);

}  // namespace softgen::faults
