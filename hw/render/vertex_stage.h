// SPDX-License-Identifier: GPL-2.0-or-later
// The vertex shader stage: vertices are fetched, shaded eight at a time and stand in the URB as VUEs.
#pragma once

#include <span>
#include <vector>

#include "hw/render/stage_thread.h"
#include "hw/render/vertex_fetch.h"

namespace softgen::render {

class VertexStage {
 public:
  VertexStage(GeometryWorker& worker, const DrawCall& call);

  VertexFetch& fetch() { return fetch_; }
  /// Fetches and shades what the objects name (index and instance), each vertex once. Afterwards their vertices are numbers into the result,
  /// which holds until the next call.
  std::span<const Vertex> shade(std::span<Object> objects);
  /// Of a VUE.
  uint32_t entry_bytes() const { return entry_bytes_; }
  uint64_t invocations() const { return invocations_; }

 private:
  struct Source {
    uint32_t index, instance;
  };
  void shade_eight(std::span<const Source> sources, std::span<Vertex> out);
  void apply_edge_flags(std::span<Object> objects);
  void push_inputs(unsigned reg, size_t count);

  GeometryWorker& worker_;
  VertexFetch fetch_;
  bool edge_flags_;                             ///< the topology has them and there are some
  Kernel kernel_;
  uint32_t entry_bytes_;
  std::vector<uint8_t> packed_;                 ///< components that reach the shader, as dwords of a fetched vertex; all when packing is off
  std::array<std::vector<Vec4>, simd8> inputs_;
  std::vector<Source> order_;
  std::vector<Vertex> vertices_;
  uint64_t invocations_ = 0;
};

}  // namespace softgen::render
