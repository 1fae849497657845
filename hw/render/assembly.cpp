// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/assembly.h"

#include <algorithm>

namespace softgen::render {

unsigned object_vertices(Topology topology) {
  const unsigned code = static_cast<unsigned>(topology);
  if (code >= 32) return code - 31;
  switch (object_type(topology)) {
    case ObjectType::point: return 1;
    case ObjectType::line: return 2;
    case ObjectType::line_adjacency: return 4;
    case ObjectType::triangle_adjacency: return 6;
    default: return 3;
  }
}

ObjectType object_type(Topology topology) {
  if (static_cast<unsigned>(topology) >= 32) return ObjectType::patch;
  switch (topology) {
    case Topology::point_list:
    case Topology::point_list_back: return ObjectType::point;
    case Topology::line_list:
    case Topology::line_strip:
    case Topology::line_loop:
    case Topology::line_strip_continued:
    case Topology::line_strip_back:
    case Topology::line_strip_continued_back: return ObjectType::line;
    case Topology::line_list_adjacency:
    case Topology::line_strip_adjacency: return ObjectType::line_adjacency;
    case Topology::triangle_list_adjacency:
    case Topology::triangle_strip_adjacency: return ObjectType::triangle_adjacency;
    case Topology::rectangle_list: return ObjectType::rectangle;
    default: return ObjectType::triangle;
  }
}

Object primary_vertices(const Object& object, ObjectType type) {
  const bool line = type == ObjectType::line_adjacency;
  if (!line && type != ObjectType::triangle_adjacency) return object;
  Object result = object;
  result.count = line ? 2 : 3;
  for (unsigned i = 0; i < result.count; ++i) result.vertices[i] = object.vertices[line ? 1 + i : 2 * i];
  result.provoking = static_cast<uint8_t>(line ? object.provoking - 1 : object.provoking / 2);
  return result;
}

Object reordered(const Object& object, Reorder mode) {
  if (!object.reversed) return object;
  // Positions in the turned object, by mode: SKL PRM vol 7, "Reorder Mode"; the neighbours follow their edges.
  static constexpr std::array<uint8_t, 6> plain[2] = {{0, 2, 1}, {1, 0, 2}};
  static constexpr std::array<uint8_t, 6> adjacent[2] = {{0, 5, 4, 3, 2, 1}, {2, 1, 0, 5, 4, 3}};
  if (object.count != 3 && object.count != 6) return object;
  const auto& order = (object.count == 3 ? plain : adjacent)[static_cast<unsigned>(mode)];
  Object result = object;
  for (unsigned i = 0; i < object.count; ++i) {
    result.vertices[i] = object.vertices[order[i]];
    if (order[i] == object.provoking) result.provoking = static_cast<uint8_t>(i);
  }
  result.reversed = false;
  return result;
}

Assembler::Assembler(Topology topology, Provoking provoking, Emit emit)
    : topology_(topology), provoking_(provoking), emit_(std::move(emit)) {
  switch (topology) {
    case Topology::point_list:
    case Topology::point_list_back:
    case Topology::line_list:
    case Topology::triangle_list:
    case Topology::line_list_adjacency:
    case Topology::triangle_list_adjacency:
    case Topology::rectangle_list: list_size_ = object_vertices(topology); break;
    case Topology::quad_list: list_size_ = 4; break;
    default:
      if (object_type(topology) == ObjectType::patch) list_size_ = object_vertices(topology);
      break;
  }
}

void Assembler::emit(std::initializer_list<uint32_t> vertices, unsigned provoking, bool reversed, uint8_t edges) {
  Object object{};
  object.edges = edges;
  std::copy(vertices.begin(), vertices.end(), object.vertices.begin());
  object.count = static_cast<uint8_t>(vertices.size());
  object.provoking = static_cast<uint8_t>(std::min<size_t>(provoking, vertices.size() - 1));
  object.reversed = reversed;
  object.primitive_id = primitive_id_;
  emit_(object);
}

void Assembler::emit_quad(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  // Quads do not follow the provoking vertex selects: it is always their last vertex (Mesa, QUADS_FOLLOW_PROVOKING_VERTEX_CONVENTION).
  emit({a, b, d}, 2, false, 0b101);
  emit({b, c, d}, 2, false, 0b011);
  ++primitive_id_;
}

void Assembler::emit_polygon(bool last) {
  // The triangle before the latest vertex, or the last one: only then is known whether its third side closes the polygon.
  const uint32_t n = last ? received_ : received_ - 1;
  if (n < 3) return;
  const unsigned back = last ? 0 : 1;
  emit({first_, recent(back + 1), recent(back)}, 0, false, static_cast<uint8_t>((n == 3 ? 0b001 : 0) | 0b010 | (last ? 0b100 : 0)));
}

void Assembler::list() {
  if (received_ % list_size_ != 0) return;
  if (topology_ == Topology::quad_list) return emit_quad(recent(3), recent(2), recent(1), recent(0));
  Object object{};
  object.count = static_cast<uint8_t>(list_size_);
  for (unsigned i = 0; i < list_size_; ++i) object.vertices[i] = recent(list_size_ - 1 - i);
  object.reversed = false;
  object.primitive_id = primitive_id_++;
  switch (object_type(topology_)) {
    case ObjectType::line: object.provoking = provoking_.line & 1; break;
    case ObjectType::line_adjacency: object.provoking = 1 + (provoking_.line & 1); break;
    case ObjectType::triangle:
    case ObjectType::rectangle: object.provoking = std::min<uint8_t>(provoking_.triangle, 2); break;
    case ObjectType::triangle_adjacency: object.provoking = 2 * std::min<uint8_t>(provoking_.triangle, 2); break;
    default: object.provoking = 0; break;
  }
  emit_(object);
}

void Assembler::strip_adjacency(bool last) {
  // Triangle i has corners 2i, 2i+2, 2i+4, and is known once the vertex beyond it (2i+6) or the end has come. Order of the six: corner,
  // the neighbour across the edge to the next corner, … (OpenGL 4.6 spec, table 10.1).
  const uint32_t n = last ? received_ & ~1u : received_;  // one too many at the end is ignored
  const bool ready = last ? n >= 6 : n >= 8 && n % 2 == 0;
  if (!ready) return;
  const uint32_t i = last ? (n - 6) / 2 : (n - 8) / 2;
  const auto at = [&](uint32_t position) { return recent(received_ - 1 - position); };
  const uint32_t before = i == 0 ? at(1) : at(2 * i - 2);
  const uint32_t beyond = last ? at(2 * i + 5) : at(2 * i + 6);
  emit({at(2 * i), before, at(2 * i + 2), beyond, at(2 * i + 4), at(2 * i + 3)}, 2 * std::min<unsigned>(provoking_.triangle, 2),
       i % 2 == 1);
  ++primitive_id_;
}

void Assembler::strip_or_fan() {
  const uint32_t n = received_;
  switch (topology_) {
    case Topology::line_strip:
    case Topology::line_strip_continued:
    case Topology::line_strip_back:
    case Topology::line_strip_continued_back:
    case Topology::line_loop:
      if (n >= 2) emit({recent(1), recent(0)}, provoking_.line & 1), ++primitive_id_;
      break;
    case Topology::triangle_strip:
    case Topology::triangle_strip_reverse:
      if (n >= 3) {
        const bool odd = (n - 3) % 2 == 1;
        emit({recent(2), recent(1), recent(0)}, provoking_.triangle, odd != (topology_ == Topology::triangle_strip_reverse));
        ++primitive_id_;
      }
      break;
    case Topology::triangle_fan:
    case Topology::triangle_fan_no_stipple:
      if (n >= 3) emit({first_, recent(1), recent(0)}, provoking_.fan), ++primitive_id_;
      break;
    case Topology::polygon: emit_polygon(false); break;
    case Topology::quad_strip:
      if (n >= 4 && n % 2 == 0) {
        emit({recent(3), recent(2), recent(0)}, 2, false, 0b011);
        emit({recent(1), recent(3), recent(0)}, 2, false, 0b101);
        ++primitive_id_;
      }
      break;
    case Topology::line_strip_adjacency:
      if (n >= 4) emit({recent(3), recent(2), recent(1), recent(0)}, 1 + (provoking_.line & 1)), ++primitive_id_;
      break;
    case Topology::triangle_strip_adjacency: strip_adjacency(false); break;
    default: break;
  }
}

void Assembler::vertex(uint32_t v) {
  if (received_ == 0) first_ = v;
  window_[received_ & 63] = v;
  ++received_;
  if (list_size_) list();
  else strip_or_fan();
}

void Assembler::cut() {
  if (topology_ == Topology::line_loop && received_ >= 2) emit({recent(0), first_}, provoking_.line & 1), ++primitive_id_;
  if (topology_ == Topology::triangle_strip_adjacency) strip_adjacency(true);
  if (topology_ == Topology::polygon && received_ >= 3) emit_polygon(true), ++primitive_id_;
  received_ = 0;
}

void Assembler::next_instance() {
  cut();
  primitive_id_ = 0;
}

}  // namespace softgen::render
