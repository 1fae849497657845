// SPDX-License-Identifier: GPL-2.0-or-later
// Compiles a kernel to an object file by LLVM. Runs in softgen-eu-compiler, or in a process that loads LLVM itself (SOFTGEN_JIT=inprocess).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hw/eu/jit/llvm_api.h"
#include "hw/eu/jit/runtime.h"
#include "hw/eu/program/program.h"

namespace softgen::eu::jit {

/// Instruction sets that code can be made for.
enum class HostIsa : uint8_t {
  none,  ///< this host lacks AVX2, FMA or BMI2
  avx2,
  host,  ///< all features of the host, AVX-512 included
};
bool host_is_wide();
/// The best of this host, unless the environment's SOFTGEN_JIT_ISA limits it to "avx2".
HostIsa best_host_isa();

struct ObjectFile {
  std::vector<char> bytes;        ///< ELF; empty: see refused
  const char* refused = nullptr;  ///< why the kernel is interpreted
  unsigned stepped = 0;
};

/// A name made of everything that determines the code.
std::string code_name(const Program& program, const Variant& variant, HostIsa isa);

/// Any thread. Loads LLVM into this process. `text`: receives the IR before and after the passes.
ObjectFile compile(const Program& program, const Variant& variant, HostIsa isa, std::string* text = nullptr);

}  // namespace softgen::eu::jit
