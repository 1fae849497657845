// SPDX-License-Identifier: GPL-2.0-or-later
// The unified return buffer: entries that stages pass vertices, patches and constants in, and the URB messages (SFID 6) on them.
// Handles are offsets in 64-byte units, as the hardware's are; a handle or an offset that leads out of the buffer reads zero and drops writes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "hw/iface/message_target.h"

namespace softgen::render {

class Urb {
 public:
  static constexpr uint32_t unit = 64;            ///< bytes a handle step
  static constexpr uint32_t max_units = 1 << 16;  ///< handles have 16 bits
  static constexpr uint32_t units(uint32_t bytes) { return bytes <= unit ? 1 : (bytes + unit - 1) / unit; }

  /// Zero-filled; returns 0 when the buffer is full (handle 0 is never given out). Entries keep their place until they are released.
  uint32_t allocate(uint32_t bytes);
  /// Stages work on a stack: what was allocated since mark() is given back together.
  uint32_t mark() const { return next_; }
  void release(uint32_t mark);
  void clear() { release(1); }
  /// Units that allocate() can still give.
  uint32_t room() const { return max_units - next_; }

  /// Dword `offset` of the first of `entries` entries `step` units apart, all of which have `count` dwords from there on; null: not all do.
  uint32_t* row(uint32_t handle, uint32_t step, uint32_t entries, uint64_t offset, uint32_t count) {
    const uint64_t last = uint64_t{handle} + uint64_t{step} * (entries - 1);
    if (handle == 0 || last >= max_units || (last * (unit / 4) + offset + count) > uint64_t{next_} * (unit / 4)) return nullptr;
    return memory_.data() + uint64_t{handle} * (unit / 4) + offset;
  }
  /// `count` dwords from dword `offset` of the entry; shorter or empty when that leads out of the buffer.
  std::span<uint32_t> dwords(uint32_t handle, uint64_t offset, uint32_t count) {
    const uint64_t at = uint64_t{handle & 0xffff} * (unit / 4) + offset, end = uint64_t{next_} * (unit / 4);
    if ((handle & 0xffff) == 0 || at >= end) return {};
    return std::span(memory_).subspan(at, std::min<uint64_t>(count, end - at));
  }

 private:
  std::vector<uint32_t> memory_;
  uint32_t next_ = 1;
};

/// SIMD8 and SIMD4x2 reads and writes (SKL PRM vol 7, "URB Messages"); atomics are counted as not implemented.
SendResult urb_message(const Message& message, Urb& urb);
/// A function for SIMD8 writes of whole registers, as vertex shaders end.
void urb_direct(const MessageForm& form, Urb& urb, DirectAnswer& answer);

}  // namespace softgen::render
