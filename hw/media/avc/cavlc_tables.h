// SPDX-License-Identifier: GPL-2.0-or-later
// The variable-length codes of H.264 9.2, and what decodes them.
#pragma once

#include <cstdint>

namespace softgen::media::avc {

struct Code {
  uint16_t bits;
  uint8_t length;  ///< 0: there is none
};

extern const Code coeff_token_codes[4][68];
extern const Code total_zeros_codes[15][16];
extern const Code chroma_zeros_codes[3][4];
extern const Code run_before_codes[7][16];

/// coded_block_pattern of me(v) for 4:2:0 (table 9-4): intra, inter. Monochrome's has its own order.
inline constexpr uint8_t cbp_codes[48][2] = {
    {47, 0},  {31, 16}, {15, 1},  {0, 2},   {23, 4},  {27, 8},  {29, 32}, {30, 3},  {7, 5},   {11, 10}, {13, 12}, {14, 15},
    {39, 47}, {43, 7},  {45, 11}, {46, 13}, {16, 14}, {3, 6},   {5, 9},   {10, 31}, {12, 35}, {19, 37}, {21, 42}, {26, 44},
    {28, 33}, {35, 34}, {37, 36}, {42, 40}, {44, 39}, {1, 43},  {2, 45},  {4, 46},  {8, 17},  {17, 18}, {18, 20}, {20, 24},
    {24, 19}, {6, 21},  {9, 26},  {22, 28}, {25, 23}, {32, 27}, {33, 29}, {34, 30}, {36, 22}, {40, 25}, {38, 38}, {41, 41}};
inline constexpr uint8_t cbp_codes_mono[16][2] = {{15, 0},  {0, 1},   {7, 2}, {11, 4}, {13, 8}, {14, 3}, {3, 5}, {5, 10},
                                                  {10, 12}, {12, 15}, {1, 7}, {2, 11}, {4, 13}, {8, 14}, {6, 6}, {9, 9}};

}  // namespace softgen::media::avc
