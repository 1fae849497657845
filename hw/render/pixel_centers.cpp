// SPDX-License-Identifier: GPL-2.0-or-later
// Barycentrics, depth and W of pixels. See pixel_vectors.h.
#include "hw/render/pixel_vectors.h"

namespace softgen::render {
namespace {

struct Four {
  F4 i, j;
};
/// The arithmetic of CenterPlanes at any position in a pixel.
inline Four interpolate_four(const Planes& p, D4 px, D4 py) {
  const D4 x = __builtin_convertvector(__builtin_convertvector(px, I4) & ~3, D4),
           y = __builtin_convertvector(__builtin_convertvector(py, I4) & ~3, D4);
  const F4 right = __builtin_convertvector(px - x, F4), down = __builtin_convertvector(py - y, F4);
  const auto value = [&](const double* plane) {
    const F4 there = __builtin_convertvector(plane[0] * x + plane[1] * y + plane[2], F4);
    return there + (static_cast<float>(plane[0]) * right + static_cast<float>(plane[1]) * down);
  };
  if (!p.one_over_w) return {value(p.i), value(p.j)};
  const F4 w = 1.0f / value(p.one_over_w);
  return {value(p.i) * w, value(p.j) * w};
}

}  // namespace

void PIXEL_ISA::interpolate(const Planes& p, const double* x, const double* y, size_t count, float* i, float* j) {
  for (size_t at = 0; at < count; at += 4) {
    D4 px, py;
    std::memcpy(&px, x + at, sizeof px);
    std::memcpy(&py, y + at, sizeof py);
    const Four four = interpolate_four(p, px, py);
    std::memcpy(i + at, &four.i, sizeof four.i);
    std::memcpy(j + at, &four.j, sizeof four.j);
  }
}

namespace {

// Bits of CenterPlanes::modes.
constexpr uint32_t with_perspective = 7, without = 070;

/// The pixel centres of two quads.
struct Centers {
  Eight x, y;
};

void put_eight(float* to, F8 v) {
  typedef float Unaligned __attribute__((vector_size(32), aligned(4), may_alias));
  *reinterpret_cast<Unaligned*>(to) = v;
}

Centers centers_of(uint32_t one, uint32_t other) {
  const auto a = static_cast<int32_t>(one), b = static_cast<int32_t>(other);
  const I8 quads{a, a, a, a, b, b, b, b}, right{0, 1, 0, 1, 0, 1, 0, 1}, below{0, 0, 1, 1, 0, 0, 1, 1};
  const Eight half = eight_of(0.5);
  return {eight_of((quads & 0xffff) + right) + half, eight_of((quads >> 16 & 0xffff) + below) + half};
}

F8 depth_of(const CenterPlanes& p, const Centers& at) {
  const Eight z = eight_of(p.z[0]) * at.x + eight_of(p.z[1]) * at.y + eight_of(p.z[2]) + eight_of(p.bias);
  return floats(between(z, p.low, p.high));
}

#ifdef __AVX512F__
F8 lower_half(F16 v) { return __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7); }
/// Stores both halves, `apart` floats from each other.
void put_halves(float* to, size_t apart, F16 v) {
  put_eight(to, lower_half(v));
  put_eight(to + apart, __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15));
}

typedef int32_t I16 __attribute__((vector_size(64)));

/// Four quads anywhere, or two of them twice: the corners of their squares, and which of a square's increments are their pixels'.
struct FourQuads {
  D4 x, y;
  I16 increments;

  FourQuads(const uint32_t* quads, bool four) {
    // Four loads, as they were stored: a wider one would wait for the stores.
    const auto one = [&](unsigned n) { return static_cast<int32_t>(quads[n]); };
    const I4 at = four ? I4{one(0), one(1), one(2), one(3)} : I4{one(0), one(1), one(0), one(1)};
    x = __builtin_convertvector(at & 0xfffc, D4), y = __builtin_convertvector(at >> 16 & 0xfffc, D4);
    const I4 first = ((at >> 1 & 1) | (at >> 16 & 2)) * 4;
    increments = __builtin_shufflevector(first, first, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3) +
                 I16{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3};
  }
};

/// A plane at the pixels of four quads: the float value at a square's corner, plus the increments of its pixels (see CenterPlanes).
struct QuadPlane {
  D4 a, b, c;
  F16 added;

