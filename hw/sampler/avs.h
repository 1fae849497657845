// SPDX-License-Identifier: GPL-2.0-or-later
// sample_8x8 with the function AVS (adaptive video scaler): blocks of pixels scaled from a media surface by polyphase filters. SKL PRM vol 7, "sample_8x8";
// IGC documentation/visa/instructions/AVS.md; i965's kernels (shaders/post_processing/gen8) show the order of registers.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "hw/base/polyphase.h"
#include "hw/iface/message_target.h"
#include "hw/surface/tiling.h"

namespace softgen::sampler::avs {

using polyphase::max_taps, polyphase::phases, polyphase::Taps;
constexpr unsigned colors = 4;
/// The same for columns and rows.
struct Filter {
  Taps x{}, y{};
  unsigned taps = 0;
};

/// SAMPLER_STATE_8X8_AVS as plain values.
struct State {
  std::array<Filter, colors> filters{};  ///< by channel
  unsigned sharpness = 0;                ///< part of these filters in the result (polyphase::mix)
  bool shuffled = false;                 ///< the left halves of all channels come before their right halves
  bool adaptive = false;                 ///< that part depends on the picture
};
using StateDwords = std::array<uint32_t, 280>;
State decode_state(const StateDwords& dwords);

/// Where the values of a channel are.
struct Channel {
  bool there = false;
  bool half_x = false, half_y = false;  ///< chroma: half as many
  uint8_t step = 1;                     ///< bytes from value to value
  uint32_t x = 0, y = 0;                ///< of the first one: bytes and rows
  uint32_t pitch = 0;
  float row_offset = 0;  ///< rows of luma that the first value is below the first one of luma
};

/// MEDIA_SURFACE_STATE as plain values; no channel is there where its format is none that AVS reads.
struct Surface {
  std::array<Channel, colors> channels{};  ///< red (Cr), green (Y), blue (Cb), alpha
  uint32_t width = 1, height = 1;
  bool mirrored = false;  ///< beyond the edges, else they are repeated
  surface::Tiling tiling = surface::Tiling::linear;
  uint64_t base = 0;
  uint8_t line_shift = 0, line_offset = 0;  ///< fields: rows are (y << line_shift) + line_offset
};
using SurfaceDwords = std::array<uint32_t, 8>;
Surface decode_surface(const SurfaceDwords& dwords);

/// Answers the message.
void answer(const Message& message, ThreadEnv& env);

}  // namespace softgen::sampler::avs
