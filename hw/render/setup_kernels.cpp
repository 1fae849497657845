// SPDX-License-Identifier: GPL-2.0-or-later
// Compiled once per instruction set (SETUP_KERNELS names the table). All else is local to the file, so that the linker cannot merge
// functions of different builds. SKL PRM vol 7, "Clip Stage" and "Strips and Fans Stage".
#include "hw/render/setup_kernels.h"

#include <cstring>

namespace softgen::render {
namespace {

typedef float F4 __attribute__((vector_size(16)));
typedef int32_t I4 __attribute__((vector_size(16)));
typedef double D4 __attribute__((vector_size(32)));
typedef int64_t L4 __attribute__((vector_size(32)));

D4 splat(double v) { return D4{v, v, v, v}; }

struct Position {
  D4 x, y, z, w;
};

Position load(const float* const* from) {
  F4 p[4];
  for (unsigned i = 0; i < 4; ++i) std::memcpy(&p[i], from[i], sizeof p[i]);
  const auto column = [&](unsigned c) { return __builtin_convertvector((F4{p[0][c], p[1][c], p[2][c], p[3][c]}), D4); };
  return {column(0), column(1), column(2), column(3)};
}

/// NaN is outside (SKL PRM vol 7, "User-Specified Clipping").
L4 outside(D4 distance, int64_t bit) { return ~(distance >= D4{}) & bit; }

L4 planes_outside(const PlaceRules& r, const Position& p) {
  L4 planes = outside(p.w - min_w, 1);
  if (r.xy_clip) {
    planes |= outside(p.x - r.x0 * p.w, 2) | outside(r.x1 * p.w - p.x, 4);
    planes |= outside(p.y - r.y0 * p.w, 8) | outside(r.y1 * p.w - p.y, 16);
  }
  if (r.z_near_clip) planes |= outside(r.d3d ? p.z : p.z + p.w, 32);
  if (r.z_far_clip) planes |= outside(p.w - p.z, 64);
  return planes;
}

/// Clamps to the screen limit; NaN becomes the lower limit.
D4 on_screen(D4 v) {
  const D4 low = splat(-screen_limit), high = splat(screen_limit);
  const D4 below = high < v ? high : v;
  return v >= low ? below : low;
}

/// std::llround() (halves away from zero) of values that on_screen() has clamped.
D4 nearest_away(D4 v) {
  const D4 whole = __builtin_convertvector(__builtin_convertvector(v, I4), D4), rest = v - whole;  // exact
  return whole + (rest >= splat(0.5) ? splat(1.0) : D4{}) - (rest <= splat(-0.5) ? splat(1.0) : D4{});
}

void place_four(const PlaceRules& r, const float* const* positions, size_t count, PlacedVertex* out) {
  const Position p = load(positions);
  const D4 w = r.divide ? p.w : splat(1.0), inverse = r.divide ? 1.0 / p.w : splat(1.0);
  D4 x = p.x * inverse, y = p.y * inverse;
  Position row{p.x, p.y, p.z, w};
  if (r.transform) {
    x = x * r.m00 + r.m30, y = y * r.m11 + r.m31;
    row = {p.x * r.m00 + r.m30 * w, p.y * r.m11 + r.m31 * w, p.z * r.m22 + r.m32 * w, w};
  }
  x = on_screen(x), y = on_screen(y);
  const D4 fx = nearest_away(x * 256.0), fy = nearest_away(y * 256.0), limit = splat(screen_limit);
  // A vertex on the screen is snapped to subpixels, as in the edges: so pixels that the edges cover are inside for the planes, too.
  const L4 there = (w > D4{}) & (x < limit) & (x > -limit) & (y < limit) & (y > -limit);
  row.x = there ? fx / 256.0 * w : row.x;
  row.y = there ? fy / 256.0 * w : row.y;
  const L4 numbers = (p.x == p.x) & (p.y == p.y) & (p.z == p.z) & (p.w == p.w);
  L4 flags = ~numbers & int64_t{PlacedVertex::no_number};
  if (r.clip) flags |= planes_outside(r, p);
  for (size_t i = 0; i < count; ++i)
    out[i] = {{row.x[i], row.y[i], row.z[i], row.w[i]}, x[i], y[i], static_cast<int32_t>(fx[i]), static_cast<int32_t>(fy[i]),
              static_cast<uint32_t>(flags[i]),          0};
}

void place(const PlaceRules& rules, const float* const* positions, size_t count, PlacedVertex* out) {
  size_t at = 0;
  for (; at + 4 <= count; at += 4) place_four(rules, positions + at, 4, out + at);
  if (at == count) return;
  const float* last[4];
  for (size_t i = 0; i < 4; ++i) last[i] = positions[at + i < count ? at + i : at];
  place_four(rules, last, count - at, out + at);
}

/// Of a vertex of four triangles.
Position rows_of(const TriangleRows* const* of, unsigned vertex) {
  D4 r[4];
  for (unsigned i = 0; i < 4; ++i) std::memcpy(&r[i], of[i]->rows[vertex], sizeof r[i]);
  const D4 xz01 = __builtin_shufflevector(r[0], r[1], 0, 4, 2, 6), yw01 = __builtin_shufflevector(r[0], r[1], 1, 5, 3, 7);
  const D4 xz23 = __builtin_shufflevector(r[2], r[3], 0, 4, 2, 6), yw23 = __builtin_shufflevector(r[2], r[3], 1, 5, 3, 7);
  return {__builtin_shufflevector(xz01, xz23, 0, 1, 4, 5), __builtin_shufflevector(yw01, yw23, 0, 1, 4, 5),
          __builtin_shufflevector(xz01, xz23, 2, 3, 6, 7), __builtin_shufflevector(yw01, yw23, 2, 3, 6, 7)};
}

D4 magnitude(D4 v) { return reinterpret_cast<D4>(reinterpret_cast<L4>(v) & INT64_MAX); }

/// a, b and c of a plane.
struct Plane {
  D4 value[3];
};

/// The four values of each lane, stored together: what reads them next does so in vectors, and would wait for smaller stores.
void put(const D4 (&of)[4], size_t count, size_t first, TrianglePlanes* out) {
  const D4 ac02 = __builtin_shufflevector(of[0], of[1], 0, 4, 2, 6), bd02 = __builtin_shufflevector(of[0], of[1], 1, 5, 3, 7);
  const D4 ac13 = __builtin_shufflevector(of[2], of[3], 0, 4, 2, 6), bd13 = __builtin_shufflevector(of[2], of[3], 1, 5, 3, 7);
  const D4 lane[4] = {__builtin_shufflevector(ac02, ac13, 0, 1, 4, 5), __builtin_shufflevector(bd02, bd13, 0, 1, 4, 5),
                      __builtin_shufflevector(ac02, ac13, 2, 3, 6, 7), __builtin_shufflevector(bd02, bd13, 2, 3, 6, 7)};
  for (size_t i = 0; i < count; ++i) std::memcpy(reinterpret_cast<std::byte*>(&out[i]) + first * sizeof(double), &lane[i], sizeof lane[i]);
}

// Homogeneous: the barycentrics q of (x, y, 1) solve q * [X Y W] = (x, y, 1), whatever the signs of W.
void planes(const TriangleRows* triangles, size_t count, TrianglePlanes* out) {
  const TriangleRows* of[4];
  for (size_t i = 0; i < 4; ++i) of[i] = triangles + (i < count ? i : 0);
  const Position v[3] = {rows_of(of, 0), rows_of(of, 1), rows_of(of, 2)};
  Plane q[3];  // of vertex k, its column of the inverse: the coefficients of x, y, 1
  for (unsigned k = 0; k < 3; ++k) {
    const Position &a = v[(k + 1) % 3], &b = v[(k + 2) % 3];
    q[k] = {{a.y * b.w - a.w * b.y, a.w * b.x - a.x * b.w, a.x * b.y - a.y * b.x}};
  }
  const D4 det = v[0].x * q[0].value[0] + v[0].y * q[0].value[1] + v[0].w * q[0].value[2], scale = 1.0 / det;
  const L4 valid = (det != D4{}) & (magnitude(scale) <= splat(__DBL_MAX__));
  for (Plane& plane : q)
    for (D4& value : plane.value) value *= scale;
  // The sum of q[k] * W[k] is 1, so depth is z0 + the sum of q[k] * (Z[k] - z0 * W[k]), whatever z0 is. With one vertex's depth as z0, three equal
  // depths give a plane that is exactly constant: other triangles of that depth, and a clear to it, pass an equality test.
  D4 z = v[0].z, w = v[0].w;
  for (unsigned k = 1; k < 3; ++k) {
    const L4 greater = magnitude(v[k].w) > magnitude(w);
    z = greater ? v[k].z : z, w = greater ? v[k].w : w;
  }
  const D4 z0 = z / w;
  Plane one_over_w{}, depth{{D4{}, D4{}, z0}};
  for (unsigned k = 0; k < 3; ++k) {
    const D4 above = v[k].w == D4{} ? v[k].z : (v[k].z / v[k].w - z0) * v[k].w;
    for (unsigned j = 0; j < 3; ++j) {
      one_over_w.value[j] += q[k].value[j];
      depth.value[j] += q[k].value[j] * above;
    }
  }
  static_assert(offsetof(TrianglePlanes, valid) == 12 * sizeof(double));
  put({q[1].value[0], q[1].value[1], q[1].value[2], q[2].value[0]}, count, 0, out);
  put({q[2].value[1], q[2].value[2], one_over_w.value[0], one_over_w.value[1]}, count, 4, out);
  put({one_over_w.value[2], depth.value[0], depth.value[1], depth.value[2]}, count, 8, out);
  for (size_t i = 0; i < count; ++i) out[i].valid = valid[i];
}

typedef uint32_t U4 __attribute__((vector_size(16)));
typedef uint32_t U8 __attribute__((vector_size(32)));

U8 pair(const std::byte* one, const std::byte* other) {
  U4 a, b;
  std::memcpy(&a, one, sizeof a);
  std::memcpy(&b, other, sizeof b);
  return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
}

void dwords(const std::byte* const* at, uint32_t* out) {
  const U8 a = pair(at[0], at[4]), b = pair(at[1], at[5]), c = pair(at[2], at[6]), d = pair(at[3], at[7]);
  const U8 ab = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13), cd = __builtin_shufflevector(c, d, 0, 8, 1, 9, 4, 12, 5, 13);
  const U8 ab2 = __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15), cd2 = __builtin_shufflevector(c, d, 2, 10, 3, 11, 6, 14, 7, 15);
  U8* const to = reinterpret_cast<U8*>(out);
  to[0] = __builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13);
  to[1] = __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15);
  to[2] = __builtin_shufflevector(ab2, cd2, 0, 1, 8, 9, 4, 5, 12, 13);
  to[3] = __builtin_shufflevector(ab2, cd2, 2, 3, 10, 11, 6, 7, 14, 15);
}

Extremes extremes(const uint32_t* values, size_t count) {
  constexpr size_t lanes = 8;
  Extremes result{UINT32_MAX, 0};
  const auto add = [&](uint32_t value) {
    result.low = value < result.low ? value : result.low;
    result.high = value > result.high ? value : result.high;
  };
  U8 low = U8{} + UINT32_MAX, high{};
  size_t at = 0;
  for (; at + lanes <= count; at += lanes) {
    U8 eight;
    std::memcpy(&eight, values + at, sizeof eight);
    low = eight < low ? eight : low, high = eight > high ? eight : high;
  }
  for (size_t i = 0; at >= lanes && i < lanes; ++i) add(low[i]), add(high[i]);
  for (; at < count; ++at) add(values[at]);
  return result;
}

}  // namespace

extern const SetupKernels SETUP_KERNELS;
const SetupKernels SETUP_KERNELS = {dwords, extremes, place, planes};

}  // namespace softgen::render
