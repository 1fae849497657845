// SPDX-License-Identifier: GPL-2.0-or-later
// Primitive assembly: a stream of vertex numbers, with cuts, into objects (SKL PRM vol 7, "3D Primitive Topology Types").
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>

#include "hw/render/draw_state.h"

namespace softgen::render {

enum class ObjectType : uint8_t { point, line, triangle, rectangle, line_adjacency, triangle_adjacency, patch };

/// What a topology consists of, and the vertices of one object.
ObjectType object_type(Topology topology);
unsigned object_vertices(Topology topology);
/// The object without adjacent vertices.
constexpr ObjectType without_adjacency(ObjectType type) {
  return type == ObjectType::line_adjacency ? ObjectType::line : type == ObjectType::triangle_adjacency ? ObjectType::triangle : type;
}

struct Object {
  std::array<uint32_t, 32> vertices;  ///< in the order they came in
  uint8_t count;
  bool reversed;       ///< an odd triangle of a strip: its winding is that of the strip turned round
  uint8_t provoking;   ///< index into vertices
  uint8_t stream = 0;  ///< of stream output; the rasterizer draws one of them
  uint32_t primitive_id;
  uint8_t edges = 7;      ///< of triangles, bit i: from corner i to the next is an edge of the polygon
  uint32_t instance = 0;  ///< of the draw
};

/// A triangle of a list without cuts; `corners`: its three vertices.
inline void put_list_triangle(Object& object, const uint32_t* corners, uint8_t provoking, uint32_t primitive_id) {
  std::copy_n(corners, 3, object.vertices.begin());
  object.count = 3;
  object.reversed = false;
  object.provoking = provoking;
  object.stream = 0;
  object.primitive_id = primitive_id;
  object.edges = 7;
  object.instance = 0;
}

/// The object without its adjacent vertices; `type` is the one it was assembled as.
Object primary_vertices(const Object& object, ObjectType type);

/// The vertices as shaders and stream output see them. Only reversed triangles (with or without adjacency) change.
Object reordered(const Object& object, Reorder mode);

class Assembler {
 public:
  using Emit = std::function<void(const Object&)>;
  Assembler(Topology topology, Provoking provoking, Emit emit);

  void vertex(uint32_t v);
  /// Cut index, or the end of an instance: incomplete objects are dropped, a loop is closed. Primitive ids go on.
  void cut();
  void next_instance();

 private:
  void emit(std::initializer_list<uint32_t> vertices, unsigned provoking, bool reversed = false, uint8_t edges = 7);
  void emit_quad(uint32_t a, uint32_t b, uint32_t c, uint32_t d);
  void emit_polygon(bool last);
  void list();
  void strip_or_fan();
  void strip_adjacency(bool last);
  uint32_t recent(unsigned back) const { return window_[(received_ - 1 - back) & 63]; }

  Topology topology_;
  Provoking provoking_;
  Emit emit_;
  unsigned list_size_ = 0;             // vertices an object of a list; 0: not a list
  std::array<uint32_t, 64> window_{};  // the latest vertices since the cut
  uint32_t first_ = 0;
  uint32_t received_ = 0;
  uint32_t primitive_id_ = 0;
};

}  // namespace softgen::render
