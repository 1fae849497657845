// SPDX-License-Identifier: GPL-2.0-or-later
// SKL PRM vol 7, "Strips and Fans Stage": viewport transform, culling, edges, planes.
#include "hw/render/setup.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace softgen::render {
namespace {

/// The edge from a to b of a part whose inside is where the function is positive. Pixels exactly on it belong to the part when it is a
/// top or left edge (SKL PRM vol 7, "Rasterization Rules").
Edge make_edge(int64_t ax, int64_t ay, int64_t bx, int64_t by) {
  const int64_t dx = bx - ax, dy = by - ay;
  Edge e{-dy, dx, dy * ax - dx * ay};
  const bool top_left = dy < 0 || (dy == 0 && dx > 0);
  if (!top_left) e.c -= 1;
  return e;
}

/// Twice the signed area between corners, in subpixels.
int64_t area_of(const auto& corners) {
  int64_t area = 0;
  for (size_t i = 0; i < corners.size(); ++i) {
    const auto &a = corners[i], &b = corners[i + 1 == corners.size() ? 0 : i + 1];
    area += a.fx * b.fy - b.fx * a.fy;
  }
  return area;
}

/// Of a part's corners, in either orientation.
void put_edges(const auto& corners, int64_t area, Coverage& part) {
  for (size_t i = 0; i < corners.size(); ++i) {
    const auto &a = corners[i], &b = corners[i + 1 == corners.size() ? 0 : i + 1];
    part.edges[i] = area > 0 ? make_edge(a.fx, a.fy, b.fx, b.fy) : make_edge(b.fx, b.fy, a.fx, a.fy);
  }
  part.edge_count = static_cast<unsigned>(corners.size());
}

std::array<double, 4> position_of(const Vue& v) { return {v.position(0), v.position(1), v.position(2), v.position(3)}; }

PlaceRules place_rules(const RasterState& raster) {
  const auto& t = raster.viewports[0].transform;
  PlaceRules r{.divide = raster.divide,
               .transform = raster.transform,
               .clip = raster.clip.enable && !raster.clip.accept_all,
               .xy_clip = raster.clip.xy,
               .z_near_clip = raster.clip.z_near,
               .z_far_clip = raster.clip.z_far,
               .d3d = raster.clip.d3d};
  if (!raster.transform) return r;
  r.m00 = t.m00, r.m11 = t.m11, r.m22 = t.m22;
  r.m30 = t.m30, r.m31 = t.m31, r.m32 = t.m32;
  if (!raster.clip.guardband) return r;
  r.x0 = t.guardband_x0, r.x1 = t.guardband_x1, r.y0 = t.guardband_y0, r.y1 = t.guardband_y1;
  return r;
}

}  // namespace

Setup::Setup(const DrawState& state, const RasterState& raster, Stage last, const SetupKernels& kernels)
    : state_(state), raster_(raster), kernels_(kernels) {
  const SetupState& sbe = state.setup;
  const StageState& stage = state.stage(last);
  const uint32_t offset = sbe.force_read_offset ? sbe.read_offset : stage.output_offset;
  const uint32_t length = sbe.force_read_length ? sbe.read_length : stage.output_length;
  attribute_count_ = sbe.attributes;
  attribute_offset_ = offset * 8;  // 256-bit units
  attribute_limit_ = length * 2;
  const Topology topology = state.vertex.topology;
  stipple_restarts_ = last == Stage::vs && (topology == Topology::line_list || topology == Topology::line_list_adjacency);
  constexpr uint32_t linear_modes = 0x38;
  linear_ = (state.pixel.inputs.barycentrics & linear_modes) || state.pixel.pulls_barycentrics || state.pixel.inputs.coefficients.linear;
  solid_ = state.raster.front_fill == FillMode::solid && state.raster.back_fill == FillMode::solid;
  find_attributes();
}

/// std::llround() of what screen_limit bounds, without a call: halves away from zero.
int64_t nearest_away(double v) {
  const auto whole = static_cast<int64_t>(v);
  const double rest = v - static_cast<double>(whole);  // exact
  return whole + (rest >= 0.5 ? 1 : 0) - (rest <= -0.5 ? 1 : 0);
}

