// SPDX-License-Identifier: GPL-2.0-or-later
// Setup: objects become edges to be filled and planes to be evaluated. A prepared object holds no pointer into vertices, so that tiles can be
// drawn later and by other threads.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "hw/iface/message_target.h"
#include "hw/render/assembly.h"
#include "hw/render/clip.h"
#include "hw/render/geometry.h"
#include "hw/render/raster_state.h"

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

/// A convex part of the screen. A clipped triangle has several.
struct Coverage {
  std::array<Edge, 4> edges;
  unsigned edge_count = 0;
  PixelRect bounds;       ///< pixels that may be covered, within the viewport's rectangle
};

/// An attribute as the thread payload has it: per component a1 - a0, a2 - a0, (unused), a0.
struct AttributeSetup {
  std::array<Grf, 2> registers;
};

struct PreparedObject {
  std::vector<Coverage> parts;
  PixelRect bounds;
  // Perspective: barycentric k (1, 2) of the object's vertices is p[k] / w, with w the sum of all three numerators; clip W is 1 / w.
  std::array<Plane2, 2> perspective;
  Plane2 one_over_w;
  std::array<Plane2, 2> linear;
  Plane2 z;                         ///< depth after the viewport transform, without depth bias
  double depth_bias = 0;
  bool front = true;
  uint8_t viewport = 0;
  uint32_t layer = 0;
  std::vector<AttributeSetup> attributes;
};

class Setup {
 public:
  Setup(const State& state, const RasterState& raster, Stage last);

  /// Number of attributes each object carries, and where they stand in the vertex.
  unsigned attributes() const { return attribute_count_; }
  /// False: nothing of the object is drawn. `type` is without adjacency, and `vertices` are its: 1, 2, or 3 (also for rectangles).
  bool prepare(ObjectType type, const Object& object, std::span<const Vue> vertices, PreparedObject& out) const;
  uint64_t primitives() const { return primitives_; }

 private:
  struct Screen {
    double x, y;           // pixels
    int64_t fx, fy;        // subpixels
  };
  Screen to_screen(const Viewport& viewport, const std::array<double, 4>& position) const;
  bool prepare_triangle(const Object& object, std::span<const Vue> vertices, PreparedObject& out) const;
  bool prepare_rectangle(const Object& object, std::span<const Vue> vertices, PreparedObject& out) const;
  bool prepare_line(const Object& object, std::span<const Vue> vertices, PreparedObject& out) const;
  bool prepare_point(const Object& object, const Vue& vertex, PreparedObject& out) const;
  bool add_part(std::span<const Screen> corners, const Viewport& viewport, PreparedObject& out) const;
  void fill_outline(const Object& object, std::span<const Vue> vertices, PreparedObject& out) const;
  bool interpolation(const Viewport& viewport, std::span<const Vue> vertices, PreparedObject& out) const;
  void setup_attributes(const Object& object, std::span<const Vue> vertices, PreparedObject& out) const;
  std::array<uint32_t, 4> attribute(const Vue& vertex, unsigned index, const PreparedObject& object, uint32_t primitive_id) const;
  void depth_bias(PreparedObject& out, bool enable) const;
  bool culled(bool front) const;

  const State& state_;
  const RasterState& raster_;
  unsigned attribute_count_ = 0;
  unsigned attribute_offset_ = 0;   // of attribute 0 in the vertex, dwords
  unsigned attribute_limit_ = 0;    // attributes that are read; others are zero
  mutable uint64_t primitives_ = 0;
};

}  // namespace softgen::render
