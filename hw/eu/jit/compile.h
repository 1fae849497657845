// SPDX-License-Identifier: GPL-2.0-or-later
// A kernel to an object file, by LLVM. Runs in softgen-eu-compiler, or in a process that chose to load LLVM itself.
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
  none,  ///< this host has too little (AVX2, FMA)
  avx2,
  host,  ///< all that the host has (AVX-512 where it is there)
};
bool host_is_wide();
/// The environment's SOFTGEN_JIT_ISA may ask for less than the host has: "avx2".
HostIsa best_host_isa();

struct ObjectFile {
  std::vector<char> bytes;        ///< ELF; empty: see refused
  const char* refused = nullptr;  ///< why the kernel stays with the interpreter
  unsigned stepped = 0;
};

/// Names code by all that it was made from.
std::string code_name(const Program& program, const Variant& variant, HostIsa isa);

/// Any thread, in this process: loads LLVM. `text`: the function as LLVM got it and as it came out, for looking at.
ObjectFile compile(const Program& program, const Variant& variant, HostIsa isa, std::string* text = nullptr);

}  // namespace softgen::eu::jit
