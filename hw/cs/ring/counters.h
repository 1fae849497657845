// SPDX-License-Identifier: GPL-2.0-or-later
// The counters of Ironlake's 3D pipeline: of a context's image (ILK PRM vol 1 part 2, 5.8), and of a command that is repeated.
#pragma once

#include <array>

#include "hw/defs/registers/registers.h"

namespace softgen::cs {

/// In BAR0, of 64 bits.
inline constexpr std::array pipeline_counters = {
    softgen::reg::IA_VERTICES_COUNT(0),   softgen::reg::IA_PRIMITIVES_COUNT(0), softgen::reg::VS_INVOCATION_COUNT(0),
    softgen::reg::HS_INVOCATION_COUNT(0), softgen::reg::DS_INVOCATION_COUNT(0), softgen::reg::GS_INVOCATION_COUNT(0),
    softgen::reg::GS_PRIMITIVES_COUNT(0), softgen::reg::CL_INVOCATION_COUNT(0), softgen::reg::CL_PRIMITIVES_COUNT(0),
    softgen::reg::PS_INVOCATION_COUNT(0), softgen::reg::PS_DEPTH_COUNT(0)};

}  // namespace softgen::cs
