// SPDX-License-Identifier: GPL-2.0-or-later
// SKL PRM vol 7, "Line Rasterization", "Point Rasterization", "Line Stipple".
#include <algorithm>
#include <cmath>

#include "hw/render/setup.h"

namespace softgen::render {
namespace {

constexpr int64_t half_pixel = subpixels / 2;

/// Whether a point is within the diamond of its pixel: |x - centre| + |y - centre| < 1/2.
bool in_diamond(double x, double y) { return std::abs(x - std::floor(x) - 0.5) + std::abs(y - std::floor(y) - 0.5) < 0.5; }

/// Of places that to_screen() bounds, and a margin that a width's field or bounded_width() does.
PixelRect box_around(double x0, double y0, double x1, double y1, double margin) {
  const auto pixel = [](double v) { return static_cast<int32_t>(std::floor(v)); };
  return {pixel(std::min(x0, x1) - margin), pixel(std::min(y0, y1) - margin), pixel(std::max(x0, x1) + margin) + 1,
          pixel(std::max(y0, y1) + margin) + 1};
}

/// Of points: by fields of 3DSTATE_CLIP where these say something, and in any case what a field of U8.3 can hold (SKL PRM vol 2d, 3DSTATE_SF, Point
/// Width). Vertices bring any float.
double bounded_width(double width, double least, double most) {
  constexpr double narrowest = 1.0 / 8, widest = 255.875;
  if (most > 0) width = std::max(std::min(width, most), std::min(least, most));
  if (!(width > 0)) width = 1;
  return std::max(std::min(width, widest), narrowest);
}

double ramp(double inside) { return std::clamp(inside + 0.5, 0.0, 1.0); }

}  // namespace

double Fade::at(double x, double y) const {
  const double a = across.at(x, y), t = along.at(x, y);
  if (point) return ramp(radius - std::hypot(a, t));
  return ramp(radius - std::abs(a)) * ramp(std::min(t, length - t));
}

bool Setup::line_interpolation(const Viewport& viewport, std::span<const Vue> vertices, bool rectangle, PreparedObject& out) const {
  const auto position = [](const Vue& v) { return Position{v.position(0), v.position(1), v.position(2), v.position(3)}; };
  const Screen first = to_screen(viewport, position(vertices[0])), second = to_screen(viewport, position(vertices[1]));
  double dx = second.x - first.x, dy = second.y - first.y;
  // A rectangle's attributes run along the line. The pixels of another line repeat along the minor axis with their attributes (OpenGL 4.6, 14.5.2
  // "Other Line Segment Features"; deqp-vk's rasterization.interpolation).
  if (!rectangle && std::abs(dx) >= std::abs(dy)) dy = 0;
  else if (!rectangle) dx = 0;
  const double squared = dx * dx + dy * dy;
  if (squared == 0) return false;
  const Plane2 t{dx / squared, dy / squared, -(dx * first.x + dy * first.y) / squared};
  const auto along = [&](double at0, double at1) { return Plane2{t.a * (at1 - at0), t.b * (at1 - at0), at0 + t.c * (at1 - at0)}; };
  const double q0 = raster_.divide ? 1 / vertices[0].position(3) : 1, q1 = raster_.divide ? 1 / vertices[1].position(3) : 1;
  out.perspective = {along(0, q1), Plane2{}};
  out.one_over_w = along(q0, q1);
  out.own_linear = arena_->keep(std::array<Plane2, 2>{along(0, 1), Plane2{}});
  out.z = along(window_z(viewport, vertices[0]), window_z(viewport, vertices[1]));
  return true;
}

void Setup::stipple(const std::array<Screen, 2>& ends, bool x_major, double first, double count, PreparedObject& out) {
  if (!state_.raster.line_stipple) return;
  const double direction = x_major ? (ends[1].x >= ends[0].x ? 1 : -1) : (ends[1].y >= ends[0].y ? 1 : -1);
  // The pixel whose centre is `first` has the number stipple_count_; half a pixel keeps the others clear of rounding.
  out.stipple = arena_->keep(Plane2{x_major ? direction : 0, x_major ? 0 : direction, stipple_count_ - direction * first + 0.5});
  stipple_count_ += count;
}

bool Setup::cover_thin_line(const std::array<Screen, 2>& ends, const Viewport& viewport, PreparedObject& out) {
  // Pixels whose diamond the line leaves: one in each column (row), from centre to centre. Wide lines have more of them above and below.
  const int64_t dx = ends[1].fx - ends[0].fx, dy = ends[1].fy - ends[0].fy;
  const bool x_major = std::abs(dx) >= std::abs(dy);
  const int64_t major = x_major ? dx : dy, sign = major < 0 ? -1 : 1;
  const double width = std::max(1.0, double{state_.raster.line_width});
  const auto half_width = static_cast<int64_t>(std::llround(width * half_pixel));
  // Distance along the minor axis times the length of the major one.
  Edge side = x_major ? Edge{-dy * sign, dx * sign, 0} : Edge{dy * sign, -dx * sign, 0};
  side.c = -side.at(ends[0].fx, ends[0].fy);
  const int64_t reach = std::abs(major) * half_width;
  Coverage part;
  part.edges[0] = {side.a, side.b, side.c + reach};
  part.edges[1] = {-side.a, -side.b, -side.c + reach - 1};
  // The ends, as places on the major axis: from the first centre that is in, to the first that is out.
  std::array<int64_t, 2> cap;
  const bool last_pixel = state_.raster.last_pixel;
  for (unsigned i = 0; i < 2; ++i) {
    const int64_t at = x_major ? ends[i].fx : ends[i].fy;
    const int64_t centre = (at >> 8) * subpixels + half_pixel;
    const bool inside = in_diamond(static_cast<double>(ends[i].fx) / subpixels, static_cast<double>(ends[i].fy) / subpixels);
    const bool past = (at - centre) * sign >= 0;
    cap[i] = at;
    if (i == 0 && inside && past) cap[i] = centre;
    if (i == 1 && inside && last_pixel) cap[i] = std::max(at * sign, centre * sign + 1) * sign;
    else if (i == 1 && inside && past) cap[i] = centre;
  }
  const int64_t along_x = x_major ? sign : 0, along_y = x_major ? 0 : sign;
  part.edges[2] = {along_x, along_y, -sign * cap[0]};
  part.edges[3] = {-along_x, -along_y, sign * cap[1] - 1};
  part.edge_count = 4;
  // Centres in [cap0, cap1).
  const auto centre_from = [&](int64_t at) {
    return sign > 0 ? ((at + half_pixel - 1) >> 8) * subpixels + half_pixel : ((at - half_pixel) >> 8) * subpixels + half_pixel;
  };
  const int64_t first = centre_from(cap[0]), end = centre_from(cap[1]);
  const double count = std::max<double>(0, static_cast<double>((end - first) * sign) / subpixels);
  stipple(ends, x_major, static_cast<double>(first) / subpixels, count, out);
  return add_bounded(part, box_around(ends[0].x, ends[0].y, ends[1].x, ends[1].y, width / 2 + 1), viewport, out);
}

bool Setup::cover_line_rectangle(const std::array<Screen, 2>& ends, bool fade, const Viewport& viewport, PreparedObject& out) {
  const double dx = ends[1].x - ends[0].x, dy = ends[1].y - ends[0].y, length = std::hypot(dx, dy);
  if (length == 0) return false;
  const double width = std::max(fade ? 0.0 : 1.0, double{state_.raster.line_width});
  const double ux = dx / length, uy = dy / length;
  // The region over which coverage falls off is a pixel wide: half of it is outside.
  const double beyond = fade ? 0.5 : 0, side = width / 2 + beyond;
  const auto corner = [&](const Screen& s, double t, double n) {
    const double x = s.x + ux * t - uy * n, y = s.y + uy * t + ux * n;
    return Screen{x, y, std::llround(x * subpixels), std::llround(y * subpixels)};
  };
  if (fade) {
    const Plane2 along{ux, uy, -(ux * ends[0].x + uy * ends[0].y)}, across{-uy, ux, uy * ends[0].x - ux * ends[0].y};
    out.fade = arena_->keep(Fade{false, across, along, length, width / 2});
  }
  const bool x_major = std::abs(dx) >= std::abs(dy);
  stipple(ends, x_major, (x_major ? ends[0].x : ends[0].y) + (x_major ? (dx < 0 ? -0.5 : 0.5) : (dy < 0 ? -0.5 : 0.5)),
          std::max(std::abs(dx), std::abs(dy)), out);
  return add_part(std::array{corner(ends[0], -beyond, side), corner(ends[1], beyond, side), corner(ends[1], beyond, -side),
                             corner(ends[0], -beyond, -side)},
                  viewport, out);
}

bool Setup::prepare_line(std::span<const Vue> vertices, PreparedObject& out) {
  const Viewport& viewport = raster_.viewports[out.viewport];
  ClippedPolygon polygon;
  const ClipResult clip = clip_object(raster_, vertices, viewport, polygon);
  if (clip == ClipResult::rejected) return false;
  ++primitives_;
  std::array<Position, 2> positions;
  for (unsigned i = 0; i < 2; ++i)
    for (unsigned c = 0; c < 4; ++c)
      positions[i][c] = clip == ClipResult::clipped ? polygon.vertices[i].position[c] : vertices[i].position(c);
  const std::array<Screen, 2> ends = {to_screen(viewport, positions[0]), to_screen(viewport, positions[1])};
  if (stipple_restarts_ || positions[0] != stipple_end_) stipple_count_ = 0;
  stipple_end_ = positions[1];
  // A width of 0 asks for the thinnest lines, not anti-aliased (SKL PRM vol 2d, 3DSTATE_SF, "Line Width"); Mesa sends it for widths below 1.5.
  const bool smooth = state_.raster.antialiasing && !raster_.multisample_rasterization && state_.raster.line_width > 0;
  const bool rectangle = smooth || raster_.multisample_rasterization;
  if ((ends[0].fx == ends[1].fx && ends[0].fy == ends[1].fy) || !line_interpolation(viewport, vertices, rectangle, out)) return false;
  return rectangle ? cover_line_rectangle(ends, smooth, viewport, out) : cover_thin_line(ends, viewport, out);
}

bool Setup::prepare_point(const Vue& vertex, PreparedObject& out) {
  const Viewport& viewport = raster_.viewports[out.viewport];
  ClippedPolygon polygon;
  if (clip_object(raster_, std::span(&vertex, 1), viewport, polygon) == ClipResult::rejected) return false;
  ++primitives_;
  const RasterizerState& raster = state_.raster;
  const double width = raster.point.width_from_state
                           ? bounded_width(raster.point.width, 0, 0)
                           : bounded_width(vertex.point_width(), state_.clip.min_point_width, state_.clip.max_point_width);
  const Screen center = to_screen(viewport, {vertex.position(0), vertex.position(1), vertex.position(2), vertex.position(3)});
  // Barycentrics run over the square, for sprite coordinates: 1 to the right, 2 downwards.
  const double q = raster_.divide ? 1 / vertex.position(3) : 1;
  out.one_over_w = {0, 0, q};
  const std::array<Plane2, 2> linear{Plane2{1 / width, 0, 0.5 - center.x / width}, Plane2{0, 1 / width, 0.5 - center.y / width}};
  out.own_linear = arena_->keep(linear);
  for (unsigned k = 0; k < 2; ++k) out.perspective[k] = {linear[k].a * q, linear[k].b * q, linear[k].c * q};
  out.z = {0, 0, window_z(viewport, vertex)};
  // Round points: with multisampling where their samples are, else fading out.
  const bool round = raster.point.smooth;
  const bool fade = round && !raster_.multisample_rasterization;
  const int64_t half = std::llround((width + (fade ? 1 : 0)) * half_pixel);
  if (fade) out.fade = arena_->keep(Fade{true, {1, 0, -center.x}, {0, 1, -center.y}, 0, width / 2});
  Coverage part;
  // A square [left, right) x [top, bottom); the upper right rule keeps the right edge and not the left one.
  const bool right = raster.point.upper_right;
  part.edges = {PartEdge{1, 0, -(center.fx - half) - (right ? 1 : 0)}, PartEdge{-1, 0, center.fx + half - (right ? 0 : 1)},
                PartEdge{0, 1, -(center.fy - half)}, PartEdge{0, -1, center.fy + half - 1}};
  part.edge_count = 4;
  if (round && raster_.multisample_rasterization) part.circle = arena_->keep(Circle{{center.fx, center.fy}, half * half});
  return add_bounded(part, box_around(center.x, center.y, center.x, center.y, width / 2 + 1), viewport, out);
}

}  // namespace softgen::render
