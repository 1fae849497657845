// SPDX-License-Identifier: GPL-2.0-or-later
// H.264's codes, and the bytes 03 that keep start codes out of a NAL unit.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "hw/media/bits/bit_writer.h"

namespace softgen::media::avc {

/// With H.264's codes.
class GolombWriter : public media::BitWriter {
 public:
  void flag(bool bit) { put(bit, 1); }
  /// ue(v) and se(v) (9.1); |value| below 2^15.
  void unsigned_golomb(uint32_t value) {
    const unsigned size = static_cast<unsigned>(std::bit_width(value + 1));
    put(0, size - 1), put(value + 1, size);
  }
  void signed_golomb(int32_t value) { unsigned_golomb(static_cast<uint32_t>(value > 0 ? 2 * value - 1 : -2 * value)); }
  void align(bool with) {
    while (!is_aligned()) flag(with);
  }
};

/// H.264 7.4.1: 00 00 becomes 00 00 03 where 0 to 3 follows. The zeros before carry over from piece to piece.
class EmulationPrevention {
 public:
  void reset() { zeros_ = 0; }
  /// Appends to `to`. `protect` false: as they are, only counted.
  void add(std::span<const uint8_t> bytes, bool protect, std::vector<uint8_t>& to) {
    for (const uint8_t byte : bytes) {
      if (protect && zeros_ >= 2 && byte <= 3) to.push_back(3), zeros_ = 0;
      to.push_back(byte);
      zeros_ = byte ? 0 : zeros_ + 1;
    }
  }

 private:
  unsigned zeros_ = 0;
};

}  // namespace softgen::media::avc
