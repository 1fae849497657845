// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vc1/inter.h"

#include <algorithm>
#include <cstring>

#include "hw/media/vc1/frame_motion.h"
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
  for (size_t reference = 0; reference < picture.references.size(); ++reference) {
    const auto& compensation = motion.compensation[reference];
    is_changed_[reference] = compensation[0] || compensation[1] || motion.range_change != RangeChange::none;
    if (!is_changed_[reference]) continue;
    for (const bool is_chroma : {false, true})
      for (int sample = 0; sample < 256; ++sample) {
        int value = ranged(motion.range_change, sample);
        for (const auto& by : compensation)
          if (by) value = compensated(*by, is_chroma, value);
        changes_[reference][is_chroma][static_cast<size_t>(sample)] = static_cast<uint8_t>(value);
      }
  }
}

int Predictor::bias(unsigned reference) const {
  const PictureParams& params = picture_.params;
  const bool is_bottom = reference & 2;
  return !params.is_field() || is_bottom == params.field.bottom ? 0 : params.field.bottom ? 2 : -2;
}

// Chosen as FFmpeg has it.
int Predictor::limited(unsigned reference, bool is_chroma, int top) const {
  const PictureParams& params = picture_.params;
  if (params.coding == Coding::frame || params.is_interlaced_reference(reference) != (params.coding == Coding::progressive)) return top;
  const int height = static_cast<int>(params.edge_height);
  return is_chroma ? std::clamp(top, -8, height / 2) : std::clamp(top, -18, height + 1);
}

void Predictor::fetch(unsigned reference, bool is_chroma, int x, int y, unsigned columns, unsigned rows, unsigned row_step,
                      uint8_t* to) const {
  const PictureMap& picture = picture_.references[reference];
  const PlaneMap& from = is_chroma ? picture.chroma : picture.luma;
  if (!from.is_open()) {
    std::memset(to, grey, stride * rows);
  } else {
    const PictureParams& params = picture_.params;
    const bool interlaced = params.is_interlaced_reference(reference),
               is_outside = y < 0 || y + static_cast<int>(rows) > static_cast<int>(from.layout().height);
    if (params.is_field() ? !interlaced : row_step > 1 || (interlaced && is_outside))
      fetch_rows(reference, from, x, y, columns, rows, row_step, to);
    else from.fetch(x, y, columns, rows, reinterpret_cast<std::byte*>(to), stride);
  }
  const unsigned bytes = is_chroma ? 2 * columns : columns;
  if (picture_.params.coding != Coding::frame) {
    if (is_changed_[reference]) change(changes_[reference][is_chroma], bytes, rows, to);
    return;
  }
  // Compensation is by field.
  for (unsigned row = 0; row < rows; ++row) {
    const unsigned of_field = reference | ((static_cast<unsigned>(y) + row * row_step) & 1) << 1;
    if (is_changed_[of_field]) change(changes_[of_field][is_chroma], bytes, 1, to + row * stride);
  }
}

// Beyond the frame either its last row continues, or each field's. A field picture's progressive reference is a map of the frame, too.
void Predictor::fetch_rows(unsigned reference, const PlaneMap& from, int x, int y, unsigned columns, unsigned rows, unsigned row_step,
                           uint8_t* to) const {
  const PictureParams& params = picture_.params;
  const bool interlaced = params.is_interlaced_reference(reference);
  const int last = std::max(static_cast<int>(from.layout().height) / 2 - 1, 0);
  for (unsigned row = 0; row < rows; ++row) {
    int at = y + static_cast<int>(row * row_step);
    if (params.is_field()) at = 2 * at + static_cast<int>(reference >> 1);
    else if (interlaced) at = std::clamp(at >> 1, 0, last) * 2 + (at & 1);
    from.fetch(x, at, columns, 1, reinterpret_cast<std::byte*>(to + row * stride), stride);
  }
}

