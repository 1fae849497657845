// SPDX-License-Identifier: GPL-2.0-or-later
// Filters of the adaptive video scaler, which a sampler (sample_8x8) and SFC have. SKL PRM vol 7, "sample_8x8".
#pragma once

#include <array>
#include <cstdint>

namespace softgen::polyphase {

constexpr unsigned phases = 32, max_taps = 8;
/// By phase; 64 is 1. Those of four taps are taps 2 to 5.
using Taps = std::array<std::array<int16_t, max_taps>, phases>;

/// The taps' part in a result, of all_sharp; the rest is bilinear.
constexpr uint32_t all_sharp = 256;
/// By its level in states, of which 255 is all.
constexpr uint32_t sharpness_of(uint32_t level) { return level + (level >> 7); }
constexpr uint16_t mix(uint32_t smooth, uint32_t sharp, uint32_t sharpness) {
  return static_cast<uint16_t>((sharp * sharpness + smooth * (all_sharp - sharpness) + all_sharp / 2) / all_sharp);
}

}  // namespace softgen::polyphase
