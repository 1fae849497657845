// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/sampler/lod.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace softgen::sampler {
namespace {

constexpr float no_detail = -64;

/// Half the base two logarithm, with an error of less than 2^-14, which is a 64th of a step: levels of detail have eight bits of fraction.
float log2_of(float squared) {
  if (!(squared >= 0x1p-100f)) return no_detail;
  if (squared > 0x1.fffffep127f) return -no_detail;
  const auto bits = std::bit_cast<uint32_t>(squared);
  const float t = std::bit_cast<float>((bits & 0x007fffff) | 0x3f800000) - 1;
  const float fraction = t * ((log2_terms[0] + log2_terms[1] * t) + t * t * (log2_terms[2] + log2_terms[3] * t));
  return 0.5f * (static_cast<float>(static_cast<int>(bits >> 23) - 127) + fraction);
}
float log2_of(double squared) { return log2_of(static_cast<float>(squared)); }

/// Levels of detail have eight bits of fraction (U4.8). |value| <= 64.
float quantized(float value) { return (value * 256 + lod_rounding - lod_rounding) / 256; }

struct Vector {
  double u, v;
  double squared() const { return u * u + v * v; }
};

float cube_lod_of(float width, const Direction& own, const Direction& at, const Direction& dx, const Direction& dy) {
  const auto gx = face_gradient(own, at, dx), gy = face_gradient(own, at, dy);
  const Vector x{gx[0] * width, gx[1] * width}, y{gy[0] * width, gy[1] * width};
  return log2_of(std::max(x.squared(), y.squared()));
}

/// The ellipse that a round pixel becomes on the texture, sampled along its longer axis. `x`, `y` in texels.
Detail ellipse(double max, const Vector& x, const Vector& y, float width, float height) {
  const double uu = x.u * x.u + y.u * y.u, vv = x.v * x.v + y.v * y.v, uv = x.u * x.v + y.u * y.v;
  const double root = std::sqrt((uu - vv) * (uu - vv) + 4 * uv * uv);
  const double longer = (uu + vv + root) / 2;
  // Tiny values are zero, also with denormals as zeros.
  if (!(longer >= 0x1p-100) || !std::isfinite(longer)) return {log2_of(longer), 1, 0, 0};
  const double shorter = std::max((uu + vv - root) / 2, 0.0);
  // A ratio a little above a whole number by rounding does not ask for one tap more.
  double ratio = shorter * max * max <= longer ? max : std::ceil(std::sqrt(longer / shorter) - 1e-3);
  ratio = std::clamp(ratio, 1.0, max);
  Detail detail{log2_of(longer / (ratio * ratio)), static_cast<unsigned>(ratio), 0, 0};
  // The axis: the eigenvector of the larger eigenvalue, from the better conditioned row.
  double du = uv, dv = longer - uu;
  if (uu >= vv) du = longer - vv, dv = uv;
  const double length = std::sqrt(du * du + dv * dv);
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

float plane_lod(float width, float height, float du_dx, float dv_dx, float du_dy, float dv_dy) {
  // In single precision, as lane_lods has it.
  const auto squared = [&](float du, float dv) { return du * width * (du * width) + dv * height * (dv * height); };
  return log2_of(std::max(squared(du_dx, dv_dx), squared(du_dy, dv_dy)));
}

Detail plane_footprint(float width, float height, unsigned max, float du_dx, float dv_dx, float du_dy, float dv_dy) {
  return ellipse(max, {du_dx * width, dv_dx * height}, {du_dy * width, dv_dy * height}, width, height);
}

float cube_lod(float width, const Direction& own, const Direction& at, const Direction& right, const Direction& below) {
  Direction dx, dy;
  for (size_t i = 0; i < 3; ++i) dx[i] = right[i] - at[i], dy[i] = below[i] - at[i];
  return cube_lod_of(width, own, at, dx, dy);
}

Detail detail_of(const Filter& filter, const Direction& own, const Direction& at, const Direction& dx, const Direction& dy) {
  const Texture& texture = filter.texture();
  if (!texture.has_texels()) return {};
  const auto& size = texture.extent(0);
  const bool normalized = !filter.state().non_normalized;
  const float width = normalized ? static_cast<float>(size.width) : 1, height = normalized ? static_cast<float>(size.height) : 1;
  if (texture.is_cube()) return {cube_lod_of(width, own, at, dx, dy), 1, 0, 0};
  Vector x, y;
  x = {dx[0] * width, texture.is_1d() ? 0 : dx[1] * height};
  y = {dy[0] * width, texture.is_1d() ? 0 : dy[1] * height};
  if (filter.anisotropic()) return ellipse(filter.max_taps(), x, y, width, height);
  if (!texture.is_1d() && !texture.is_3d()) return {plane_lod(width, height, dx[0], dx[1], dy[0], dy[1]), 1, 0, 0};
  double along_x = x.squared(), along_y = y.squared();
  if (texture.is_3d()) {
    const double depth = normalized ? size.depth : 1;
    along_x += dx[2] * depth * (dx[2] * depth);
    along_y += dy[2] * depth * (dy[2] * depth);
  }
  return {log2_of(std::max(along_x, along_y)), 1, 0, 0};
}

Lod finish_lod(const Texture& texture, const State& state, float lod, float bias, float min) {
  // SKL PRM vol 7, "LOD Computation Pseudocode".
  const auto& s = texture.surface();
  const float last = static_cast<float>(texture.levels() - 1);
  Lod out;
  out.unclamped = (std::isnan(lod) ? 0 : lod) + bias + state.lod_bias;
  // A bias that is no number, or infinities that cancel, must not name a level.
  float value = std::isnan(out.unclamped) ? 0 : out.unclamped;
  if (state.preclamp) value = std::max(std::min(value, state.max_lod), state.min_lod);
  value = quantized(std::clamp(value, -64.0f, 64.0f));
  out.magnify = value <= s.base_mip_level;
  const float surface_least = std::max(s.resource_min_lod - static_cast<float>(s.min_lod), min);
  const float low = std::max(std::min(state.min_lod, last), surface_least), high = std::min(state.max_lod, last);
  out.clamped = std::clamp(std::max(std::min(value, high), low), 0.0f, last);
  return out;
}

LaneDetail lane_detail(const Texture& texture, const State& state) {
  const auto& s = texture.surface();
  LaneDetail d;
  if (!state.non_normalized) {
    const auto& size = texture.extent(0);
    d.width = static_cast<float>(size.width), d.height = static_cast<float>(size.height);
  }
  using Mips = MipFilter;
  d.mips = state.mip_filter == Mips::nearest ? LaneMips::nearest : state.mip_filter == Mips::linear ? LaneMips::linear : LaneMips::none;
  d.bias = state.lod_bias;
  d.preclamped = state.preclamp;
  const auto fixed = [](float level) { return static_cast<int32_t>(std::floor(level * 256)); };  // fields have no more bits
  const auto last = static_cast<float>(texture.levels() - 1);
  d.pre_low = fixed(state.min_lod), d.pre_high = fixed(state.max_lod);
  d.magnified = fixed(s.base_mip_level);
  d.last = fixed(last);
  const float surface_least = std::max(s.resource_min_lod - static_cast<float>(s.min_lod), 0.0f);
  d.low = fixed(std::max(std::min(state.min_lod, last), surface_least)), d.high = fixed(std::min(state.max_lod, last));
  return d;
}

}  // namespace softgen::sampler
