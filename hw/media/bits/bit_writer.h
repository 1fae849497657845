// SPDX-License-Identifier: GPL-2.0-or-later
// Bits of a stream that is written, the first bit of a byte is its highest.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace softgen::media {

class BitWriter {
 public:
  /// The lowest `length` bits, 32 at most.
  void put(uint32_t bits, unsigned length) {
    held_ = held_ << length | (bits & ((uint64_t{1} << length) - 1));
    count_ += length;
    while (count_ >= 8) {
      count_ -= 8;
      bytes_.push_back(static_cast<uint8_t>(held_ >> count_));
    }
  }
  /// Zeros up to the next byte.
  void align() { put(0, (8 - count_) % 8); }
  bool is_aligned() const { return count_ == 0; }
  /// Since the last clear().
  uint64_t bits() const { return (taken_ + bytes_.size()) * 8 + count_; }
  /// Whole bytes so far.
  std::span<const uint8_t> bytes() const { return bytes_; }
  /// Forgets the whole bytes; the bits behind them stay.
  void take_bytes() { taken_ += bytes_.size(), bytes_.clear(); }
  void clear() { bytes_.clear(), held_ = 0, count_ = 0, taken_ = 0; }

 private:
  std::vector<uint8_t> bytes_;
  uint64_t held_ = 0;
  unsigned count_ = 0;
  uint64_t taken_ = 0;  ///< bytes
};

}  // namespace softgen::media