Setup::Screen Setup::to_screen(const Viewport& viewport, const Position& p) const {
  const double inverse = raster_.divide ? 1 / p[3] : 1;
  double x = p[0] * inverse, y = p[1] * inverse;
  if (raster_.transform) {
    const auto& t = viewport.transform;
    x = x * t.m00 + t.m30;
    y = y * t.m11 + t.m31;
  }
  x = x >= -screen_limit ? std::min(x, screen_limit) : -screen_limit;  // NaN, too
  y = y >= -screen_limit ? std::min(y, screen_limit) : -screen_limit;
  return {x, y, nearest_away(x * subpixels), nearest_away(y * subpixels)};
}

bool Setup::culled(bool front) const {
  switch (state_.raster.cull) {
    case CullMode::both: return true;
    case CullMode::front: return front;
    case CullMode::back: return !front;
    default: return false;
  }
}

bool Setup::add_part(std::span<const Screen> corners, const Viewport& viewport, PreparedObject& out) const {
  const int64_t area = area_of(corners);
  if (area == 0) return false;
  Coverage part;
  put_edges(corners, area, part);
  return add_bounded(part, bounds_of(corners), viewport, out);
}

/// Pixels that corners of a filled part may cover: where centres are what is covered, those that have theirs within the bounds.
PixelRect Setup::bounds_of(std::span<const Screen> corners) const {
  int64_t left = corners[0].fx, right = left, top = corners[0].fy, bottom = top;
  for (const Screen& c : corners.subspan(1)) {
    left = std::min(left, c.fx), right = std::max(right, c.fx);
    top = std::min(top, c.fy), bottom = std::max(bottom, c.fy);
  }
  constexpr int64_t center = subpixels / 2;
  if (raster_.conservative) return {floor_pixel(left) - 1, floor_pixel(top) - 1, floor_pixel(right) + 2, floor_pixel(bottom) + 2};
  if (raster_.off_center) return {floor_pixel(left), floor_pixel(top), floor_pixel(right) + 1, floor_pixel(bottom) + 1};
  return {floor_pixel(left + center - 1), floor_pixel(top + center - 1), floor_pixel(right - center) + 1, floor_pixel(bottom - center) + 1};
}

bool Setup::add_bounded(Coverage part, PixelRect box, const Viewport& viewport, PreparedObject& out) const {
  box.clip(viewport.rect);
  part.bounds = box;
  if (box.empty()) return false;
  if (out.parts.empty()) out.bounds = box;
  else out.bounds.include(box);
  if (out.parts.empty() && !out.parts.room()) out.parts = arena_->slice<Coverage>(1);
  out.parts.push_back(part);
  return true;
}

double Setup::window_z(const Viewport& viewport, const Vue& vertex) const {
  const double z = raster_.divide ? double{vertex.position(2)} / vertex.position(3) : vertex.position(2);
  return raster_.transform ? z * viewport.transform.m22 + viewport.transform.m32 : z;
}

double Setup::depth_bias(const Plane2& z, double greatest) const {
  const RasterizerState& raster = state_.raster;
  // Smallest resolvable difference: of the format, or for floats of the greatest depth (SKL PRM vol 7, "Depth Offset").
  double unit = 1 / 65535.0;
  if (state_.depth.format == DepthFormat::unorm24) unit = 1 / 16777215.0;
  if (state_.depth.format == DepthFormat::float32) unit = greatest > 0 ? std::ldexp(1.0, std::ilogb(std::min(greatest, 1.0)) - 23) : 0;
  // The PRM says so of UNORM buffers; anv's VK_DEPTH_BIAS_REPRESENTATION_FLOAT_EXT relies on it with float ones, too.
  if (raster.bias.legacy) unit = 1;
  const double slope = std::max(std::abs(z.a), std::abs(z.b));
  // A whole unit for each of the constant, as Vulkan and Direct3D have it (anv passes it on); OpenGL's unit is two of them (iris doubles it).
  double bias = raster.bias.constant * unit + raster.bias.scale * slope;
  const double clamp = raster.bias.clamp;
  if (clamp > 0) bias = std::min(bias, clamp);
  if (clamp < 0) bias = std::max(bias, clamp);
  return bias;
}

double Setup::bias_of(std::span<const Screen> corners, const PreparedObject& triangle) const {
  double greatest = 0;
  for (const Screen& c : corners) greatest = std::max(greatest, std::abs(triangle.z.at(c.x, c.y)));
  return depth_bias(triangle.z, greatest);
}

