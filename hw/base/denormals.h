// SPDX-License-Identifier: GPL-2.0-or-later
// MXCSR.DAZ: compiled EU code runs with it (docs/jit.md), so that denormal inputs of all arithmetic are zeros of their sign.
#pragma once

#include <cstdint>

namespace softgen {

/// Denormals are numbers as long as this lives, whatever the caller had.
class KeepDenormals {
 public:
#if defined(__x86_64__)
  KeepDenormals() : outer_(__builtin_ia32_stmxcsr()) {
    if (outer_ & daz) __builtin_ia32_ldmxcsr(outer_ & ~daz);
  }
  ~KeepDenormals() {
    if (outer_ & daz) __builtin_ia32_ldmxcsr(outer_);
  }

 private:
  static constexpr uint32_t daz = 1u << 6;
  const uint32_t outer_;

 public:
#else
  KeepDenormals() {}
#endif
  KeepDenormals(const KeepDenormals&) = delete;
  KeepDenormals& operator=(const KeepDenormals&) = delete;
};

}  // namespace softgen
