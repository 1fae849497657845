// SPDX-License-Identifier: GPL-2.0-or-later
// The boolean arithmetic decoder of VP8 (RFC 6386, section 7) and VP9 (9.2). Beyond the end the bytes are 0; over() says so.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace softgen::media {

class BoolDecoder {
 public:
  BoolDecoder() = default;
  /// As at the beginning of a partition.
  explicit BoolDecoder(std::span<const uint8_t> bytes) : bytes_(bytes) { fill(); }
  /// In mid-stream (MFD_VP8_BSD_OBJECT): `range` 128 to 255, `value` as RFC 6386 has it, one byte, of which all bits are in it; `bytes` and `bit`
  /// (0 to 7): where the next bit is.
  BoolDecoder(std::span<const uint8_t> bytes, unsigned bit, uint8_t range, uint8_t value)
      : bytes_(bytes), range_(range < 128 ? 255 : range) {
    fill();
    window_ <<= bit, bits_ -= bit;
    window_ = uint64_t{value} << 56 | window_ >> 8;
    bits_ += 8;
  }

  /// True with probability 1 - probability / 256.
  bool decode(uint8_t probability) {
    const uint32_t split = 1 + ((range_ - 1) * probability >> 8);
    if (bits_ < 8) fill();
    const uint64_t high = uint64_t{split} << 56;
    const bool bit = window_ >= high;
    if (bit) range_ -= split, window_ -= high;
    else range_ = split;
    const unsigned shift = static_cast<unsigned>(std::countl_zero(static_cast<uint8_t>(range_)));
    range_ <<= shift, window_ <<= shift, bits_ -= shift;
    return bit;
  }
  bool flag() { return decode(128); }
  uint32_t literal(unsigned bits) {
    uint32_t value = 0;
    for (unsigned i = 0; i < bits; ++i) value = value << 1 | unsigned{flag()};
    return value;
  }
  /// More was taken than there is, a byte's worth of look-ahead aside.
  bool over() const { return missing_ * 8 > bits_ + 16; }

 private:
  void fill() {
    for (; bits_ <= 48; bits_ += 8) {
      const bool present = next_ < bytes_.size();
      window_ |= static_cast<uint64_t>(present ? bytes_[next_++] : 0) << (56 - bits_);
      missing_ += !present;
    }
  }

  std::span<const uint8_t> bytes_;
  size_t next_ = 0, missing_ = 0;
  uint64_t window_ = 0;  ///< the highest byte is RFC 6386's value
  unsigned bits_ = 0;    ///< of window_ that come from the stream
  uint32_t range_ = 255;
};

}  // namespace softgen::media
