// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/hevc_encode/quantizer.h"

#include <algorithm>
#include <cstdlib>

#include "hw/media/hevc/residual_syntax.h"
#include "hw/media/hevc/transform.h"
#include "hw/media/hevc/transform_matrix.h"

namespace softgen::media::hevc {
namespace {

constexpr unsigned max_size = max_transform;
using Values = std::array<int32_t, max_size * max_size>;

struct Matrices {
  std::array<std::array<int8_t, max_size * max_size>, 4> cosine{};  ///< by size: frequencies' rows
  constexpr Matrices() {
    for (unsigned log2 = 2; log2 <= 5; ++log2)
      for (unsigned k = 0; k < 1u << log2; ++k)
        for (unsigned n = 0; n < 1u << log2; ++n) cosine[log2 - 2][(k << log2) + n] = matrix_element(k << (5 - log2), n);
  }
};
constexpr Matrices matrices;

/// Element k of line l is at out[k * size + l], for the input's at in[l * size + n]: two calls transpose twice.
void transform_lines(const int32_t* in, int32_t* out, const int8_t* matrix, unsigned size, unsigned shift) {
  for (unsigned k = 0; k < size; ++k) {
    for (unsigned line = 0; line < size; ++line) {
      int32_t sum = 1 << (shift - 1);
      for (unsigned n = 0; n < size; ++n) sum += matrix[k * size + n] * in[line * size + n];
      out[k * size + line] = sum >> shift;
    }
  }
}

/// The inverse of 8.6.4.2's levelScale, times 2^20 / 16.
constexpr uint16_t forward_scale[6] = {26214, 23302, 20560, 18396, 16384, 14564};
constexpr unsigned reciprocal_bits = 12;  ///< 65536 / 16 stands for 1

/// Of one block: |coefficient| * factor is a level with `shift` fractional bits.
class Factors {
 public:
  Factors(const ForwardQuantizer& by, const TransformBlock& block, unsigned bits)
      : shift(14 + block.qp / 6u + 15 - bits - block.log2 + reciprocal_bits), scale_(forward_scale[block.qp % 6]) {
    const unsigned kind = block.is_intra ? 0 : 1;
    if (block.log2 == 2) {
      table_ = by.size4[kind].data(), stride_ = 4;
      return;
    }
    table_ = by.size8[kind].data(), stride_ = 8;
    place_shift_ = block.log2 - 3u;
    if (block.log2 > 3) dc_ = &by.dc[block.log2 - 4u][kind];
  }
  int64_t at(unsigned x, unsigned y) const {
    const uint16_t factor = dc_ && (x | y) == 0 ? *dc_ : table_[(y >> place_shift_) * stride_ + (x >> place_shift_)];
    return int64_t{factor} * scale_;
  }
  const unsigned shift;

 private:
  const uint16_t* table_;
  const uint16_t* dc_ = nullptr;
  unsigned stride_, place_shift_ = 0;
  unsigned scale_;
};

/// The condition of 7.4.9.11 on a sub-block: the sum's parity is the sign of its first coefficient. By place in the scan: `exact`, magnitudes with
/// `shift` fractional bits; `minus`, the coefficients' signs.
void hide_sign(std::array<int16_t*, 16>& levels, const std::array<int64_t, 16>& exact, uint32_t minus, unsigned shift) {
  int first = -1, last = -1, sum = 0;
  for (int i = 0; i < 16; ++i) {
    const int level = *levels[static_cast<size_t>(i)];
    if (!level) continue;
    if (first < 0) first = i;
    last = i, sum += std::abs(level);
  }
  if (first < 0 || last - first <= 3) return;
  const bool negative = *levels[static_cast<size_t>(first)] < 0;
  if ((sum & 1) == int{negative}) return;
  int best = -1, best_step = 0;
  int64_t best_cost = INT64_MAX;
  for (int i = first; i <= last; ++i) {
    const auto at = static_cast<size_t>(i);
    const int level = std::abs(*levels[at]);
    const int64_t error = exact[at] - (int64_t{level} << shift);
    const bool stays = level > 1 || (level == 1 && i != first && i != last);
    const int step = (error < 0 && stays) || level == INT16_MAX ? -1 : 1;
    const int64_t cost = step > 0 ? -error : error;
    if (cost < best_cost) best = i, best_step = step, best_cost = cost;
  }
  int16_t& level = *levels[static_cast<size_t>(best)];
  const int magnitude = std::abs(level) + best_step;
  level = static_cast<int16_t>(minus >> best & 1 ? -magnitude : magnitude);
}

}  // namespace

void forward_transform(const TransformBlock& block, bool skip_transform, unsigned bits, Levels values) {
  const unsigned log2 = block.log2, size = 1u << log2;
  if (skip_transform) {
    for (int16_t& value : values) value = static_cast<int16_t>(std::clamp(value * (1 << (15 - bits - log2)), -32768, 32767));
    return;
  }
  const int8_t* const matrix = block.is_sine() ? sine_matrix[0] : matrices.cosine[log2 - 2].data();
  Values in, out;
  // Columns first, as a decoder has them last but one: its intermediate values keep within 16 bits.
  for (unsigned y = 0; y < size; ++y)
    for (unsigned x = 0; x < size; ++x) in[x * size + y] = values[y * size + x];
  transform_lines(in.data(), out.data(), matrix, size, log2 + bits - 9);
  transform_lines(out.data(), in.data(), matrix, size, log2 + 6);
  for (unsigned y = 0; y < size; ++y)
    for (unsigned x = 0; x < size; ++x) values[y * size + x] = static_cast<int16_t>(std::clamp(in[x * size + y], -32768, 32767));
}

bool quantize(const ForwardQuantizer& by, const TransformBlock& block, unsigned bits, bool hides_signs, Levels values) {
  const Factors factors(by, block, bits);
  const unsigned log2 = block.log2;
  const int64_t round = (int64_t{by.rounding[block.is_intra ? 0 : 1]} << factors.shift) >> 5;
  const Position* const sub_scan = sub_block_scan(log2, block.scan);
  const Position* const scan = scan4.at[static_cast<size_t>(block.scan)].data();
  bool any = false;
  for (unsigned sub = 0; sub < 1u << (2 * log2 - 4); ++sub) {
    std::array<int16_t*, 16> levels;
    std::array<int64_t, 16> exact;
    uint32_t minus = 0;
    for (unsigned i = 0; i < 16; ++i) {
      const unsigned x = sub_scan[sub].x * 4u + scan[i].x, y = sub_scan[sub].y * 4u + scan[i].y;
      int16_t& value = values[(y << log2) + x];
      exact[i] = std::abs(int64_t{value}) * factors.at(x, y);
      const auto level = static_cast<int32_t>(std::min<int64_t>((exact[i] + round) >> factors.shift, INT16_MAX));
      minus |= uint32_t{value < 0} << i;
      value = static_cast<int16_t>(value < 0 ? -level : level);
      levels[i] = &value;
      any |= level != 0;
    }
    if (hides_signs) hide_sign(levels, exact, minus, factors.shift);
  }
  return any;
}

}  // namespace softgen::media::hevc
