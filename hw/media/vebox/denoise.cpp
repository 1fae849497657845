// SPDX-License-Identifier: GPL-2.0-or-later
// As for the deinterlacer: names of parameters are public, formulas are chosen (docs/vebox.md).
#include "hw/media/vebox/denoise.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace softgen::media::vebox {
namespace {

constexpr int reach = 2;  ///< of the filter, in samples and lines

/// Weights by distance, as Denoise has them, and difference.
using Weights = std::array<std::array<uint16_t, 256>, 9>;

Weights weights_of(const Denoise& filter) {
  Weights weights;
  for (size_t i = 0; i < weights.size(); ++i)
    for (size_t k = 0; k < weights[i].size(); ++k)
      weights[i][k] = static_cast<uint16_t>(filter.distance_weight[i] * filter.range_weight[k]);
  return weights;
}

/// The weighted mean of 5x5 samples around one; lines are `step` samples apart.
uint16_t smoothed(const Weights& weights, const uint16_t* at, ptrdiff_t step) {
  const int own = *at;
  uint32_t sum = 0, total = 0;
#pragma GCC unroll 5
  for (int dy = -reach; dy <= reach; ++dy) {
    const uint16_t* const row = at + dy * step;
#pragma GCC unroll 5
    for (int dx = -reach; dx <= reach; ++dx) {
      const uint16_t* const table = weights.data()[std::abs(dy) * (reach + 1) + std::abs(dx)].data();
      const uint32_t sample = row[dx], weight = table[std::abs(static_cast<int>(sample) - own) >> 8];
      sum += sample * weight, total += weight;
    }
  }
  return total ? static_cast<uint16_t>((sum + total / 2) / total) : static_cast<uint16_t>(own);
}

bool moves(const Denoise& filter, const SamplePlane& now, const SamplePlane& last, int x, int y) {
  uint32_t sum = 0, moving = 0;
  for (int i = 0; i < block_size; ++i) {
    const uint16_t *const a = now.row(y + i) + x, *const b = last.row(y + i) + x;
    for (int k = 0; k < block_size; ++k) {
      const int differs = std::abs(int{a[k]} - int{b[k]}) >> 8;
      sum += static_cast<uint32_t>(differs), moving += differs > filter.pixel_difference;
    }
  }
  return sum > filter.block_difference && moving > filter.moving_pixels;
}

/// The history of all blocks of the band. `still`: the weight of the last frame's samples, of 256; 0 where blocks move.
void update(const Denoise& filter, const SamplePlane& now, const SamplePlane* last, int first, History& history,
            std::vector<uint8_t>& still) {
  still.assign(history.values.size(), 0);
  for (size_t i = 0; i < still.size(); ++i) {
    const int x = static_cast<int>(i % static_cast<size_t>(history.columns)) * block_size,
              y = static_cast<int>(i / static_cast<size_t>(history.columns)) * block_size;
    uint8_t& value = history.values[i];
    if (!last || moves(filter, now, *last, x, first + y)) {
      value = filter.history_start;
      continue;
    }
    value = static_cast<uint8_t>(std::min<unsigned>(value + filter.history_step, filter.static_history_max));
    still[i] = value;
  }
}

}  // namespace

void denoise(const Denoise& filter, const Band& current, const Band* previous, History& history, Band& to) {
  to.resize(current.sampling, current.first, current.count, current.planes[0].columns, 0);
  std::vector<uint8_t> still;
  update(filter, current.planes[0], previous ? &previous->planes[0] : nullptr, current.first, history, still);
  const Weights weights = weights_of(filter);
  for (size_t p = 0; p < 3; ++p) {
    const SamplePlane& from = current.planes[p];
    SamplePlane& out = to.planes[p];
    const int down = p ? current.step_y() : 1, across = p ? current.step_x() : 1;
    const auto step = static_cast<ptrdiff_t>(from.stride) * (filter.interlaced ? 2 : 1);
    const int max_difference = p ? filter.chroma_difference : filter.pixel_difference;
    for (int y = out.first; y < out.first + out.rows; ++y) {
      const uint16_t* const source = from.row(y);
      uint16_t* const row = out.row(y);
      if (p && !filter.chroma) {
        std::copy_n(source, out.columns, row);
        continue;
      }
      const uint8_t* const blocks = still.data() + (y * down - current.first) / block_size * history.columns;
      const uint16_t* const last = previous ? previous->planes[p].row(y) : nullptr;
      for (int x = 0; x < out.columns; ++x) {
        const int sample = smoothed(weights, source + x, step);
        const int share = blocks[x * across / block_size];
        const bool blend = share && std::abs(int{source[x]} - int{last[x]}) >> 8 <= max_difference;
        row[x] = static_cast<uint16_t>(blend ? sample + (last[x] - sample) * share / 256 : sample);
      }
    }
  }
}

}  // namespace softgen::media::vebox
