// SPDX-License-Identifier: GPL-2.0-or-later
// SKL PRM vol 7, "Clip Stage".
#include "hw/render/clip.h"

#include <cmath>

#include "hw/render/setup_kernels.h"

namespace softgen::render {
namespace {

constexpr unsigned max_planes = 16;

/// Signed distances of the object's vertices to one plane; inside is >= 0.
struct Plane {
  std::array<double, 3> distance;
};

using Position = std::array<double, 4>;

/// Calls plane(distance) for the eye plane and those of the viewport; distance(position) is negative, or NaN, outside.
template <typename Visit>
void each_plane(const RasterState& state, const Viewport& viewport, Visit&& plane) {
  const auto& band = viewport.transform;
  const bool have_band = state.clip.guardband && state.transform;
  // Without a guard band objects are clipped to the viewport itself.
  const double x0 = have_band ? band.guardband_x0 : -1, x1 = have_band ? band.guardband_x1 : 1;
  const double y0 = have_band ? band.guardband_y0 : -1, y1 = have_band ? band.guardband_y1 : 1;
  plane([](const Position& p) { return p[3] - min_w; });
  if (state.clip.xy) {
    plane([=](const Position& p) { return p[0] - x0 * p[3]; });
    plane([=](const Position& p) { return x1 * p[3] - p[0]; });
    plane([=](const Position& p) { return p[1] - y0 * p[3]; });
    plane([=](const Position& p) { return y1 * p[3] - p[1]; });
  }
  if (state.clip.z_near) plane([d3d = state.clip.d3d](const Position& p) { return d3d ? p[2] : p[2] + p[3]; });
  if (state.clip.z_far) plane([](const Position& p) { return p[3] - p[2]; });
}

class Planes {
 public:
  Planes(const RasterState& state, std::span<const Vue> vertices, const Viewport& viewport) : vertices_(vertices) {
    each_plane(state, viewport, [this](auto distance) {
      add([=](const Vue& v) { return distance({v.position(0), v.position(1), v.position(2), v.position(3)}); });
    });
    for (unsigned i = 0; i < 8; ++i)
      if (state.clip.clip_distances >> i & 1) add([i](const Vue& v) { return v.clip_distance(i); });
  }
  std::span<const Plane> all() const { return {planes_.data(), count_}; }

 private:
  template <typename Distance>
  void add(Distance distance) {
    Plane& plane = planes_[count_++];
    for (size_t i = 0; i < vertices_.size(); ++i) {
      const double d = distance(vertices_[i]);
      plane.distance[i] = std::isnan(d) ? -1 : d;  // NaN distances are outside (SKL PRM vol 7, "User-Specified Clipping")
    }
  }

  std::span<const Vue> vertices_;
  std::array<Plane, max_planes> planes_;
  unsigned count_ = 0;
};

double distance_of(const ClipVertex& v, const Plane& plane, size_t count) {
  double d = 0;
  for (size_t i = 0; i < count; ++i) d += v.weights[i] * plane.distance[i];
  return d;
}

ClipVertex mix(const ClipVertex& a, const ClipVertex& b, double t) {
  ClipVertex r;
  for (unsigned i = 0; i < 4; ++i) r.position[i] = a.position[i] + t * (b.position[i] - a.position[i]);
  for (unsigned i = 0; i < 3; ++i) r.weights[i] = a.weights[i] + t * (b.weights[i] - a.weights[i]);
  return r;
}

/// Sutherland-Hodgman; a line is an open polygon of two corners.
void cut(ClippedPolygon& polygon, const Plane& plane, size_t object_vertices) {
  ClippedPolygon result;
  const unsigned edges = object_vertices == 2 ? polygon.count - (polygon.count > 0) : polygon.count;
  const auto push = [&](const ClipVertex& v) {
    if (result.count < result.vertices.size()) result.vertices[result.count++] = v;
  };
  for (unsigned i = 0; i < edges; ++i) {
    const ClipVertex& a = polygon.vertices[i];
    const ClipVertex& b = polygon.vertices[(i + 1) % polygon.count];
    const double da = distance_of(a, plane, object_vertices), db = distance_of(b, plane, object_vertices);
    if (da >= 0) push(a);
    // The crossing is computed from the same end whichever way the edge is walked, so that neighbours share it.
    if ((da >= 0) != (db >= 0)) push(da >= 0 ? mix(a, b, da / (da - db)) : mix(b, a, db / (db - da)));
    if (object_vertices == 2 && db >= 0) push(b);
  }
  polygon = result;
}

bool culled_by_distance(const RasterState& state, std::span<const Vue> vertices) {
  for (unsigned i = 0; i < 8; ++i) {
    if (!(state.clip.cull_distances >> i & 1)) continue;
    bool all = true;
    for (const Vue& v : vertices) all &= !(v.clip_distance(i) >= 0);
    if (all) return true;
  }
  return false;
}

}  // namespace

ClipResult clip_object(const RasterState& state, std::span<const Vue> vertices, const Viewport& viewport, ClippedPolygon& out) {
  if (state.clip.reject_all) return ClipResult::rejected;
  if (culled_by_distance(state, vertices)) return ClipResult::rejected;
  for (const Vue& v : vertices)
    for (unsigned c = 0; c < 4; ++c)
      if (std::isnan(v.position(c))) return ClipResult::rejected;
  if (!state.clip.enable || state.clip.accept_all) return ClipResult::accepted;
  const Planes planes(state, vertices, viewport);
  bool inside_all = true;
  for (const Plane& plane : planes.all()) {
    bool any_inside = false, any_outside = false;
    for (size_t i = 0; i < vertices.size(); ++i) (plane.distance[i] >= 0 ? any_inside : any_outside) = true;
    if (!any_inside) return ClipResult::rejected;
    inside_all &= !any_outside;
  }
  if (inside_all) return ClipResult::accepted;
  if (vertices.size() == 1) return ClipResult::rejected;
  out.count = static_cast<unsigned>(vertices.size());
  for (unsigned i = 0; i < out.count; ++i) {
    for (unsigned c = 0; c < 4; ++c) out.vertices[i].position[c] = vertices[i].position(c);
    out.vertices[i].weights = {i == 0 ? 1.0 : 0.0, i == 1 ? 1.0 : 0.0, i == 2 ? 1.0 : 0.0};
  }
  for (const Plane& plane : planes.all()) cut(out, plane, vertices.size());
  return out.count >= vertices.size() ? ClipResult::clipped : ClipResult::rejected;
}

}  // namespace softgen::render
