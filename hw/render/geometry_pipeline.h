// SPDX-License-Identifier: GPL-2.0-or-later
// The geometry half of a draw: vertices through VS, tessellation and GS, in batches and in order.
#pragma once

#include <optional>
#include <vector>

#include "hw/render/geometry_stage.h"
#include "hw/render/tessellation.h"
#include "hw/render/vertex_stage.h"

namespace softgen::render {

/// What a draw adds to the pipeline statistics registers, up to the last geometry shader.
struct GeometryCounts {
  uint64_t ia_vertices = 0, ia_primitives = 0, vs = 0, hs = 0, ds = 0, gs = 0, gs_primitives = 0;
};

class GeometryPipeline {
 public:
  GeometryPipeline(GeometryWorker& worker, const DrawCall& call);

  /// The whole draw; `finished` gets the objects in the order of their primitives. Stops early when the stop flag asks for a reset.
  void run(const BatchSink& finished);
  /// The first `batches` were drawn before a preemption. They come again, but with vertex shaders alone they have no vertices.
  void skip(uint64_t batches) { skip_ = batches; }
  /// `finished` gets objects as they were assembled, whose vertices are indices, or triangles that were not, to be shaded by vertex_stage()
  /// or its copies. Only for draws without tessellation and geometry shader.
  void leave_unshaded() { unshaded_ = true; }
  /// Triangles of a list from number `first` on.
  static void list_triangles(VertexFetch& fetch, Provoking provoking, uint32_t first, std::span<Object> out);
  Provoking provoking() const { return provoking_; }
  const VertexStage& vertex_stage() const { return vs_; }
  /// From `finished`: no more batches are wanted.
  void halt() { halted_ = true; }
  GeometryCounts counts() const;

 private:
  bool ends() const { return halted_ || worker_.stop.aborting(); }
  bool runs_list(const BatchSink& finished);
  void flush(const BatchSink& finished);
  void after_tessellation(const Batch& batch, const BatchSink& finished);

  GeometryWorker& worker_;
  const DrawCall& call_;
  const ObjectType type_;
  const Provoking provoking_;
  VertexStage vs_;
  std::optional<Tessellator> tessellator_;
  std::optional<GeometryStage> gs_;
  size_t vertices_a_batch_;
  std::vector<Object> objects_;
  size_t gathered_ = 0;  ///< vertices of objects_, at most
  GeometryCounts counts_;
  uint64_t skip_ = 0;
  bool halted_ = false, unshaded_ = false;
};

}  // namespace softgen::render
