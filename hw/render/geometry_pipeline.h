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
  /// Both outlive it.
  GeometryPipeline(GeometryWorker& worker, const DrawCall& call);
  GeometryPipeline(const GeometryPipeline&) = delete;
  GeometryPipeline& operator=(const GeometryPipeline&) = delete;

  /// The next objects of the draw, in the order of their primitives; none: there are no more, or the stop flag asks for a reset. By a visibility
  /// record a batch may have fewer objects, or none: which primitives it is of does not depend on the record.
  std::optional<Batch> next();
  /// The first `batches` were drawn before a preemption. They come again, but with vertex shaders alone they have no vertices.
  void skip(uint64_t batches) { skip_ = batches; }
  /// Batches have objects as they were assembled, whose vertices are indices, or triangles that were not, to be shaded by vertex_stage()
  /// or its copies. Only for draws without tessellation and geometry shader, before the first next().
  void leave_unshaded();
  /// Triangles of a list from number `first` on.
  static void list_triangles(VertexFetch& fetch, Provoking provoking, uint32_t first, std::span<Object> out);
  Provoking provoking() const { return provoking_; }
  const VertexStage& vertex_stage() const { return vs_; }
  GeometryCounts counts() const;
  /// Bytes of all indices of the draw; 0: it is not indexed.
  uint64_t index_bytes() const;

 private:
  std::optional<Batch> next_triangles();
  std::optional<Batch> next_assembled();
  std::optional<Batch> next_tessellated();
  Batch visible_triangles(uint32_t first, uint32_t count);
  bool full(const Object& next) const;
  void add(const Object& object, uint32_t instance);

  GeometryWorker& worker_;
  const DrawCall& call_;
  const ObjectType type_;
  const Provoking provoking_;
  VertexStage vs_;
  std::optional<Tessellator> tessellator_;
  std::optional<GeometryStage> gs_;
  size_t vertices_per_batch_;
  Assembler assembler_;
  uint32_t instance_ = 0, vertex_ = 0;  ///< of the draw, the next to be assembled
  struct {
    std::vector<Object> objects;
    size_t assembled = 0;          ///< the objects, and those that are not visible
    size_t vertices = 0;           ///< of all of them, at most
    std::vector<Object> overflow;  ///< assembled, but for the next batch
  } gathered_;
  bool list_ = false;      ///< batches are triangles of a list that are not assembled yet
  uint32_t triangle_ = 0;  ///< of the list, the next one
  GeometryCounts counts_;
  uint64_t skip_ = 0;
  bool unshaded_ = false;
  bool tessellating_ = false, shading_ = false;  ///< tessellator_ and gs_ have input
};

}  // namespace softgen::render
