// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vc1/motion.h"

#include <algorithm>
#include <cstdlib>

#include "hw/media/vc1/vlc.h"

namespace softgen::media::vc1 {
namespace {

constexpr int escape_index = 35, intra_index = 36, indices = 37;

Sum sum_of(Vector vector) { return {vector.x, vector.y}; }

/// Pullback, 8.3.5.3.4: a component of a vector of what is at `position` reaches from `min` to 4 before the end of `blocks` macroblocks of 1 << `shift`.
int pulled_back(int component, int position, int min, uint32_t blocks, unsigned shift) {
  return std::clamp(component, min - position, std::max(static_cast<int>(blocks << shift) - 4, min) - position);
}

Vector in_range(const MotionParams& motion, Sum predicted, const VectorData& data) {
  const Sum range = vector_range(motion);
  return {wrapped(predicted.x + data.x, range.x), wrapped(predicted.y + data.y, range.y)};
}

/// One component of a differential by its class.
int read_component(BitReader& bits, unsigned kind, bool quarter) {
  static constexpr uint8_t sizes[6] = {0, 2, 3, 4, 5, 8}, offsets[6] = {0, 1, 3, 7, 15, 31};
  const unsigned size = sizes[kind] - (!quarter && kind == 5);
  if (!kind) return 0;
  const uint32_t value = bits.take(size);
  const int magnitude = static_cast<int>(value >> 1) + offsets[kind];
  return value & 1 ? -magnitude : magnitude;
}

/// A luma block of the picture, in units of 8 samples.
Sum block_vector(const Picture& picture, int x, int y) {
  return sum_of(picture.at(static_cast<uint32_t>(x) / 2, static_cast<uint32_t>(y) / 2).forward[static_cast<size_t>((y & 1) * 2 + (x & 1))]);
}
bool is_intra(const Picture& picture, int x, int y) {
  return picture.at(static_cast<uint32_t>(x) / 2, static_cast<uint32_t>(y) / 2).intra >> ((y & 1) * 2 + (x & 1)) & 1;
}

}  // namespace

bool is_hybrid(Sum predicted, Sum above, Sum left) {
  constexpr int threshold = 32;
  const auto is_far = [&](Sum from) { return std::abs(predicted.x - from.x) + std::abs(predicted.y - from.y) > threshold; };
  return is_far(above) || is_far(left);
}

bool read_vector_data(BitReader& bits, const PictureParams& picture, VectorData& data) {
  const int code = tables().vector[picture.tables.vector].take(bits);
  if (code < 0) return false;
  int index = code + 1;
  data = {};
  data.has_coefficients = index >= indices;
  if (data.has_coefficients) index -= indices;
  const bool quarter = picture.motion.quarter;
  if (index == intra_index) {
    data.intra = true;
  } else if (index == escape_index) {
    const unsigned x = picture.motion.range + 8u + picture.motion.range / 2u, y = picture.motion.range + 7u;
    data.x = static_cast<int>(bits.take(x + quarter));
    data.y = static_cast<int>(bits.take(y + quarter));
  } else {
    data.x = read_component(bits, static_cast<unsigned>(index % 6), quarter);
    data.y = read_component(bits, static_cast<unsigned>(index / 6), quarter);
  }
  if (!quarter) data.x *= 2, data.y *= 2;
  return true;
}

Vector predict_vector(BitReader& bits, const Picture& picture, Position at, unsigned block, bool is_one, const VectorData& data) {
  const PictureParams& params = picture.params;
  const bool is_last = at.x + 1 == params.width;
  const int x = static_cast<int>(2 * at.x + (block & 1)), y = static_cast<int>(2 * at.y + (block >> 1));
  // The second predictor's column, from the block's.
  static constexpr int lower[2] = {1, -1};
  const int offset = is_one ? (is_last ? -1 : 2) : block > 1 ? lower[block - 2] : block ? (is_last ? -1 : 1) : (at.x ? -1 : 1);
  const bool has_a = at.has_above() || block > 1, has_b = has_a && (!is_one || params.width > 1), has_c = at.x || (block & 1);
  const Sum a = has_a ? block_vector(picture, x, y - 1) : Sum{}, b = has_b ? block_vector(picture, x + offset, y - 1) : Sum{};
  const Sum c = has_c ? block_vector(picture, x - 1, y) : Sum{};
  Sum predicted = has_a + has_b + has_c > 1 ? median(a, b, c) : has_a ? a : c;
  // Not further outside than the block's size.
  const int min = is_one ? -60 : -28;
  predicted = {pulled_back(predicted.x, 32 * x, min, params.width, 6), pulled_back(predicted.y, 32 * y, min, params.height, 6)};
  if (has_a && has_c && is_hybrid(predicted, is_intra(picture, x, y - 1) ? Sum{} : a, is_intra(picture, x - 1, y) ? Sum{} : c))
    predicted = bits.flag() ? a : c;
  return in_range(params.motion, predicted, data);
}

Vector predict_b_vector(const Picture& picture, Position at, unsigned direction, const VectorData& data) {
  const PictureParams& params = picture.params;
  const auto vector_at = [&](uint32_t x, uint32_t y) { return sum_of(picture.at(x, y).vectors(direction)[0]); };
  const Sum c = at.x ? vector_at(at.x - 1, at.y) : Sum{};
  Sum predicted = c;
  if (at.has_above()) {
    predicted = vector_at(at.x, at.y - 1);
    if (params.width > 1) predicted = median(predicted, vector_at(at.x + 1 == params.width ? at.x - 1 : at.x + 1, at.y - 1), c);
  }
  // Chosen as FFmpeg has it: in Simple and Main profile pullback counts a macroblock as half of its size.
  const unsigned shift = params.advanced ? 6 : 5;
  const int min = 4 - (1 << shift);
  predicted = {pulled_back(predicted.x, static_cast<int>(at.x << shift), min, params.width, shift),
               pulled_back(predicted.y, static_cast<int>(at.y << shift), min, params.height, shift)};
  return in_range(params.motion, predicted, data);
}

int direct_component(const MotionParams& motion, int value, int direction) {
  const int scale = motion.scale - 256 * direction;
  return motion.quarter ? (value * scale + 128) >> 8 : 2 * ((value * scale + 255) >> 9);
}

Vector direct_vector(const MotionParams& motion, Vector stored, int direction) {
  return {static_cast<int16_t>(direct_component(motion, stored.x, direction)),
          static_cast<int16_t>(direct_component(motion, stored.y, direction))};
}

// 8.4.5.4: the backward reference's vector by BFRACTION, and pullback.
std::array<Vector, 2> direct_vectors(const Picture& picture, Position at) {
  const PictureParams& params = picture.params;
  const Vector stored = picture.stored_at(at.x, at.y).vector;
  std::array<Vector, 2> vectors;
  for (int direction = 0; direction < 2; ++direction) {
    const auto scaled = [&](int value, uint32_t place, uint32_t size) {
      return static_cast<int16_t>(
          pulled_back(direct_component(params.motion, value, direction), static_cast<int>(place << 6), -60, size, 6));
    };
    vectors[static_cast<size_t>(direction)] = {scaled(stored.x, at.x, params.width), scaled(stored.y, at.y, params.height)};
  }
  return vectors;
}

bool combined_vector(const std::array<Vector, 4>& vectors, uint8_t intra, Vector& combined) {
  Sum inter[4];
  unsigned count = 0;
  for (unsigned i = 0; i < 4; ++i)
    if (!(intra >> i & 1)) inter[count++] = sum_of(vectors[i]);
  if (count < 2) return false;
  Sum found;
  if (count == 3) {
    found = median(inter[0], inter[1], inter[2]);
  } else {
    // Of two the mean, of four the mean of the middle ones: both are sums without the lowest and the highest of four.
    const auto middle = [&](int Sum::* axis) {
      int sum = 0, min = inter[0].*axis, max = min;
      for (unsigned i = 0; i < count; ++i) {
        const int value = inter[i].*axis;
        sum += value, min = std::min(min, value), max = std::max(max, value);
      }
      return (count == 4 ? sum - min - max : sum) / 2;
    };
    found = {middle(&Sum::x), middle(&Sum::y)};
  }
  combined = {static_cast<int16_t>(found.x), static_cast<int16_t>(found.y)};
  return true;
}

Vector chroma_vector(Vector luma) {
  const auto half = [](int value) { return static_cast<int16_t>((value + ((value & 3) == 3)) >> 1); };
  return {half(luma.x), half(luma.y)};
}

}  // namespace softgen::media::vc1