  explicit QuadPlane(const CenterPlanes::Plane& p) : a(splat(p[0])), b(splat(p[1])), c(splat(p[2])) {
    constexpr F16 x = {0.5f, 1.5f, 0.5f, 1.5f, 2.5f, 3.5f, 2.5f, 3.5f, 0.5f, 1.5f, 0.5f, 1.5f, 2.5f, 3.5f, 2.5f, 3.5f},
                  y = {0.5f, 0.5f, 1.5f, 1.5f, 0.5f, 0.5f, 1.5f, 1.5f, 2.5f, 2.5f, 3.5f, 3.5f, 2.5f, 2.5f, 3.5f, 3.5f};
    added = static_cast<float>(p[0]) * x + static_cast<float>(p[1]) * y;
  }
  [[gnu::always_inline]] F16 at(const FourQuads& quads) const {
    const F4 there = __builtin_convertvector(a * quads.x + b * quads.y + c, F4);
    return __builtin_shufflevector(there, there, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3) +
           _mm512_maskz_permutexvar_ps(0xffff, reinterpret_cast<__m512i>(quads.increments), added);
  }
};

/// center_planes() of threads of sixteen pixels, or of eight.
template <bool four>
void center_planes_of(const CenterPlanes& p, const CenterThread* threads, size_t count) {
  constexpr size_t registers = four ? 16 : 8;
  const uint32_t divided = p.modes & with_perspective, plain = p.modes & without;
  const QuadPlane over_w(p.one_over_w), i(p.perspective[0]), j(p.perspective[1]);
  const bool same_w = p.one_over_w[0] == 0 && p.one_over_w[1] == 0;
  const F16 one_w = F16{} + 1.0f / (static_cast<float>(p.one_over_w[2]) + over_w.added[0]);
  for (const CenterThread* thread = threads; thread != threads + count; ++thread) {
    const FourQuads quads(thread->quads, four);
    float* to = thread->out;
    const auto store = [](float* at, size_t apart, F16 v) { four ? put_halves(at, apart, v) : put_eight(at, lower_half(v)); };
    const auto put = [&](uint32_t modes, F16 vi, F16 vj) {
      for (; modes; modes &= modes - 1, to += 2 * registers) store(to, 16, vi), store(to + 8, 16, vj);
    };
    const F16 w = same_w ? one_w : 1.0f / over_w.at(quads);
    if (divided) put(divided, i.at(quads) * w, j.at(quads) * w);
    if (plain) put(plain, QuadPlane(p.linear[0]).at(quads), QuadPlane(p.linear[1]).at(quads));
    if (p.depth)
      for (unsigned n = 0; n < registers / 4; n += 2, to += 8)
        put_eight(to, depth_of(p, centers_of(thread->quads[n], thread->quads[n + 1])));
    if (p.w) store(to, 8, w);
  }
}
#else

/// Up to four planes: the float value at a square's corner, and the increments of its pixels (see CenterPlanes).
struct SquarePlanes {
  D4 a, b, c;
  F8 added[4][2];   ///< increments of the two upper quads, and of the two lower ones
  uint32_t corner;  ///< x | y << 16
  F4 there;

  [[gnu::always_inline]] inline void set(const CenterPlanes::Plane* const (&planes)[4], unsigned count) {
    constexpr CenterPlanes::Plane nothing{};
    for (unsigned n = 0; n < 4; ++n) {
      const CenterPlanes::Plane& p = n < count ? *planes[n] : nothing;
      a[n] = p[0], b[n] = p[1], c[n] = p[2];
    }
    const F4 right = __builtin_convertvector(a, F4), down = __builtin_convertvector(b, F4);
    constexpr F8 x = {0.5f, 1.5f, 0.5f, 1.5f, 2.5f, 3.5f, 2.5f, 3.5f}, y = {0.5f, 0.5f, 1.5f, 1.5f, 0.5f, 0.5f, 1.5f, 1.5f};
    for (unsigned n = 0; n < count; ++n)
      for (unsigned half = 0; half < 2; ++half) added[n][half] = right[n] * x + down[n] * (y + 2.0f * static_cast<float>(half));
    at(0);
  }
  [[gnu::always_inline]] inline void at(uint32_t square) {
    corner = square;
    there = __builtin_convertvector(a * static_cast<double>(square & 0xffff) + b * static_cast<double>(square >> 16) + c, F4);
  }
  /// The planes' values in two quads.
  [[gnu::always_inline]] inline void values(uint32_t one, uint32_t other, unsigned count, F8 (&out)[4]) {
    constexpr uint32_t squares = 0xfffcfffc;
    if ((one & squares) != corner) at(one & squares);
    const unsigned half = one >> 17 & 1;
    if (other == one + 2 && !(one & 2)) {
      for (unsigned n = 0; n < count; ++n) out[n] = splat(there[n]) + added[n][half];
      return;
    }
    const F4 here = there;
    if ((other & squares) != corner) at(other & squares);
    const auto four = [](F8 v, uint32_t quad) {
      return quad & 2 ? __builtin_shufflevector(v, v, 4, 5, 6, 7) : __builtin_shufflevector(v, v, 0, 1, 2, 3);
    };
    for (unsigned n = 0; n < count; ++n) {
      const F4 left = here[n] + four(added[n][half], one), right = there[n] + four(added[n][other >> 17 & 1], other);
      out[n] = __builtin_shufflevector(left, right, 0, 1, 2, 3, 4, 5, 6, 7);
    }
  }
};
#endif

}  // namespace

