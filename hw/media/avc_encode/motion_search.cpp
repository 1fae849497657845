// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/avc_encode/motion_search.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <span>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace softgen::media::avc {
namespace {

constexpr unsigned max_steps = 24;  ///< of the diamond: as far as a vector may be from where it began, in whole samples

uint32_t sad(const Block& a, const Block& b, unsigned width, unsigned height) {
  uint32_t sum = 0;
  for (unsigned y = 0; y < height; ++y) {
    const uint8_t *const p = a.at + y * a.stride, *const q = b.at + y * b.stride;
#ifdef __SSE2__
    for (unsigned x = 0; x < width; x += 8) {
      const __m128i v =
          _mm_sad_epu8(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p + x)), _mm_loadl_epi64(reinterpret_cast<const __m128i*>(q + x)));
      sum += static_cast<uint32_t>(_mm_cvtsi128_si32(v));
    }
#else
    for (unsigned x = 0; x < width; ++x) sum += static_cast<uint32_t>(std::abs(p[x] - q[x]));
#endif
  }
  return sum;
}

/// Bits of se(v).
uint32_t golomb_bits(int value) {
  const auto code = static_cast<uint32_t>(value > 0 ? 2 * value - 1 : -2 * value);
  return 2 * static_cast<uint32_t>(std::bit_width(code + 1)) - 1;
}

}  // namespace

uint32_t MotionSearch::vector_cost(Mv mv, Mv predicted) const {
  return lambda_ * (golomb_bits(mv.x - predicted.x) + golomb_bits(mv.y - predicted.y));
}

// Blocks lie within SearchPlanes::reach of the picture.
MotionSearch::Bounds MotionSearch::bounds(const Partition& part) const {
  const int x = static_cast<int>(c_.x * 16) + part.x, y = static_cast<int>(c_.y * 16) + part.y;
  const int width = static_cast<int>(c_.picture.width * 16), height = static_cast<int>(c_.picture.height * 16);
  constexpr int reach = SearchPlanes::reach;
  return {std::max((-x - reach) * 4, -range_.across), std::max((-y - reach) * 4, -range_.down),
          std::min((width + reach - part.width - x) * 4, range_.across), std::min((height + reach - part.height - y) * 4, range_.down)};
}

MotionSearch::Found MotionSearch::search(const Block& source, const Partition& part, Mv predicted, std::span<const Mv> starts) const {
  const Bounds limit = bounds(part);
  const int x = static_cast<int>(c_.x * 16) + part.x, y = static_cast<int>(c_.y * 16) + part.y;
  const auto inside = [&](int mx, int my) { return mx >= limit.left && mx <= limit.right && my >= limit.top && my <= limit.bottom; };
  const auto whole_cost = [&](int mx, int my) {
    return sad(source, {planes_.at(x + mx / 4, y + my / 4), planes_.stride()}, part.width, part.height) +
           vector_cost({static_cast<int16_t>(mx), static_cast<int16_t>(my)}, predicted);
  };
  int bx = 0, by = 0;
  uint32_t best = ~0u;
  for (const Mv& start : starts) {
    const int mx = std::clamp<int>(start.x, limit.left, limit.right) / 4 * 4,
              my = std::clamp<int>(start.y, limit.top, limit.bottom) / 4 * 4;
    if (const uint32_t cost = whole_cost(mx, my); cost < best) best = cost, bx = mx, by = my;
  }
  static constexpr int diamond[4][2] = {{-4, 0}, {4, 0}, {0, -4}, {0, 4}};
  static constexpr int hexagon[6][2] = {{-8, 0}, {8, 0}, {-4, -8}, {4, -8}, {-4, 8}, {4, 8}};
  const auto walk = [&](const auto& steps, const auto& cost_of) {
    int nx = bx, ny = by;
    for (const auto& step : steps) {
      const int mx = bx + step[0], my = by + step[1];
      if (!inside(mx, my)) continue;
      if (const uint32_t cost = cost_of(mx, my); cost < best) best = cost, nx = mx, ny = my;
    }
    const bool moved = nx != bx || ny != by;
    bx = nx, by = ny;
    return moved;
  };
  for (unsigned i = 0; i < max_steps / 2 && walk(hexagon, whole_cost); ++i) {}
  for (unsigned i = 0; i < 4 && walk(diamond, whole_cost); ++i) {}
  std::array<uint8_t, 256> scratch;
  const auto part_cost = [&](int mx, int my) {
    return satd(source, planes_.block(x * 4 + mx, y * 4 + my, part.width, part.height, scratch), part.width, part.height) +
           vector_cost({static_cast<int16_t>(mx), static_cast<int16_t>(my)}, predicted);
  };
  best = part_cost(bx, by);
  // The predicted vector itself is cheap, and skipped macroblocks have it.
  if (inside(predicted.x, predicted.y))
    if (const uint32_t cost = part_cost(predicted.x, predicted.y); cost <= best) best = cost, bx = predicted.x, by = predicted.y;
  for (const int size : {2, 1}) {
    const int steps[8][2] = {{-size, 0}, {size, 0}, {0, -size}, {0, size}, {-size, -size}, {size, -size}, {-size, size}, {size, size}};
    walk(steps, part_cost);
  }
  return {{static_cast<int16_t>(bx), static_cast<int16_t>(by)}, best};
}

MotionChoice MotionSearch::divided(const Block& source, Shape shape, Mv start, uint32_t limit) {
  static constexpr uint32_t type_bits[4] = {1, 3, 3, 9};
  MotionChoice choice;
  choice.shape = shape;
  choice.cost = lambda_ * type_bits[static_cast<unsigned>(shape)];
  const auto parts = partitions(shape);
  for (unsigned i = 0; i < partition_count(shape) && choice.cost < limit; ++i) {
    const Partition& part = parts[i];
    const Mv predicted = motion_.predict(0, 0, part);
    const std::array<Mv, 2> starts{start, predicted};
    const Found found = search({source.at + part.y * source.stride + part.x, source.stride}, part, predicted, starts);
    choice.mv[i] = found.mv;
    choice.cost += found.cost;
    motion_.set(0, part, found.mv);
  }
  return choice;
}

MotionChoice MotionSearch::choose(const Block& source) {
  const Partition all{0, 0, 16, 16};
  const Mv predicted = motion_.predict(0, 0, all);
  std::array<Mv, 5> starts{predicted, Mv{}};
  size_t count = 2;
  for (const Location& at : {c_.locate(-1, 0), c_.locate(0, -1), c_.locate(16, -1)})
    if (at.mb && !at.mb->intra()) starts[count++] = at.mb->mv[0][at.block()];
  const Found found = search(source, all, predicted, std::span(starts).first(count));
  MotionChoice best;
  best.mv.fill(found.mv);
  best.cost = found.cost + lambda_;
  // Where one vector does well, more do not pay.
  if (best.cost < 16 * lambda_) return best;
  for (const Shape shape : {Shape::quarters, Shape::rows, Shape::columns}) {
    const MotionChoice other = divided(source, shape, found.mv, best.cost);
    if (other.cost < best.cost) best = other;
  }
  return best;
}

}  // namespace softgen::media::avc
