// SPDX-License-Identifier: GPL-2.0-or-later
// The arithmetic encoder of H.264 9.3.4. States are as CabacDecoder's.
#pragma once

#include <cstdint>
#include <span>

#include "hw/media/avc_encode/golomb_writer.h"
#include "hw/media/bits/cabac.h"

namespace softgen::media::avc {

class CabacEncoder {
 public:
  explicit CabacEncoder(GolombWriter& to) : to_(to) {}
  void encode(CabacState& state, bool bin) {
    const unsigned before = state;
    const uint32_t lps = cabac_lps_range[before >> 1][range_ >> 6 & 3];
    const bool less = bin != ((before & 1) != 0);
    range_ -= lps;
    if (less) low_ += range_, range_ = lps;
    state = cabac_next.state[less][before];
    renormalize();
  }
  void bypass(bool bin) {
    low_ = (low_ << 1) + (bin ? range_ : 0);
    settle(1024, 512);
  }
  void bypass_bits(uint32_t bits, unsigned count) {
    while (count--) bypass(bits >> count & 1);
  }
  /// After true, the last bit that was written is 1: rbsp_stop_one_bit.
  void terminate(bool bin) {
    range_ -= 2;
    if (!bin) return renormalize();
    low_ += range_;
    range_ = 2;
    renormalize();
    put(low_ >> 9 & 1);
    to_.put((low_ >> 7 & 3) | 1, 2);
  }
  /// After terminate(true): as they are, from the next whole byte on. The encoder begins anew behind them (9.3.1.2).
  void bytes(std::span<const uint8_t> samples) {
    to_.align(false);
    for (const uint8_t sample : samples) to_.put(sample, 8);
    low_ = 0, range_ = 510, first_ = true;
  }

 private:
  void renormalize() {
    for (; range_ < 256; range_ <<= 1, low_ <<= 1) settle(512, 256);
  }
  /// PutBit, once it is known which bit (figures 9-8 and 9-10).
  void settle(uint32_t one, uint32_t open) {
    if (low_ >= one) low_ -= one, put(true);
    else if (low_ < open) put(false);
    else low_ -= open, ++outstanding_;
  }
  void put(bool bit) {
    if (first_) first_ = false;
    else to_.flag(bit);
    for (; outstanding_; --outstanding_) to_.flag(!bit);
  }

  GolombWriter& to_;
  uint32_t low_ = 0, range_ = 510;
  uint64_t outstanding_ = 0;
  bool first_ = true;
};

}  // namespace softgen::media::avc
