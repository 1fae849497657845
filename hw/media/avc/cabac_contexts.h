// SPDX-License-Identifier: GPL-2.0-or-later
// Contexts of H.264 9.3.3.1, for decoding and encoding: numbers of table 9-34, and the increments that depend on neighbours.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "hw/media/avc/neighbours.h"
#include "hw/media/avc/tables.h"
#include "hw/media/bits/cabac.h"

namespace softgen::media::avc {

/// The states at the beginning of a slice, 9.3.1.1.
inline void set_initial_states(const SliceParams& slice, std::array<CabacState, cabac_contexts>& states) {
  const auto& initial = cabac_initial[slice.type == SliceType::i ? 0 : 1 + std::min<unsigned>(slice.cabac_init, 2)];
  for (unsigned i = 0; i < cabac_contexts; ++i) states[i] = cabac_state((initial[i][0] * slice.qp >> 4) + initial[i][1]);
}

/// How many of the macroblocks to the left and above are there and `counts` holds for.
template <typename Counts>
unsigned neighbours_that(const Context& c, Counts&& counts) {
  return unsigned{c.a() && counts(*c.a())} + unsigned{c.b() && counts(*c.b())};
}

// Increments of ctxIdx, by syntax element.
inline unsigned skip_increment(const Context& c) {
  return neighbours_that(c, [](const Macroblock& mb) { return !mb.skip; });
}
/// Of I slices.
inline unsigned intra_type_increment(const Context& c) {
  return neighbours_that(c, [](const Macroblock& mb) { return mb.kind != Kind::intra4 && mb.kind != Kind::intra8; });
}
/// Of B slices.
inline unsigned b_type_increment(const Context& c) {
  return neighbours_that(c, [](const Macroblock& mb) { return !(mb.direct >> 4); });
}
inline unsigned transform8_increment(const Context& c) {
  return neighbours_that(c, [](const Macroblock& mb) { return mb.transform8; });
}
inline unsigned chroma_mode_increment(const Context& c) {
  return neighbours_that(c, [](const Macroblock& mb) { return mb.chroma_mode != 0; });
}
inline unsigned ref_idx_increment(const Context& c, unsigned list, unsigned quarter) {
  const auto counts = [&](const Location& at) {
    if (!at.mb || at.mb->intra() || at.mb->direct >> at.quarter() & 1) return false;
    const int zero = c.picture.params.mbaff && !c.mb->field && at.mb->field ? 1 : 0;
    return at.mb->ref[list][at.quarter()] > zero;
  };
  const auto [left, above] = quarter_neighbours(c, quarter);
  return unsigned{counts(left)} + 2 * unsigned{counts(above)};
}
/// Of the first bin.
inline unsigned mvd_increment(const Context& c, unsigned list, unsigned block, unsigned component) {
  const auto size = [&](const Location& at) {
    if (!at.mb) return 0;
    const int value = at.mb->mvd[list][at.block()][component];
    if (!component || !c.picture.params.mbaff || at.mb->field == c.mb->field) return value;
    return at.mb->field ? value * 2 : value / 2;
  };
  const auto [left, above] = luma_neighbours(c, block);
  const int sum = size(left) + size(above);
  return unsigned{sum > 2} + unsigned{sum > 32};
}
/// Of a bit of the luma part. `pattern`: the current macroblock's, as far as it is known.
inline unsigned luma_pattern_increment(const Context& c, unsigned pattern, unsigned quarter) {
  const auto zero = [&](const Location& at) { return at.mb && !((at.mb == c.mb ? pattern : at.mb->cbp) >> at.quarter() & 1); };
  const auto [left, above] = quarter_neighbours(c, quarter);
  return unsigned{zero(left)} + 2 * unsigned{zero(above)};
}
/// Of the chroma part's first bin, and of its second.
inline unsigned chroma_pattern_increment(const Context& c, bool second) {
  const unsigned left = c.a() ? c.a()->cbp >> 4 : 0, above = c.b() ? c.b()->cbp >> 4 : 0;
  return second ? unsigned{left == 2} + 2 * unsigned{above == 2} : unsigned{left != 0} + 2 * unsigned{above != 0};
}
constexpr bool is_dc(Cat cat) { return cat == Cat::luma_dc16 || cat == Cat::chroma_dc; }
/// coded_block_flag, 9.3.3.1.1.9; not of 8x8 blocks.
inline unsigned coded_increment(const Context& c, Cat cat, unsigned plane, unsigned block) {
  const auto flag = [&](const Location& at) {
    if (!at.mb) return c.mb->intra();
    return is_dc(cat) ? (at.mb->dc_coded >> plane & 1) != 0 : coefficients_at(at, cat, plane) != 0;
  };
  const auto [left, above] = neighbours(c, cat, is_dc(cat) ? 0 : block);
  return unsigned{flag(left)} + 2 * unsigned{flag(above)};
}

/// ctxIdxOffset and ctxBlockCatOffset together, by Cat; of frame and field macroblocks.
inline constexpr uint16_t coded_base[5] = {85, 89, 93, 97, 101};
inline constexpr uint16_t significant_base[2][6] = {{105, 120, 134, 149, 152, 402}, {277, 292, 306, 321, 324, 436}};
inline constexpr uint16_t last_base[2][6] = {{166, 181, 195, 210, 213, 417}, {338, 353, 367, 382, 385, 451}};
inline constexpr uint16_t level_base[6] = {227, 237, 247, 257, 266, 426};

/// Table 9-43.
inline constexpr uint8_t significant8[2][63] = {
    {0, 1, 2,  3,  4,  5,  5, 4, 4, 3, 3,  4,  4, 4, 5, 5,  4,  4,  4,  4, 3, 3,  6,  7, 7,  7,  8,  9,  10, 9,  8, 7,
     7, 6, 11, 12, 13, 11, 6, 7, 8, 9, 14, 10, 9, 8, 6, 11, 12, 13, 11, 6, 9, 14, 10, 9, 11, 12, 13, 11, 14, 10, 12},
    {0, 1, 1,  2,  2, 3,  3,  4,  5, 6, 7,  7,  7, 8,  4,  5, 6, 9,  10, 10, 8,  11, 12, 11, 9,  9,  10, 10, 8,  11, 12, 11,
     9, 9, 10, 10, 8, 11, 12, 11, 9, 9, 10, 10, 8, 13, 13, 9, 9, 10, 10, 8,  13, 13, 9,  9,  10, 10, 14, 14, 14, 14, 14},
};
inline constexpr uint8_t last8[63] = {0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
                                      3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 8, 8, 8};

}  // namespace softgen::media::avc
