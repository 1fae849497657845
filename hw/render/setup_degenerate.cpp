// SPDX-License-Identifier: GPL-2.0-or-later
// Triangles without an area under conservative rasterization. They are drawn, as back-facing ones, with the attributes of the provoking vertex: what
// tier 2 of Direct3D's conservative rasterization asks for, and anv's degenerateTrianglesRasterized relies on.
#include <algorithm>
#include <tuple>

#include "hw/render/setup.h"

namespace softgen::render {

/// All pixels that the segment of the collinear `corners` touches.
bool Setup::cover_segment(std::span<const Screen> corners, const Viewport& viewport, PreparedObject& out) const {
  const auto before = [](const Screen& a, const Screen& b) { return std::tie(a.fx, a.fy) < std::tie(b.fx, b.fy); };
  const auto [first, last] = std::minmax_element(corners.begin(), corners.end(), before);
  int64_t dx = last->fx - first->fx, dy = last->fy - first->fy;
  // A point is on any line through it. An edge of no direction would have whole pixels inside.
  if (dx == 0 && dy == 0) dy = 1;
  const Edge side{dy, -dx, dx * first->fy - dy * first->fx};
  Coverage part;
  part.edges[0] = side;
  part.edges[1] = {-side.a, -side.b, -side.c};
  part.edge_count = 2;
  const auto [low, high] = std::minmax(first->fy, last->fy);
  return add_bounded(part, {floor_pixel(first->fx), floor_pixel(low), floor_pixel(last->fx) + 1, floor_pixel(high) + 1}, viewport, out);
}

void Setup::finish_degenerate(const Object& object, std::span<const Vue> vertices, std::span<const Screen> corners,
                              PreparedObject& triangle, PreparedObjects& out) {
  triangle.front = false;
  if (!raster_.conservative || culled(triangle.front) || state_.raster.back_fill != FillMode::solid) return;
  const Viewport& viewport = raster_.viewports[triangle.viewport];
  const size_t provoking = std::min<size_t>(object.provoking, vertices.size() - 1);
  const Vue& vertex = vertices[provoking];
  const double q = raster_.divide ? 1 / vertex.position(3) : 1;
  std::array<Plane2, 2> linear;
  for (unsigned k = 0; k < 2; ++k) {
    linear[k] = {0, 0, provoking == k + 1 ? 1.0 : 0.0};
    triangle.perspective[k] = {0, 0, linear[k].c * q};
  }
  triangle.own_linear = arena_->keep(linear);
  triangle.one_over_w = {0, 0, q};
  triangle.z = {0, 0, window_z(viewport, vertex)};
  if (state_.raster.bias.solid) triangle.depth_bias = bias_of(corners, triangle);
  triangle.filled = true;
  if (!cover_segment(corners, viewport, triangle)) return;
  setup_attributes(vertex, object.primitive_id, vertices, triangle);
  out.objects.push_back(triangle);
}

}  // namespace softgen::render
