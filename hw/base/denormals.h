// SPDX-License-Identifier: GPL-2.0-or-later
// MXCSR.DAZ: compiled EU code runs with it (docs/jit.md), so that denormal inputs of all arithmetic are zeros of their sign.
#pragma once

#include <cstdint>

namespace softgen {

constexpr uint32_t daz = 1u << 6;

/// MXCSR of this host thread; 0 on other hosts.
inline uint32_t control_word() {
#if defined(__x86_64__)
  return __builtin_ia32_stmxcsr();
#else
  return 0;
#endif
}
inline void set_control_word([[maybe_unused]] uint32_t value) {
#if defined(__x86_64__)
  __builtin_ia32_ldmxcsr(value);
#endif
}

/// Denormals are numbers as long as this lives, whatever the caller had.
class KeepDenormals {
 public:
  KeepDenormals() : outer_(control_word()) {
    if (outer_ & daz) set_control_word(outer_ & ~daz);
  }
  ~KeepDenormals() {
    if (outer_ & daz) set_control_word(outer_);
  }
  KeepDenormals(const KeepDenormals&) = delete;
  KeepDenormals& operator=(const KeepDenormals&) = delete;

 private:
  const uint32_t outer_;
};

/// The control word of a host thread that runs compiled EU threads one after another: it stays as their code wants it until restore(), which
/// is due before anybody does arithmetic that denormals change.
class HeldControlWord {
 public:
  HeldControlWord() : outside_(control_word()), now_(outside_) {}
  ~HeldControlWord() { restore(); }
  HeldControlWord(const HeldControlWord&) = delete;
  HeldControlWord& operator=(const HeldControlWord&) = delete;

  uint32_t outside() const { return outside_; }
  void set(uint32_t word) {
    if (word != now_) set_control_word(now_ = word);
  }
  void restore() { set(outside_); }

 private:
  const uint32_t outside_;
  uint32_t now_;
};

}  // namespace softgen
