// SPDX-License-Identifier: GPL-2.0-or-later
// Pictures of surfaces, for people: texels by the format's name (R8G8B8A8_UNORM, B5G6R5_UNORM, R11G11B10_FLOAT, …), which says order, width
// and meaning of its channels. Integers saturate at 255, floats at 1; missing colours are 0, missing alpha 1. Compressed, planar and packed
// YUV formats are not pictures here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hw/memory/view.h"
#include "hw/surface/tiling.h"

namespace softgen::debug {

struct PixelLayout {
  enum class Kind : uint8_t { unorm, snorm, uint, sint, floating, unused };
  struct Channel {
    char name;  ///< R G B A L I X
    uint8_t bit, bits;
    Kind kind;
  };
  std::vector<Channel> channels;
  unsigned bytes = 0;  ///< a texel
};

/// By the name in SURFACE_FORMAT; empty: not a format of plain texels.
std::optional<PixelLayout> pixel_layout(std::string_view format);

struct PictureSource {
  uint64_t address = 0;
  PixelLayout layout;
  uint32_t width = 0, height = 0, pitch = 0;  ///< texels; bytes
  surface::Tiling tiling = surface::Tiling::linear;
};

/// R, G, B, A bytes, top row first. Width and height at most 16384.
std::vector<uint8_t> read_picture(memory::View& view, const PictureSource& source);

}  // namespace softgen::debug
