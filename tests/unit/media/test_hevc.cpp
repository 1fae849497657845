// SPDX-License-Identifier: GPL-2.0-or-later
// Parts of the HEVC decoder against slow and straightforward forms of H.265's equations.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <thread>
#include <vector>

#include "hw/base/host_cpu.h"
#include "hw/media/hevc/inter.h"
#include "hw/media/hevc/intra.h"
#include "hw/media/hevc/motion.h"
#include "hw/media/hevc/picture_info.h"
#include "hw/media/hevc/sample_queue.h"
#include "hw/media/hevc/transform.h"
#include "tests/catch.h"

using namespace softgen::media::hevc;

TEST_CASE("HEVC's inverse transforms are the cosine transform, within rounding") {
  std::mt19937 random(1);
  for (unsigned log2 = 2; log2 <= 5; ++log2) {
    const unsigned size = 1u << log2;
    Coefficients coefficients{};
    coefficients.columns = coefficients.rows = static_cast<uint8_t>(size);
    for (unsigned i = 0; i < size * size; ++i) coefficients.values[i] = static_cast<int16_t>(static_cast<int>(random() % 401) - 200);
    std::vector<int16_t> residuals(size * size);
    inverse_transform({.log2 = static_cast<uint8_t>(log2)}, coefficients, 8, false, residuals.data());
    const auto basis = [size](unsigned k, unsigned n) {
      return std::cos((2 * n + 1) * k * std::numbers::pi / (2 * size)) * std::sqrt((k ? 2.0 : 1.0) / size);
    };
    double worst = 0;
    for (unsigned y = 0; y < size; ++y) {
      for (unsigned x = 0; x < size; ++x) {
        double sum = 0;
        for (unsigned v = 0; v < size; ++v)
          for (unsigned u = 0; u < size; ++u) sum += coefficients.values[v * size + u] * basis(v, y) * basis(u, x);
        // The integer transform's gain is 2^(7 - log2) for 8 bits: 64 * 64 * size / 2^19 of the orthonormal one.
        worst = std::max(worst, std::abs(sum * (64.0 * 64.0 * size / 524288.0) - residuals[y * size + x]));
      }
    }
    INFO("size " << size << ", worst " << worst);
    CHECK(worst < 4);
  }
}

TEST_CASE("HEVC's interpolation is that of the equations") {
  // Table 8-11.
  constexpr int luma_filter[4][8] = {
      {0, 0, 0, 64, 0, 0, 0, 0}, {-1, 4, -10, 58, 17, -5, 1, 0}, {-1, 4, -11, 40, 40, -11, 4, -1}, {0, 1, -5, 17, 58, -10, 4, -1}};
  std::mt19937 random(2);
  constexpr int stride = 48;
  std::vector<uint16_t> from(stride * 40);
  for (uint16_t& sample : from) sample = static_cast<uint16_t>(random() & 1023);
  for (unsigned fraction_x = 0; fraction_x < 4; ++fraction_x) {
    for (unsigned fraction_y = 0; fraction_y < 4; ++fraction_y) {
      std::array<int16_t, max_block * 8> to;
      kernels().words.luma(from.data() + 8 * stride + 8, stride, 16, 8, fraction_x, fraction_y, 10, to.data());
      for (int y = 0; y < 8; ++y) {
        for (int x = 0; x < 16; ++x) {
          const auto row = [&](int at) {
            int sum = 0;
            for (int tap = 0; tap < 8; ++tap)
              sum += luma_filter[fraction_x][tap] * from[static_cast<size_t>((8 + at) * stride + 8 + x + tap - 3)];
            return sum;
          };
          int expected = 0;
          if (!fraction_y) {
            expected = fraction_x ? row(y) >> 2 : from[static_cast<size_t>((8 + y) * stride + 8 + x)] << 4;
          } else {
            for (int tap = 0; tap < 8; ++tap) {
              const int value = fraction_x ? row(y + tap - 3) >> 2 : from[static_cast<size_t>((8 + y + tap - 3) * stride + 8 + x)];
              expected += luma_filter[fraction_y][tap] * value;
            }
            expected >>= fraction_x ? 6 : 2;
          }
          REQUIRE(to[static_cast<size_t>(y) * max_block + static_cast<size_t>(x)] == expected);
        }
      }
    }
  }
}

