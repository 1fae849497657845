// SPDX-License-Identifier: GPL-2.0-or-later
// Setup: objects become edges to be filled and planes to be evaluated. A prepared object holds no pointer into vertices, so that tiles can be
// drawn later and by other threads; its lists lie in the arena of the PreparedObjects that it was appended to.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "hw/iface/message_target.h"
#include "hw/render/arena.h"
#include "hw/render/assembly.h"
#include "hw/render/clip.h"
#include "hw/render/geometry.h"
#include "hw/render/raster_state.h"
#include "hw/render/setup_kernels.h"

namespace softgen::render {

/// a x + b y + c over the screen, x and y in pixels.
struct Plane2 {
  double a = 0, b = 0, c = 0;
  double at(double x, double y) const { return a * x + b * y + c; }
};

/// Half plane a x + b y + c >= 0, x and y in subpixels: exact; the fill rule is in c.
struct Edge {
  int64_t a, b, c;
  int64_t at(int64_t x, int64_t y) const { return a * x + b * y + c; }
};

/// An edge as objects keep it. a and b are differences of places that screen_limit bounds, and fit.
struct PartEdge {
  int32_t a = 0, b = 0;
  int64_t c = 0;
  constexpr PartEdge() = default;
  constexpr PartEdge(int64_t x, int64_t y, int64_t constant) : a(static_cast<int32_t>(x)), b(static_cast<int32_t>(y)), c(constant) {}
  constexpr PartEdge(const Edge& e) : PartEdge(e.a, e.b, e.c) {}
  constexpr operator Edge() const { return {a, b, c}; }
  int64_t at(int64_t x, int64_t y) const { return Edge(*this).at(x, y); }
};

/// In subpixels.
struct Circle {
  std::array<int64_t, 2> center;
  int64_t radius_squared;
};

/// A convex part of the screen. A clipped triangle has several.
struct Coverage {
  std::array<PartEdge, 4> edges{};
  unsigned edge_count = 0;
  PixelRect bounds;                ///< pixels that may be covered, within the viewport's rectangle
  const Circle* circle = nullptr;  ///< and within it; null: straight edges only
};

/// An attribute as the thread payload has it: per component a1 - a0, a2 - a0, (unused), a0.
struct AttributeSetup {
  std::array<Grf, 2> registers;
};

/// What anti-aliased lines and points multiply the source's alpha with: the part of the pixel that they cover.
struct Fade {
  bool point = false;
  Plane2 across, along;  ///< distances from the line and from its start, pixels; of points: from the centre along x and y
  double length = 0;
  double radius = 0;  ///< half the width
  double at(double x, double y) const;
};

/// Kept small, since there are many, and tiles read them in another order than setup wrote them: what few objects have is in the arena.
struct alignas(64) PreparedObject {
  PreparedObject() {}  // user-provided: a defaulted one clears all of it before it initializes the members
  PixelRect bounds;
  Slice<Coverage> parts;
  Slice<AttributeSetup> attributes;
  // Perspective: barycentric k (1, 2) of the object's vertices is p[k] / w, with w the sum of all three numerators; clip W is 1 / w.
  std::array<Plane2, 2> perspective;
  Plane2 one_over_w;
  Plane2 z;  ///< depth after the viewport transform, without depth bias
  double depth_bias = 0;
  bool front = true;
  bool filled = false;  ///< a solid polygon: the polygon stipple applies
  uint8_t viewport = 0;
  uint32_t layer = 0;
  const std::array<Plane2, 2>* own_linear = nullptr;  ///< barycentrics without perspective; null: the same as with it, or not read
  const Fade* fade = nullptr;                         ///< null: none
  const Plane2* stipple = nullptr;                    ///< of lines: the pixel's number within the stipple pattern's repetition
  const std::array<Plane2, 2>& linear() const { return own_linear ? *own_linear : perspective; }
};

struct PreparedObjects {
  std::vector<PreparedObject> objects;
  Arena arena;
  void clear() { objects.clear(), arena.clear(); }
};

class Setup {
 public:
  Setup(const DrawState& state, const RasterState& raster, Stage last, const SetupKernels& kernels = setup_kernels());

  /// Number of attributes each object carries, and their places in the vertex.
  unsigned attributes() const { return attribute_count_; }
  /// Appends what is drawn of the object: none, itself or its replicas, or their outlines. `type` is without adjacency, and `vertices` are its: 1, 2, or 3
  /// (also for rectangles).
  void prepare(ObjectType type, const Object& object, std::span<const Vue> vertices, PreparedObjects& out);
  /// The same for objects whose vertices are numbers into `vertices`; each vertex is placed on the screen once.
  void prepare_all(ObjectType type, std::span<const Object> objects, std::span<const Vertex> vertices, PreparedObjects& out);
  /// The same for triangles of a list without cuts: three vertices each, the first one with this primitive ID.
  void prepare_list(std::span<const uint32_t> corners, uint8_t provoking, uint32_t primitive_id, std::span<const Vertex> vertices,
                    PreparedObjects& out);
  uint64_t primitives() const { return primitives_; }

