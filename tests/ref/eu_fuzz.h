// SPDX-License-Identifier: GPL-2.0-or-later
// Random legal instructions on random state: the interpreter against tests/ref/eu_reference.cpp, and the compiler against the
// interpreter.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "hw/eu/isa/isa.h"
#include "hw/eu/program/thread.h"

namespace softgen::eu::fuzz {

struct Outcome {
  uint64_t instructions = 0;  ///< of the programs that were compared, each counted once
  uint64_t executed = 0;      ///< by the interpreter, in all runs of all programs
  uint64_t programs = 0;
  std::string difference;  ///< empty: none; else the first one, with its seed
};

/// Runs programs of random instructions of `isa` until `instructions` were compared or a difference was found.
Outcome run(const Isa& isa, uint64_t seed, uint64_t instructions);

/// `count` random legal instructions.
std::vector<Native> legal_instructions(const Isa& isa, uint64_t seed, size_t count);

/// Runs a thread whose registers a test looks at afterwards.
using Executor = std::function<RunResult(Thread&, ThreadEnv&, MessageTarget&)>;

/// The interpreter against another way to run programs of `length` random instructions, extended math among them: each on `states` random contents of
/// registers, in one mode, with all channels or with some.
Outcome compare(const Isa& isa, uint64_t seed, uint64_t instructions, unsigned length, const Executor& executor, unsigned states = 1);

}  // namespace softgen::eu::fuzz
