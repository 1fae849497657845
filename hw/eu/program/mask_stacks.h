// SPDX-License-Identifier: GPL-2.0-or-later
// The channel masks of instruction sets whose flow instructions push and pop them: a channel runs while all four masks have its bit. Hardware keeps masks
// of 16 bits in 16 entries a stack (Mesa, MaxIfDepth of Gfx4 and Gfx5); channels 16 to 31 of instructions on bytes and words have bits of their own here.
#pragma once

#include <array>
#include <cstdint>

namespace softgen::eu {

struct MaskStacks {
  static constexpr unsigned max_depth = 16;
  struct Loop {
    uint32_t loop = 0, continued = 0;
  };

  uint32_t active = 0;              ///< AMask: dispatched, and not halted
  uint32_t branch = 0xffffffff;     ///< IMask: took the branch of each enclosing if
  uint32_t loop = 0xffffffff;       ///< LMask: has not left the innermost loop
  uint32_t continued = 0xffffffff;  ///< CMask: has not left its current round
  std::array<uint32_t, max_depth> branches{};
  std::array<Loop, max_depth> loops{};
  uint8_t branch_depth = 0, loop_depth = 0;

  uint32_t running() const { return active & branch & loop & continued; }
  /// False: the stack is full.
  bool push_branch() {
    if (branch_depth == max_depth) return false;
    branches[branch_depth++] = branch;
    return true;
  }
  bool push_loop() {
    if (loop_depth == max_depth) return false;
    loops[loop_depth++] = {loop, continued};
    return true;
  }
  /// False: there are fewer entries.
  bool pop_branches(unsigned count) {
    if (count > branch_depth) return false;
    if (count) branch = branches[branch_depth -= static_cast<uint8_t>(count)];
    return true;
  }
  bool pop_loop() {
    if (!loop_depth) return false;
    loop = loops[--loop_depth].loop, continued = loops[loop_depth].continued;
    return true;
  }
};

}  // namespace softgen::eu
