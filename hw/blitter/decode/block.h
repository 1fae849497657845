// SPDX-License-Identifier: GPL-2.0-or-later
// The commands that Gen12 adds (hw/defs/gen12/blt.def): pixels of 8 to 128 bits, linear or Y tiled, no raster operation.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "hw/blitter/blit.h"

namespace softgen::blitter {

std::optional<Blit> block_copy(std::span<const uint32_t> packet);
std::optional<Blit> fast_color(std::span<const uint32_t> packet);

}  // namespace softgen::blitter
