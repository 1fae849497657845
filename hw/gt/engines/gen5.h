// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's engines: render, which blits, too, and the bit stream decoder behind the video streamer.
#pragma once

#include "hw/gt/engines.h"

namespace softgen::gt {

/// A MakeEngines.
std::unique_ptr<Engines> gen5_engines(const EngineConfig& config);

}  // namespace softgen::gt
