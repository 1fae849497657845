// SPDX-License-Identifier: GPL-2.0-or-later
// Writes compiled kernels to files, to inspect them and for perf (docs/debugging.md).
#pragma once

#include <string>

#include "hw/eu/jit/compile.h"

namespace softgen::eu::jit {

/// The folder that the environment's SOFTGEN_JIT_DUMP names. Empty: nothing is dumped.
const std::string& dump_folder();
/// Writes FOLDER/NAME.eu (the kernel), .ll (LLVM IR before and after the passes, if the code was compiled now) and .o, and a line in
/// /tmp/perf-PID.map, from which perf takes the code's name. Does nothing without a folder.
void dump_code(const Program& program, const std::string& name, const ObjectFile& object, const std::string& text, Code code);

}  // namespace softgen::eu::jit