void Setup::prepare_triangle(const Object& object, std::span<const Vue> vertices, PreparedObject& triangle, PreparedObjects& out) {
  const Viewport& viewport = raster_.viewports[triangle.viewport];
  ClippedPolygon polygon;
  const ClipResult clip = clip_object(raster_, vertices, viewport, polygon);
  if (clip == ClipResult::rejected) return;
  ++primitives_;
  std::array<Screen, 3> places;
  for (unsigned i = 0; i < 3; ++i) places[i] = to_screen(viewport, position_of(vertices[i]));
  if (clip == ClipResult::accepted) return finish_triangle(object, vertices, places, places, triangle, out);
  std::array<Screen, 20> corners;
  for (unsigned i = 0; i < polygon.count; ++i) corners[i] = to_screen(viewport, polygon.vertices[i].position);
  finish_triangle(object, vertices, places, std::span(corners).first(polygon.count), triangle, out);
}

/// Of a triangle that the clipper passed on: `corners` of what is left of it.
void Setup::finish_triangle(const Object& object, std::span<const Vue> vertices, std::span<const Screen> places,
                            std::span<const Screen> corners, PreparedObject& triangle, PreparedObjects& out) {
  const Viewport& viewport = raster_.viewports[triangle.viewport];
  const int64_t area = area_of(corners);
  if (area == 0) return finish_degenerate(object, vertices, corners, triangle, out);
  const RasterizerState& raster = state_.raster;
  const bool clockwise = (area > 0) != object.reversed;
  triangle.front = clockwise == state_.raster.front_clockwise;
  if (culled(triangle.front)) return;
  const auto mode = triangle.front ? raster.front_fill : raster.back_fill;
  const bool solid = mode == FillMode::solid, points = mode == FillMode::point;
  if (solid) {
    PixelRect box = bounds_of(corners);
    box.clip(viewport.rect);
    if (box.empty()) return;
  }
  if (!interpolation(viewport, vertices, places, triangle)) return;
  if (solid ? raster.bias.solid : points ? raster.bias.point : raster.bias.wireframe) { triangle.depth_bias = bias_of(corners, triangle); }
  if (!solid) return outline(object, vertices, triangle, points, out);
  triangle.filled = true;
  triangle.parts = arena_->slice<Coverage>(corners.size() - 2);
  for (size_t i = 2; i < corners.size(); ++i) add_part(std::array{corners[0], corners[i - 1], corners[i]}, viewport, triangle);
  if (triangle.parts.empty()) return;
  setup_attributes(vertices[object.provoking], object.primitive_id, vertices, triangle);
  out.objects.push_back(triangle);
}

/// Whether a vertex' place does not depend on which triangle asks, and SetupKernels::place() says all that the clipper does.
bool Setup::places_vertices() const {
  return raster_.viewport_count == 1 && state_.setup.replication.positions == 1 && !raster_.clip.clip_distances &&
         !raster_.clip.cull_distances && !raster_.clip.reject_all;
}

/// All vertices into placed_.
void Setup::place(std::span<const Vertex> vertices) {
  constexpr size_t at_once = 64;
  static constexpr float nothing[4] = {};
  std::array<const float*, at_once> positions;
  const PlaceRules rules = place_rules(raster_);
  placed_.resize(vertices.size());
  for (size_t at = 0; at < vertices.size(); at += at_once) {
    const size_t count = std::min(at_once, vertices.size() - at);
    for (size_t i = 0; i < count; ++i) positions[i] = vertices[at + i].vue.position_or(nothing);
    kernels_.place(rules, positions.data(), count, &placed_[at]);
  }
}

Setup::Screen Setup::screen_of(const PlacedVertex& v) { return {v.x, v.y, v.fx, v.fy}; }

/// What is to be done with a triangle whose vertices are placed.
Setup::Found Setup::find(const Corners& triangle, Plain& out) {
  const std::array<const PlacedVertex*, 3> at{&placed_[triangle.vertices[0]], &placed_[triangle.vertices[1]],
                                              &placed_[triangle.vertices[2]]};
  const uint32_t any = at[0]->outside | at[1]->outside | at[2]->outside;
  if ((any & PlacedVertex::no_number) || (at[0]->outside & at[1]->outside & at[2]->outside)) return Found::nothing;
  if (any || !solid_) return Found::general;
  out.places = {screen_of(*at[0]), screen_of(*at[1]), screen_of(*at[2])};
  out.area = area_of(out.places);
  if (out.area == 0 && raster_.conservative) return Found::general;
  ++primitives_;
  out.front = ((out.area > 0) != triangle.reversed) == state_.raster.front_clockwise;
  if (out.area == 0 || culled(out.front)) return Found::nothing;
  out.box = bounds_of(out.places);
  out.box.clip(raster_.viewports[0].rect);
  if (out.box.empty()) return Found::nothing;
  out.corners = triangle;
  out.rows = {{&at[0]->row, &at[1]->row, &at[2]->row}};
  return Found::plain;
}

