// SPDX-License-Identifier: GPL-2.0-or-later
// What reading and writing of coefficients share (RFC 6386, section 13).
#pragma once

#include <array>
#include <cstdint>

namespace softgen::media::vp8 {

constexpr uint8_t bands[17] = {0, 1, 2, 3, 6, 4, 5, 6, 6, 6, 6, 6, 6, 6, 6, 7, 0};
constexpr uint8_t zigzag[16] = {0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15};
/// Extra bits of the categories 3 to 6; 0 ends them.
constexpr uint8_t extra[4][12] = {
    {173, 148, 140, 0}, {176, 155, 140, 135, 0}, {180, 157, 141, 134, 130, 0}, {254, 254, 243, 230, 196, 177, 153, 140, 133, 130, 129, 0}};

/// Of one type of block: [8 bands][3 contexts][11].
using BlockProbabilities = std::array<std::array<std::array<uint8_t, 11>, 3>, 8>;

}  // namespace softgen::media::vp8
