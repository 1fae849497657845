// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/mpeg2/motion.h"

#include <cstring>

#include "hw/media/mpeg2/vlc.h"

namespace softgen::media::mpeg2 {
namespace {

constexpr unsigned row_bytes = 16;     ///< of luma, and of pairs of chroma
constexpr size_t fetched_stride = 32;  ///< room for one sample more
constexpr uint8_t grey = 128;

/// One component of a vector, 7.6.3.1. False: not a code.
bool read_component(BitReader& bits, unsigned f_code, int& value) {
  const int code = take(bits, motion_codes);
  if (code < 0) return false;
  if (!code) return true;
  const bool negative = bits.flag();
  const unsigned residual_bits = f_code - 1;
  const int f = 1 << residual_bits, delta = (code - 1) * f + static_cast<int>(bits.take(residual_bits)) + 1;
  value += negative ? -delta : delta;
  if (value < -16 * f) value += 32 * f;
  else if (value >= 16 * f) value -= 32 * f;
  return true;
}

/// dmvector, table B.11.
int read_differential(BitReader& bits) { return !bits.flag() ? 0 : bits.flag() ? -1 : 1; }

/// Half, rounded away from 0: "//" of the standard.
int half_of(int value) { return (value + (value > 0)) >> 1; }

/// 16 bytes a row, of samples that are `step` bytes apart. `half`: bit 0 horizontal, bit 1 vertical.
template <bool average>
void interpolate(const uint8_t* from, size_t step, unsigned half, unsigned rows, uint8_t* to, size_t stride) {
  for (; rows; --rows, from += fetched_stride, to += stride) {
    uint8_t line[row_bytes];
    const uint8_t *const right = from + step, *const below = from + fetched_stride, *const across = below + step;
    switch (half) {
      case 0: std::memcpy(line, from, row_bytes); break;
      case 1:
        for (unsigned i = 0; i < row_bytes; ++i) line[i] = static_cast<uint8_t>((from[i] + right[i] + 1) >> 1);
        break;
      case 2:
        for (unsigned i = 0; i < row_bytes; ++i) line[i] = static_cast<uint8_t>((from[i] + below[i] + 1) >> 1);
        break;
      default:
        for (unsigned i = 0; i < row_bytes; ++i) line[i] = static_cast<uint8_t>((from[i] + right[i] + below[i] + across[i] + 2) >> 2);
        break;
    }
    if (!average) std::memcpy(to, line, row_bytes);
    else
      for (unsigned i = 0; i < row_bytes; ++i) to[i] = static_cast<uint8_t>((to[i] + line[i] + 1) >> 1);
  }
}

/// Where a prediction goes: rows of the picture, or of one of its fields.
struct Target {
  Frame<uint8_t>& frame;
  uint32_t row, step;  ///< first row, and rows between rows (luma); chroma begins on half of `chroma_row`'s
  uint32_t chroma_row;
};

void predict_plane(const PlaneMap& from, uint32_t columns, Vector at, unsigned rows, size_t step, uint8_t* to, size_t stride,
                   bool average) {
  uint8_t fetched[17 * fetched_stride];
  const unsigned half = (at.x & 1) | (at.y & 1) << 1;
  if (from.is_open())
    from.fetch(at.x >> 1, at.y >> 1, columns + (half & 1), rows + (half >> 1), reinterpret_cast<std::byte*>(fetched), fetched_stride);
  else std::memset(fetched, grey, sizeof fetched);
  if (average) interpolate<true>(fetched, step, half, rows, to, stride);
  else interpolate<false>(fetched, step, half, rows, to, stride);
}

/// `rows` of luma from row `y` of the map on, moved by `vector`.
void predict_rows(const PictureMap& from, uint32_t x, uint32_t y, Vector vector, unsigned rows, const Target& to, bool average) {
  Plane<uint8_t>&luma = to.frame.luma, &chroma = to.frame.chroma;
  const int left = static_cast<int>(x * 16), top = static_cast<int>(y);
  predict_plane(from.luma, 16, {2 * left + vector.x, 2 * top + vector.y}, rows, 1, luma.at(x * 16, to.row), luma.stride() * to.step,
                average);
  // Chroma's vector is half of luma's, truncated (7.6.3.7).
  predict_plane(from.chroma, 8, {left + vector.x / 2, top + vector.y / 2}, rows / 2, 2, chroma.at(x * 16, to.chroma_row),
                chroma.stride() * to.step, average);
}

void predict_in_frame(const PictureParams& picture, const References& from, const Motion& motion, uint32_t x, uint32_t y,
                      Frame<uint8_t>& to) {
  bool average = false;
  for (unsigned direction = 0; direction < 2; ++direction) {
    if (!motion.used[direction]) continue;
    if (motion.type == MotionType::frame)
      predict_rows(from.frame[direction], x, y * 16, motion.vector[direction][0], 16, {to, y * 16, 1, y * 8}, average);
    for (unsigned parity = 0; motion.type != MotionType::frame && parity < 2; ++parity) {
      const Target target{to, y * 16 + parity, 2, y * 8 + parity};
      const bool dual = motion.type == MotionType::dual_prime;
      const Vector vector = motion.vector[direction][dual ? 0 : parity];
      predict_rows(from.field[direction][dual ? parity : motion.select[direction][parity]], x, y * 8, vector, 8, target, average);
      if (!dual) continue;
      const int distance = dual_prime_distance(picture, parity);
      predict_rows(from.field[direction][!parity], x, y * 8, opposite_vector(vector, motion.differential, distance, parity), 8, target,
                   true);
    }
    average = true;
  }
}

void predict_in_field(const PictureParams& picture, const References& from, const Motion& motion, uint32_t x, uint32_t y,
                      Frame<uint8_t>& to) {
  const unsigned parity = picture.parity();
  bool average = false;
  for (unsigned direction = 0; direction < 2; ++direction) {
    if (!motion.used[direction]) continue;
    const auto& fields = from.field[direction];
    const auto& vectors = motion.vector[direction];
    const auto& select = motion.select[direction];
    const Target whole{to, y * 16, 1, y * 8};
    if (motion.type == MotionType::half_field) {
      predict_rows(fields[select[0]], x, y * 16, vectors[0], 8, whole, average);
      predict_rows(fields[select[1]], x, y * 16 + 8, vectors[1], 8, {to, y * 16 + 8, 1, y * 8 + 4}, average);
    } else if (motion.type == MotionType::dual_prime) {
      predict_rows(fields[parity], x, y * 16, vectors[0], 16, whole, average);
      predict_rows(fields[!parity], x, y * 16, opposite_vector(vectors[0], motion.differential, 1, parity), 16, whole, true);
    } else {
      predict_rows(fields[select[0]], x, y * 16, vectors[0], 16, whole, average);
    }
    average = true;
  }
}

}  // namespace

Vector opposite_vector(Vector vector, Vector differential, int distance, bool is_bottom) {
  return {half_of(vector.x * distance) + differential.x, half_of(vector.y * distance) + differential.y + (is_bottom ? 1 : -1)};
}

bool read_vectors(BitReader& bits, const PictureParams& picture, unsigned direction, Motion& motion, VectorPredictors& predictors) {
  const bool dual = motion.type == MotionType::dual_prime;
  // Vectors of fields in a frame count field rows, their predictors frame rows.
  const bool halved = picture.is_frame() && motion.type != MotionType::frame;
  const bool two = motion.type == MotionType::half_field || (picture.is_frame() && motion.type == MotionType::field);
  const bool selects = motion.type != MotionType::frame && !dual;
  for (unsigned i = 0; i < (two ? 2u : 1u); ++i) {
    if (selects) motion.select[direction][i] = bits.flag();
    Vector vector = predictors[direction][i];
    if (halved) vector.y >>= 1;
    if (!read_component(bits, picture.f_code[direction][0], vector.x)) return false;
    if (dual) motion.differential.x = read_differential(bits);
    if (!read_component(bits, picture.f_code[direction][1], vector.y)) return false;
    if (dual) motion.differential.y = read_differential(bits);
    motion.vector[direction][i] = vector;
    predictors[direction][i] = {vector.x, halved ? vector.y * 2 : vector.y};
  }
  if (!two) predictors[direction][1] = predictors[direction][0];
  return true;
}

void predict(const PictureParams& picture, const References& references, const Motion& motion, uint32_t x, uint32_t y, Frame<uint8_t>& to) {
  if (picture.is_frame()) predict_in_frame(picture, references, motion, x, y, to);
  else predict_in_field(picture, references, motion, x, y, to);
}

}  // namespace softgen::media::mpeg2
