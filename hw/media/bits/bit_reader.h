// SPDX-License-Identifier: GPL-2.0-or-later
// Bits of a stream, the first bit of a byte is its highest. Beyond the end all bits are 0, and over() says so: callers check it once per macroblock or block
// instead of once per symbol, since a stream is the guest's and each symbol is bounded anyway.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace softgen::media {

class BitReader {
 public:
  BitReader() = default;
  explicit BitReader(std::span<const uint8_t> bytes, uint64_t first_bit = 0) : bytes_(bytes), at_(first_bit) {}

  uint64_t position() const { return at_; }
  uint64_t size() const { return bytes_.size() * 8; }
  bool over() const { return at_ > size(); }
  uint64_t left() const { return at_ < size() ? size() - at_ : 0; }
  void skip(uint64_t bits) { at_ += bits; }
  void align() { at_ = (at_ + 7) & ~uint64_t{7}; }

  /// The next 32 bits, without taking them.
  uint32_t peek32() const {
    const uint64_t byte = at_ / 8;
    uint64_t word = 0;
    if (byte + 8 <= bytes_.size()) [[likely]] {
      std::memcpy(&word, bytes_.data() + byte, 8);
      word = __builtin_bswap64(word);
    } else {
      for (unsigned i = 0; i < 8; ++i) word = word << 8 | (byte + i < bytes_.size() ? bytes_[byte + i] : 0u);
    }
    return static_cast<uint32_t>(word << at_ % 8 >> 32);
  }
  /// 1 to 32 bits.
  uint32_t peek(unsigned bits) const { return peek32() >> (32 - bits); }
  /// 0 to 32 bits.
  uint32_t take(unsigned bits) {
    if (!bits) return 0;
    const uint32_t value = peek(bits);
    at_ += bits;
    return value;
  }
  bool flag() { return take(1); }
  /// ue(v), 0th order Exp-Golomb (H.264 9.1); a code with more than 31 leading zeros is 2^32 - 1 and ends the stream.
  uint32_t unsigned_golomb() {
    const uint32_t word = peek32();
    const unsigned zeros = static_cast<unsigned>(std::countl_zero(word));
    if (zeros >= 32) {
      at_ = size() + 1;
      return ~0u;
    }
    at_ += zeros;
    return take(zeros + 1) - 1;
  }
  /// se(v).
  int32_t signed_golomb() {
    const uint32_t code = unsigned_golomb();
    return code & 1 ? static_cast<int32_t>(code / 2 + 1) : -static_cast<int32_t>(code / 2);
  }

 private:
  std::span<const uint8_t> bytes_;
  uint64_t at_ = 0;
};

/// Removes the bytes 03 of 00 00 03 (H.264 7.4.1, H.265 7.4.2), in place. Returns the size that is left. Objects may have 64 MiB: what lies between is looked
/// at in steps, and moved in pieces.
inline size_t strip_emulation(std::span<uint8_t> bytes) {
  uint8_t* const data = bytes.data();
  size_t to = 0, from = 0;  // of the piece that is to be moved
  const auto move_until = [&](size_t end) {
    if (to != from) std::memmove(data + to, data + from, end - from);
    to += end - from;
  };
  for (size_t at = 0; at + 2 < bytes.size();) {
    if (data[at + 2] && (data[at + 2] != 3 || data[at] || data[at + 1])) {
      at += 3;
    } else if (data[at + 2]) {
      move_until(at + 2);
      at += 3, from = at;
    } else if (uint64_t eight = 1; at + 8 <= bytes.size() && (std::memcpy(&eight, data + at, 8), eight == 0)) {
      at += 6;
    } else {
      at += data[at + 1] ? 2 : 1;
    }
  }
  move_until(bytes.size());
  return to;
}

}  // namespace softgen::media
