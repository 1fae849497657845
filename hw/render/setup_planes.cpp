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
  return find_planes({&rows[0], &rows[1], &rows[2]}, out);
}

bool Setup::find_planes(const std::array<const ScreenRow*, 3>& rows, PreparedObject& out) const {
  // Homogeneous: the barycentrics q of (x, y, 1) solve q * [X Y W] = (x, y, 1), whatever the signs of W.
  std::array<std::array<double, 3>, 3> m, inverse;
  for (unsigned i = 0; i < 3; ++i) m[i] = {rows[i]->x, rows[i]->y, rows[i]->w};
  if (!invert(m, inverse)) return false;
  // inverse[r][k]: row r is the coefficient of x, y, 1; column k the vertex.
  const auto plane = [](const auto& matrix, unsigned k) { return Plane2{matrix[0][k], matrix[1][k], matrix[2][k]}; };
  out.perspective = {plane(inverse, 1), plane(inverse, 2)};
  // The sum of q[k] * W[k] is 1, so depth is z0 + the sum of q[k] * (Z[k] - z0 * W[k]), whatever z0 is. With one vertex's depth as z0, three equal
  // depths give a plane that is exactly constant: other triangles of that depth, and a clear to it, pass an equality test.
  unsigned reference = 0;
  for (unsigned k = 1; k < 3; ++k)
    if (std::abs(rows[k]->w) > std::abs(rows[reference]->w)) reference = k;
  const double z0 = rows[reference]->z / rows[reference]->w;
  out.z.c = z0;
  for (unsigned k = 0; k < 3; ++k) {
    const Plane2 q = plane(inverse, k);
    out.one_over_w.a += q.a;
    out.one_over_w.b += q.b;
    out.one_over_w.c += q.c;
    const double w = rows[k]->w, above = w == 0 ? rows[k]->z : (rows[k]->z / w - z0) * w;
    out.z.a += q.a * above;
    out.z.b += q.b * above;
    out.z.c += q.c * above;
  }
  out.linear = out.perspective;
  if (!linear_) return true;
  for (unsigned i = 0; i < 3; ++i) m[i] = {rows[i]->x / rows[i]->w, rows[i]->y / rows[i]->w, 1};
  if (invert(m, inverse)) out.linear = {plane(inverse, 1), plane(inverse, 2)};
  return true;
}

}  // namespace softgen::render
