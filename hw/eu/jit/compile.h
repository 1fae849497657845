// SPDX-License-Identifier: GPL-2.0-or-later
// A kernel to an object file, and an object file to code.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hw/eu/interp/program.h"
#include "hw/eu/jit/llvm_api.h"
#include "hw/eu/jit/runtime.h"

namespace softgen::eu::jit {

/// Instruction sets that code can be made for.
enum class Isa : uint8_t {
  none,   ///< this host has too little (AVX2, FMA), or there is no LLVM
  avx2,
  host,   ///< all that the host has (AVX-512 where it is there)
};
bool host_is_wide();
/// Loads LLVM. The environment's SOFTGEN_JIT_ISA may ask for less than the host has: "avx2".
Isa best_isa();

/// Name and features of the processor that code is made for; LLVM must be available.
std::string host_text();

struct ObjectFile {
  std::vector<char> bytes;           ///< ELF; empty: see refused
  const char* refused = nullptr;     ///< why the kernel stays with the interpreter
  unsigned stepped = 0;
};

/// Names code by all that it was made from.
std::string code_name(const Program& program, const Variant& variant, Isa isa);

/// Any thread. `text`: the function as LLVM got it and as it came out, for looking at.
ObjectFile compile(const Program& program, const Variant& variant, Isa isa, std::string* text = nullptr);

/// Code in memory, as long as this lives.
class LoadedCode {
 public:
  /// No two of one name may live at the same time.
  LoadedCode(const Program& program, const Variant& variant, const ObjectFile& object, const std::string& name);
  ~LoadedCode();
  LoadedCode(const LoadedCode&) = delete;
  LoadedCode& operator=(const LoadedCode&) = delete;

  /// Its code is null when it could not be linked.
  const Compiled& compiled() const { return compiled_; }

 private:
  Compiled compiled_;
  LLVMOrcResourceTrackerRef tracker_ = nullptr;
};

}  // namespace softgen::eu::jit
