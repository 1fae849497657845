// SPDX-License-Identifier: GPL-2.0-or-later
// Names of a platform's registers, interrupts and units, as fault plans write them. Each throws std::invalid_argument with what was expected.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hw/defs/platform.h"
#include "hw/faults/rule.h"

namespace softgen::faults {

/// `RING_HEAD.rcs`, `PLANE_CTL[1][0]`, `VIDEO_DIP_DATA_A+0x68`, `0x12345`, or `*` for all.
Match register_named(std::string_view name, const defs::Platform& platform);
/// `rcs.user`, `pipe-a.flip`, `*.switch`, `gmbus`, `guc`, `hotplug`, `aux`: what to match of FaultSite::unit and what.
struct SourceMatch {
  Match unit, what;
};
SourceMatch source_named(std::string_view name, const defs::Platform& platform);
/// The value of a key that names a unit.
uint32_t unit_named(KeyKind kind, std::string_view name, const defs::Platform& platform);
/// A site as a plan would write it: `engine=rcs`, `RING_HEAD.rcs`. Throws nothing.
std::string describe(const FaultSite& site, const defs::Platform& platform);

}  // namespace softgen::faults
