// SPDX-License-Identifier: GPL-2.0-or-later
// The denoise filter: samples are blended with the frame before where blocks of 4x4 have been still, the more the longer (the history), and with those
// neighbours that are like them.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/media/vebox/band.h"

namespace softgen::media::vebox {

constexpr int block_size = 4;

/// Of a band: a byte for each block, by rows of blocks.
struct History {
  int columns = 0;
  std::vector<uint8_t> values;
  void resize(int width, int rows) {
    columns = (width + block_size - 1) / block_size;
    values.resize(static_cast<size_t>(columns) * static_cast<size_t>((rows + block_size - 1) / block_size));
  }
};

/// `previous`: the denoised frame before; null: there is none. `history` is that of the frame before, and becomes this one's.
void denoise(const Denoise& filter, const Band& current, const Band* previous, History& history, Band& to);

}  // namespace softgen::media::vebox
