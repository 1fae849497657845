// SPDX-License-Identifier: GPL-2.0-or-later
// Pictures of surfaces, for people. Integers saturate at 255, floats at 1; sRGB stays encoded; missing colours are 0, missing alpha 1.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "hw/defs/command.h"
#include "hw/memory/view.h"
#include "hw/surface/ccs.h"
#include "hw/surface/format.h"
#include "hw/surface/tiling.h"

namespace softgen::debug {

/// A format whose elements are texels (plain, shared exponent) by its name in SURFACE_FORMAT; null: none.
const surface::Format* picture_format(const defs::CommandSet& commands, std::string_view name);
/// Whether its elements are texels that a picture can show.
bool is_picture_format(const surface::Format& format);
/// The same by code.
const surface::Format* picture_format(uint32_t code);

struct PictureSource {
  uint64_t address = 0;
  const surface::Format* format = nullptr;
  uint32_t width = 0, height = 0, pitch = 0;  ///< texels; bytes
  surface::Tiling tiling = surface::Tiling::linear;
  surface::Ccs ccs{};            ///< its level 0; pixels that it codes "clear" have clear_color
  surface::Word4 clear_color{};  ///< as the format's registers hold it
};

/// R, G, B, A bytes, top row first. Width and height at most 16384.
std::vector<uint8_t> read_picture(memory::View& view, const PictureSource& source);

}  // namespace softgen::debug
