// SPDX-License-Identifier: GPL-2.0-or-later
// Commands into a ring buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "hw/run/chip_oa.h"
#include "hw/run/regs.h"

namespace softgen::run {

constexpr uint32_t ring_bytes = regs::ring_pages * 4096;
/// Requests that are in a ring at a time.
constexpr size_t max_running = 16;

/// Dword writer into a ring that wraps by padding.
class RingWriter {
 public:
  RingWriter(std::byte* ring, uint32_t tail, uint32_t dwords) : ring_(reinterpret_cast<uint32_t*>(ring)), tail_(tail) {
    if (tail_ + 4 * dwords > ring_bytes) {
      while (tail_ < ring_bytes) put(regs::mi_noop);
      tail_ = 0;
    }
  }
  void put(uint32_t dword) {
    ring_[tail_ / 4] = dword;
    tail_ += 4;
  }
  template <typename... Dwords>
  void puts(Dwords... dwords) {
    (put(dwords), ...);
  }
  void load_registers(std::span<const RegisterValue> registers) {
    if (registers.empty()) return;
    put(regs::load_register_imm(static_cast<uint32_t>(registers.size())));
    for (const RegisterValue& entry : registers) puts(entry.offset, entry.value);
    put(regs::mi_noop);
  }
  uint32_t finish() {
    if (tail_ & 4) put(regs::mi_noop);
    return tail_ % ring_bytes;
  }

 private:
  uint32_t* ring_;
  uint32_t tail_;
};

}  // namespace softgen::run
