// SPDX-License-Identifier: GPL-2.0-or-later
// What a VEB_DI_IECP asks for, without any generation's packets. Decoders (decode/) have checked all values.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "hw/media/frame/plane_map.h"

namespace softgen::media::vebox {

enum class Sampling : uint8_t { s420, s422, s444 };
/// Columns and rows of luma for one of chroma.
constexpr int chroma_step_x(Sampling sampling) { return sampling == Sampling::s444 ? 1 : 2; }
constexpr int chroma_step_y(Sampling sampling) { return sampling == Sampling::s420 ? 2 : 1; }

/// How pixels are stored. Components 0 to 2 are Y, U, V or R, G, B.
struct PixelFormat {
  Sampling sampling = Sampling::s420;
  bool planar = false;             ///< s420: luma, then pairs of chroma; else all in one plane
  uint8_t bytes = 1;               ///< a sample: 1 or 2; packed formats have 1
  std::array<uint8_t, 4> place{};  ///< packed: bytes of Y0, U, Y1, V in a pair of pixels (s422); of components 0, 1, 2 and alpha (s444)
};

struct Surface {
  PixelFormat format;
  std::array<PlaneLayout, 2> planes;  ///< the second one only of planar formats
};

struct Denoise {
  bool interlaced = false;  ///< neighbours are lines of the same field
  bool chroma = false;
  uint8_t static_history_max = 0, history_step = 0, history_start = 0;
  uint32_t block_difference = 0;             ///< sum over a block of 4x4, above which it may move
  uint32_t moving_pixels = 0;                ///< and the count of pixels that differ, above which it moves
  uint8_t pixel_difference = 0;              ///< above which a pixel of a block that is still moves
  uint8_t chroma_difference = 0;             ///< the same of chroma
  std::array<uint16_t, 256> range_weight{};  ///< by the difference to the pixel
  std::array<uint8_t, 9> distance_weight{};  ///< by |dy| * 3 + |dx|; the pixel's own is not 0
};

struct Deinterlace {
  bool top_first = false;
  bool current = false, previous = false;  ///< outputs; the previous one only with a previous frame
  uint8_t min_motion = 0, max_motion = 0;  ///< STMM at which lines are woven, at which they are interpolated; max is greater
  uint8_t shift_up = 4, shift_down = 4;
  uint16_t complexity_bias = 2;
  uint8_t vertical_weight = 0;               ///< of 64
  uint8_t decay_large = 0, decay_small = 0;  ///< of 256: what stays of the last frame's STMM
};

/// (in + offset) * coefficients + offset. Coefficients are S2.16, offsets in units of 16-bit samples.
struct Matrix {
  std::array<int32_t, 9> coefficient{};
  std::array<int32_t, 3> in{}, out{};
};

struct ProcAmp {
  int32_t contrast = 1 << 7;          ///< U4.7
  int32_t brightness = 0;             ///< S7.4, of 8-bit samples
  int32_t cosine = 1 << 8, sine = 0;  ///< S7.8, times contrast and saturation
};

struct Colour {
  std::optional<Matrix> front, back;
  std::optional<ProcAmp> amplifier;
  bool swap = false;  ///< components 0 and 2 of the output
  uint8_t alpha = 0xff;
  bool average_horizontally = false, average_vertically = false;  ///< where chroma is reduced; else every second sample is dropped
};

struct Enhancement {
  uint32_t x = 0, width = 0, height = 0;  ///< pixels; x is even, all at most 16384
  bool first_frame = false;               ///< there is no previous frame
  Surface current, previous, denoised, output_current, output_previous;
  bool store_output = false;                ///< output_current or, of a deinterlacer, what it says
  Sampling sink_sampling = Sampling::s420;  ///< where it goes to an Enhancer::Sink
  std::optional<Denoise> denoise;
  std::optional<Deinterlace> deinterlace;
  std::optional<PlaneLayout> motion_in, motion_out;  ///< STMM, a byte for each pair of pixels, and the history of the denoise filter
  uint32_t history_column = 0;                       ///< where that begins: a byte for each block of 4x4, on its first row
  Colour colour;
  uint64_t statistics = 0;                             ///< address; 0: none
  uint32_t statistics_pitch = 0, statistics_rows = 0;  ///< at most 16 KiB, and 4096 and some
};

}  // namespace softgen::media::vebox
