// SPDX-License-Identifier: GPL-2.0-or-later
// The arithmetic decoder that H.264 (9.3.3.2) and H.265 (9.3.4.3) share. Contexts' initial values are each codec's own. Beyond the end the bits are 0; over()
// says so.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace softgen::media {

/// A context: pStateIdx * 2 + valMPS.
using CabacState = uint8_t;

/// From preCtxState, clamped to 1..126 (H.264 equation 9-5; H.265 9-6).
constexpr CabacState cabac_state(int pre) {
  pre = std::clamp(pre, 1, 126);
  return static_cast<CabacState>(pre <= 63 ? (63 - pre) * 2 : (pre - 64) * 2 + 1);
}

extern const uint8_t cabac_lps_range[64][4];  ///< rangeTabLPS
extern const uint8_t cabac_lps_next[64];      ///< transIdxLps
/// The state after a bin, [1] if that was the less probable one.
struct CabacNext {
  CabacState state[2][128];
};
extern const CabacNext cabac_next;

class CabacDecoder {
 public:
  CabacDecoder() = default;
  /// Begins on a byte (initialisation, H.264 9.3.1.2): the offset is the first 9 bits.
  explicit CabacDecoder(std::span<const uint8_t> bytes) : bytes_(bytes) { fill(); }

  /// Without branches on the bin, which nothing can predict.
  bool decode(CabacState& state) {
    if (bits_ < enough) [[unlikely]]
      fill();
    const unsigned before = state;
    const uint32_t lps = cabac_lps_range[before >> 1][range_ >> 6 & 3];
    range_ -= lps;
    const uint64_t limit = uint64_t{range_} << offset_shift;
    const bool less = window_ >= limit;
    window_ -= less ? limit : 0;
    range_ = less ? lps : range_;
    state = cabac_next.state[less][before];
    renormalize();
    return (before & 1) ^ unsigned { less };
  }
  bool bypass() {
    if (bits_ < enough) fill();
    window_ <<= 1, --bits_;
    const uint64_t limit = uint64_t{range_} << offset_shift;
    const bool bit = window_ >= limit;
    if (bit) window_ -= limit;
    return bit;
  }
  /// At most 32.
  uint32_t bypass_bits(unsigned count) {
    uint32_t value = 0;
    for (unsigned i = 0; i < count; ++i) value = value << 1 | unsigned{bypass()};
    return value;
  }
  /// end_of_slice_flag, PCM flags and the like. After true, rest() is what follows.
  bool terminate() {
    if (bits_ < enough) fill();
    range_ -= 2;
    if (window_ >= uint64_t{range_} << offset_shift) return true;
    renormalize();
    return false;
  }
  /// After terminate() has said true: the whole bytes that follow. The last of the 9 bits of the offset is then the last bit of the code: the encoder's flush
  /// writes just as many (H.264 9.3.4.5).
  std::span<const uint8_t> rest() const {
    const size_t taken = (next_ + missing_) * 8 - bits_ + offset_bits, bytes = (taken + 7) / 8;
    return bytes < bytes_.size() ? bytes_.subspan(bytes) : std::span<const uint8_t>{};
  }
  /// More was taken than there is.
  bool over() const { return missing_ * 8 > bits_ + 16; }

 private:
  /// The highest bit of window_ is free for bypass(); the offset is below it.
  static constexpr unsigned offset_bits = 9, offset_shift = 63 - offset_bits, enough = offset_bits + 8;
  void renormalize() {
    const unsigned shift = static_cast<unsigned>(std::countl_zero(range_)) - 23;
    range_ <<= shift, window_ <<= shift, bits_ -= shift;
  }
  void fill() {
    if (bytes_.size() >= 8 && next_ <= bytes_.size() - 8) [[likely]] {
      uint64_t word;
      std::memcpy(&word, bytes_.data() + next_, sizeof word);
      const unsigned count = (63 - bits_) / 8, behind = 63 - bits_ - count * 8;
      window_ |= __builtin_bswap64(word) >> 1 >> bits_ >> behind << behind;
      next_ += count, bits_ += count * 8;
      return;
    }
    for (; bits_ <= 55; bits_ += 8) {
      const bool present = next_ < bytes_.size();
      window_ |= static_cast<uint64_t>(present ? bytes_[next_++] : 0) << (55 - bits_);
      missing_ += !present;
    }
  }

  std::span<const uint8_t> bytes_;
  size_t next_ = 0, missing_ = 0;
  uint64_t window_ = 0;
  unsigned bits_ = 0;  ///< of the stream in window_, the offset's among them
  uint32_t range_ = 510;
};

}  // namespace softgen::media
