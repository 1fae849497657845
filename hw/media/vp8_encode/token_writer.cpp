// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vp8_encode/token_writer.h"

#include <algorithm>
#include <cstdlib>

#include "hw/media/vp8/token_tables.h"

namespace softgen::media::vp8 {
namespace {

/// A magnitude of 2 or more; p is its node's probabilities.
void write_large(BoolEncoder& bits, const uint8_t* p, int value) {
  bits.put(value > 4, p[3]);
  if (value <= 4) {
    bits.put(value > 2, p[4]);
    if (value > 2) bits.put(value > 3, p[5]);
    return;
  }
  bits.put(value > 10, p[6]);
  if (value <= 10) {
    bits.put(value > 6, p[7]);
    if (value <= 6) return bits.put(value > 5, 159);
    bits.put((value - 7) >> 1, 165);
    return bits.put((value - 7) & 1, 145);
  }
  unsigned category = 0;
  while (category < 3 && value >= 3 + (16 << category)) ++category;
  bits.put(category >> 1, p[8]);
  bits.put(category & 1, p[9 + (category >> 1)]);
  const int rest = value - 3 - (8 << category);
  const uint8_t* const probs = extra[category];
  const auto length = static_cast<unsigned>(std::find(probs, probs + 12, uint8_t{0}) - probs);
  for (unsigned i = 0; i < length; ++i) bits.put(rest >> (length - 1 - i) & 1, probs[i]);
}

TokenKind kind_of(int magnitude) {
  if (magnitude > 4) return TokenKind::more;
  if (magnitude > 2) return TokenKind::four;
  return static_cast<TokenKind>(static_cast<int>(TokenKind::zero) + magnitude);
}

/// Whether it has a token other than the end.
bool write_block(BoolEncoder& bits, const BlockProbabilities& probs, unsigned context, unsigned first, const Levels& levels, unsigned end,
                 BlockCounts& counts) {
  const auto count = [&](unsigned at, TokenKind kind) { ++counts[bands[at]][context][static_cast<size_t>(kind)]; };
  bool after_zero = false;
  for (unsigned at = first; at < 16; ++at) {
    const uint8_t* const p = probs[bands[at]][context].data();
    if (!after_zero) bits.put(at < end, p[0]);
    if (at >= end) {
      count(at, TokenKind::end);
      return at > first;
    }
    const int magnitude = std::abs(levels[at]);
    count(at, kind_of(magnitude));
    bits.put(magnitude != 0, p[1]);
    after_zero = magnitude == 0;
    if (magnitude) {
      bits.put(magnitude > 1, p[2]);
      if (magnitude > 1) write_large(bits, p, magnitude);
      bits.put(levels[at] < 0, 128);
    }
    context = static_cast<unsigned>(std::min(magnitude, 2));
  }
  return true;
}

}  // namespace

bool MacroblockLevels::any() const {
  return std::any_of(end.begin(), end.end(), [](uint8_t one) { return one != 0; });
}

void write_residual(BoolEncoder& bits, const TokenProbabilities& probs, const MacroblockLevels& levels, bool has_y2, Nonzero& above,
                    Nonzero& left, TokenCounts& counts) {
  const auto one = [&](unsigned type, unsigned first, unsigned block, uint8_t& over, uint8_t& before) {
    over = before = write_block(bits, probs[type], over + before, first, levels.block[block], levels.end[block], counts[type]);
  };
  if (has_y2) one(1, 0, y2_block, above[8], left[8]);
  const auto plane = [&](unsigned first, unsigned size, unsigned nonzero, unsigned type, unsigned start) {
    for (unsigned i = 0; i < size * size; ++i) one(type, start, first + i, above[nonzero + i % size], left[nonzero + i / size]);
  };
  plane(0, 4, 0, has_y2 ? 0 : 3, has_y2);
  plane(16, 2, 4, 2, 0);
  plane(20, 2, 6, 2, 0);
}

}  // namespace softgen::media::vp8
