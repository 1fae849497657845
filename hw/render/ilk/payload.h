// SPDX-License-Identifier: GPL-2.0-or-later
// Payloads of threads, register by register.
#pragma once

#include <array>
#include <span>

#include "hw/iface/message_target.h"
#include "hw/render/ilk/state.h"
#include "hw/render/ilk/urb.h"

namespace softgen::render::ilk {

/// The constants that CONSTANT_BUFFER has read: the CS unit's entry.
using Constants = std::span<const Grf>;

class Payload {
 public:
  static constexpr unsigned max_registers = 128;

  /// r0 as all units have it: sampler states, scratch space, binding table (Mesa: messages take them from copies of r0). `slot`: number of the
  /// thread's scratch space.
  void begin(const ThreadUnit& state, unsigned slot);
  /// The next register, zero; registers behind the last possible one are lost.
  Grf& add();
  /// Where constants begin, if that is not behind it already.
  void skip_to(unsigned reg);
  void add_constants(const ThreadUnit& state, Constants constants);
  /// What the unit reads of a vertex: `read_length` registers from `read_offset` on, zeros behind its end.
  void add_vertex(const ThreadUnit& state, std::span<const uint32_t> vertex);
  Grf& operator[](size_t i) { return registers_[i]; }
  std::span<const Grf> registers() const { return std::span(registers_).first(count_); }
  unsigned size() const { return count_; }

 private:
  std::array<Grf, max_registers> registers_;
  Grf lost_;
  unsigned count_ = 0;
};

}  // namespace softgen::render::ilk
