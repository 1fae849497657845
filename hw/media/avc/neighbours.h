// SPDX-License-Identifier: GPL-2.0-or-later
// What the blocks to the left and above say about a block, for decoding and encoding.
#pragma once

#include <algorithm>

#include "hw/media/avc/context.h"
#include "hw/media/avc/levels.h"

namespace softgen::media::avc {

struct Neighbours {
  Location left, above;
};

/// Of the 4x4 block `block` (row * 4 + column) of luma.
inline Neighbours luma_neighbours(const Context& c, unsigned block) {
  const int x = static_cast<int>(block % 4 * 4), y = static_cast<int>(block / 4 * 4);
  return {c.locate(x - 1, y), c.locate(x, y - 1)};
}

/// Of a quarter of the macroblock, and so of a 4x4 block of chroma (row * 2 + column).
inline Neighbours quarter_neighbours(const Context& c, unsigned quarter) {
  const int x = static_cast<int>(quarter % 2 * 8), y = static_cast<int>(quarter / 2 * 8);
  return {c.locate(x - 1, y), c.locate(x, y - 1)};
}

/// Of a block of coefficients of `cat`; chroma's DC has the macroblock's first block.
inline Neighbours neighbours(const Context& c, Cat cat, unsigned block) {
  return cat == Cat::chroma_ac ? quarter_neighbours(c, block) : luma_neighbours(c, block);
}

/// How many coefficients the block at `at`, whose macroblock is there, has.
inline unsigned coefficients_at(const Location& at, Cat cat, unsigned plane) {
  return at.mb->coefficients[plane][cat == Cat::chroma_ac ? at.quarter() : at.block()];
}

/// The mode of Intra_4x4 or Intra_8x8 that is the likeliest, 8.3.1.1: the smaller of the neighbours'. `block`: row * 4 + column.
inline unsigned predicted_intra_mode(const Context& c, unsigned block) {
  const auto [left, above] = luma_neighbours(c, block);
  const auto none = [&](const Location& at) { return !at.mb || (at.mb->kind == Kind::inter && c.picture.params.constrained_intra); };
  if (none(left) || none(above)) return 2;
  const auto mode = [](const Location& at) {
    return at.mb->kind == Kind::intra4 || at.mb->kind == Kind::intra8 ? unsigned{at.mb->intra_mode[at.block()]} : 2u;
  };
  return std::min(mode(left), mode(above));
}

/// Whether samples left of `rows` rows from (x + 1, y) on, or the one at (x, y), may be used for intra prediction.
inline bool usable_for_intra(const Context& c, int x, int y, unsigned rows) {
  const bool constrained = c.picture.params.constrained_intra;
  const unsigned step = c.picture.params.mbaff && constrained ? 1 : rows;
  for (unsigned i = 0; i < rows; i += step) {
    const Location at = c.locate(x, y + static_cast<int>(i));
    if (!at.mb || (constrained && !at.mb->intra())) return false;
  }
  return true;
}

/// nC of coeff_token, 9.2.1; not of chroma's DC.
inline unsigned expected_coefficients(const Context& c, Cat cat, unsigned plane, unsigned block) {
  const auto [left, above] = neighbours(c, cat, block);
  if (left.mb && above.mb) return (coefficients_at(left, cat, plane) + coefficients_at(above, cat, plane) + 1) / 2;
  return left.mb || above.mb ? coefficients_at(left.mb ? left : above, cat, plane) : 0;
}
/// The table of coeff_token for nC below 8.
constexpr unsigned token_table(unsigned expected) { return expected < 2 ? 0 : expected < 4 ? 1 : 2; }

}  // namespace softgen::media::avc
