// SPDX-License-Identifier: GPL-2.0-or-later
// SKL PRM vol 7, "Strips and Fans Stage": viewport transform, culling, edges, planes.
#include "hw/render/setup.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "hw/base/log.h"

namespace softgen::render {
namespace {

using FillMode = gen9::_3DSTATE_RASTER::FrontFaceFillMode;
using BackFillMode = gen9::_3DSTATE_RASTER::BackFaceFillMode;

/// The edge from a to b of a part whose inside lies where the function is positive. Pixels exactly on it belong to the part when it is a
/// top or left edge (SKL PRM vol 7, "Rasterization Rules").
Edge make_edge(int64_t ax, int64_t ay, int64_t bx, int64_t by) {
  const int64_t dx = bx - ax, dy = by - ay;
  Edge e{-dy, dx, dy * ax - dx * ay};
  const bool top_left = dy < 0 || (dy == 0 && dx > 0);
  if (!top_left) e.c -= 1;
  return e;
}

int32_t floor_pixel(int64_t subpixel) { return static_cast<int32_t>(subpixel >> 8); }

/// Rows of the inverse of a 3x3 matrix given by its rows; false when it has none.
bool invert(const std::array<std::array<double, 3>, 3>& m, std::array<std::array<double, 3>, 3>& r) {
  const auto cofactor = [&](unsigned i, unsigned j) {
    const unsigned i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    return m[i1][j1] * m[i2][j2] - m[i1][j2] * m[i2][j1];
  };
  const double det = m[0][0] * cofactor(0, 0) + m[0][1] * cofactor(0, 1) + m[0][2] * cofactor(0, 2);
  if (det == 0 || !std::isfinite(1 / det)) return false;
  for (unsigned i = 0; i < 3; ++i)
    for (unsigned j = 0; j < 3; ++j) r[j][i] = cofactor(i, j) / det;
  return true;
}

std::array<double, 4> position_of(const Vue& v) { return {v.position(0), v.position(1), v.position(2), v.position(3)}; }

}  // namespace

Setup::Setup(const State& state, const RasterState& raster, Stage last) : state_(state), raster_(raster) {
  const auto& sbe = state.get<gen9::_3DSTATE_SBE>();
  uint32_t offset = 0, length = 0;
  const auto from = [&](const auto& stage) {
    offset = stage.vertex_urb_entry_output_read_offset;
    length = stage.vertex_urb_entry_output_length;
  };
  if (last == Stage::gs) from(state.get<gen9::_3DSTATE_GS>());
  else if (last == Stage::ds) from(state.get<gen9::_3DSTATE_DS>());
  else from(state.get<gen9::_3DSTATE_VS>());
  if (sbe.force_vertex_urb_entry_read_offset) offset = sbe.vertex_urb_entry_read_offset;
  if (sbe.force_vertex_urb_entry_read_length) length = sbe.vertex_urb_entry_read_length;
  attribute_count_ = std::min(sbe.number_of_sf_output_attributes, 32u);
  attribute_offset_ = offset * 8;  // 256-bit units
  attribute_limit_ = length * 2;
}

Setup::Screen Setup::to_screen(const Viewport& viewport, const std::array<double, 4>& p) const {
  const double inverse = raster_.divide ? 1 / p[3] : 1;
  double x = p[0] * inverse, y = p[1] * inverse;
  if (raster_.transform) {
    const auto& t = viewport.transform;
    x = x * t.viewport_matrix_element_m00 + t.viewport_matrix_element_m30;
    y = y * t.viewport_matrix_element_m11 + t.viewport_matrix_element_m31;
  }
  // Beyond +-32K subpixel arithmetic has no room; the guard band keeps real clients far inside.
  constexpr double limit = 1 << 17;
  x = std::clamp(x, -limit, limit);
  y = std::clamp(y, -limit, limit);
  return {x, y, std::llround(x * subpixels), std::llround(y * subpixels)};
}

bool Setup::culled(bool front) const {
  using Cull = gen9::_3DSTATE_RASTER::CullMode;
  switch (state_.get<gen9::_3DSTATE_RASTER>().cull_mode) {
    case Cull::CULLMODE_BOTH: return true;
    case Cull::CULLMODE_FRONT: return front;
    case Cull::CULLMODE_BACK: return !front;
    default: return false;
  }
}

bool Setup::add_part(std::span<const Screen> corners, const Viewport& viewport, PreparedObject& out) const {
  int64_t area = 0;
  for (size_t i = 0; i < corners.size(); ++i) {
    const Screen &a = corners[i], &b = corners[(i + 1) % corners.size()];
    area += a.fx * b.fy - b.fx * a.fy;
  }
  if (area == 0) return false;
  Coverage part;
  PixelRect box{INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN};
  for (size_t i = 0; i < corners.size(); ++i) {
    const Screen &a = corners[i], &b = corners[(i + 1) % corners.size()];
    part.edges[i] = area > 0 ? make_edge(a.fx, a.fy, b.fx, b.fy) : make_edge(b.fx, b.fy, a.fx, a.fy);
    box.x0 = std::min(box.x0, floor_pixel(a.fx));
    box.y0 = std::min(box.y0, floor_pixel(a.fy));
    box.x1 = std::max(box.x1, floor_pixel(a.fx) + 1);
    box.y1 = std::max(box.y1, floor_pixel(a.fy) + 1);
  }
  part.edge_count = static_cast<unsigned>(corners.size());
  box.clip(viewport.rect);
  part.bounds = box;
  if (box.empty()) return false;
  out.bounds = out.parts.empty() ? box
                                 : PixelRect{std::min(out.bounds.x0, box.x0), std::min(out.bounds.y0, box.y0),
                                             std::max(out.bounds.x1, box.x1), std::max(out.bounds.y1, box.y1)};
  out.parts.push_back(part);
  return true;
}

bool Setup::interpolation(const Viewport& viewport, std::span<const Vue> vertices, PreparedObject& out) const {
  // Homogeneous: the barycentrics q of (x, y, 1) solve q * [X Y W] = (x, y, 1), whatever the signs of W.
  const auto& t = viewport.transform;
  std::array<std::array<double, 3>, 3> m, inverse, flat;
  std::array<double, 3> z;
  for (unsigned i = 0; i < 3; ++i) {
    const Vue& v = vertices[i];
    const double w = raster_.divide ? v.position(3) : 1;
    double x = v.position(0), y = v.position(1);
    z[i] = v.position(2);
    if (raster_.transform) {
      x = x * t.viewport_matrix_element_m00 + t.viewport_matrix_element_m30 * w;
      y = y * t.viewport_matrix_element_m11 + t.viewport_matrix_element_m31 * w;
      z[i] = z[i] * t.viewport_matrix_element_m22 + t.viewport_matrix_element_m32 * w;
    }
    m[i] = {x, y, w};
    flat[i] = {x / w, y / w, 1};
  }
  if (!invert(m, inverse)) return false;
  // inverse[r][k]: row r is the coefficient of x, y, 1; column k the vertex.
  const auto plane = [](const auto& matrix, unsigned k) { return Plane2{matrix[0][k], matrix[1][k], matrix[2][k]}; };
  out.perspective = {plane(inverse, 1), plane(inverse, 2)};
  for (unsigned k = 0; k < 3; ++k) {
    const Plane2 q = plane(inverse, k);
    out.one_over_w.a += q.a;
    out.one_over_w.b += q.b;
    out.one_over_w.c += q.c;
    out.z.a += q.a * z[k];
    out.z.b += q.b * z[k];
    out.z.c += q.c * z[k];
  }
  std::array<std::array<double, 3>, 3> flat_inverse;
  out.linear = invert(flat, flat_inverse) ? std::array{plane(flat_inverse, 1), plane(flat_inverse, 2)} : out.perspective;
  return true;
}

void Setup::depth_bias(PreparedObject& out, bool enable) const {
  if (!enable) return;
  const auto& raster = state_.get<gen9::_3DSTATE_RASTER>();
  const auto format = state_.get<gen9::_3DSTATE_DEPTH_BUFFER>().surface_format;
  // Smallest resolvable difference: of the format, or for floats of the greatest depth (SKL PRM vol 7, "Depth Offset").
  double unit = std::ldexp(1.0, -16);
  using Format = gen9::_3DSTATE_DEPTH_BUFFER::SurfaceFormat;
  if (format == Format::D24_UNORM_X8_UINT) unit = std::ldexp(1.0, -24);
  if (format == Format::D32_FLOAT) {
    double greatest = 0;
    for (double x : {out.bounds.x0, out.bounds.x1})
      for (double y : {out.bounds.y0, out.bounds.y1}) greatest = std::max(greatest, std::abs(out.z.at(x, y)));
    unit = greatest > 0 ? std::ldexp(1.0, std::ilogb(std::min(greatest, 1.0)) - 23) : 0;
  }
  const double slope = std::max(std::abs(out.z.a), std::abs(out.z.b));
  // The constant counts in half units (iris and anv give twice the API's units).
  double bias = raster.global_depth_offset_constant * unit / 2 + raster.global_depth_offset_scale * slope;
  const double clamp = raster.global_depth_offset_clamp;
  if (clamp > 0) bias = std::min(bias, clamp);
  if (clamp < 0) bias = std::max(bias, clamp);
  out.depth_bias = bias;
}

bool Setup::prepare_triangle(const Object& object, std::span<const Vue> vertices, PreparedObject& out) const {
  const Viewport& viewport = raster_.viewports[out.viewport];
  ClippedPolygon polygon;
  const ClipResult clip = clip_object(raster_, vertices, viewport, polygon);
  if (clip == ClipResult::rejected) return false;
  ++primitives_;
  std::array<Screen, 20> corners;
  unsigned count = 3;
  if (clip == ClipResult::accepted) {
    for (unsigned i = 0; i < 3; ++i) corners[i] = to_screen(viewport, position_of(vertices[i]));
  } else {
    count = polygon.count;
    for (unsigned i = 0; i < count; ++i) corners[i] = to_screen(viewport, polygon.vertices[i].position);
  }
  int64_t area = 0;
  for (unsigned i = 0; i < count; ++i) {
    const Screen &a = corners[i], &b = corners[(i + 1) % count];
    area += a.fx * b.fy - b.fx * a.fy;
  }
  if (area == 0) return false;
  const auto& raster = state_.get<gen9::_3DSTATE_RASTER>();
  const bool clockwise = (area > 0) != object.reversed;
  out.front = clockwise == (raster.front_winding == gen9::_3DSTATE_RASTER::FrontWinding::CLOCKWISE);
  if (culled(out.front)) return false;
  if (!interpolation(viewport, vertices, out)) return false;
  const bool solid = out.front ? raster.front_face_fill_mode == FillMode::FILL_MODE_SOLID
                               : raster.back_face_fill_mode == BackFillMode::FILL_MODE_SOLID;
  if (!solid) {
    fill_outline(object, vertices, out);
  } else {
    for (unsigned i = 2; i < count; ++i) add_part(std::array{corners[0], corners[i - 1], corners[i]}, viewport, out);
  }
  if (out.parts.empty()) return false;
  depth_bias(out, raster.global_depth_offset_enable_solid);
  return true;
}

void Setup::fill_outline(const Object&, std::span<const Vue>, PreparedObject&) const {
  unimplemented("polygon fill mode", "wireframe and point fill are not drawn");
}

bool Setup::prepare_rectangle(const Object&, std::span<const Vue> vertices, PreparedObject& out) const {
  // Three corners; the fourth closes the parallelogram. Rectangles are never clipped or culled (SKL PRM vol 7, RECTLIST).
  const Viewport& viewport = raster_.viewports[out.viewport];
  ++primitives_;
  std::array<Screen, 4> corners;
  for (unsigned i = 0; i < 3; ++i) corners[i] = to_screen(viewport, position_of(vertices[i]));
  corners[3] = {corners[0].x + corners[2].x - corners[1].x, corners[0].y + corners[2].y - corners[1].y,
                corners[0].fx + corners[2].fx - corners[1].fx, corners[0].fy + corners[2].fy - corners[1].fy};
  return interpolation(viewport, vertices, out) && add_part(corners, viewport, out);
}

bool Setup::prepare_line(const Object&, std::span<const Vue> vertices, PreparedObject& out) const {
  const Viewport& viewport = raster_.viewports[out.viewport];
  ClippedPolygon polygon;
  const ClipResult clip = clip_object(raster_, vertices, viewport, polygon);
  if (clip == ClipResult::rejected) return false;
  ++primitives_;
  const std::array<Screen, 2> whole = {to_screen(viewport, position_of(vertices[0])), to_screen(viewport, position_of(vertices[1]))};
  std::array<Screen, 2> ends = whole;
  if (clip == ClipResult::clipped)
    for (unsigned i = 0; i < 2; ++i) ends[i] = to_screen(viewport, polygon.vertices[i].position);
  const auto& sf = state_.get<gen9::_3DSTATE_SF>();
  const double dx = ends[1].x - ends[0].x, dy = ends[1].y - ends[0].y, length = std::hypot(dx, dy);
  if (length == 0) return false;
  // A line covers a rectangle around it: wide lines along their minor axis, anti-aliased ones at right angles. Thin lines stand for the
  // grid-intersection rule by a width of one.
  const double width = std::max(1.0, double{sf.line_width});
  const bool smooth = state_.get<gen9::_3DSTATE_RASTER>().antialiasing_enable || raster_.multisample_rasterization;
  double nx, ny;
  if (smooth) nx = -dy / length * width / 2, ny = dx / length * width / 2;
  else if (std::abs(dx) >= std::abs(dy)) nx = 0, ny = width / 2;
  else nx = width / 2, ny = 0;
  const auto corner = [](const Screen& s, double x, double y) {
    return Screen{s.x + x, s.y + y, s.fx + std::llround(x * subpixels), s.fy + std::llround(y * subpixels)};
  };
  const std::array corners = {corner(ends[0], nx, ny), corner(ends[1], nx, ny), corner(ends[1], -nx, -ny), corner(ends[0], -nx, -ny)};
  // Along the line: a third vertex beside the first makes the planes constant across it.
  const double w0 = raster_.divide ? vertices[0].position(3) : 1, w1 = raster_.divide ? vertices[1].position(3) : 1;
  const double fdx = whole[1].x - whole[0].x, fdy = whole[1].y - whole[0].y, squared = fdx * fdx + fdy * fdy;
  if (squared == 0) return false;
  const Plane2 t{fdx / squared, fdy / squared, -(fdx * whole[0].x + fdy * whole[0].y) / squared};
  const auto& v = viewport.transform;
  const auto depth = [&](unsigned i, double w) {
    const double z = vertices[i].position(2) / w;
    return raster_.transform ? z * v.viewport_matrix_element_m22 + v.viewport_matrix_element_m32 : z;
  };
  const double z0 = depth(0, w0), z1 = depth(1, w1), q0 = 1 / w0, q1 = 1 / w1;
  const auto along = [&](double at0, double at1) { return Plane2{t.a * (at1 - at0), t.b * (at1 - at0), at0 + t.c * (at1 - at0)}; };
  out.perspective = {along(0, q1), Plane2{}};
  out.one_over_w = along(q0, q1);
  out.linear = {along(0, 1), Plane2{}};
  out.z = along(z0, z1);
  if (!add_part(corners, viewport, out)) return false;
  return true;
}

bool Setup::prepare_point(const Object&, const Vue& vertex, PreparedObject& out) const {
  const Viewport& viewport = raster_.viewports[out.viewport];
  ClippedPolygon polygon;
  if (clip_object(raster_, std::span(&vertex, 1), viewport, polygon) == ClipResult::rejected) return false;
  ++primitives_;
  const auto& sf = state_.get<gen9::_3DSTATE_SF>();
  const auto& clip = state_.get<gen9::_3DSTATE_CLIP>();
  double width = sf.point_width_source == gen9::_3DSTATE_SF::PointWidthSource::STATE ? sf.point_width : vertex.point_width();
  if (sf.point_width_source == gen9::_3DSTATE_SF::PointWidthSource::VERTEX && clip.maximum_point_width > 0)
    width = std::clamp(width, double{clip.minimum_point_width}, double{clip.maximum_point_width});
  if (!(width > 0)) width = 1;
  const Screen center = to_screen(viewport, position_of(vertex));
  const int64_t half = std::llround(width * subpixels / 2);
  const auto corner = [&](int sx, int sy) { return Screen{0, 0, center.fx + sx * half, center.fy + sy * half}; };
  const std::array corners = {corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)};
  const double w = raster_.divide ? vertex.position(3) : 1;
  double z = vertex.position(2) / w;
  if (raster_.transform) z = z * viewport.transform.viewport_matrix_element_m22 + viewport.transform.viewport_matrix_element_m32;
  // Barycentrics run over the square, for sprite coordinates: 1 to the right, 2 downwards.
  const double q = 1 / w;
  out.one_over_w = {0, 0, q};
  out.linear = {Plane2{1 / width, 0, 0.5 - center.x / width}, Plane2{0, 1 / width, 0.5 - center.y / width}};
  for (unsigned k = 0; k < 2; ++k) out.perspective[k] = {out.linear[k].a * q, out.linear[k].b * q, out.linear[k].c * q};
  out.z = {0, 0, z};
  return add_part(corners, viewport, out);
}

bool Setup::prepare(ObjectType type, const Object& object, std::span<const Vue> vertices, PreparedObject& out) const {
  const Vue& provoking = vertices[std::min<size_t>(object.provoking, vertices.size() - 1)];
  out = PreparedObject{};
  out.viewport = static_cast<uint8_t>(provoking.viewport() < raster_.viewport_count ? provoking.viewport() : 0);
  out.layer = raster_.force_layer_zero ? 0 : provoking.layer();
  bool drawn = false;
  switch (type) {
    case ObjectType::point: drawn = prepare_point(object, vertices[0], out); break;
    case ObjectType::line: drawn = prepare_line(object, vertices, out); break;
    case ObjectType::triangle: drawn = prepare_triangle(object, vertices, out); break;
    case ObjectType::rectangle: drawn = prepare_rectangle(object, vertices, out); break;
    default: break;  // patches and adjacency do not reach setup
  }
  if (drawn) setup_attributes(object, vertices, out);
  return drawn;
}

}  // namespace softgen::render
