// SPDX-License-Identifier: GPL-2.0-or-later
// How much of a kernel's time goes by waiting for its own results.
#pragma once

#include "hw/eu/jit/flow.h"

namespace softgen::eu::jit {

/// Whether two threads whose operations alternate are likely to be done sooner than one behind the other: a kernel without branches, and without messages
/// but its last, most of whose operations wait for the one before. For code that does sixteen channels at once.
bool gains_beside(const Program& program, const FlowGraph& graph);

}  // namespace softgen::eu::jit
