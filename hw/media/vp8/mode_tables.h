// SPDX-License-Identifier: GPL-2.0-or-later
// Probabilities and places of macroblock headers, which reading and writing share (RFC 6386, sections 11, 16 and 17).
#pragma once

#include <cstddef>
#include <cstdint>

#include "hw/media/vp8/picture.h"

namespace softgen::media::vp8 {

constexpr uint8_t key_y_probs[4] = {145, 156, 163, 128}, key_uv_probs[3] = {142, 114, 183};
constexpr uint8_t inter_block_mode_probs[9] = {120, 90, 79, 133, 87, 85, 80, 111, 151};
constexpr uint8_t split_probs[3] = {110, 111, 150};
constexpr uint8_t sub_vector_probs[5][3] = {{147, 136, 18}, {106, 145, 1}, {179, 121, 1}, {223, 1, 34}, {208, 1, 1}};
/// By the modes above and to the left (11.5).
extern const uint8_t key_frame_block_modes[block_modes][block_modes][block_modes - 1];

/// Which part a block belongs to: 16x8, 8x16, 8x8, 4x4.
constexpr uint8_t parts[4][16] = {{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1},
                                  {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1},
                                  {0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3},
                                  {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}};
constexpr uint8_t part_count[4] = {2, 2, 4, 16};

// Places of a component's probabilities, section 17.2.
constexpr size_t is_short = 0, sign = 1, short_tree = 2, long_bits = 9;
constexpr unsigned long_width = 10;

}  // namespace softgen::media::vp8
