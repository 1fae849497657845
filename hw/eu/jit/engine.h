// SPDX-License-Identifier: GPL-2.0-or-later
// Decides which programs run compiled: tiers, the background compiler, counters.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "hw/eu/program/program.h"

namespace softgen::eu {

enum class Engine : uint8_t {
  interp,  ///< never compiles
  check,   ///< the same; reports what Gen12's software scoreboard does not cover (interp/scoreboard_check.h)
  jit,     ///< compiles before a kernel's first thread runs (tests, measurements)
  tiers,   ///< the interpreter runs a kernel until another thread has compiled it, if it runs often
};

/// Tiers: number of interpreted threads before a kernel is compiled. They take about a millisecond, compiling takes ten and more.
constexpr uint32_t runs_before_compiling = 128;

/// False: not one of "interp", "check", "jit", "tiers".
bool engine_from_name(std::string_view name, Engine& engine);

struct CompilerOptions {
  std::optional<Engine> engine;  ///< none: what the environment's SOFTGEN_ENGINE names, else tiers
  /// Lets the environment's SOFTGEN_JIT=inprocess load LLVM into this process, which then dies of kernels that crash LLVM. For tools, whose
  /// users run their own kernels; never for QEMU. Otherwise only softgen-eu-compiler has LLVM; without it all kernels are interpreted
  /// (reported once).
  bool may_be_in_process = false;
};

struct EngineStats {
  uint64_t compiled = 0, refused = 0, from_cache = 0;  ///< variants of kernels
  uint64_t compile_ns = 0, longest_ns = 0;
  uint64_t interpreted_threads = 0, compiled_threads = 0;
  std::string compiler;  ///< "LLVM 19.1.7"; why there is none; empty: nothing had to be compiled
};

/// A device's compiler, for the programs of the caches that it is given to. Each has its own thread, code and LLVM process.
class Compiler : public FastPaths {
 public:
  virtual EngineStats stats() const = 0;
  /// Waits until nothing is left to be compiled.
  virtual void drain() = 0;
};
/// On a host without AVX2, FMA and BMI2 everything is interpreted (reported once).
std::unique_ptr<Compiler> make_compiler(const CompilerOptions& options);

}  // namespace softgen::eu