 private:
  using Position = std::array<double, 4>;
  struct Screen {
    double x, y;     // pixels
    int64_t fx, fy;  // subpixels
  };
  /// An attribute's place in the vertex when its components are not overridden, by facing (back, front); else `general`.
  struct AttributeSource {
    std::array<uint32_t, 2> at;
    bool general, constant;
  };
  /// What is added to a vertex' viewport and slice.
  struct Replica {
    unsigned viewport = 0, array_index = 0;
  };
  void prepare_one(ObjectType type, const Object& object, std::span<const Vue> vertices, const Replica& replica, PreparedObjects& out);
  Screen to_screen(const Viewport& viewport, const Position& position) const;
  double window_z(const Viewport& viewport, const Vue& vertex) const;
  void prepare_triangle(const Object& object, std::span<const Vue> vertices, PreparedObject& triangle, PreparedObjects& out);
  bool prepare_rectangle(std::span<const Vue> vertices, PreparedObject& out);
  bool prepare_line(std::span<const Vue> vertices, PreparedObject& out);
  bool prepare_point(const Vue& vertex, PreparedObject& out);
  void outline(const Object& object, std::span<const Vue> vertices, const PreparedObject& triangle, bool points, PreparedObjects& out);
  bool add_part(std::span<const Screen> corners, const Viewport& viewport, PreparedObject& out) const;
  bool add_bounded(Coverage part, PixelRect box, const Viewport& viewport, PreparedObject& out) const;
  bool cover_thin_line(const std::array<Screen, 2>& ends, const Viewport& viewport, PreparedObject& out);
  bool cover_line_rectangle(const std::array<Screen, 2>& ends, bool fade, const Viewport& viewport, PreparedObject& out);
  void stipple(const std::array<Screen, 2>& ends, bool x_major, double first, double count, PreparedObject& out);
  /// `places`: where to_screen() has the vertices.
  bool interpolation(const Viewport& viewport, std::span<const Vue> vertices, std::span<const Screen> places, PreparedObject& out) const;
  bool find_planes(const TriangleRows& triangle, PreparedObject& out) const;
  bool take_planes(const TriangleRows& triangle, const TrianglePlanes& planes, PreparedObject& out) const;
  bool places_vertices() const;
  void place(std::span<const Vertex> vertices);
  static Screen screen_of(const PlacedVertex& v);
  /// A triangle by the numbers of its vertices.
  struct Corners {
    const uint32_t* vertices;
    bool reversed;
    uint8_t provoking;
    uint32_t primitive_id;
  };
  /// A triangle that is drawn, filled and not clipped; these are set up four at a time.
  struct Plain {
    Corners corners;
    std::array<Screen, 3> places;
    TriangleRows rows;
    int64_t area;
    PixelRect box;
    bool front;
  };
  enum class Found : uint8_t { nothing, plain, general };
  Found find(const Corners& triangle, Plain& out);
  template <typename CornersOf, typename General>
  void prepare_placed(size_t count, std::span<const Vertex> vertices, PreparedObjects& out, CornersOf&& corners_of, General&& general);
  void prepare_plain(std::span<const Plain> triangles, std::span<const Vertex> vertices, PreparedObjects& out);
  void finish_triangle(const Object& object, std::span<const Vue> vertices, std::span<const Screen> places, std::span<const Screen> corners,
                       PreparedObject& triangle, PreparedObjects& out);
  void finish_degenerate(const Object& object, std::span<const Vue> vertices, std::span<const Screen> corners, PreparedObject& triangle,
                         PreparedObjects& out);
  bool cover_segment(std::span<const Screen> corners, const Viewport& viewport, PreparedObject& out) const;
  PixelRect bounds_of(std::span<const Screen> corners) const;
  void find_attributes();
  void varying_attribute(const AttributeSource& source, std::span<const Vue> vertices, bool front, AttributeSetup& out) const;
  bool line_interpolation(const Viewport& viewport, std::span<const Vue> vertices, bool rectangle, PreparedObject& out) const;
  void setup_attributes(const Vue& provoking, uint32_t primitive_id, std::span<const Vue> vertices, PreparedObject& out) const;
  std::array<uint32_t, 4> attribute(const Vue& vertex, unsigned index, const PreparedObject& object, uint32_t primitive_id) const;
  double depth_bias(const Plane2& z, double greatest) const;
  double bias_of(std::span<const Screen> corners, const PreparedObject& triangle) const;
  bool culled(bool front) const;

  const DrawState& state_;
  const RasterState& raster_;
  const SetupKernels& kernels_;
  bool solid_;  // both faces are filled
  unsigned attribute_count_ = 0;
  unsigned attribute_offset_ = 0;  // of attribute 0 in the vertex, dwords
  unsigned attribute_limit_ = 0;   // attributes that are read; others are zero
  bool linear_ = true;             // someone may ask for barycentrics without perspective
  std::array<AttributeSource, 32> sources_{};
  Arena* arena_ = nullptr;  // of what prepare() appends to
  std::vector<PlacedVertex> placed_;
  uint64_t primitives_ = 0;
  // Line stipple continues from segment to segment of a strip: where the last one ended, and its pixels so far.
  Position stipple_end_{};
  double stipple_count_ = 0;
  bool stipple_restarts_ = true;
};

}  // namespace softgen::render