void PIXEL_ISA::square_steps(const CenterPlanes& p, float (*steps)[16]) {
#ifdef __AVX512F__
  const CenterPlanes::Plane* const planes[] = {&p.one_over_w, &p.perspective[0], &p.perspective[1]};
  for (unsigned n = 0; n < 3; ++n) put_halves(steps[n], 8, QuadPlane(*planes[n]).added);
#else
  SquarePlanes planes;
  planes.set({&p.one_over_w, &p.perspective[0], &p.perspective[1], nullptr}, 3);
  for (unsigned n = 0; n < 3; ++n)
    for (unsigned half = 0; half < 2; ++half) put_eight(steps[n] + 8 * half, planes.added[n][half]);
#endif
}

void PIXEL_ISA::square_corners(const CenterPlanes& p, const SquareCorners& squares) {
  const CenterPlanes::Plane &w = p.one_over_w, &i = p.perspective[0], &j = p.perspective[1];
  const D4 a{w[0], i[0], j[0]}, b{w[1], i[1], j[1]}, c{w[2], i[2], j[2]};
  const auto* from = reinterpret_cast<const std::byte*>(squares.at);
  auto* to = reinterpret_cast<std::byte*>(squares.out);
  for (size_t n = 0; n < squares.count; ++n, from += squares.apart, to += squares.apart) {
    uint32_t at;
    std::memcpy(&at, from, sizeof at);
    const D4 there = a * static_cast<double>(at & 0xffff) + b * static_cast<double>(at >> 16) + c;
    const F4 values = __builtin_convertvector(there, F4) + 0.0f;
    std::memcpy(to, &values, sizeof values);
  }
}

void PIXEL_ISA::center_planes(const CenterPlanes& p, const CenterThread* threads, size_t count, size_t quads) {
#ifdef __AVX512F__
  return quads == 4 ? center_planes_of<true>(p, threads, count) : center_planes_of<false>(p, threads, count);
#else
  const bool divides = p.w || (p.modes & with_perspective);
  SquarePlanes perspective, linear;
  if (divides) perspective.set({&p.one_over_w, &p.perspective[0], &p.perspective[1], nullptr}, 3);
  if (p.modes & without) linear.set({&p.linear[0], &p.linear[1], nullptr, nullptr}, 2);
  for (const CenterThread* thread = threads; thread != threads + count; ++thread) {
    for (size_t n = 0; n < quads; n += 2) {
      const uint32_t one = thread->quads[n], other = thread->quads[n + 1];
      F8 divided[4]{}, plain[4]{};
      if (divides) {
        perspective.values(one, other, 3, divided);
        divided[0] = 1.0f / divided[0];
      }
      if (p.modes & without) linear.values(one, other, 2, plain);
      const F8 i = divided[1] * divided[0], j = divided[2] * divided[0];
      float* to = thread->out;
      for (uint32_t mode = 0, modes = p.modes & (with_perspective | without); modes >> mode; ++mode) {
        if (!(modes >> mode & 1)) continue;
        const bool linearly = without >> mode & 1;
        put_eight(to + 8 * n, linearly ? plain[0] : i);
        put_eight(to + 8 * n + 8, linearly ? plain[1] : j);
        to += 8 * quads;
      }
      if (p.depth) {
        put_eight(to + 4 * n, depth_of(p, centers_of(one, other)));
        to += 4 * quads;
      }
      if (p.w) put_eight(to + 4 * n, divided[0]);
    }
  }
#endif
}

}  // namespace softgen::render
