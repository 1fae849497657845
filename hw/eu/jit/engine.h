// SPDX-License-Identifier: GPL-2.0-or-later
// Which programs run compiled: tiers, the background compiler, counters. Process-wide, as code is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace softgen::eu {

enum class Engine : uint8_t {
  interp,  ///< never compiles
  jit,     ///< compiles before a kernel's first thread runs (tests, measurements)
  tiers,   ///< the interpreter runs a kernel until another thread has compiled it, if it runs often
};

/// Tiers: a kernel's threads before it is compiled. So many take the interpreter about a millisecond, compiling takes ten and more.
constexpr uint32_t runs_before_compiling = 128;

/// Empty: not one of "interp", "jit", "tiers".
bool engine_from_name(std::string_view name, Engine& engine);
/// From now on the environment's SOFTGEN_JIT=inprocess has LLVM in this process, where a kernel that it cannot take ends the process. For tools, whose user runs
/// his own kernels; never for QEMU. Otherwise LLVM is in softgen-eu-compiler only, and without that all kernels are interpreted, which is said once.
void allow_compiler_in_process();
/// For programs decoded from now on. Without AVX2 the interpreter stays, which is said once.
void set_engine(Engine engine);
/// What the environment's SOFTGEN_ENGINE names, else both tiers; no effect when set_engine() was called before.
void set_default_engine();

struct EngineStats {
  uint64_t compiled = 0, refused = 0, from_cache = 0;  ///< variants of kernels
  uint64_t compile_ns = 0, longest_ns = 0;
  uint64_t interpreted_threads = 0, compiled_threads = 0;
  std::string compiler;  ///< "LLVM 19.1.7"; why there is none; empty: nothing had to be compiled
};
EngineStats engine_stats();
/// Waits until nothing is left to be compiled.
void drain_compiler();

}  // namespace softgen::eu