/// What most triangles are.
void Setup::prepare_plain(std::span<const Plain> triangles, std::span<const Vertex> vertices, PreparedObjects& out) {
  std::array<TriangleRows, 4> rows;
  std::array<TrianglePlanes, 4> planes;
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = triangles[std::min(i, triangles.size() - 1)].rows;
  kernels_.planes(rows.data(), triangles.size(), planes.data());
  for (size_t i = 0; i < triangles.size(); ++i) {
    const Plain& triangle = triangles[i];
    PreparedObject& object = out.objects.emplace_back();
    if (!take_planes(rows[i], planes[i], object)) {
      out.objects.pop_back();
      continue;
    }
    object.front = triangle.front, object.filled = true;
    object.bounds = triangle.box;
    if (state_.raster.bias.solid) object.depth_bias = bias_of(triangle.places, object);
    object.parts = arena_->slice<Coverage>(1);
    Coverage& part = object.parts.add();
    put_edges(triangle.places, triangle.area, part);
    part.bounds = triangle.box;
    const uint32_t* const numbers = triangle.corners.vertices;
    const std::array<Vue, 3> vues{vertices[numbers[0]].vue, vertices[numbers[1]].vue, vertices[numbers[2]].vue};
    const Vue& provoking = vues[std::min<size_t>(triangle.corners.provoking, 2)];
    object.layer = raster_.force_layer_zero ? 0 : provoking.layer();
    setup_attributes(provoking, triangle.corners.primitive_id, vues, object);
  }
}

/// Triangles in their order, with placed vertices. general(i): prepares number i.
template <typename CornersOf, typename General>
void Setup::prepare_placed(size_t count, std::span<const Vertex> vertices, PreparedObjects& out, CornersOf&& corners_of,
                           General&& general) {
  std::array<Plain, 4> waiting;
  size_t waits = 0;
  const auto prepare_waiting = [&] {
    if (waits) prepare_plain(std::span(waiting).first(std::exchange(waits, 0)), vertices, out);
  };
  for (size_t i = 0; i < count; ++i) {
    const Found found = find(corners_of(i), waiting[waits]);
    if (found == Found::nothing) continue;
    if (found == Found::plain && ++waits < waiting.size()) continue;
    prepare_waiting();
    if (found == Found::general) general(i);
  }
  prepare_waiting();
}

void Setup::prepare_all(ObjectType type, std::span<const Object> objects, std::span<const Vertex> vertices, PreparedObjects& out) {
  if (raster_.clip.reject_all) return;
  arena_ = &out.arena;
  const auto general = [&](size_t number) {
    const Object& object = objects[number];
    std::array<Vue, 3> vues;
    for (unsigned i = 0; i < object.count; ++i) vues[i] = vertices[object.vertices[i]].vue;
    prepare(type, object, std::span(vues).first(object.count), out);
  };
  if (type != ObjectType::triangle || !places_vertices()) {
    for (size_t i = 0; i < objects.size(); ++i) general(i);
    return;
  }
  place(vertices);
  const auto corners_of = [&](size_t i) {
    return Corners{objects[i].vertices.data(), objects[i].reversed, objects[i].provoking, objects[i].primitive_id};
  };
  prepare_placed(objects.size(), vertices, out, corners_of, general);
}

