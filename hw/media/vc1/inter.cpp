// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vc1/inter.h"

#include <algorithm>
#include <cstring>

#include "hw/media/vc1/motion.h"

namespace softgen::media::vc1 {
namespace {

constexpr size_t stride = 32;  ///< of what is fetched
constexpr uint8_t grey = 128;

uint8_t clamped(int value) { return static_cast<uint8_t>(std::clamp(value, 0, 255)); }

/// Taps for a quarter, a half and three quarters; sums are 2^shift.
constexpr int taps[4][4] = {{0, 1, 0, 0}, {-4, 53, 18, -3}, {-1, 9, 9, -1}, {-3, 18, 53, -4}};
constexpr unsigned shifts[4] = {0, 6, 4, 6};

template <typename T>
int filtered(const T* from, size_t step, unsigned fraction) {
  const int* const tap = taps[fraction];
  return tap[0] * *(from - step) + tap[1] * *from + tap[2] * from[step] + tap[3] * from[2 * step];
}

/// `from` has one row and column before the block and two behind it.
void bicubic(const uint8_t* from, unsigned size, unsigned x, unsigned y, int rounding, uint8_t* to) {
  const uint8_t* const at = from + stride + 1;
  if (x && y) {
    // Columns first, with so much precision that rows end with a shift by 7 (8.3.6.5.2).
    const unsigned shift = shifts[x] + shifts[y] - 7;
    const int half = (1 << (shift - 1)) + rounding - 1;
    int16_t columns[16][stride];
    for (unsigned row = 0; row < size; ++row)
      for (unsigned i = 0; i < size + 3; ++i)
        columns[row][i] = static_cast<int16_t>((filtered(at + row * stride + i - 1, stride, y) + half) >> shift);
    for (unsigned row = 0; row < size; ++row)
      for (unsigned i = 0; i < size; ++i) to[row * stride + i] = clamped((filtered(&columns[row][i + 1], 1, x) + 64 - rounding) >> 7);
    return;
  }
  const unsigned fraction = x | y, shift = shifts[fraction];
  const int half = fraction ? (1 << (shift - 1)) - (y ? 1 - rounding : rounding) : 0;
  for (unsigned row = 0; row < size; ++row)
    for (unsigned i = 0; i < size; ++i) {
      const int sum = filtered(at + row * stride + i, y ? stride : 1, fraction);
      to[row * stride + i] = clamped((sum + half) >> shift);
    }
}

/// Fractions in quarters; `from` has one row and column behind the block. `step`: samples of a component.
void bilinear(const uint8_t* from, unsigned rows, unsigned columns, unsigned step, unsigned x, unsigned y, int half, uint8_t* to) {
  const auto weigh = [&](unsigned a, unsigned b) { return static_cast<int>(a * b); };
  const int w00 = weigh(4 - x, 4 - y), w10 = weigh(x, 4 - y), w01 = weigh(4 - x, y), w11 = weigh(x, y);
  for (unsigned row = 0; row < rows; ++row)
    for (unsigned i = 0; i < columns; ++i) {
      const uint8_t* const at = from + row * stride + i;
      to[row * stride + i] = static_cast<uint8_t>((w00 * at[0] + w10 * at[step] + w01 * at[stride] + w11 * at[stride + step] + half) >> 4);
    }
}

void store(const uint8_t* from, unsigned rows, unsigned columns, uint8_t* to, size_t to_stride, bool average) {
  for (unsigned row = 0; row < rows; ++row, from += stride, to += to_stride) {
    if (!average) std::memcpy(to, from, columns);
    else
      for (unsigned i = 0; i < columns; ++i) to[i] = static_cast<uint8_t>((to[i] + from[i] + 1) >> 1);
  }
}

void fetch(const PlaneMap& from, int x, int y, unsigned columns, unsigned rows, uint8_t* to) {
  if (from.is_open()) from.fetch(x, y, columns, rows, reinterpret_cast<std::byte*>(to), stride);
  else std::memset(to, grey, stride * rows);
}

void change(const std::array<uint8_t, 256>& by, unsigned bytes, unsigned rows, uint8_t* samples) {
  for (unsigned row = 0; row < rows; ++row)
    for (unsigned i = 0; i < bytes; ++i) samples[row * stride + i] = by[samples[row * stride + i]];
}

/// FASTUVMC: to a half sample, towards 0 (8.3.5.4.5).
int16_t to_half(int value) { return static_cast<int16_t>(value < 0 ? value + (value & 1) : value - (value & 1)); }

int ranged(RangeChange change, int sample) {
  if (change == RangeChange::down) return ((sample - 128) >> 1) + 128;
  return change == RangeChange::up ? clamped((sample - 128) * 2 + 128) : sample;
}

}  // namespace

uint8_t compensated(Compensation by, bool is_chroma, int sample) {
  const int shift = by.shift > 31 ? by.shift - 64 : by.shift;
  const int scale = by.scale ? by.scale + 32 : -64;
  if (is_chroma) return clamped((scale * (sample - 128) + 128 * 64 + 32) >> 6);
  const int offset = by.scale ? shift * 64 : 255 * 64 - shift * 128;
  return clamped((scale * sample + offset + 32) >> 6);
}

Predictor::Predictor(Picture& picture) : picture_(picture) {
  const MotionParams& motion = picture.params.motion;
  for (size_t direction = 0; direction < 2; ++direction) {
    const auto& compensation = motion.compensation[direction];
    is_changed_[direction] = compensation || motion.range_change != RangeChange::none;
    if (!is_changed_[direction]) continue;
    for (const bool is_chroma : {false, true})
      for (int sample = 0; sample < 256; ++sample) {
        const int value = ranged(motion.range_change, sample);
        changes_[direction][is_chroma][static_cast<size_t>(sample)] =
            compensation ? compensated(*compensation, is_chroma, value) : static_cast<uint8_t>(value);
      }
  }
}

void Predictor::luma(int x, int y, unsigned size, unsigned direction, Vector vector, bool average) {
  const MotionParams& motion = picture_.params.motion;
  uint8_t fetched[20 * stride], predicted[16 * stride];
  int left = x + (vector.x >> 2), top = y + (vector.y >> 2);
  if (!picture_.params.advanced) {
    // Simple and Main profile limit where a block begins and keep its fraction (as FFmpeg has it), so two more columns or rows count than without the limit.
    left = std::clamp(left, -16, static_cast<int>(picture_.params.width * 16));
    top = std::clamp(top, -16, static_cast<int>(picture_.params.height * 16));
  }
  const unsigned fraction_x = vector.x & 3, fraction_y = vector.y & 3, more = motion.bilinear ? 1 : 3;
  const int before = motion.bilinear ? 0 : 1;
  fetch(picture_.references[direction].luma, left - before, top - before, size + more, size + more, fetched);
  if (is_changed_[direction]) change(changes_[direction][0], size + more, size + more, fetched);
  const int rounding = motion.rounding;
  // Bilinear vectors are of half samples. Halves round up, or down with RND.
  if (motion.bilinear)
    bilinear(fetched, size, size, 1, fraction_x & 2, fraction_y & 2, 8 - (fraction_x & fraction_y & 2 ? 4 : 8) * rounding, predicted);
  else bicubic(fetched, size, fraction_x, fraction_y, rounding, predicted);
  Plane<uint8_t>& plane = picture_.frame.luma;
  store(predicted, size, size, plane.at(static_cast<uint32_t>(x), static_cast<uint32_t>(y)), plane.stride(), average);
}

void Predictor::chroma(uint32_t x, uint32_t y, unsigned direction, Vector vector, bool average) {
  uint8_t fetched[9 * stride], predicted[8 * stride];
  const bool is_fast = picture_.params.motion.fast_chroma;
  const Vector exact = chroma_vector(vector), moved = is_fast ? Vector{to_half(exact.x), to_half(exact.y)} : exact;
  const int left = static_cast<int>(x * 8) + (moved.x >> 2), top = static_cast<int>(y * 8) + (moved.y >> 2);
  fetch(picture_.references[direction].chroma, left, top, 9, 9, fetched);
  if (is_changed_[direction]) change(changes_[direction][1], 18, 9, fetched);
  bilinear(fetched, 8, 16, 2, moved.x & 3, moved.y & 3, picture_.params.motion.rounding ? 7 : 8, predicted);
  Plane<uint8_t>& plane = picture_.frame.chroma;
  store(predicted, 8, 16, plane.at(x * 16, y * 8), plane.stride(), average);
}

void Predictor::macroblock(uint32_t x, uint32_t y, unsigned direction, Vector vector, bool average) {
  luma(static_cast<int>(x * 16), static_cast<int>(y * 16), 16, direction, vector, average);
  chroma(x, y, direction, vector, average);
}

void Predictor::luma_block(uint32_t x, uint32_t y, unsigned block, Vector vector) {
  luma(static_cast<int>(x * 16 + (block & 1) * 8), static_cast<int>(y * 16 + (block >> 1) * 8), 8, 0, vector, false);
}

}  // namespace softgen::media::vc1
