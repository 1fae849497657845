// SPDX-License-Identifier: GPL-2.0-or-later
// Bits into bytes, the first in the highest place; and the bytes 03 that keep start codes out of a NAL unit.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace softgen::media::avc {

class BitWriter {
 public:
  /// At most 32 bits, of which those above `count` are 0.
  void put(uint32_t bits, unsigned count) {
    held_ = held_ << count | bits, count_ += count, total_ += count;
    for (; count_ >= 8; count_ -= 8) bytes_.push_back(static_cast<uint8_t>(held_ >> (count_ - 8)));
  }
  void flag(bool bit) { put(bit, 1); }
  /// ue(v) and se(v) (9.1); |value| below 2^15.
  void unsigned_golomb(uint32_t value) {
    const unsigned size = static_cast<unsigned>(std::bit_width(value + 1));
    put(0, size - 1), put(value + 1, size);
  }
  void signed_golomb(int32_t value) { unsigned_golomb(static_cast<uint32_t>(value > 0 ? 2 * value - 1 : -2 * value)); }
  void align(bool with) {
    while (count_) flag(with);
  }
  bool is_aligned() const { return count_ == 0; }
  /// Whole bytes so far.
  std::vector<uint8_t>& bytes() { return bytes_; }
  /// Bits since the last clear().
  uint64_t total() const { return total_; }
  void clear() { bytes_.clear(), held_ = 0, count_ = 0, total_ = 0; }

 private:
  std::vector<uint8_t> bytes_;
  uint64_t held_ = 0, total_ = 0;
  unsigned count_ = 0;
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
