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
#ifdef __AVX512F__
  /// The planes' values in the square at `where`.
  [[gnu::always_inline]] inline void squares(uint32_t where, unsigned count, F16 (&out)[4]) {
    if (where != corner) at(where);
    for (unsigned n = 0; n < count; ++n) {
      const F16 all = __builtin_shufflevector(added[n][0], added[n][1], 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
      out[n] = (F16{} + there[n]) + all;
    }
  }
#endif
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

#ifdef __AVX512F__
/// Stores both halves of a square, `apart` floats from each other.
void put_halves(float* to, size_t apart, F16 v) {
  put_eight(to, __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7));
  put_eight(to + apart, __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15));
}

bool is_square(const uint32_t* quads) {
  constexpr int32_t right = 2, below = 2 << 16;
  I4 four;
  std::memcpy(&four, quads, sizeof four);
  const I4 square = four[0] + I4{0, right, below, right | below};
  return !(four[0] & (right | below)) && _mm_movemask_ps(reinterpret_cast<__m128>(four == square)) == 15;
}

/// Barycentrics of the squares from the first thread on, with perspective only and in one mode. `same_w` as below. Returns how many there are.
size_t perspective_squares(SquarePlanes& planes, const float* same_w, const CenterThread* threads, size_t count) {
  const D4 a = planes.a, b = planes.b, c = planes.c;
  F16 added[3];
  for (unsigned n = 0; n < 3; ++n)
    added[n] = __builtin_shufflevector(planes.added[n][0], planes.added[n][1], 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const F16 constant = F16{} + (same_w ? *same_w : 1.0f);
  for (size_t n = 0; n < count; ++n) {
    const uint32_t square = threads[n].quads[0];
    if (!is_square(threads[n].quads)) return n;
    const F4 there = __builtin_convertvector(a * static_cast<double>(square & 0xffff) + b * static_cast<double>(square >> 16) + c, F4);
    const F16 w = same_w ? constant : 1.0f / ((F16{} + there[0]) + added[0]);
    const F16 i = ((F16{} + there[1]) + added[1]) * w, j = ((F16{} + there[2]) + added[2]) * w;
    const F16 upper = __builtin_shufflevector(i, j, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23),
              lower = __builtin_shufflevector(i, j, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
    std::memcpy(threads[n].out, &upper, sizeof upper);
    std::memcpy(threads[n].out + 16, &lower, sizeof lower);
  }
  return count;
}

/// Barycentrics (without depth and W) of a whole square. `same_w`: W if it is constant, else null.
void center_square(const CenterPlanes& p, SquarePlanes& perspective, SquarePlanes& linear, const float* same_w, uint32_t where, float* to) {
  F16 values[4];
  for (const bool divided : {true, false}) {
    uint32_t modes = divided ? p.modes & with_perspective : p.modes & ~with_perspective;
    if (!modes) continue;
    if (divided) {
      perspective.squares(where, 3, values);
      const F16 w = same_w ? F16{} + *same_w : 1.0f / values[0];
      values[0] = values[1] * w, values[1] = values[2] * w;
    } else {
      linear.squares(where, 2, values);
    }
    for (; modes; modes &= modes - 1, to += 32) put_halves(to, 16, values[0]), put_halves(to + 8, 16, values[1]);
  }
}
#endif

}  // namespace

void PIXEL_ISA::square_steps(const CenterPlanes& p, float (*steps)[16]) {
  SquarePlanes planes;
  planes.set({&p.one_over_w, &p.perspective[0], &p.perspective[1], nullptr}, 3);
  for (unsigned n = 0; n < 3; ++n)
    for (unsigned half = 0; half < 2; ++half) put_eight(steps[n] + 8 * half, planes.added[n][half]);
}

void PIXEL_ISA::square_corners(const CenterPlanes& p, const CenterThread* squares, size_t count) {
  const CenterPlanes::Plane &w = p.one_over_w, &i = p.perspective[0], &j = p.perspective[1];
  const D4 a{w[0], i[0], j[0]}, b{w[1], i[1], j[1]}, c{w[2], i[2], j[2]};
  for (const CenterThread* square = squares; square != squares + count; ++square) {
    const uint32_t at = square->quads[0];
    const D4 there = a * static_cast<double>(at & 0xffff) + b * static_cast<double>(at >> 16) + c;
    const F4 values = __builtin_convertvector(there, F4) + 0.0f;
    std::memcpy(square->out, &values, sizeof values);
  }
}

void PIXEL_ISA::center_planes(const CenterPlanes& p, const CenterThread* threads, size_t count, size_t quads) {
  const bool divides = p.w || (p.modes & with_perspective);
  SquarePlanes perspective, linear;
  if (divides) perspective.set({&p.one_over_w, &p.perspective[0], &p.perspective[1], nullptr}, 3);
  if (p.modes & without) linear.set({&p.linear[0], &p.linear[1], nullptr, nullptr}, 2);
#ifdef __AVX512F__
  float w;
  const float* same_w = nullptr;
  if (divides && p.one_over_w[0] == 0 && p.one_over_w[1] == 0) w = 1.0f / (perspective.there[0] + perspective.added[0][0][0]), same_w = &w;
#endif
#ifdef __AVX512F__
  const bool one_mode = quads == 4 && !p.depth && !p.w && (p.modes & (p.modes - 1)) == 0 && (p.modes & with_perspective);
#endif
  for (const CenterThread* thread = threads; thread != threads + count; ++thread) {
#ifdef __AVX512F__
    if (one_mode) {
      thread += perspective_squares(perspective, same_w, thread, static_cast<size_t>(threads + count - thread));
      if (thread == threads + count) break;
    } else if (quads == 4 && !p.depth && !p.w && is_square(thread->quads)) {
      center_square(p, perspective, linear, same_w, thread->quads[0], thread->out);
      continue;
    }
#endif
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
        const Centers at = centers_of(one, other);
        const Eight z = eight_of(p.z[0]) * at.x + eight_of(p.z[1]) * at.y + eight_of(p.z[2]) + eight_of(p.bias);
        put_eight(to + 4 * n, floats(between(z, p.low, p.high)));
        to += 4 * quads;
      }
      if (p.w) put_eight(to + 4 * n, divided[0]);
    }
  }
}

}  // namespace softgen::render
