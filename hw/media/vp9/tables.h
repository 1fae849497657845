// SPDX-License-Identifier: GPL-2.0-or-later
// Constant tables of the VP9 specification (section 10).
#pragma once

#include <cstdint>
#include <span>

#include "hw/media/vp9/block.h"

namespace softgen::media::vp9 {

/// Probabilities of tokens above one, by the third probability of a context, minus 1.
extern const uint8_t pareto[255][8];
/// Of luma modes in key and intra-only frames: by the mode above and the mode to the left.
extern const uint8_t key_y_modes[10][10][9];
extern const uint8_t key_uv_modes[10][9];
extern const uint8_t key_partitions[16][3];
/// Coded differences of probabilities.
extern const uint8_t inverse_map[255];
/// By filter (regular, smooth, sharp, bilinear) and sixteenth of a sample.
extern const int16_t interpolation[4][16][8];
/// Neighbours whose motion vectors are candidates, by block size: row, column, in units of 8 samples.
extern const int8_t mv_candidates[block_sizes][8][2];

/// Trees: pairs of next index, or minus the value.
extern const int8_t intra_mode_tree[18], inter_mode_tree[6], partition_tree[6], filter_tree[4], segment_tree[14];
extern const int8_t mv_joint_tree[6], mv_class_tree[20], mv_fraction_tree[6];

/// Positions (row * size + column) in the order in which coefficients are coded.
std::span<const uint16_t> scan_of(unsigned tx_size, TxType type);

}  // namespace softgen::media::vp9
