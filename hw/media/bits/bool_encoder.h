// SPDX-License-Identifier: GPL-2.0-or-later
// The boolean arithmetic encoder of VP8 (RFC 6386, section 7) and VP9 (9.2): the counterpart of BoolDecoder.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace softgen::media {

class BoolEncoder {
 public:
  /// `bit` is 0 with probability / 256.
  void encode(uint8_t probability, bool bit) {
    const uint32_t split = 1 + ((range_ - 1) * probability >> 8);
    if (bit) low_ += split, range_ -= split;
    else range_ = split;
    const unsigned shift = static_cast<unsigned>(std::countl_zero(static_cast<uint8_t>(range_)));
    range_ <<= shift, low_ <<= shift, ready_ += shift;
    if (ready_ >= 8) put_byte();
  }
  void flag(bool bit) { encode(128, bit); }
  /// The lowest `bits`, the highest of them first.
  void literal(uint32_t value, unsigned bits) {
    while (bits--) flag(value >> bits & 1);
  }
  /// All of it: behind these bytes a decoder may read zeros. What comes next begins anew.
  std::vector<uint8_t> finish() {
    for (unsigned i = 0; i < 2; ++i) {
      low_ <<= 8 - ready_, ready_ = 8;
      put_byte();
    }
    std::vector<uint8_t> out = std::move(bytes_);
    *this = {};
    return out;
  }

 private:
  /// A sum that has overflowed carries into the bytes before.
  void put_byte() {
    const uint32_t byte = low_ >> ready_;
    if (byte > UINT8_MAX)
      for (size_t i = bytes_.size(); i-- > 0 && ++bytes_[i] == 0;) {}
    bytes_.push_back(static_cast<uint8_t>(byte));
    low_ &= (1u << ready_) - 1, ready_ -= 8;
  }

  std::vector<uint8_t> bytes_;
  uint32_t low_ = 0;    ///< where the interval begins: ready_ bits that no later ones change but by a carry, then 8
  unsigned ready_ = 0;  ///< below 8 between calls
  uint32_t range_ = 255;
};

}  // namespace softgen::media
