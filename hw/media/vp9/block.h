// SPDX-License-Identifier: GPL-2.0-or-later
// Blocks, modes and motion vectors: VP9 specification, section 3 (constants) and 7.4 (semantics). Values are the bitstream's.
#pragma once

#include <array>
#include <cstdint>

namespace softgen::media::vp9 {

/// Block sizes in the order of the specification (BLOCK_4X4 to BLOCK_64X64), by log2 of width and height in units of 4 samples.
constexpr unsigned block_4x4 = 0, block_8x8 = 3, block_64x64 = 12, block_sizes = 13;
constexpr uint8_t width4_log2[block_sizes] = {0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4};
constexpr uint8_t height4_log2[block_sizes] = {0, 1, 0, 1, 2, 1, 2, 3, 2, 3, 4, 3, 4};
/// In units of 8 samples, at least 1.
constexpr unsigned width8(unsigned size) { return width4_log2[size] ? 1u << (width4_log2[size] - 1) : 1; }
constexpr unsigned height8(unsigned size) { return height4_log2[size] ? 1u << (height4_log2[size] - 1) : 1; }
/// The largest transform that fits: 0 (4x4) to 3 (32x32).
constexpr uint8_t max_tx_size[block_sizes] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3};

enum Mode : uint8_t {
  dc_pred,
  v_pred,
  h_pred,
  d45_pred,
  d135_pred,
  d117_pred,
  d153_pred,
  d207_pred,
  d63_pred,
  tm_pred,
  nearest_mv,
  near_mv,
  zero_mv,
  new_mv
};
enum Partition : uint8_t { partition_none, partition_horizontal, partition_vertical, partition_split };
enum Reference : int8_t { no_reference = -1, intra_frame = 0, last_frame = 1, golden_frame = 2, altref_frame = 3 };
enum class TxType : uint8_t { dct_dct, adst_dct, dct_adst, adst_adst };  ///< columns, rows
enum TxMode : uint8_t { tx_only_4x4, tx_allow_8x8, tx_allow_16x16, tx_allow_32x32, tx_select };
enum ReferenceMode : uint8_t { single_reference, compound_reference, reference_select };
enum Filter : uint8_t { filter_regular, filter_smooth, filter_sharp, filter_bilinear, filter_switchable };

/// In eighths of a luma sample.
struct Mv {
  int16_t row = 0, column = 0;
  bool operator==(const Mv&) const = default;
};

struct BlockInfo {
  uint8_t size;
  uint8_t mode;  ///< of its last sub-block, below 8x8
  uint8_t uv_mode;
  uint8_t tx_size;
  uint8_t segment;
  uint8_t filter;
  bool skip;
  bool segment_predicted;
  uint16_t row, column;                 ///< in units of 8 samples
  std::array<int8_t, 2> reference;      ///< Reference; [1] > 0: compound
  std::array<uint8_t, 4> sub_modes;     ///< intra: of each quarter
  std::array<std::array<Mv, 2>, 4> mv;  ///< of each quarter, by reference; [3] is the block's
  bool is_inter() const { return reference[0] > intra_frame; }
  bool is_compound() const { return reference[1] > intra_frame; }
};

/// What of a block the next picture's motion vector prediction looks at, per 8x8 samples.
struct StoredMotion {
  std::array<Mv, 2> mv;
  std::array<int8_t, 2> reference{intra_frame, no_reference};
};

}  // namespace softgen::media::vp9
