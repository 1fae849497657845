// SPDX-License-Identifier: GPL-2.0-or-later
// Compiled kernels as files, for looking at them and for perf (docs/debugging.md).
#pragma once

#include <string>

#include "hw/eu/jit/compile.h"

namespace softgen::eu::jit {

/// The folder that the environment's SOFTGEN_JIT_DUMP names. Empty: nothing is dumped.
const std::string& dump_folder();
/// FOLDER/NAME.eu (the kernel), .ll (LLVM's text before and after its passes, when it was made here), .o; and a line in /tmp/perf-PID.map, by
/// which perf names the code. Nothing without a folder.
void dump_code(const Program& program, const std::string& name, const ObjectFile& object, const std::string& text, Code code);

}  // namespace softgen::eu::jit
