// SPDX-License-Identifier: GPL-2.0-or-later
// The filters of AVS on a block of pixels of one channel.
#pragma once

#include "hw/memory/view.h"
#include "hw/sampler/avs.h"

namespace softgen::sampler::avs {

constexpr unsigned max_columns = 16, max_rows = 8;

/// Where a block's pixels are in a channel, in 1/256 of its values.
struct Positions {
  unsigned columns = 0, rows = 0;
  std::array<int32_t, max_columns> x{};
  std::array<int32_t, max_rows> y{};
};
/// Values with 8 bits of fraction, row by row.
using Block = std::array<std::array<uint16_t, max_columns>, max_rows>;

/// Any positions up to 2^30 either way.
void filter_block(memory::View& view, const Surface& surface, const Channel& channel, const Positions& at, const Filter& sharp,
                  unsigned sharpness, Block& out);

}  // namespace softgen::sampler::avs
