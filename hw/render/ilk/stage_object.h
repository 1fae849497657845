// SPDX-License-Identifier: GPL-2.0-or-later
// What the units hand from one to the next: objects with their vertices, and vertices as a GS or CLIP thread writes them.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "hw/render/assembly.h"
#include "hw/render/geometry.h"
#include "hw/render/ilk/thread.h"
#include "hw/render/ilk/urb.h"

namespace softgen::render::ilk {

/// A point, line, triangle or rectangle, or a quad on its way to the GS. `object.vertices` are 0, 1, ... into `vertices`.
struct StageObject {
  static constexpr unsigned max_vertices = 6;
  Topology topology{};  ///< as payloads name it: odd triangles of a strip are of triangle_strip_reverse
  ObjectType type{};
  Object object{};
  std::array<Vue, max_vertices> vertices{};
  std::span<const Vue> vues() const { return std::span(vertices).first(object.count); }
};
using ObjectSink = std::function<void(const StageObject&)>;

/// `object` of a stream of this topology, with vertices that `vertex` gives by their numbers.
template <typename Find>
StageObject stage_object(Topology topology, const Object& object, Find&& vertex) {
  StageObject out;
  const bool strip = topology == Topology::triangle_strip || topology == Topology::triangle_strip_reverse;
  out.topology = !strip ? topology : object.reversed ? Topology::triangle_strip_reverse : Topology::triangle_strip;
  out.type = object_type(topology);
  out.object = object;
  out.object.count = static_cast<uint8_t>(std::min<unsigned>(object.count, StageObject::max_vertices));
  for (uint8_t i = 0; i < out.object.count; ++i) out.vertices[i] = vertex(object.vertices[i]), out.object.vertices[i] = i;
  return out;
}

/// A thread of GS or CLIP, which writes vertices: each in an entry, the header's dword 2 has its primitive's topology, and whether it is the first or the last
/// (Mesa brw_eu_defines.h, URB_WRITE_PRIM_*).
class EmittingThread : public UnitMessages {
 public:
  EmittingThread(Urb& urb, UrbEntries& entries) : urb_(urb), entries_(entries) {}

  bool urb(const UrbMessage& how, std::span<const Grf> payload, std::span<Grf> response) override;
  bool target_write(const TargetMessage&, std::span<const Grf>) override { return false; }
  /// The objects of what was written, in order.
  void each_object(Provoking provoking, const ObjectSink& sink) const;
  size_t primitives() const;

 private:
  static constexpr size_t max_vertices = 1024;  ///< of a thread; clients' have 20 at most
  struct Emitted {
    Topology topology;
    bool first, last;
  };
  Vue vue(size_t n) const { return Vue(std::span(dwords_).subspan(n * entries_.dwords(), entries_.dwords())); }

  Urb& urb_;
  UrbEntries& entries_;
  std::vector<Emitted> vertices_;
  std::vector<uint32_t> dwords_;
};

}  // namespace softgen::render::ilk
