// SPDX-License-Identifier: GPL-2.0-or-later
// What a picture's and a slice's syntax elements outside of slice data come to (H.265 7.4.3, 7.4.7), as the core of the HEVC decoder takes them.
// The decoders of packets keep the ranges that are given here: the core does not check again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace softgen::media::hevc {

constexpr unsigned max_size = 8192, max_references = 16, max_frames = 8, max_tile_columns = 20, max_tile_rows = 22;

/// Factors of one transform size and matrix, by position: row * 32 + column, up to the size.
struct ScalingLists {
  std::array<std::array<uint8_t, 16>, 6> size4;                  ///< by matrixId: intra Y, Cb, Cr, inter Y, Cb, Cr; raster order
  std::array<std::array<std::array<uint8_t, 64>, 6>, 3> larger;  ///< 8x8, 16x16, 32x32 (upsampled from 8x8); the last has matrices 0 and 3
  std::array<std::array<uint8_t, 6>, 3> dc;                      ///< of 16x16 and 32x32; 8x8: its own first factor
};

struct PictureSizes {
  uint32_t width = 8, height = 8;  ///< samples: multiples of the smallest coding block, up to max_size
  /// CTB 16 to 64, transform blocks 4 to 32 and smaller than the smallest coding block, PCM up to 32.
  uint8_t log2_min_cb = 3, log2_ctb = 4, log2_min_tb = 2, log2_max_tb = 4, log2_min_pcm = 3, log2_max_pcm = 3;
  uint8_t log2_parallel_merge = 2, max_qp_delta_depth = 0, max_inter_depth = 0, max_intra_depth = 0;
  uint8_t luma_bits = 8, chroma_bits = 8, pcm_luma_bits = 8, pcm_chroma_bits = 8;  ///< 8 to 10; PCM's: 1 to these
  unsigned bits(unsigned component) const { return component ? chroma_bits : luma_bits; }
};

struct PictureTools {
  bool strong_intra_smoothing = false, transquant_bypass = false, amp = false, transform_skip = false, entropy_sync = false;
  bool loop_across_tiles = false, sign_hiding = false, constrained_intra = false, pcm_loop_filter_off = false, qp_delta = false,
       pcm = false;
  bool sao = false;
};

struct PictureParameters : PictureSizes, PictureTools {
  int8_t cb_qp_offset = 0, cr_qp_offset = 0;
  uint8_t tile_columns = 1, tile_rows = 1;                     ///< 1 to the maxima
  std::array<uint16_t, max_tile_columns + 1> column_starts{};  ///< CTBs, ascending; the one behind the last: the picture's width in CTBs
  std::array<uint16_t, max_tile_rows + 1> row_starts{};
  ScalingLists scaling;
};

enum class SliceType : uint8_t { b, p, i };

struct Reference {
  uint8_t frame = 0;        ///< below max_frames
  int8_t poc_distance = 0;  ///< the current picture's count less the reference's, clipped
  bool is_long_term = false;
};

/// Of one reference: by component. Offsets in units of 8 bit samples.
struct Weights {
  std::array<int16_t, 3> weight{}, offset{};
};

struct SliceTools {
  bool temporal_mvp = false, collocated_from_l0 = true, cabac_init = false, mvd_l1_zero = false, weighted = false;
  bool sao_luma = false, sao_chroma = false, loop_across_slices = false, deblocking_off = false;
};

struct SliceParameters : SliceTools {
  uint32_t first_ctb = 0;  ///< raster address, in the picture
  SliceType type = SliceType::i;
  bool is_dependent = false, is_last = false;
  int8_t qp = 26, cb_qp_offset = 0, cr_qp_offset = 0;
  int8_t beta_offset = 0, tc_offset = 0;  ///< -12 to 12
  uint8_t collocated_frame = 0, max_merge_candidates = 5, log2_luma_denominator = 0, log2_chroma_denominator = 0;
  uint32_t header_bytes = 0;            ///< before slice data, without emulation prevention
  std::array<uint8_t, 2> active{1, 1};  ///< entries of the lists, 1 to 16
  std::array<std::array<Reference, max_references>, 2> lists{};
  std::array<std::array<Weights, max_references>, 2> weights{};
};

}  // namespace softgen::media::hevc
