// SPDX-License-Identifier: GPL-2.0-or-later
// Formats of the constants: iHD's mhw_vebox_g9_X.cpp and i965-va-driver's gen75_vpp_vebox.c. That sums are exact, rounded once to the nearest sample
// and clamped, is chosen.
#include "hw/media/vebox/colour.h"

#include <algorithm>
#include <utility>

namespace softgen::media::vebox {
namespace {

constexpr int32_t black = 16 << 8, grey = 128 << 8;

uint16_t clamped(int64_t value) { return static_cast<uint16_t>(std::clamp<int64_t>(value, 0, 0xffff)); }
/// `value` / 2^shift, to the nearest.
constexpr int64_t rounded(int64_t value, unsigned shift) { return (value + (int64_t{1} << (shift - 1))) >> shift; }

}  // namespace

void amplify(const ProcAmp& amplifier, Band& band) {
  constexpr unsigned contrast_fraction = 7, hue_fraction = 8;
  constexpr int32_t brightness_unit = 1 << 4;  // of 16-bit samples: S7.4 of 8 bits
  auto& [luma, u, v] = band.planes;
  const int64_t offset = int64_t{amplifier.brightness} * brightness_unit + black;
  for (int y = band.first; y < band.first + band.count; ++y) {
    uint16_t* const row = luma.row(y);
    for (int x = 0; x < luma.columns; ++x)
      row[x] = clamped(rounded(int64_t{row[x] - black} * amplifier.contrast, contrast_fraction) + offset);
  }
  const int down = band.step_y();
  for (int y = band.first / down; y < (band.first + band.count) / down; ++y) {
    uint16_t *const row_u = u.row(y), *const row_v = v.row(y);
    for (int x = 0; x < u.columns; ++x) {
      const int64_t a = row_u[x] - grey, b = row_v[x] - grey;
      row_u[x] = clamped(rounded(a * amplifier.cosine + b * amplifier.sine, hue_fraction) + grey);
      row_v[x] = clamped(rounded(b * amplifier.cosine - a * amplifier.sine, hue_fraction) + grey);
    }
  }
}

void transform(const Matrix& matrix, Band& band) {
  constexpr unsigned fraction = 16;
  const auto& c = matrix.coefficient;
  for (int y = band.first; y < band.first + band.count; ++y) {
    uint16_t* const row[3] = {band.planes[0].row(y), band.planes[1].row(y), band.planes[2].row(y)};
    for (int x = 0; x < band.planes[0].columns; ++x) {
      const int64_t in[3] = {row[0][x] + matrix.in[0], row[1][x] + matrix.in[1], row[2][x] + matrix.in[2]};
      for (size_t i = 0; i < 3; ++i)
        row[i][x] = clamped(rounded(c[3 * i] * in[0] + c[3 * i + 1] * in[1] + c[3 * i + 2] * in[2], fraction) + matrix.out[i]);
    }
  }
}

bool changes(const Colour& colour, Sampling from, Sampling to) {
  return from != to || colour.front || colour.back || colour.amplifier || colour.swap;
}

const Band& recolour(const Colour& colour, Band& band, int width, Sampling to, Band& a, Band& b) {
  Band* now = &band;
  // Matrices need all components at each pixel. ProcAmp's rotation is linear, so it commutes with what resampling does.
  if ((colour.front || colour.back || colour.swap) && now->sampling != Sampling::s444) {
    resample(*now, Sampling::s444, width, colour, a);
    now = &a;
  }
  if (colour.front) transform(*colour.front, *now);
  if (colour.amplifier) amplify(*colour.amplifier, *now);
  if (colour.back) transform(*colour.back, *now);
  if (colour.swap) std::swap(now->planes[0].samples, now->planes[2].samples);
  if (now->sampling == to) return *now;
  resample(*now, to, width, colour, b);
  return b;
}

}  // namespace softgen::media::vebox