TEST_CASE("HEVC's kernels give the same bits for all instruction sets") {
  const auto all = all_kernels();
  std::mt19937 random(3);
  constexpr unsigned stride = 96, rows = 80;
  const auto check = [&]<typename T>(unsigned bits, T) {
    const int limit = (1 << bits) - 1;
    std::vector<T> samples(stride * rows + kernel_overread);
    for (T& sample : samples) sample = static_cast<T>(static_cast<int>(random()) & limit);
    SaoKernel sao[2];
    for (SaoKernel& one : sao) {
      one.position = static_cast<uint8_t>(random() % 32);
      for (int8_t& offset : one.offset) offset = static_cast<int8_t>(static_cast<int>(random() % 63) - 31);
    }
    const Weighting weights[2] = {{7, 64, {60, -3}, {5, 0}}, {7, 64, {70, 99}, {-5, 0}}};
    for (const unsigned columns : {4u, 8u, 12u, 16u, 24u, 32u, 48u, 64u}) {
      std::array<std::vector<T>, 3> results;
      for (size_t set = 0; set < all.count; ++set) {
        const SampleKernels<T>& k = all.tables[set]->template samples<T>();
        std::vector<int16_t> a(max_block * max_block + kernel_overread), b(a);
        const T* const from = samples.data() + 8 * stride + 8;
        std::vector<T>& out = results[set];
        const auto collect = [&](const std::vector<T>& more) { out.insert(out.end(), more.begin(), more.end()); };
        for (unsigned fraction = 0; fraction < 16; ++fraction) {
          k.luma(from, stride, columns, 8, fraction % 4, fraction / 4, bits, a.data());
          k.chroma(from, stride, columns, 8, fraction % 8, fraction / 2, bits, b.data());
          std::vector<T> to(stride * 32, T{1});
          k.combine(a.data(), fraction % 2 ? b.data() : nullptr, columns, 8, bits, to.data(), stride);
          k.weigh(a.data(), fraction % 2 ? b.data() : nullptr, columns, 8, weights, limit, to.data() + 8 * stride, stride);
          k.sao_edge(from, fraction % 2 ? 2 : stride, columns, sao, limit, to.data() + 16 * stride);
          k.sao_band(from, columns, sao, bits, to.data() + 17 * stride);
          collect(to);
        }
        for (const unsigned size : {4u, 8u, 16u, 32u}) {
          std::vector<T> to(samples.begin(), samples.end());
          std::mt19937 noise(4);
          std::vector<int16_t> residuals(size * size);
          for (int16_t& residual : residuals) residual = static_cast<int16_t>(noise());
          for (const unsigned step : {1u, 2u}) k.add(residuals.data(), size, to.data(), stride, step, limit);
          collect(to);
        }
      }
      for (size_t set = 1; set < all.count; ++set) CHECK(results[set] == results[0]);
    }
  };
  check(8, uint8_t{});
  check(9, uint16_t{});
  check(10, uint16_t{});
  for (unsigned log2 = 2; log2 <= 5; ++log2) {
    const unsigned size = 1u << log2;
    for (unsigned used = 4; used <= size; used += 4) {
      std::vector<int16_t> coefficients(size * size), first(size * size), other(size * size);
      for (unsigned y = 0; y < used; ++y)
        for (unsigned x = 0; x < used; ++x) coefficients[y * size + x] = static_cast<int16_t>(random());
      all.tables[0]->transform.inverse(coefficients.data(), log2, used, used, 8, first.data());
      for (size_t set = 1; set < all.count; ++set) {
        all.tables[set]->transform.inverse(coefficients.data(), log2, used, used, 8, other.data());
        CHECK(other == first);
      }
    }
  }
}

