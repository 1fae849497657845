// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/sfc/picture.h"

#include <algorithm>

#include "hw/base/bits.h"

namespace softgen::media::sfc {

Picture::Picture(const Job& job) : job_(job) {
  samples_.resize(job.source(), 0, static_cast<int>(align_up(job.height, 2u)), static_cast<int>(job.width), 0);
}

void Picture::take(const vebox::Band& rows) {
  const auto copy = [](const vebox::SamplePlane& from, vebox::SamplePlane& to, int first, int count) {
    for (int y = first; y < std::min(first + count, to.first + to.rows); ++y)
      std::copy_n(from.row(y), std::min(from.columns, to.columns), to.row(y));
  };
  copy(rows.planes[0], samples_.planes[0], rows.first, rows.count);
  const int from_down = rows.step_y(), down = samples_.step_y(), step_x = samples_.step_x() / rows.step_x();
  const int step_y = down / from_down;
  for (size_t c = 1; c < 3; ++c) {
    const vebox::SamplePlane& from = rows.planes[c];
    vebox::SamplePlane& to = samples_.planes[c];
    if (step_x == 1 && step_y == 1) {
      copy(from, to, rows.first / from_down, (rows.count + from_down - 1) / from_down);
      continue;
    }
    // Linear, between a sample and the next one: of eighths in both directions.
    const auto right_part = step_x == 2 ? job_.x.siting : 0, lower_part = step_y == 2 ? job_.y.siting : 0;
    constexpr uint32_t whole = siting_parts * siting_parts;
    const int last_row = (rows.first + rows.count - 1) / from_down, last_column = from.columns - 1;
    const int end = std::min((rows.first + rows.count + down - 1) / down, to.first + to.rows);
    for (int y = rows.first / down; y < end; ++y) {
      const uint16_t* const upper = from.row(std::min(y * step_y, last_row));
      const uint16_t* const lower = from.row(std::min(y * step_y + step_y - 1, last_row));
      uint16_t* const out = to.row(y);
      for (int x = 0; x < to.columns; ++x) {
        const int left = std::min(x * step_x, last_column), right = std::min(x * step_x + step_x - 1, last_column);
        const uint32_t above = upper[left] * (siting_parts - right_part) + upper[right] * right_part;
        const uint32_t below = lower[left] * (siting_parts - right_part) + lower[right] * right_part;
        out[x] = static_cast<uint16_t>((above * (siting_parts - lower_part) + below * lower_part + whole / 2) / whole);
      }
    }
  }
}

}  // namespace softgen::media::sfc
