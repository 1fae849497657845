// SPDX-License-Identifier: GPL-2.0-or-later
// Inverse transforms; compiled once per instruction set (RESIDUAL_KERNELS names the table).
#include "hw/media/vp9/transform.h"

#include <cstring>

#include "hw/media/vp9/adst.h"

namespace softgen::media::vp9 {
namespace {

template <unsigned n, typename V>
void transform_line(bool adst, const V* in, V* out) {
  if constexpr (n == 4) {
    if (adst) return inverse_adst_4(in, out);
  } else if constexpr (n == 8) {
    if (adst) return inverse_adst_8(in, out);
  } else if constexpr (n == 16) {
    if (adst) return inverse_adst_16(in, out);
  }
  inverse_dct<n>(in, 1, out);
}

template <typename T, typename R>
void add_clipped(T& sample, R residual, R largest) {
  const R sum = static_cast<R>(sample) + residual;
  sample = static_cast<T>(sum < 0 ? 0 : sum > largest ? largest : sum);
}

template <unsigned n, typename T>
void inverse(TxType type, int32_t* coefficients, T* to, size_t stride, unsigned bit_depth) {
  using Element = std::conditional_t<sizeof(T) == 1, int32_t, int64_t>;
  constexpr unsigned lanes = n == 4 ? 4 : 8, shift = n == 4 ? 4 : n == 8 ? 5 : 6;
  using V = Lanes<Element, lanes>;
  using Samples = typename VectorOf<T, lanes>::Type;
  using Words = typename VectorOf<int32_t, lanes>::Type;
  alignas(64) Element middle[n * n];  // row * n + column
  V in[n], out[n];
  const bool rows_adst = type == TxType::dct_adst || type == TxType::adst_adst,
             columns_adst = type == TxType::adst_dct || type == TxType::adst_adst;
  for (unsigned row = 0; row < n; row += lanes) {
    Words any{};
    for (unsigned column = 0; column < n; ++column) {
      Words values;
      std::memcpy(&values, coefficients + column * n + row, sizeof values);
      any |= values, in[column].v = __builtin_convertvector(values, typename V::Signed);
    }
    int32_t all = 0;
    for (unsigned lane = 0; lane < lanes; ++lane) all |= any[lane];
    if (!all) {
      std::memset(middle + row * n, 0, lanes * n * sizeof(Element));
      continue;
    }
    transform_line<n>(rows_adst, in, out);
    for (unsigned column = 0; column < n; ++column)
      for (unsigned lane = 0; lane < lanes; ++lane) middle[(row + lane) * n + column] = out[column].v[lane];
  }
  std::memset(coefficients, 0, n * n * sizeof *coefficients);
  const typename V::Signed largest = typename V::Signed{} + static_cast<Element>((1 << bit_depth) - 1), zero{};
  for (unsigned column = 0; column < n; column += lanes) {
    for (unsigned row = 0; row < n; ++row) std::memcpy(&in[row].v, middle + row * n + column, sizeof in[row].v);
    transform_line<n>(columns_adst, in, out);
    for (unsigned row = 0; row < n; ++row) {
      T* const at = to + row * stride + column;
      Samples samples;
      std::memcpy(&samples, at, sizeof samples);
      typename V::Signed sum = (out[row].rounded(shift) + V{__builtin_convertvector(samples, typename V::Signed)}).v;
      sum = sum < zero ? zero : sum;
      sum = sum > largest ? largest : sum;
      samples = __builtin_convertvector(sum, Samples);
      std::memcpy(at, &samples, sizeof samples);
    }
  }
}

/// Only the first coefficient: all of the residual is the same.
template <typename T>
void inverse_dc(unsigned tx_size, int32_t* coefficients, T* to, size_t stride, unsigned bit_depth) {
  const auto scaled = [](int64_t v) { return (v * cosines[16] + (1 << 13)) >> 14; };
  const unsigned n = 4u << tx_size, shift = tx_size == 0 ? 4 : tx_size == 1 ? 5 : 6;
  const auto residual = static_cast<int32_t>((scaled(scaled(coefficients[0])) + (1 << (shift - 1))) >> shift);
  const int largest = (1 << bit_depth) - 1;
  coefficients[0] = 0;
  for (unsigned row = 0; row < n; ++row, to += stride)
    for (unsigned column = 0; column < n; column += 4)
      for (unsigned i = 0; i < 4; ++i) add_clipped(to[column + i], residual, largest);
}

/// VP9 specification, 8.7.1.10.
void walsh_line(int32_t (&v)[4], unsigned shift) {
  int32_t a = v[0] >> shift, c = v[1] >> shift, d = v[2] >> shift, b = v[3] >> shift;
  a += c, d -= b;
  const int32_t e = (a - d) >> 1;
  b = e - b, c = e - c;
  a -= b, d += c;
  v[0] = a, v[1] = b, v[2] = c, v[3] = d;
}

template <typename T>
void inverse_walsh(int32_t* coefficients, T* to, size_t stride, unsigned bit_depth) {
  int32_t block[4][4];
  for (unsigned row = 0; row < 4; ++row) {
    for (unsigned column = 0; column < 4; ++column) block[row][column] = coefficients[column * 4 + row];
    walsh_line(block[row], 2);
  }
  std::memset(coefficients, 0, 16 * sizeof *coefficients);
  for (unsigned column = 0; column < 4; ++column) {
    int32_t line[4] = {block[0][column], block[1][column], block[2][column], block[3][column]};
    walsh_line(line, 0);
    for (unsigned row = 0; row < 4; ++row) add_clipped(to[row * stride + column], line[row], (1 << bit_depth) - 1);
  }
}

template <typename T>
void add(unsigned tx_size, TxType type, bool lossless, unsigned coded, int32_t* coefficients, T* to, size_t stride, unsigned bit_depth) {
  if (lossless) return inverse_walsh(coefficients, to, stride, bit_depth);
  if (coded == 1 && type == TxType::dct_dct) return inverse_dc(tx_size, coefficients, to, stride, bit_depth);
  switch (tx_size) {
    case 0: return inverse<4>(type, coefficients, to, stride, bit_depth);
    case 1: return inverse<8>(type, coefficients, to, stride, bit_depth);
    case 2: return inverse<16>(type, coefficients, to, stride, bit_depth);
    default: return inverse<32>(TxType::dct_dct, coefficients, to, stride, bit_depth);
  }
}

}  // namespace

extern const ResidualKernels RESIDUAL_KERNELS;
constexpr ResidualKernels RESIDUAL_KERNELS = {.bytes = add<uint8_t>, .words = add<uint16_t>};

}  // namespace softgen::media::vp9
