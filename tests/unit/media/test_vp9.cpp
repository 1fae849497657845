// SPDX-License-Identifier: GPL-2.0-or-later
// VP9's parts against plain references: transforms as matrices of cosines and sines, the layout of the probability buffer, adaptation, edges of prediction.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>

#include "hw/base/host_cpu.h"
#include "hw/media/vp9/coefficients.h"
#include "hw/media/vp9/intra.h"
#include "hw/media/vp9/probabilities.h"
#include "hw/media/vp9/sample_kernels.h"
#include "hw/media/vp9/tables.h"
#include "hw/media/vp9/transform.h"
#include "tests/catch.h"

using namespace softgen::media;
using namespace softgen::media::vp9;

namespace {

using Matrix = std::vector<double>;

/// basis[k * n + i]: what coefficient k adds to sample i. Orthonormal.
Matrix basis(unsigned n, bool adst) {
  Matrix m(n * n);
  for (unsigned k = 0; k < n; ++k)
    for (unsigned i = 0; i < n; ++i) {
      double v;
      if (!adst) v = (k ? std::sqrt(2.0 / n) : std::sqrt(1.0 / n)) * std::cos(std::numbers::pi * k * (2 * i + 1) / (2.0 * n));
      else if (n == 4) v = 2.0 / 3 * std::sin(std::numbers::pi * (2 * k + 1) * (i + 1) / 9);
      else v = std::sqrt(2.0 / n) * std::sin(std::numbers::pi * (2 * i + 1) * (2 * k + 1) / (4.0 * n));
      m[k * n + i] = v;
    }
  return m;
}

/// The residual in samples: 8 times smaller than the orthonormal transform of the coefficients, of 32x32 4 times.
std::vector<double> plain_inverse(unsigned n, TxType type, const std::vector<int32_t>& transposed) {
  const Matrix rows = basis(n, type == TxType::dct_adst || type == TxType::adst_adst),
               columns = basis(n, type == TxType::adst_dct || type == TxType::adst_adst);
  std::vector<double> out(n * n);
  for (unsigned u = 0; u < n; ++u)
    for (unsigned v = 0; v < n; ++v) {
      const double c = transposed[v * n + u] / (n == 32 ? 4.0 : 8.0);
      for (unsigned y = 0; c != 0 && y < n; ++y)
        for (unsigned x = 0; x < n; ++x) out[y * n + x] += c * columns[u * n + y] * rows[v * n + x];
    }
  return out;
}

template <typename T>
void check_transform(unsigned tx_size, TxType type, unsigned bit_depth, std::mt19937& random) {
  const unsigned n = 4u << tx_size, nonzero = 1 + random() % 8, size = n * n;
  std::vector<int32_t> coefficients(size);
  for (unsigned i = 0; i < nonzero; ++i) coefficients[random() % size] = static_cast<int32_t>(random() % 801) - 400;
  const auto expected = plain_inverse(n, type, coefficients);
  std::vector<T> samples(size, static_cast<T>(1u << (bit_depth - 1)));
  kernels().add_residual<T>()(tx_size, type, false, size, coefficients.data(), samples.data(), n, bit_depth);
  for (unsigned i = 0; i < size; ++i) {
    const double want = std::clamp((1 << (bit_depth - 1)) + expected[i], 0.0, (1 << bit_depth) - 1.0);
    if (std::abs(samples[i] - want) > 1.5)
      FAIL("size " << n << ", type " << static_cast<int>(type) << ", sample " << i << ": " << +samples[i] << ", not " << want);
  }
  CHECK(std::count(coefficients.begin(), coefficients.end(), 0) == size);
}

}  // namespace

TEST_CASE("vp9: inverse transforms are those of cosines and sines, within rounding") {
  std::mt19937 random(7);
  for (unsigned tx_size = 0; tx_size < 4; ++tx_size)
    for (unsigned type = 0; type < (tx_size < 3 ? 4u : 1u); ++type)
      for (unsigned i = 0; i < 40; ++i) {
        check_transform<uint8_t>(tx_size, static_cast<TxType>(type), 8, random);
        check_transform<uint16_t>(tx_size, static_cast<TxType>(type), 10, random);
      }
}

