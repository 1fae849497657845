// SPDX-License-Identifier: GPL-2.0-or-later
// The parameters of an MPEG-2 picture and slice, and the surfaces they read.
#pragma once

#include <array>
#include <cstdint>

#include "hw/media/frame/frame.h"

namespace softgen::media::mpeg2 {

enum class Structure : uint8_t { top = 1, bottom = 2, frame = 3 };
enum class CodingType : uint8_t { i = 1, p = 2, b = 3 };

constexpr uint32_t max_blocks = 256;  ///< macroblocks a row or column
constexpr uint32_t luma_rows = 16, chroma_rows = 8;

/// Names are the standard's (6.3.10, picture coding extension).
struct PictureParams {
  uint32_t width = 1, height = 1;  ///< in macroblocks; of the field in field pictures
  Structure structure = Structure::frame;
  CodingType type = CodingType::i;
  std::array<std::array<uint8_t, 2>, 2> f_code{};  ///< forward and backward; horizontal and vertical; 1 to 9
  uint8_t intra_dc_precision = 0;                  ///< 0 to 3
  bool top_field_first = false, frame_pred_frame_dct = false, concealment_motion_vectors = false;
  bool q_scale_type = false, intra_vlc_format = false, alternate_scan = false;
  std::array<std::array<uint8_t, 64>, 2> matrix{};  ///< intra and non-intra, raster order

  bool is_frame() const { return structure == Structure::frame; }
  /// Of a field picture: 0 top, 1 bottom.
  unsigned parity() const { return structure == Structure::bottom; }
};

struct SliceParams {
  uint32_t first = 0, end = 0;  ///< macroblock addresses, in raster order
  uint8_t scale_code = 1;       ///< 1 to 31
};

/// By direction. Maps that are not open read as grey.
struct References {
  std::array<PictureMap, 2> frame;
  std::array<std::array<PictureMap, 2>, 2> field;  ///< by direction, parity
};

}  // namespace softgen::media::mpeg2
