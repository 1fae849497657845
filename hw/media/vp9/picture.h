// SPDX-License-Identifier: GPL-2.0-or-later
// One picture as the decoder takes it: what HCP_VP9_PIC_STATE, the segments and the surfaces say, without packets.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "hw/media/frame/frame.h"
#include "hw/media/vp9/block.h"

namespace softgen::media::vp9 {

constexpr uint32_t max_size = 8192, probability_bytes = 2048;

struct ReferencePicture {
  const PictureMap* map = nullptr;    ///< null: there is none; it reads as 0
  uint32_t width = 0, height = 0;     ///< exact
  uint32_t x_scale = 0, y_scale = 0;  ///< its size over this picture's, in 1/16384
};

struct Segment {
  bool has_reference = false, skip = false;
  int8_t reference = 0;
  std::array<std::array<uint8_t, 2>, 4> levels{};       ///< of the loop filter, by reference and mode (0: zero_mv or intra)
  std::array<std::array<uint16_t, 2>, 2> quantizers{};  ///< luma and chroma; DC and AC
};

struct Segmentation {
  bool enabled = false, update_map = false, temporal_update = false;
  std::array<Segment, 8> segments;  ///< without segmentation the first holds
};

struct Parameters {
  uint32_t width = 0, height = 0;  ///< multiples of 8
  uint8_t bit_depth = 8;
  bool key_frame = false, intra_only = false, adapt = false, refresh_context = false, last_was_key = false;
  bool high_precision = false, use_previous_mvs = false, lossless = false;
  uint8_t filter = 0;               ///< Filter
  std::array<bool, 4> sign_bias{};  ///< by Reference
  uint8_t filter_level = 0, sharpness = 0;
  Segmentation segmentation;
  uint8_t log2_tile_columns = 0, log2_tile_rows = 0;
  uint32_t compressed_header_bytes = 0;
  std::array<ReferencePicture, 3> references;  ///< last, golden, altref

  bool is_intra() const { return key_frame || intra_only; }
  uint32_t rows8() const { return height / 8; }
  uint32_t columns8() const { return width / 8; }
};

/// What decoding reads and writes besides samples. Spans of rows8 * columns8 where they are per 8x8 block.
struct SideData {
  std::span<const uint8_t> stream;  ///< from the compressed header on
  std::array<uint8_t, probability_bytes>* probabilities;
  std::span<const StoredMotion> previous;  ///< may be empty
  std::span<StoredMotion> motion;
  std::span<uint8_t> segment_ids;  ///< below 8
};

}  // namespace softgen::media::vp9
