// SPDX-License-Identifier: GPL-2.0-or-later
// How far predictions are from the source block. Samples are bytes; blocks of 4x4 are in the order of H.264 (figure 6-10): those of an 8x8 block follow
// each other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "hw/vme/request.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace softgen::vme {

using Block = std::array<uint8_t, block_size * block_size>;  ///< row by row
using Distortions = std::array<uint32_t, sub_blocks>;

/// Of the 4x4 blocks. Haar: the coefficients of an orthonormal transform, so that noise counts as in a sum of differences.
Distortions distortions(const Block& source, const uint8_t* other, size_t stride, Measure measure);

/// Sums of differences of the left and the right 8x8 block of the upper half (0) or the lower (1). `other`: of the whole block.
inline std::array<uint32_t, 2> differences(const Block& source, const uint8_t* other, size_t stride, unsigned half) {
  const uint8_t* s = &source[half * 8 * block_size];
  const uint8_t* o = other + half * 8 * stride;
#if defined(__SSE2__)
  // The instruction sums differences of eight bytes each.
  __m128i sum = _mm_setzero_si128();
  for (unsigned row = 0; row < 8; ++row, s += block_size, o += stride)
    sum = _mm_add_epi32(
        sum, _mm_sad_epu8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(s)), _mm_loadu_si128(reinterpret_cast<const __m128i*>(o))));
  return {static_cast<uint32_t>(_mm_cvtsi128_si32(sum)), static_cast<uint32_t>(_mm_cvtsi128_si32(_mm_srli_si128(sum, 8)))};
#else
  std::array<uint32_t, 2> sums{};
  for (unsigned row = 0; row < 8; ++row, s += block_size, o += stride)
    for (unsigned i = 0; i < block_size; ++i) sums[i / 8] += static_cast<uint32_t>(s[i] > o[i] ? s[i] - o[i] : o[i] - s[i]);
  return sums;
#endif
}

constexpr unsigned column_of(unsigned sub_block) { return (sub_block & 1) * 4 + (sub_block >> 2 & 1) * 8; }
constexpr unsigned row_of(unsigned sub_block) { return (sub_block >> 1 & 1) * 4 + (sub_block >> 3 & 1) * 8; }

/// The samples of a 16x16 block, or part of it, at a vector: `window` has the sample at the vector's whole part at `at`, and 2 before and 3 behind around it.
void interpolate(const uint8_t* at, size_t stride, Vector vector, bool bilinear, unsigned columns, unsigned rows, uint8_t* to);

}  // namespace softgen::vme
