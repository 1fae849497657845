// SPDX-License-Identifier: GPL-2.0-or-later
// The boolean arithmetic encoder of VP8 (RFC 6386, section 7.3), the decoder's inverse.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace softgen::media {

class BoolEncoder {
 public:
  void begin() { bytes_.clear(), low_ = 0, count_ = 0, range_ = 255; }

  /// `bit` is 0 with probability `probability` / 256.
  void put(bool bit, uint8_t probability) {
    const uint32_t split = 1 + ((range_ - 1) * probability >> 8);
    if (bit) low_ += split, range_ -= split;
    else range_ = split;
    const unsigned shift = static_cast<unsigned>(std::countl_zero(static_cast<uint8_t>(range_)));
    range_ <<= shift, low_ <<= shift, count_ += shift;
    if (count_ >= 8) take_byte();
  }
  void literal(uint32_t value, unsigned bits) {
    while (bits--) put(value >> bits & 1, 128);
  }
  /// All that was put, and what a decoder needs to read it.
  std::span<const uint8_t> finish() {
    low_ <<= 8 - count_, count_ = 8;
    take_byte();
    low_ <<= 8, count_ = 8;
    take_byte();
    return bytes_;
  }

 private:
  void take_byte() {
    count_ -= 8;
    const uint32_t top = low_ >> (count_ + 8);
    low_ &= (1u << (count_ + 8)) - 1;
    // The carry: bytes of 0xff become 0.
    for (size_t i = bytes_.size(); top >> 8 && i; --i)
      if (++bytes_[i - 1]) break;
    bytes_.push_back(static_cast<uint8_t>(top));
  }

  std::vector<uint8_t> bytes_;
  uint32_t low_ = 0;    ///< its lowest 8 bits stand where the range does; above them bits that are not in bytes_ yet, and a carry
  unsigned count_ = 0;  ///< of those bits, 7 at most
  uint32_t range_ = 255;
};

}  // namespace softgen::media
