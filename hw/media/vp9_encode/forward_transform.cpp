// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vp9_encode/forward_transform.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "hw/media/vp9/adst.h"
#include "hw/media/vp9/coefficients.h"

namespace softgen::media::vp9 {
namespace {

/// A line of an inverse transform: sample = matrix[sample * n + coefficient] * coefficient / 2^14.
using Matrix = std::vector<int32_t>;

/// Of the decoder's own functions, which are orthogonal but for their scale: their transpose goes the other way.
template <unsigned n, typename F>
Matrix matrix_of(F&& inverse) {
  using V = Lanes<int64_t, 4>;
  Matrix matrix(size_t{n} * n);
  for (unsigned k = 0; k < n; ++k) {
    V in[n] = {}, out[n];
    in[k].v[0] = 1 << 14;
    inverse(in, out);
    for (unsigned i = 0; i < n; ++i) matrix[i * n + k] = static_cast<int32_t>(out[i].v[0]);
  }
  return matrix;
}

const Matrix& matrix(unsigned tx_size, bool adst) {
  static const std::array<Matrix, 4> dct = {matrix_of<4>([](const auto* in, auto* out) { inverse_dct<4>(in, 1, out); }),
                                            matrix_of<8>([](const auto* in, auto* out) { inverse_dct<8>(in, 1, out); }),
                                            matrix_of<16>([](const auto* in, auto* out) { inverse_dct<16>(in, 1, out); }),
                                            matrix_of<32>([](const auto* in, auto* out) { inverse_dct<32>(in, 1, out); })};
  static const std::array<Matrix, 3> sine = {matrix_of<4>([](const auto* in, auto* out) { inverse_adst_4(in, out); }),
                                             matrix_of<8>([](const auto* in, auto* out) { inverse_adst_8(in, out); }),
                                             matrix_of<16>([](const auto* in, auto* out) { inverse_adst_16(in, out); })};
  return adst ? sine[tx_size] : dct[tx_size];
}

template <unsigned n>
void transform(unsigned tx_size, TxType type, const int16_t* residual, int32_t* coefficients) {
  // The inverse divides by 2^4, 2^5 or 2^6, and each of its lines is longer by sqrt(n / 2) than an orthonormal one.
  constexpr unsigned shift = 2 * 14 - (n == 4 ? 2 : n == 8 ? 1 : n == 16 ? 0 : -2);
  const Matrix &rows = matrix(tx_size, type == TxType::dct_adst || type == TxType::adst_adst),
               &columns = matrix(tx_size, type == TxType::adst_dct || type == TxType::adst_adst);
  std::array<int32_t, n * n> middle{};  // of columns
  for (unsigned y = 0; y < n; ++y)
    for (unsigned k = 0; k < n; ++k)
      for (unsigned x = 0; x < n; ++x) middle[k * n + x] += columns[y * n + k] * residual[y * n + x];
  for (unsigned k = 0; k < n; ++k) {
    std::array<int64_t, n> sums{};
    for (unsigned x = 0; x < n; ++x)
      for (unsigned l = 0; l < n; ++l) sums[l] += int64_t{middle[k * n + x]} * rows[x * n + l];
    for (unsigned l = 0; l < n; ++l) coefficients[k * n + l] = static_cast<int32_t>((sums[l] + (int64_t{1} << (shift - 1))) >> shift);
  }
}

/// The steps of the inverse (VP9 specification, 8.7.1.10), backwards.
void walsh_line(int32_t* v, unsigned step) {
  int32_t a = v[0], b = v[step], c = v[2 * step], d = v[3 * step];
  d -= c, a += b;
  const int32_t e = (a - d) >> 1;
  c = e - c, b = e - b;
  d += b, a -= c;
  v[0] = a, v[step] = c, v[2 * step] = d, v[3 * step] = b;
}

void walsh(const int16_t* residual, int32_t* coefficients) {
  std::copy_n(residual, 16, coefficients);
  for (unsigned i = 0; i < 4; ++i) walsh_line(coefficients + i, 4);
  for (unsigned i = 0; i < 4; ++i) walsh_line(coefficients + 4 * i, 1);
  for (unsigned i = 0; i < 16; ++i) coefficients[i] *= 4;
}

}  // namespace

void forward_transform(unsigned tx_size, TxType type, bool lossless, const int16_t* residual, int32_t* coefficients) {
  if (lossless) return walsh(residual, coefficients);
  switch (tx_size) {
    case 0: return transform<4>(tx_size, type, residual, coefficients);
    case 1: return transform<8>(tx_size, type, residual, coefficients);
    case 2: return transform<16>(tx_size, type, residual, coefficients);
    default: return transform<32>(tx_size, TxType::dct_dct, residual, coefficients);
  }
}

unsigned quantize(const Quantization& by, const int32_t* coefficients, int16_t* levels) {
  const Scan& scan = scan_table(by.tx_size, by.type);
  const unsigned count = 16u << (2 * by.tx_size), doubled = by.tx_size == 3;
  unsigned coded = 0;
  for (unsigned i = 0; i < count; ++i) {
    const int32_t coefficient = coefficients[scan.order[i]];
    const unsigned quantizer = (*by.quantizers)[i > 0], magnitude = static_cast<unsigned>(std::abs(coefficient)) << doubled;
    unsigned level = quantizer ? (magnitude + quantizer * by.rounding / 16) / quantizer : 0;
    // What is dequantized has 16 bits (8.6.2).
    if (quantizer) level = std::min(level, (unsigned{INT16_MAX} << doubled) / quantizer);
    levels[i] = static_cast<int16_t>(coefficient < 0 ? -static_cast<int>(level) : static_cast<int>(level));
    if (level) coded = i + 1;
  }
  return coded;
}

}  // namespace softgen::media::vp9