TEST_CASE("a border without neighbours is mid-grey, and one with some takes the nearest") {
  std::array<uint8_t, 32 * 32> plane;
  plane.fill(77);
  const Samples<uint8_t> block{plane.data() + 8 * 32 + 8, 32, 1};
  IntraBorder border;
  read_border(block, 4, {}, 4, 8, border);
  CHECK(std::all_of(border.left.begin(), border.left.begin() + 9, [](uint16_t v) { return v == 128; }));
  read_border(block, 4, {.left = 1, .above = 0, .corner = false}, 4, 8, border);
  CHECK(border.above[8] == 77);
  CHECK(border.left[8] == 77);
}

TEST_CASE("motion vectors scale with the distance") {
  CHECK(scale_mv({16, -16}, 2, 1) == Mv{32, -32});
  CHECK(scale_mv({100, -7}, 3, 3) == Mv{100, -7});
  CHECK(scale_mv({32767, -32768}, 127, 1) == Mv{32767, -32768});
  CHECK(scale_mv({5, 6}, 1, 0) == Mv{5, 6});
}

TEST_CASE("tiles are decoded one after the other") {
  PictureParameters parameters;
  parameters.width = 64, parameters.height = 32;
  parameters.tile_columns = 2;
  parameters.column_starts = {0, 1, 4};
  parameters.row_starts = {0, 2};
  PictureInfo info;
  info.begin(parameters);
  CHECK(info.to_raster == std::vector<uint32_t>{0, 4, 1, 2, 3, 5, 6, 7});
  CHECK(info.next_ctb(4) == 1);
  CHECK(info.next_ctb(7) == info.ctb_count());
}

namespace {

/// Keeps the positions of stored blocks.
class Record final : public Reconstructor {
 public:
  void predict_intra(unsigned, int, int, unsigned, unsigned, const IntraPresence&) override {}
  void predict_inter(const Rectangle&, const Motion&, const SliceParameters&) override {}
  void add_residuals(const TransformBlock&, int, int, bool, const Coefficients&) override {}
  void store(unsigned, int x, int, unsigned, const uint16_t*) override { seen.push_back(x); }

  std::vector<int> seen;
};

void parse(SampleQueue& queue, int blocks) {
  const std::array<uint16_t, 32 * 32> samples{};
  for (int i = 0; i < blocks; ++i) {
    queue.store(0, i, 0, 5, samples.data());
    queue.end_ctb();
  }
  queue.end();
}

std::vector<int> up_to(int count) {
  std::vector<int> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(i);
  return numbers;
}

}  // namespace

// Each block has 2 KiB: 4000 are more than may wait.
TEST_CASE("what waits for HEVC's second thread is bounded and keeps its order") {
  constexpr int blocks = 4000;
  SampleQueue queue;
  Record alone;
  queue.begin(alone);
  parse(queue, blocks);
  CHECK(alone.seen.size() > blocks / 4);
  queue.replay();
  CHECK(alone.seen == up_to(blocks));
  Record together;
  queue.begin(together);
  std::thread second([&] { queue.replay(); });
  parse(queue, blocks);
  second.join();
  CHECK(together.seen == up_to(blocks));
}

TEST_CASE("HEVC's stored motion fits what i965-va-driver allocates") {
  PictureParameters picture;
  for (const uint8_t log2_ctb : {4, 5, 6})
    for (const auto& [width, height] : {std::pair{8u, 8u}, {264u, 200u}, {416u, 240u}, {1920u, 1080u}, {2056u, 1096u}}) {
      picture.log2_ctb = log2_ctb, picture.width = width, picture.height = height;
      const StoredMotionLayout layout(picture);
      const size_t blocks =
          log2_ctb == 4 ? size_t{(width + 63) >> 6} * ((height + 15) >> 4) : size_t{(width + 31) >> 5} * ((height + 31) >> 5);
      INFO(width << " by " << height << ", CTBs of " << (1 << log2_ctb));
      CHECK(layout.count() * sizeof(StoredMotion) == blocks * 64);
      std::vector<bool> taken(layout.count());
      bool distinct = true;
      for (uint32_t y = 0; y < height; y += 16)
        for (uint32_t x = 0; x < width; x += 16) {
          const size_t at = layout.index(x, y);
          REQUIRE(at < taken.size());
          distinct &= !taken[at] && at == layout.index(std::min(x + 15, width - 1), std::min(y + 15, height - 1));
          taken[at] = true;
        }
      CHECK(distinct);
    }
}
