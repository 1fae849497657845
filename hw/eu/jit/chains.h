// SPDX-License-Identifier: GPL-2.0-or-later
// How much of a kernel's time is spent waiting for its own results (dependency chains).
#pragma once

#include "hw/eu/jit/flow.h"

namespace softgen::eu::jit {

/// Whether two interleaved threads are likely to finish sooner than one after the other. True of kernels with one basic block and only a
/// final message, most of whose operations wait for the one before. For code with vectors of sixteen channels.
bool gains_from_pairing(const Program& program, const FlowGraph& graph);

}  // namespace softgen::eu::jit
