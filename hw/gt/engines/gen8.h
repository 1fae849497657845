// SPDX-License-Identifier: GPL-2.0-or-later
// The engines of Gen8 and later: render, copy, video, video enhancement, and the position-only pipe. Which packets they take is said by the decoders
// of the platform's parts.
#pragma once

#include "hw/gt/engines.h"

namespace softgen::gt {

/// A MakeEngines.
std::unique_ptr<Engines> gen8_engines(const EngineConfig& config);

}  // namespace softgen::gt