TEST_CASE("vp9: a block of one coefficient is as the whole transform makes it") {
  for (unsigned tx_size = 0; tx_size < 4; ++tx_size)
    for (const int32_t value : {1, -1, 7, 64, -333, 1000, 32767, -32768}) {
      const unsigned n = 4u << tx_size;
      std::vector<int32_t> coefficients(n * n);
      std::vector<uint8_t> fast(n * n, 100), slow(n * n, 100);
      coefficients[0] = value;
      kernels().residual.bytes(tx_size, TxType::dct_dct, false, 1, coefficients.data(), fast.data(), n, 8);
      coefficients[0] = value;
      kernels().residual.bytes(tx_size, TxType::dct_dct, false, 2, coefficients.data(), slow.data(), n, 8);
      CHECK(fast == slow);
    }
}

TEST_CASE("vp9: kernels give the same bits for all instruction sets") {
  const auto all = all_kernels();
  std::mt19937 random(8);
  const auto check = [&]<typename T>(unsigned bits, T) {
    constexpr unsigned stride = 96, rows = 80;
    const int largest = (1 << bits) - 1;
    std::vector<T> from(stride * rows + kernel_overread);
    for (T& sample : from) sample = static_cast<T>(static_cast<int>(random()) & largest);
    std::array<std::vector<T>, 3> results;
    for (size_t set = 0; set < all.count; ++set) {
      const SampleKernels<T>& k = all.tables[set]->template samples<T>();
      for (const unsigned columns : {4u, 8u, 16u, 32u, 64u}) {
        for (unsigned phase = 0; phase < 16; ++phase) {
          std::vector<T> to(stride * 40, T{3});
          const bool average = phase & 1;
          k.filter(from.data(), stride, phase & 2 ? 1 : stride, columns, 16, interpolation[phase & 3][phase], largest, average, to.data(),
                   stride);
          k.copy(from.data(), stride, columns, 8, average, to.data() + 16 * stride, stride);
          k.split(from.data(), columns / 2, bits - 8, to.data() + 24 * stride, to.data() + 25 * stride);
          k.join(from.data(), from.data() + stride, columns / 2, bits - 8, to.data() + 26 * stride);
          results[set].insert(results[set].end(), to.begin(), to.end());
        }
      }
      std::mt19937 noise(9);
      for (unsigned tx_size = 0; tx_size < 4; ++tx_size) {
        for (unsigned type = 0; type < (tx_size < 3 ? 4u : 1u); ++type) {
          const unsigned n = 4u << tx_size;
          std::vector<int32_t> coefficients(n * n);
          for (int32_t& coefficient : coefficients) coefficient = static_cast<int32_t>(noise() % 65536) - 32768;
          std::vector<T> to(from.begin(), from.begin() + n * n);
          all.tables[set]->template add_residual<T>()(tx_size, static_cast<TxType>(type), false, n * n, coefficients.data(), to.data(), n,
                                                      bits);
          results[set].insert(results[set].end(), to.begin(), to.end());
        }
      }
    }
    for (size_t set = 1; set < all.count; ++set) CHECK(results[set] == results[0]);
  };
  check(8, uint8_t{});
  check(10, uint16_t{});
}

TEST_CASE("vp9: scans visit each position once, and contexts look at positions that came before") {
  for (unsigned tx_size = 0; tx_size < 4; ++tx_size)
    for (unsigned type = 0; type < 4; ++type) {
      const Scan& scan = scan_table(tx_size, static_cast<TxType>(type));
      const unsigned count = 16u << (2 * tx_size);
      std::vector<bool> seen(count);
      bool all_before = true;
      for (unsigned i = 0; i < count; ++i) {
        for (const uint16_t neighbour : scan.neighbours[i]) all_before &= i == 0 || seen[neighbour];
        CHECK_FALSE(seen[scan.order[i]]);
        seen[scan.order[i]] = true;
      }
      CHECK(all_before);
    }
}

