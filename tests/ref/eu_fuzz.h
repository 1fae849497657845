// SPDX-License-Identifier: GPL-2.0-or-later
// Random legal instructions on random state: the interpreter against tests/ref/eu_reference.cpp.
#pragma once

#include <cstdint>
#include <string>

namespace softgen::eu::fuzz {

struct Outcome {
  uint64_t instructions = 0;  ///< compared
  uint64_t programs = 0;
  std::string difference;     ///< empty: none; else the first one, with its seed
};

/// Runs programs of random instructions until `instructions` were compared or a difference was found.
Outcome run(uint64_t seed, uint64_t instructions);

}  // namespace softgen::eu::fuzz