void Predictor::luma(int x, int y, unsigned size, unsigned reference, Vector vector, bool average, unsigned row_step) {
  const MotionParams& motion = picture_.params.motion;
  uint8_t fetched[20 * stride], predicted[16 * stride];
  const int vertical = vector.y + bias(reference);
  int left = x + (vector.x >> 2), top = y + (vertical >> 2);
  if (!picture_.params.advanced) {
    // Simple and Main profile limit where a block begins and keep its fraction (as FFmpeg has it), so two more columns or rows count than without the limit.
    left = std::clamp(left, -16, static_cast<int>(picture_.params.width * 16));
    top = std::clamp(top, -16, static_cast<int>(picture_.params.height * 16));
  }
  top = limited(reference, false, top);
  const unsigned fraction_x = vector.x & 3, fraction_y = vertical & 3, more = motion.bilinear ? 1 : 3;
  const int before = motion.bilinear ? 0 : 1;
  const int rows_before = before * static_cast<int>(row_step);
  fetch(reference, false, left - before, top - rows_before, size + more, size + more, row_step, fetched);
  const int rounding = motion.rounding;
  // Bilinear vectors are of half samples. Halves round up, or down with RND.
  if (motion.bilinear)
    bilinear(fetched, size, size, 1, fraction_x & 2, fraction_y & 2, 8 - (fraction_x & fraction_y & 2 ? 4 : 8) * rounding, predicted);
  else bicubic(fetched, size, fraction_x, fraction_y, rounding, predicted);
  Plane<uint8_t>& plane = picture_.frame.luma;
  store(predicted, size, size, plane.at(static_cast<uint32_t>(x), static_cast<uint32_t>(y)), plane.stride() * row_step, average);
}

void Predictor::chroma_block(uint32_t x, uint32_t y, unsigned reference, Vector moved, bool average) {
  uint8_t fetched[9 * stride], predicted[8 * stride];
  const int left = static_cast<int>(x * 8) + (moved.x >> 2);
  const int top = limited(reference, true, static_cast<int>(y * 8) + (moved.y >> 2));
  fetch(reference, true, left, top, 9, 9, 1, fetched);
  bilinear(fetched, 8, 16, 2, moved.x & 3, moved.y & 3, picture_.params.motion.rounding ? 7 : 8, predicted);
  Plane<uint8_t>& plane = picture_.frame.chroma;
  store(predicted, 8, 16, plane.at(x * 16, y * 8), plane.stride(), average);
}

// Chosen as FFmpeg has it: FASTUVMC comes before the step between fields where a macroblock has four vectors, else after it.
void Predictor::chroma(uint32_t x, uint32_t y, unsigned reference, Vector vector) {
  Vector moved = chroma_vector(vector);
  if (picture_.params.motion.fast_chroma) moved = {to_half(moved.x), to_half(moved.y)};
  moved.y = static_cast<int16_t>(moved.y + bias(reference));
  chroma_block(x, y, reference, moved, false);
}

void Predictor::macroblock(uint32_t x, uint32_t y, unsigned reference, Vector vector, bool average) {
  luma(static_cast<int>(x * 16), static_cast<int>(y * 16), 16, reference, vector, average);
  Vector moved = chroma_vector(vector);
  moved.y = static_cast<int16_t>(moved.y + bias(reference));
  if (picture_.params.motion.fast_chroma && picture_.params.coding != Coding::frame) moved = {to_half(moved.x), to_half(moved.y)};
  chroma_block(x, y, reference, moved, average);
}

void Predictor::frame_blocks(uint32_t x, uint32_t y, std::array<unsigned, 2> references, const std::array<Vector, 4>& vectors,
                             bool of_fields, bool average) {
  const unsigned row_step = of_fields ? 2 : 1;
  for (unsigned block = 0; block < 4; ++block) {
    const unsigned reference = references[block >> 1], column = block & 1, row = block >> 1;
    const Vector vector = vectors[block];
    luma(static_cast<int>(x * 16 + column * 8), static_cast<int>(y * 16 + row * (of_fields ? 1 : 8)), 8, reference, vector, average,
         row_step);
    const int moved_x = chroma_vector(vector).x, moved_y = of_fields ? field_chroma_component(vector.y) : chroma_vector(vector).y;
    const uint32_t left = x * 8 + column * 4, top = y * 8 + row * (of_fields ? 1 : 4);
    uint8_t fetched[5 * stride], predicted[4 * stride];
    fetch(reference, true, static_cast<int>(left) + (moved_x >> 2), static_cast<int>(top) + (moved_y >> 2), 5, 5, row_step, fetched);
    bilinear(fetched, 4, 8, 2, static_cast<unsigned>(moved_x) & 3, static_cast<unsigned>(moved_y) & 3,
             picture_.params.motion.rounding ? 7 : 8, predicted);
    Plane<uint8_t>& plane = picture_.frame.chroma;
    store(predicted, 4, 8, plane.at(left * 2, top), plane.stride() * row_step, average);
  }
}

void Predictor::luma_block(uint32_t x, uint32_t y, unsigned block, unsigned reference, Vector vector) {
  luma(static_cast<int>(x * 16 + (block & 1) * 8), static_cast<int>(y * 16 + (block >> 1) * 8), 8, reference, vector, false);
}

}  // namespace softgen::media::vc1