TEST_CASE("vp9: the probability buffer has drivers' layout") {  // i965-va-driver, vp9_probs.h
  ProbabilityBuffer buffer;
  for (size_t i = 0; i < buffer.size(); ++i) buffer[i] = static_cast<uint8_t>(1 + i % 251);
  const auto at = [&](size_t i) { return buffer[i]; };
  const Probabilities p = load(buffer);
  CHECK(p.tx32[1][2] == at(11));
  CHECK(p.coefficients[0][0][0][0][0][0] == at(64));
  CHECK(p.coefficients[1][1][1][5][5][2] == at(855));
  CHECK(p.coefficients[3][0][0][1][0][0] == at(1252 + 9));
  CHECK(p.skip[0] == at(1664));
  CHECK(p.filter[0][0] == at(1688));
  CHECK(p.compound_reference[4] == at(1719));
  CHECK(p.partition[0][0] == at(1756));
  CHECK(p.joints[0] == at(1804));
  CHECK(p.mv[1].sign == at(1829));
  CHECK(p.mv[0].class0_fraction[0][0] == at(1851));
  CHECK(p.mv[1].fraction[0] == at(1866));
  CHECK(p.mv[1].high == at(1872));
  CHECK(p.uv_mode[0][0] == at(1920));
  CHECK(p.segment_tree[0] == at(2010));
  CHECK(p.segment_predicted[2] == at(2019));
  for (const bool intra : {false, true}) {
    ProbabilityBuffer out{};
    store(p, intra, out);
    const auto equal = [&](size_t from, size_t to) {
      return std::equal(out.begin() + static_cast<ptrdiff_t>(from), out.begin() + static_cast<ptrdiff_t>(to),
                        buffer.begin() + static_cast<ptrdiff_t>(from));
    };
    CHECK(equal(0, 12));
    CHECK(equal(64, 1648));
    CHECK(equal(1664, 1667));
    CHECK(equal(1667, 1873) == !intra);
    CHECK(equal(1920, 2010) == !intra);
    CHECK(out[12] == 0);
    CHECK(out[2010] == 0);
  }
}

TEST_CASE("vp9: adaptation moves probabilities towards what was counted") {
  ProbabilityBuffer buffer;
  buffer.fill(128);
  const Probabilities before = load(buffer);
  Probabilities after = before;
  Counts counts{};
  counts.skip[0][0] = 30, counts.skip[1][1] = 10;
  counts.coefficients[0][0][0][0][0][3] = 24, counts.more_coefficients[0][0][0][0][0] = 24;
  Parameters picture;
  adapt(picture, {}, counts, before, after);
  CHECK(after.skip[0] == (128 * 128 + 255 * 128 + 128) / 256);  // 20 and more: half of the way
  CHECK(after.skip[1] == (128 * 192 + 1 * 64 + 128) / 256);     // 10: a quarter
  CHECK(after.skip[2] == 128);
  CHECK(after.coefficients[0][0][0][0][0][0] == (128 * 144 + 255 * 112 + 128) / 256);
  picture.key_frame = true;
  after = before;
  adapt(picture, {}, counts, before, after);
  CHECK(after.skip[0] == 128);  // pictures without inter prediction: coefficients only
  CHECK(after.coefficients[0][0][0][0][0][0] != 128);
}

TEST_CASE("vp9: flat edges predict flat blocks in every mode") {
  for (unsigned size = 4; size <= 32; size *= 2)
    for (uint8_t mode = dc_pred; mode <= tm_pred; ++mode) {
      Edges<uint8_t> edges;
      std::fill(std::begin(edges.above_left_and_above), std::end(edges.above_left_and_above), uint8_t{77});
      std::fill(std::begin(edges.left), std::end(edges.left), uint8_t{77});
      edges.have_above = edges.have_left = true;
      std::vector<uint8_t> block(size * size);
      predict_intra(mode, size, edges, block.data(), size, 8);
      CHECK(block == std::vector<uint8_t>(size * size, 77));
    }
}
