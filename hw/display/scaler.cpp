// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/scaler.h"

#include <algorithm>
#include <cmath>

namespace softgen::display {

namespace {

constexpr unsigned weight_bits = 14;

template <typename At>
Pixel weighted(uint32_t count, const uint32_t* weights, At at) {
  uint32_t sum[4] = {};
  for (uint32_t i = 0; i < count; i++) {
    const Pixel& p = at(i);
    sum[0] += p.r * weights[i];
    sum[1] += p.g * weights[i];
    sum[2] += p.b * weights[i];
    sum[3] += p.a * weights[i];
  }
  const auto down = [](uint32_t v) { return static_cast<uint16_t>((v + (1u << (weight_bits - 1))) >> weight_bits); };
  return {down(sum[0]), down(sum[1]), down(sum[2]), down(sum[3])};
}

}  // namespace

Scaler::Scaler(RowSource& source, uint32_t width, uint32_t height) : source_(source), width_(width), height_(height) {
  columns_.reserve(width);
  for (uint32_t x = 0; x < width; x++) columns_.push_back(taps(x, source.width(), width));
  lines_.resize(max_taps + 1);
  scratch_.resize(source.width());
}

Scaler::Taps Scaler::taps(uint32_t position, uint32_t from, uint32_t to) {
  const double ratio = static_cast<double>(from) / to;
  const double center = (position + 0.5) * ratio - 0.5;
  const double reach = std::clamp(ratio, 1.0, max_taps / 2.0);
  const int64_t first = static_cast<int64_t>(std::floor(center - reach)) + 1;
  Taps out;
  double raw[max_taps];
  double total = 0;
  for (int64_t i = first; i < center + reach && out.count < max_taps; i++) {
    const double w = 1.0 - std::abs(static_cast<double>(i) - center) / reach;
    if (w <= 0) continue;
    raw[out.count] = w;
    total += w;
    out.at[out.count++] = static_cast<uint32_t>(std::clamp<int64_t>(i, 0, from - 1));
  }
  // The largest weight takes what rounding leaves, so that the sum is exact.
  uint32_t sum = 0, largest = 0;
  for (uint32_t i = 0; i < out.count; i++) {
    out.weight[i] = static_cast<uint32_t>(raw[i] / total * (1u << weight_bits));
    sum += out.weight[i];
    if (raw[i] > raw[largest]) largest = i;
  }
  out.weight[largest] += (1u << weight_bits) - sum;
  return out;
}

const Pixel* Scaler::squeezed_row(uint32_t y) {
  Line& line = lines_[y % lines_.size()];
  if (line.y == y) return line.pixels.data();
  source_.row(y, scratch_.data());
  line.y = y;
  line.pixels.resize(width_);
  for (uint32_t x = 0; x < width_; x++) {
    const Taps& t = columns_[x];
    line.pixels[x] = weighted(t.count, t.weight, [&](uint32_t i) -> const Pixel& { return scratch_[t.at[i]]; });
  }
  return line.pixels.data();
}

void Scaler::row(uint32_t y, Pixel* out) {
  const Taps t = taps(y, source_.height(), height_);
  const Pixel* rows[max_taps];
  for (uint32_t i = 0; i < t.count; i++) rows[i] = squeezed_row(t.at[i]);
  for (uint32_t x = 0; x < width_; x++) out[x] = weighted(t.count, t.weight, [&](uint32_t i) -> const Pixel& { return rows[i][x]; });
}

}  // namespace softgen::display
