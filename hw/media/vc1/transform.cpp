// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vc1/transform.h"

#include <algorithm>

namespace softgen::media::vc1 {
namespace {

/// The rows of T8 and T4 of annex A: first the even ones' products, then the odd ones', which the second half subtracts.
void transform_8(const int* in, int* out) {
  const int even[4] = {12 * (in[0] + in[4]) + 16 * in[2] + 6 * in[6], 12 * (in[0] - in[4]) + 6 * in[2] - 16 * in[6],
                       12 * (in[0] - in[4]) - 6 * in[2] + 16 * in[6], 12 * (in[0] + in[4]) - 16 * in[2] - 6 * in[6]};
  const int odd[4] = {16 * in[1] + 15 * in[3] + 9 * in[5] + 4 * in[7], 15 * in[1] - 4 * in[3] - 16 * in[5] - 9 * in[7],
                      9 * in[1] - 16 * in[3] + 4 * in[5] + 15 * in[7], 4 * in[1] - 9 * in[3] + 15 * in[5] - 16 * in[7]};
  for (unsigned i = 0; i < 4; ++i) out[i] = even[i] + odd[i], out[7 - i] = even[i] - odd[i];
}

void transform_4(const int* in, int* out) {
  const int even[2] = {17 * (in[0] + in[2]), 17 * (in[0] - in[2])}, odd[2] = {22 * in[1] + 10 * in[3], 10 * in[1] - 22 * in[3]};
  for (unsigned i = 0; i < 2; ++i) out[i] = even[i] + odd[i], out[3 - i] = even[i] - odd[i];
}

void transform(unsigned size, const int* in, int* out) { size == 8 ? transform_8(in, out) : transform_4(in, out); }

uint8_t clamped(int value) { return static_cast<uint8_t>(std::clamp(value, 0, 255)); }

}  // namespace

// Rows are rounded by 4 of 8, columns by 64 of 128; the lower half of eight rows has 1 more.
void inverse_transform(int16_t* block, unsigned width, unsigned height) {
  int in[8] = {}, out[8];
  for (unsigned y = 0; y < height; ++y) {
    std::copy_n(block + 8 * y, width, in);
    transform(width, in, out);
    for (unsigned x = 0; x < width; ++x) block[8 * y + x] = static_cast<int16_t>((out[x] + 4) >> 3);
  }
  for (unsigned x = 0; x < width; ++x) {
    for (unsigned y = 0; y < height; ++y) in[y] = block[8 * y + x];
    transform(height, in, out);
    for (unsigned y = 0; y < height; ++y) block[8 * y + x] = static_cast<int16_t>((out[y] + 64 + (y > 3)) >> 7);
  }
}

void add_block(const int16_t* block, unsigned width, unsigned height, uint8_t* to, size_t step, size_t stride) {
  for (unsigned y = 0; y < height; ++y)
    for (unsigned x = 0; x < width; ++x) {
      uint8_t& sample = to[y * stride + x * step];
      sample = clamped(sample + block[8 * y + x]);
    }
}

void put_block(const int16_t* block, size_t block_stride, int offset, uint8_t* to, size_t step, size_t stride) {
  for (unsigned y = 0; y < 8; ++y)
    for (unsigned x = 0; x < 8; ++x) to[y * stride + x * step] = clamped(block[y * block_stride + x] + offset);
}

}  // namespace softgen::media::vc1
