// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vp8_encode/header_writer.h"

#include "hw/media/vp8_encode/header_tables.h"

namespace softgen::media::vp8 {
namespace {

constexpr unsigned token_bits = 8, vector_bits = 7;

class HeaderBitWriter {
 public:
  HeaderBitWriter(BoolEncoder& to, std::span<const uint8_t> bytes, uint32_t count) : to_(to), bytes_(bytes), count_(count) {}
  uint32_t at() const { return at_; }
  bool ended() const { return at_ >= count_; }
  /// False at the end, too.
  bool copy(uint8_t probability) {
    if (ended()) return false;
    const bool bit = bytes_[at_ / 8] >> (7 - at_ % 8) & 1;
    ++at_;
    to_.put(bit, probability);
    return bit;
  }
  /// A flag, and the new value behind it.
  void update(uint8_t probability, unsigned bits) {
    if (!copy(probability)) return;
    for (unsigned i = 0; i < bits; ++i) copy(128);
  }

 private:
  BoolEncoder& to_;
  const std::span<const uint8_t> bytes_;
  const uint32_t count_;
  uint32_t at_ = 0;
};

}  // namespace

void write_frame_header(BoolEncoder& to, std::span<const uint8_t> bytes, const HeaderBits& header) {
  HeaderBitWriter bits(to, bytes, header.count);
  while (!bits.ended()) {
    if (bits.at() == header.tokens_at) {
      for (const auto& type : token_update_probs)
        for (const auto& band : type)
          for (const auto& context : band)
            for (const uint8_t probability : context) bits.update(probability, token_bits);
    } else if (header.vectors_at && bits.at() == header.vectors_at) {
      for (const auto& component : vector_update_probs)
        for (const uint8_t probability : component) bits.update(probability, vector_bits);
    } else bits.copy(128);
  }
}

}  // namespace softgen::media::vp8
