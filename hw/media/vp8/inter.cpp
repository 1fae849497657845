// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vp8/inter.h"

#include <algorithm>
#include <cstring>

namespace softgen::media::vp8 {
namespace {

constexpr int taps[8][6] = {{0, 0, 128, 0, 0, 0},     {0, -6, 123, 12, -1, 0}, {2, -11, 108, 36, -8, 1}, {0, -9, 93, 50, -6, 0},
                            {3, -16, 77, 77, -16, 3}, {0, -6, 50, 93, -9, 0},  {1, -8, 36, 108, -11, 2}, {0, -1, 12, 123, -6, 0}};
constexpr uint8_t grey = 128;
constexpr unsigned before = 2, after = 3, max_size = 16;  ///< rows and columns that six taps need around a block
/// Bytes of a row that is fetched: as many for luma as for pairs of chroma of half the columns.
constexpr size_t fetched_stride = 32, fetched_rows = max_size + before + after;

/// The weights of the samples -2 to 3.
const int* weights(bool bilinear, unsigned fraction, int (&room)[6]) {
  if (!bilinear) return taps[fraction];
  std::fill_n(room, 6, 0);
  room[2] = 128 - static_cast<int>(fraction) * 16, room[3] = static_cast<int>(fraction) * 16;
  return room;
}

uint8_t filtered(const uint8_t* at, ptrdiff_t step, const int* weight) {
  int sum = 64;
  for (int i = 0; i < 6; ++i) sum += at[(i - 2) * step] * weight[i];
  return static_cast<uint8_t>(std::clamp(sum >> 7, 0, 255));
}

/// `columns` elements of `element` interleaved components, at (x, y) in eighths of an element.
void predict_block(const PlaneMap& from, bool bilinear, int x, int y, unsigned columns, unsigned rows, size_t element, uint8_t* to,
                   size_t stride) {
  uint8_t fetched[fetched_rows * fetched_stride], mid[fetched_rows * fetched_stride];
  if (from.is_open())
    from.fetch((x >> 3) - static_cast<int>(before), (y >> 3) - static_cast<int>(before), columns + before + after, rows + before + after,
               reinterpret_cast<std::byte*>(fetched), fetched_stride);
  else std::memset(fetched, grey, sizeof fetched);
  const unsigned fraction_x = x & 7, fraction_y = y & 7;
  const size_t bytes = columns * element;
  int room_x[6], room_y[6];
  const int *const across = weights(bilinear, fraction_x, room_x), *const down = weights(bilinear, fraction_y, room_y);
  for (size_t row = 0; row < rows + before + after; ++row) {
    const uint8_t* const line = fetched + row * fetched_stride + before * element;
    if (fraction_x)
      for (size_t i = 0; i < bytes; ++i) mid[row * fetched_stride + i] = filtered(line + i, static_cast<ptrdiff_t>(element), across);
    else std::memcpy(mid + row * fetched_stride, line, bytes);
  }
  for (size_t row = 0; row < rows; ++row) {
    const uint8_t* const line = mid + (row + before) * fetched_stride;
    if (fraction_y)
      for (size_t i = 0; i < bytes; ++i) to[row * stride + i] = filtered(line + i, fetched_stride, down);
    else std::memcpy(to + row * stride, line, bytes);
  }
}

/// Of a macroblock with one vector: half, away from 0 (in eighths of a chroma sample).
int chroma_component(int value, bool full_pixel) {
  const int half = (value + (value < 0 ? -1 : 1)) / 2;
  return full_pixel ? half & ~7 : half;
}

/// Of four: their mean, rounded away from 0.
int chroma_mean(int sum, bool full_pixel) {
  const int mean = (sum + (sum < 0 ? -4 : 4)) / 8;
  return full_pixel ? mean & ~7 : mean;
}

void predict_split(const FrameParams& frame, const Macroblock& block, uint32_t x, uint32_t y, const PictureMap& reference,
                   Frame<uint8_t>& to) {
  // Parts of 8x8 and more: four predictions; their pixels are the same as of sixteen.
  const unsigned size = block.partition < 3 ? 8 : 4;
  for (unsigned row = 0; row < 16; row += size) {
    for (unsigned column = 0; column < 16; column += size) {
      const Vector vector = block.vector[row / 4 * 4 + column / 4];
      const uint32_t left = x * 16 + column, top = y * 16 + row;
      predict_block(reference.luma, frame.bilinear, static_cast<int>(left * 8) + vector.x, static_cast<int>(top * 8) + vector.y, size, size,
                    1, to.luma.at(left, top), to.luma.stride());
    }
  }
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned first = i / 2 * 8 + i % 2 * 2;
    int sum_x = 0, sum_y = 0;
    for (const unsigned other : {0u, 1u, 4u, 5u}) sum_x += block.vector[first + other].x, sum_y += block.vector[first + other].y;
    const uint32_t left = x * 8 + i % 2 * 4, top = y * 8 + i / 2 * 4;
    predict_block(reference.chroma, frame.bilinear, static_cast<int>(left * 8) + chroma_mean(sum_x, frame.full_pixel_chroma),
                  static_cast<int>(top * 8) + chroma_mean(sum_y, frame.full_pixel_chroma), 4, 4, 2, to.chroma.at(left * 2, top),
                  to.chroma.stride());
  }
}

}  // namespace

void predict_inter(const FrameParams& frame, const Macroblock& block, uint32_t x, uint32_t y, const PictureMap& reference,
                   Frame<uint8_t>& to) {
  if (block.mode == Mode::split) return predict_split(frame, block, x, y, reference, to);
  const Vector vector = block.vector[0];
  predict_block(reference.luma, frame.bilinear, static_cast<int>(x * 128) + vector.x, static_cast<int>(y * 128) + vector.y, 16, 16, 1,
                to.luma.at(x * 16, y * 16), to.luma.stride());
  predict_block(reference.chroma, frame.bilinear, static_cast<int>(x * 64) + chroma_component(vector.x, frame.full_pixel_chroma),
                static_cast<int>(y * 64) + chroma_component(vector.y, frame.full_pixel_chroma), 8, 8, 2, to.chroma.at(x * 16, y * 8),
                to.chroma.stride());
}

}  // namespace softgen::media::vp8
