// SPDX-License-Identifier: GPL-2.0-or-later
// Tables of H.264 that several parts use.
#pragma once

#include <cstdint>

namespace softgen::media::avc {

constexpr unsigned cabac_contexts = 460;
extern const int8_t cabac_initial[4][cabac_contexts][2];

/// Of luma block i in decoding order (figure 6-10): its column and row, in blocks; and back.
constexpr uint8_t block_x[16] = {0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 0, 1, 2, 3, 2, 3};
constexpr uint8_t block_y[16] = {0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3};
constexpr uint8_t block_at[4][4] = {{0, 1, 4, 5}, {2, 3, 6, 7}, {8, 9, 12, 13}, {10, 11, 14, 15}};

/// Positions (row * size + column) in scanning order (figure 6-8, 8.5.6, 8.5.7): of frame and field macroblocks.
extern const uint8_t scan4[2][16];
extern const uint8_t scan8[2][64];

/// mb_type of Intra_16x16 in I slices (table 7-11). `cbp`: Macroblock's; `mode`: Intra16x16PredMode (table 8-4).
constexpr unsigned intra16_type(unsigned cbp, unsigned mode) { return 1 + mode + (cbp >> 4) * 4 + (cbp & 15 ? 12 : 0); }
constexpr uint8_t intra16_dc = 2;

/// QP'c by qPI (table 8-15).
constexpr uint8_t chroma_qp_table[52] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17,
                                         18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 29, 30, 31, 32, 32, 33,
                                         34, 34, 35, 35, 36, 36, 37, 37, 37, 38, 38, 38, 39, 39, 39, 39};

/// normAdjust (8-313, 8-316): by QP % 6 and position class.
constexpr uint8_t norm4[6][3] = {{10, 16, 13}, {11, 18, 14}, {13, 20, 16}, {14, 23, 18}, {16, 25, 20}, {18, 29, 23}};
constexpr uint8_t norm8[6][6] = {{20, 18, 32, 19, 25, 24}, {22, 19, 35, 21, 28, 26}, {26, 23, 42, 24, 33, 31},
                                 {28, 25, 45, 26, 35, 33}, {32, 28, 51, 30, 40, 38}, {36, 32, 58, 34, 46, 43}};

}  // namespace softgen::media::avc
