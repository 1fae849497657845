// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/sampler/cube.h"

#include <algorithm>
#include <cmath>

namespace softgen::sampler {
namespace {

/// Which components of the direction run along a face, with their signs: u = (sign * d[axis] / |d[major]| + 1) / 2.
struct Face {
  unsigned major, u, v;
  float major_sign, u_sign, v_sign;
};
constexpr Face faces[6] = {
    {0, 2, 1, 1, -1, -1}, {0, 2, 1, -1, 1, -1}, {1, 0, 2, 1, 1, 1}, {1, 0, 2, -1, 1, -1}, {2, 0, 1, 1, 1, -1}, {2, 0, 1, -1, -1, -1},
};

unsigned select(const Direction& d) {
  const float ax = std::abs(d[0]), ay = std::abs(d[1]), az = std::abs(d[2]);
  if (az >= ax && az >= ay) return d[2] >= 0 ? 4 : 5;
  if (ay >= ax) return d[1] >= 0 ? 2 : 3;
  return d[0] >= 0 ? 0 : 1;
}

}  // namespace

FacePoint face_of(const Direction& d) {
  const unsigned index = select(d);
  const Face& f = faces[index];
  float major = std::abs(d[f.major]);
  if (!(major > 0)) major = 1;
  return {(f.u_sign * d[f.u] / major + 1) / 2, (f.v_sign * d[f.v] / major + 1) / 2, index};
}

std::array<float, 2> face_gradient(const Direction& own, const Direction& at, const Direction& delta) {
  const Face& f = faces[select(own)];
  float major = std::abs(own[f.major]);
  if (!(major > 0)) major = 1;
  const float change = f.major_sign * delta[f.major];
  // Both seen on this face's plane, if they are in front of it.
  if (const float here = f.major_sign * at[f.major], there = here + change; here > major / 64 && there > major / 64) {
    const auto along = [&](unsigned axis, float sign) { return sign * ((at[axis] + delta[axis]) / there - at[axis] / here) / 2; };
    return {along(f.u, f.u_sign), along(f.v, f.v_sign)};
  }
  const auto along = [&](unsigned axis, float sign) { return sign * (delta[axis] * major - own[axis] * change) / (major * major) / 2; };
  return {along(f.u, f.u_sign), along(f.v, f.v_sign)};
}

bool same_face(const Direction& a, const Direction& b) { return select(a) == select(b); }

FaceTexel across_edge(unsigned face, int x, int y, int size) {
  const Face& f = faces[face];
  const float n = static_cast<float>(size);
  // Half a texel beyond the edge, on the neighbour: there the old major axis is what varies.
  Direction d{};
  const auto inside = [&](int i) { return (2 * static_cast<float>(i) + 1) / n - 1; };
  const bool u_out = x < 0 || x >= size;
  d[f.major] = f.major_sign * (1 - 1 / n);
  d[f.u] = f.u_sign * (u_out ? (x < 0 ? -1.0f : 1.0f) : inside(x));
  d[f.v] = f.v_sign * (u_out ? inside(std::clamp(y, 0, size - 1)) : (y < 0 ? -1.0f : 1.0f));
  // A corner of the neighbour's face has two components of length one but for rounding: the axis that was left is the major one.
  const unsigned axis = u_out ? f.u : f.v;
  const unsigned target = 2 * axis + (d[axis] < 0 ? 1 : 0);
  const Face& g = faces[target];
  const auto texel = [&](float c) { return static_cast<uint32_t>(std::clamp(static_cast<int>(std::floor((c + 1) / 2 * n)), 0, size - 1)); };
  return {texel(g.u_sign * d[g.u]), texel(g.v_sign * d[g.v]), target};
}

}  // namespace softgen::sampler
