// SPDX-License-Identifier: GPL-2.0-or-later
// How deep the mask stacks (program/mask_stacks.h) are at each op of a kernel: where that is known, their entries are values of the compiled code.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/eu/program/program.h"

namespace softgen::eu::jit {

struct FlowGraph;

struct MaskDepth {
  uint8_t branches = 0, loops = 0;
  bool operator==(const MaskDepth&) const = default;
};

/// By op. Sets what of `graph` follows: the ops that are reached, and before which of them all dispatched channels are known to run (waits_before is empty).
/// An op that would find its stack full or without its entry is for the interpreter, which fails there. Null: done; else why the kernel is interpreted.
const char* find_mask_depths(const Program& program, FlowGraph& graph);

}  // namespace softgen::eu::jit
