// SPDX-License-Identifier: GPL-2.0-or-later
// What SFC's packets ask for, without any generation's packets. Decoders (decode/) have checked all values.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "hw/base/polyphase.h"
#include "hw/media/vebox/enhancement.h"

namespace softgen::media::sfc {

using polyphase::max_taps, polyphase::phases, polyphase::Taps;

/// Steps have 19 binary places, co-siting positions are eighths of a sample of luma.
constexpr unsigned step_places = 19;
constexpr int64_t whole_step = int64_t{1} << step_places;
constexpr unsigned siting_parts = 8;

/// Columns or rows, before rotation.
struct Axis {
  uint32_t first = 0, count = 1;         ///< source region, in samples of luma; within the input picture
  uint32_t scaled = 1;                   ///< samples of luma that it becomes; even where the output's chroma is reduced
  uint32_t step = whole_step;            ///< from one of them to the next, in the source; not 0
  int32_t start = 0;                     ///< the first one's place from the region's beginning on, in units of the step
  uint32_t siting = 0;                   ///< of reduced chroma, in the output and where it is reduced before scaling; at most siting_parts
  std::optional<uint32_t> input_siting;  ///< of reduced chroma in the input, at most siting_parts; none: in the taps
  bool reduced = false;                  ///< chroma is reduced before scaling
  Taps luma{}, chroma{};
};

/// How the picture is turned and mirrored: rows become columns, then what was made so is flipped.
struct Orientation {
  bool transposed = false, flip_x = false, flip_y = false;
};
enum class Packing : uint8_t { vebox, rgb565, rgb10 };  ///< vebox: as the surface's PixelFormat says

/// Detail that is added to luma, by the picture's own detail and by the edge at each place.
struct Sharpening {
  uint8_t gain = 0;                                             ///< of 32
  uint8_t cross = 0, corner = 0;                                ///< of 32: weights in 3x3
  uint8_t far_cross = 0, far_side = 0, far_corner = 0;          ///< of 32: weights in the ring of 5x5
  uint8_t weak_edge = 0, strong_edge = 0;                       ///< thresholds, in steps of 8 bits
  uint8_t flat_weight = 0, weak_weight = 0, strong_weight = 0;  ///< of 8, by the edge
};

struct Scaling {
  bool enabled = false;                       ///< else the steps are whole
  bool polyphase = false;                     ///< by the axes' taps, else bilinear
  bool filters_chroma = false;                ///< by the taps, where chroma alone is enlarged
  bool wide_chroma = false;                   ///< by luma's taps
  uint32_t sharpness = polyphase::all_sharp;  ///< part of the taps in the result (polyphase::mix)
};

/// The frame around the picture.
struct Fill {
  std::array<uint16_t, 3> colour{};
  uint16_t alpha = 0;
};

/// Of an input picture, which is on the host as a whole (chosen): 8192x8192.
constexpr uint64_t max_samples = uint64_t{1} << 26;

struct Job {
  uint32_t width = 1, height = 1;  ///< of the input picture; at most 16384, and max_samples in all
  vebox::Sampling input = vebox::Sampling::s420;
  std::optional<std::array<uint16_t, 2>> grey;  ///< chroma of an input that has none
  bool keeps_output = false;                    ///< the engine's own output is written, too
  Axis x, y;
  Scaling scaling;
  std::optional<Sharpening> sharpening;
  std::optional<vebox::Matrix> matrix;
  Orientation orientation;
  bool swap = false;  ///< components 0 and 2 of the picture; not those of the fill colour
  Packing packing = Packing::vebox;
  bool ten_bits = false;       ///< the lower bits of output samples of 16 are 0
  vebox::Surface output;       ///< as large as the frame
  uint32_t left = 0, top = 0;  ///< of the rotated picture in the frame, which it does not leave; even where chroma is reduced
  uint16_t alpha = 0xffff;
  std::optional<Fill> fill;

  /// The input when chroma is reduced before scaling.
  vebox::Sampling source() const {
    using enum vebox::Sampling;
    return y.reduced || input == s420 ? s420 : x.reduced ? s422 : input;
  }
  /// Of the output surface.
  vebox::Sampling target() const { return packing == Packing::vebox ? output.format.sampling : vebox::Sampling::s444; }
};

}  // namespace softgen::media::sfc
