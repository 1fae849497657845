// SPDX-License-Identifier: GPL-2.0-or-later
// A second, plain implementation of the EU's arithmetic and regions, for differential tests. One channel at a time, one byte address at a
// time, in double and 128-bit integer arithmetic. It shares the decoded Instruction with the interpreter and nothing else.
#pragma once

#include <array>
#include <cstdint>

#include "hw/eu/isa/instruction.h"

namespace softgen::eu::reference {

struct State {
  std::array<uint8_t, 4096> grf{};
  std::array<uint8_t, 64> acc{};       ///< acc0, acc1 as 32-bit sources see them
  std::array<int64_t, 64> acc_wide{};  ///< integer accumulator channels, while acc_size is their element size
  unsigned acc_size = 0;
  std::array<uint64_t, 16> native{};  ///< acc0, acc1 as NF: doubles' bits
  /// acc2 to acc9 as madm, invm and rsqtm have them: quadruple precision, by channel.
  std::array<std::array<std::array<uint64_t, 2>, 16>, 8> macro{};
  std::array<uint16_t, 16> address{};
  uint64_t flags = 0;              ///< f0 in the low half, f1 in the high
  uint32_t channels = 0xffffffff;  ///< that run
  uint32_t cr0 = 0;
  bool logic_negates = false, shr_keeps_sign = false, mask_stacks = false;  ///< of the set: IsaLimits
  uint64_t sent = 0;  ///< a hash of what messages had, which the reference does not know

  bool operator==(const State&) const = default;
};

/// Executes one instruction that is not control flow, a message or wait. False: not covered.
bool execute(State& state, const Instruction& instruction);

}  // namespace softgen::eu::reference
