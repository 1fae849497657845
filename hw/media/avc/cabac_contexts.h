// SPDX-License-Identifier: GPL-2.0-or-later
// Contexts of transform coefficients (H.264 9.3.3.1), for decoding and encoding: numbers of table 9-34.
#pragma once

#include <cstdint>

namespace softgen::media::avc {

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
