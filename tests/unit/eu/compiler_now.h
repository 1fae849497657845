// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdlib>

#include "hw/eu/jit/engine.h"

namespace softgen::eu::test {

/// Compiles each kernel before its first thread runs, without the cache on disk. Shared by all tests of a program, as LLVM's start takes
/// long.
inline Compiler& compiler_now() {
  static const auto one = [] {
    setenv("SOFTGEN_CACHE", "off", 1);
    return make_compiler({.engine = Engine::jit});
  }();
  return *one;
}

}  // namespace softgen::eu::test
