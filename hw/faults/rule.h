// SPDX-License-Identifier: GPL-2.0-or-later
// One line of a fault plan, and the language that lines are written in (docs/faults.md).
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "hw/defs/platform.h"
#include "hw/faults/points.h"

namespace softgen::faults {

/// A line that is wrong. what(): a sentence with line and column.
class PlanError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// A number that is compared where `mask` has ones.
struct Match {
  uint32_t value = 0, mask = 0;
  bool operator()(uint32_t found) const { return ((found ^ value) & mask) == 0; }
};

struct Rule {
  FaultPoint point{};
  Match unit, what;
  uint64_t first = 1;                   ///< it fires from this occurrence on
  uint64_t times = 0;                   ///< so often at most; 0: no limit
  uint64_t chance = 0;                  ///< of 2^53; 0: always
  int64_t from_ns = 0, length_ns = -1;  ///< from when the line was added; < 0: for ever
  int64_t period_ns = 0;                ///< of its own pulses; 0: it waits for units that ask
  FaultAction action{};
  uint64_t value = 0;
  int64_t shortest_ns = 0, longest_ns = 0;  ///< the action's duration
  std::string text;                         ///< the line, without its comment
};

/// What a line says.
struct Line {
  std::optional<uint64_t> seed;
  std::optional<Rule> rule;  ///< neither: it is empty or a comment
};

/// Names of registers, engines and connectors are the platform's. `number`: of the line, from 1, for errors. Throws PlanError.
Line parse_line(std::string_view text, unsigned number, const defs::Platform& platform);

}  // namespace softgen::faults
