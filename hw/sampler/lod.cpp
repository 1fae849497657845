// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/sampler/lod.h"

#include <algorithm>
#include <cmath>

namespace softgen::sampler {
namespace {

constexpr float no_detail = -64;

float log2_of(double squared) { return squared > 0 && std::isfinite(squared) ? static_cast<float>(0.5 * std::log2(squared)) : squared > 0 ? -no_detail : no_detail; }

struct Vector {
  double u, v;
  double squared() const { return u * u + v * v; }
};

/// The ellipse that a round pixel becomes on the texture, sampled along its longer axis. `x`, `y` in texels.
Detail ellipse(const Filter& filter, const Vector& x, const Vector& y, float width, float height) {
  const double uu = x.u * x.u + y.u * y.u, vv = x.v * x.v + y.v * y.v, uv = x.u * x.v + y.u * y.v;
  const double root = std::sqrt((uu - vv) * (uu - vv) + 4 * uv * uv);
  const double longer = (uu + vv + root) / 2, shorter = std::max((uu + vv - root) / 2, 0.0);
  const double most = filter.max_taps();
  // A ratio a little above a whole number by rounding does not ask for one tap more.
  double ratio = shorter * most * most <= longer ? most : std::ceil(std::sqrt(longer / shorter) - 1e-3);
  ratio = std::clamp(ratio, 1.0, most);
  Detail detail{log2_of(longer / (ratio * ratio)), static_cast<unsigned>(ratio), 0, 0};
  if (!(longer > 0) || !std::isfinite(longer)) return {log2_of(longer), 1, 0, 0};
  // The axis: the eigenvector of the larger eigenvalue, from the better conditioned row.
  double du = uv, dv = longer - uu;
  if (uu >= vv) du = longer - vv, dv = uv;
  const double length = std::hypot(du, dv);
  if (length > 0) {
    const double scale = std::sqrt(longer) / length;
    detail.step_u = static_cast<float>(du * scale / width);
    detail.step_v = static_cast<float>(dv * scale / height);
  } else {
    detail.taps = 1;
  }
  return detail;
}

}  // namespace

Detail detail_of(const Filter& filter, const Direction& at, const Direction& dx, const Direction& dy) {
  const Texture& texture = filter.texture();
  if (!texture.has_texels()) return {};
  const auto& size = texture.extent(0);
  const bool normalized = !filter.state().non_normalized_coordinate_enable;
  const float width = normalized ? static_cast<float>(size.width) : 1, height = normalized ? static_cast<float>(size.height) : 1;
  Vector x, y;
  if (texture.is_cube()) {
    const auto gx = face_gradient(at, dx), gy = face_gradient(at, dy);
    x = {gx[0] * width, gx[1] * width};
    y = {gy[0] * width, gy[1] * width};
    return {log2_of(std::max(x.squared(), y.squared())), 1, 0, 0};
  }
  x = {dx[0] * width, texture.is_1d() ? 0 : dx[1] * height};
  y = {dy[0] * width, texture.is_1d() ? 0 : dy[1] * height};
  if (filter.anisotropic()) return ellipse(filter, x, y, width, height);
  double along_x = x.squared(), along_y = y.squared();
  if (texture.is_3d()) {
    const double depth = normalized ? size.depth : 1;
    along_x += dx[2] * depth * (dx[2] * depth);
    along_y += dy[2] * depth * (dy[2] * depth);
  }
  return {log2_of(std::max(along_x, along_y)), 1, 0, 0};
}

}  // namespace softgen::sampler
