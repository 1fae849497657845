// SPDX-License-Identifier: GPL-2.0-or-later
// Compiled once per instruction set (TRANSFORM_KERNELS names the table).
#include "hw/media/hevc/sample_kernels.h"
#include "hw/media/hevc/transform_matrix.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace softgen::media::hevc {
namespace {

constexpr unsigned second_stage(unsigned bits) { return 20 - bits; }

/// Of a transform of `size`, whose rows are every (32 / size)-th of the largest.
template <unsigned size>
struct Matrix {
  int16_t at[size][size];
  /// Rows 2k and 2k + 1, element by element: operands of multiplications in pairs.
  alignas(32) int16_t pairs[size / 2][2 * size];
};
template <unsigned size>
constexpr Matrix<size> make_matrix() {
  Matrix<size> m{};
  for (unsigned k = 0; k < size; ++k)
    for (unsigned n = 0; n < size; ++n) m.at[k][n] = m.pairs[k / 2][2 * n + k % 2] = matrix_element(k * (32 / size), n);
  return m;
}
template <unsigned size>
constexpr Matrix<size> matrix = make_matrix<size>();

/// One dimension: input element i of line l is at in[i * size + l], output element n of it at out[l * size + n]: two calls transpose twice.
template <unsigned size>
void transform_lines(const int16_t* in, int16_t* out, unsigned lines, unsigned used, unsigned shift) {
  const int32_t round = 1 << (shift - 1);
  for (unsigned line = 0; line < lines; ++line) {
    int32_t sums[size];
    for (unsigned n = 0; n < size; ++n) sums[n] = round;
    for (unsigned k = 0; k < used; ++k) {
      const int32_t value = in[k * size + line];
      if (!value) continue;
      for (unsigned n = 0; n < size; ++n) sums[n] += value * matrix<size>.at[k][n];
    }
    for (unsigned n = 0; n < size; ++n) {
      const int32_t value = sums[n] >> shift;
      out[line * size + n] = static_cast<int16_t>(value < -32768 ? -32768 : value > 32767 ? 32767 : value);
    }
  }
}

template <unsigned size>
void inverse_lines(const int16_t* coefficients, unsigned columns, unsigned rows, unsigned bits, int16_t* residuals) {
  int16_t middle[size * size];
  transform_lines<size>(coefficients, middle, columns, rows, 7);
  transform_lines<size>(middle, residuals, size, columns, second_stage(bits));
}

#ifdef __AVX2__
/// Columns first, with a vector's lanes for columns; rows then, with lanes for the output's places. Values of zero columns and rows are not computed.
template <unsigned size>
void inverse_vectors(const int16_t* coefficients, unsigned columns, unsigned rows, unsigned bits, int16_t* residuals) {
  constexpr unsigned group = 8;
  alignas(32) int16_t middle[size * size];
  const __m256i round = _mm256_set1_epi32(1 << 6);
  for (unsigned x = 0; x < columns; x += group) {
    __m256i pairs[size / 2];
    for (unsigned k = 0; k < rows / 2; ++k) {
      const __m128i first = _mm_loadu_si128(reinterpret_cast<const __m128i*>(coefficients + 2 * k * size + x)),
                    second = _mm_loadu_si128(reinterpret_cast<const __m128i*>(coefficients + (2 * k + 1) * size + x));
      pairs[k] = _mm256_set_m128i(_mm_unpackhi_epi16(first, second), _mm_unpacklo_epi16(first, second));
    }
    for (unsigned n = 0; n < size; n += 2) {
      __m256i one = round, other = round;
      for (unsigned k = 0; k < rows / 2; ++k) {
        int32_t weights[2];
        __builtin_memcpy(weights, matrix<size>.pairs[k] + 2 * n, sizeof weights);
        one = _mm256_add_epi32(one, _mm256_madd_epi16(pairs[k], _mm256_set1_epi32(weights[0])));
        other = _mm256_add_epi32(other, _mm256_madd_epi16(pairs[k], _mm256_set1_epi32(weights[1])));
      }
      const __m256i packed = _mm256_permute4x64_epi64(_mm256_packs_epi32(_mm256_srai_epi32(one, 7), _mm256_srai_epi32(other, 7)), 0xd8);
      _mm_storeu_si128(reinterpret_cast<__m128i*>(middle + n * size + x), _mm256_castsi256_si128(packed));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(middle + (n + 1) * size + x), _mm256_extracti128_si256(packed, 1));
    }
  }
  const unsigned shift = second_stage(bits);
  const __m128i count = _mm_cvtsi32_si128(static_cast<int>(shift));
  const __m256i last_round = _mm256_set1_epi32(1 << (shift - 1));
  constexpr unsigned vectors = size / group;
  for (unsigned y = 0; y < size; ++y) {
    __m256i sums[vectors];
    for (unsigned i = 0; i < vectors; ++i) sums[i] = last_round;
    for (unsigned k = 0; k < columns / 2; ++k) {
      int32_t pair;
      __builtin_memcpy(&pair, middle + y * size + 2 * k, sizeof pair);
      const __m256i values = _mm256_set1_epi32(pair);
      for (unsigned i = 0; i < vectors; ++i)
        sums[i] = _mm256_add_epi32(
            sums[i], _mm256_madd_epi16(values, _mm256_load_si256(reinterpret_cast<const __m256i*>(matrix<size>.pairs[k] + 16 * i))));
    }
    int16_t* const to = residuals + y * size;
    if constexpr (vectors == 1) {
      const __m256i value = _mm256_sra_epi32(sums[0], count);
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to),
                       _mm256_castsi256_si128(_mm256_permute4x64_epi64(_mm256_packs_epi32(value, value), 0xd8)));
    } else {
      for (unsigned i = 0; i < vectors; i += 2)
        _mm256_storeu_si256(
            reinterpret_cast<__m256i*>(to + 8 * i),
            _mm256_permute4x64_epi64(_mm256_packs_epi32(_mm256_sra_epi32(sums[i], count), _mm256_sra_epi32(sums[i + 1], count)), 0xd8));
    }
  }
}
#else
template <unsigned size>
void inverse_vectors(const int16_t* coefficients, unsigned columns, unsigned rows, unsigned bits, int16_t* residuals) {
  inverse_lines<size>(coefficients, columns, rows, bits, residuals);
}
#endif

void inverse(const int16_t* coefficients, unsigned log2, unsigned columns, unsigned rows, unsigned bits, int16_t* residuals) {
  switch (log2) {
    case 2: return inverse_lines<4>(coefficients, 4, 4, bits, residuals);
    case 3: return inverse_vectors<8>(coefficients, columns, rows, bits, residuals);
    case 4: return inverse_vectors<16>(coefficients, columns, rows, bits, residuals);
    default: return inverse_vectors<32>(coefficients, columns, rows, bits, residuals);
  }
}

}  // namespace

extern const TransformKernels TRANSFORM_KERNELS;
constexpr TransformKernels TRANSFORM_KERNELS = {.inverse = inverse};

}  // namespace softgen::media::hevc
