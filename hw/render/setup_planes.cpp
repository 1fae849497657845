// SPDX-License-Identifier: GPL-2.0-or-later
// Planes of barycentrics, 1/W and depth over the screen. SKL PRM vol 7, "Strips and Fans Stage".
#include <cmath>

#include "hw/render/setup.h"

namespace softgen::render {
namespace {

/// Rows of the inverse of a 3x3 matrix given by its rows; false when it has none.
bool invert(const std::array<std::array<double, 3>, 3>& m, std::array<std::array<double, 3>, 3>& r) {
  const auto cofactor = [&](unsigned i, unsigned j) {
    const unsigned i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    return m[i1][j1] * m[i2][j2] - m[i1][j2] * m[i2][j1];
  };
  const double det = m[0][0] * cofactor(0, 0) + m[0][1] * cofactor(0, 1) + m[0][2] * cofactor(0, 2), scale = 1 / det;
  if (det == 0 || !std::isfinite(scale)) return false;
  for (unsigned i = 0; i < 3; ++i)
    for (unsigned j = 0; j < 3; ++j) r[j][i] = cofactor(i, j) * scale;
  return true;
}

}  // namespace

bool Setup::interpolation(const Viewport& viewport, std::span<const Vue> vertices, std::span<const Screen> places,
                          PreparedObject& out) const {
  const auto& t = viewport.transform;
  std::array<ScreenRow, 3> rows;
  for (unsigned i = 0; i < 3; ++i) {
    const Vue& v = vertices[i];
    const double w = raster_.divide ? v.position(3) : 1;
    double x = v.position(0), y = v.position(1), z = v.position(2);
    if (raster_.transform) {
      x = x * t.m00 + t.m30 * w;
      y = y * t.m11 + t.m31 * w;
      z = z * t.m22 + t.m32 * w;
    }
    // Where the corner is on the screen, it counts as the edges have it: what they cover is inside for the planes too.
    if (const Screen& at = places[i]; w > 0 && std::abs(at.x) < screen_limit && std::abs(at.y) < screen_limit) {
      x = static_cast<double>(at.fx) / subpixels * w;
      y = static_cast<double>(at.fy) / subpixels * w;
    }
    rows[i] = {x, y, z, w};
  }
  return find_planes({{&rows[0], &rows[1], &rows[2]}}, out);
}

bool Setup::find_planes(const TriangleRows& triangle, PreparedObject& out) const {
  TrianglePlanes planes;
  kernels_.planes(&triangle, 1, &planes);
  return take_planes(triangle, planes, out);
}

/// `planes`: of this triangle. False: it has none.
bool Setup::take_planes(const TriangleRows& triangle, const TrianglePlanes& planes, PreparedObject& out) const {
  if (!planes.valid) return false;
  const auto plane = [](const double(&p)[3]) { return Plane2{p[0], p[1], p[2]}; };
  out.perspective = {plane(planes.perspective[0]), plane(planes.perspective[1])};
  out.one_over_w = plane(planes.one_over_w);
  out.z = plane(planes.z);
  if (!linear_) return true;
  std::array<std::array<double, 3>, 3> m, inverse;
  for (unsigned i = 0; i < 3; ++i) m[i] = {triangle.rows[i]->x / triangle.rows[i]->w, triangle.rows[i]->y / triangle.rows[i]->w, 1};
  // inverse[r][k]: row r is the coefficient of x, y, 1; column k the vertex.
  const auto column = [&](unsigned k) { return Plane2{inverse[0][k], inverse[1][k], inverse[2][k]}; };
  if (invert(m, inverse)) out.own_linear = arena_->keep(std::array<Plane2, 2>{column(1), column(2)});
  return true;
}

}  // namespace softgen::render
