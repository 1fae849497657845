// SPDX-License-Identifier: GPL-2.0-or-later
// What ColorCodes say of a pixel, channel by channel.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "hw/iface/message_target.h"

namespace softgen::ref {

/// What `codes` say of a pixel.
inline uint32_t written_pixel(const ColorCodes& codes, const std::array<float, 4>& colors, uint32_t old) {
  const auto saturated = [](float v) { return v > 0 ? std::min(v, 1.0f) : 0.0f; };
  const auto there = [&](unsigned c) {
    const uint32_t code = old >> codes.shift[c] & 255;
    return static_cast<float>(c == 3 && !codes.alpha ? 255 : code) / 255.0f;
  };
  uint32_t word = 0;
  for (unsigned c = 0; c < 4; c++) {
    const auto factor = [&](const ColorCodes::Factor& f) {
      return std::fma(f.destination_alpha, there(3), std::fma(f.source_alpha, saturated(colors[3]), f.constant));
    };
    float v = saturated(colors[c]);
    if (codes.blends) v = v * factor(codes.factors[c == 3 ? 2 : 0]) + there(c) * factor(codes.factors[c == 3 ? 3 : 1]);
    const auto code = static_cast<uint32_t>(std::nearbyint(double{saturated(v)} * 255));
    word |= (c == 3 ? code & codes.alpha : code) << codes.shift[c];
  }
  return (old & codes.keep) | (word & ~codes.keep);
}

}  // namespace softgen::ref