void Setup::prepare_list(std::span<const uint32_t> corners, uint8_t provoking, uint32_t primitive_id, std::span<const Vertex> vertices,
                         PreparedObjects& out) {
  if (raster_.clip.reject_all) return;
  arena_ = &out.arena;
  const size_t count = corners.size() / 3;
  const auto corners_of = [&](size_t i) { return Corners{&corners[3 * i], false, provoking, primitive_id + static_cast<uint32_t>(i)}; };
  const auto general = [&](size_t i) {
    const uint32_t* const three = &corners[3 * i];
    Object object;
    put_list_triangle(object, three, provoking, primitive_id + static_cast<uint32_t>(i));
    const std::array<Vue, 3> vues{vertices[three[0]].vue, vertices[three[1]].vue, vertices[three[2]].vue};
    prepare(ObjectType::triangle, object, vues, out);
  };
  out.objects.reserve(out.objects.size() + count);
  if (!places_vertices()) {
    for (size_t i = 0; i < count; ++i) general(i);
    return;
  }
  place(vertices);
  prepare_placed(count, vertices, out, corners_of, general);
}

void Setup::outline(const Object& object, std::span<const Vue> vertices, const PreparedObject& triangle, bool points,
                    PreparedObjects& out) {
  const uint64_t clipped = primitives_;  // its edges do not count in the clipper's statistics
  for (unsigned i = 0; i < 3; ++i) {
    if (!(object.edges >> i & 1)) continue;
    PreparedObject part;
    part.viewport = triangle.viewport, part.layer = triangle.layer;
    const std::array<Vue, 2> ends = {vertices[i], vertices[(i + 1) % 3]};
    const auto corners = std::span(ends).first(points ? 1 : 2);
    if (!(points ? prepare_point(ends[0], part) : prepare_line(corners, part))) continue;
    part.front = triangle.front;
    part.depth_bias = triangle.depth_bias;
    setup_attributes(vertices[object.provoking], object.primitive_id, corners, part);
    out.objects.push_back(part);
  }
  primitives_ = clipped;
}

bool Setup::prepare_rectangle(std::span<const Vue> vertices, PreparedObject& out) {
  // Three corners; the fourth closes the parallelogram. Rectangles are never clipped or culled (SKL PRM vol 7, RECTLIST).
  const Viewport& viewport = raster_.viewports[out.viewport];
  ++primitives_;
  std::array<Screen, 4> corners;
  for (unsigned i = 0; i < 3; ++i) corners[i] = to_screen(viewport, position_of(vertices[i]));
  corners[3] = {corners[0].x + corners[2].x - corners[1].x, corners[0].y + corners[2].y - corners[1].y,
                corners[0].fx + corners[2].fx - corners[1].fx, corners[0].fy + corners[2].fy - corners[1].fy};
  return interpolation(viewport, vertices, corners, out) && add_part(corners, viewport, out);
}

void Setup::prepare(ObjectType type, const Object& object, std::span<const Vue> vertices, PreparedObjects& out) {
  const ReplicationState& replication = state_.setup.replication;
  if (replication.positions == 1) return prepare_one(type, object, vertices, {}, out);
  for (unsigned i = 0; i < replication.positions; ++i) {
    if (!(replication.replicas >> i & 1)) continue;
    std::array<Vue, 3> own;
    for (size_t v = 0; v < vertices.size(); ++v) own[v] = vertices[v].replica(i, replication.positions);
    prepare_one(type, object, std::span(own).first(vertices.size()), {replication.viewport[i], replication.array_index[i]}, out);
  }
}

void Setup::prepare_one(ObjectType type, const Object& object, std::span<const Vue> vertices, const Replica& replica,
                        PreparedObjects& out) {
  arena_ = &out.arena;
  const size_t first = std::min<size_t>(object.provoking, vertices.size() - 1);
  const Vue& provoking = vertices[first];
  PreparedObject prepared;
  const unsigned viewport = provoking.viewport() + replica.viewport;
  prepared.viewport = static_cast<uint8_t>(viewport < raster_.viewport_count ? viewport : 0);
  prepared.layer = (raster_.force_layer_zero ? 0 : provoking.layer()) + replica.array_index;
  if (type == ObjectType::triangle) {
    Object triangle = object;
    triangle.provoking = static_cast<uint8_t>(first);
    return prepare_triangle(triangle, vertices, prepared, out);
  }
  bool drawn = false;
  switch (type) {
    case ObjectType::point: drawn = prepare_point(vertices[0], prepared); break;
    case ObjectType::line: drawn = prepare_line(vertices, prepared); break;
    case ObjectType::rectangle: drawn = prepare_rectangle(vertices, prepared); break;
    default: break;  // patches and adjacency do not reach setup
  }
  if (!drawn) return;
  setup_attributes(provoking, object.primitive_id, vertices, prepared);
  out.objects.push_back(prepared);
}

}  // namespace softgen::render
