// SPDX-License-Identifier: GPL-2.0-or-later
// Vertex shading and setup of a draw on several threads: chunks of objects, each fetched, shaded and set up by one of them. Which objects make a
// chunk does not depend on the thread, so that any number of threads gives the same.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "hw/base/worker_pool.h"
#include "hw/render/geometry_pipeline.h"
#include "hw/render/setup.h"

namespace softgen::render {

/// A host thread's own, kept from draw to draw.
struct GeometrySlot {
  explicit GeometrySlot(const memory::View& like) : view(like.memory(), like.sink(), like.engine()) {}
  memory::View view;
  Urb urb;
  eu::Thread thread;
  VertexScratch vertices;
  std::vector<Object> objects;    ///< assembled here
  std::vector<uint32_t> corners;  ///< of triangles that need no assembly
};

using GeometrySlots = std::vector<std::unique_ptr<GeometrySlot>>;
/// Until there are `count`.
void add_slots(GeometrySlots& slots, size_t count, const memory::View& like);

class ChunkedGeometry {
 public:
  /// `slots` grows to what `pool` needs. All outlive the draw.
  ChunkedGeometry(WorkerPool* pool, const GeometryWorker& worker, const GeometryPipeline& pipeline, const Setup& setup,
                  GeometrySlots& slots);
  ~ChunkedGeometry();

  /// Whether the result would be that of one chunk after the other: no vertex shader that writes memory, no state carried from object
  /// to object, no stage between shader and setup.
  static bool takes(const DrawState& state, const DrawCall& call, const GeometryWorker& worker);

  /// `out` has the prepared objects, a list a chunk; it grows as needed.
  void run(const Batch& batch, std::vector<std::unique_ptr<PreparedObjects>>& out);
  uint64_t invocations() const;
  uint64_t primitives() const;

 private:
  struct Unit;
  Unit& unit(unsigned slot);
  bool alone(const Batch& batch) const;
  void chunk(const Batch& batch, size_t index, unsigned slot, PreparedObjects& out);
  void list_chunk(const Batch& batch, Unit& own, uint32_t first, size_t count, PreparedObjects& out);

  WorkerPool* pool_;
  const GeometryWorker& worker_;
  const VertexStage& stage_;
  const Provoking provoking_;
  const Setup& setup_;
  GeometrySlots& slots_;  ///< per slot of the pool, as units_
  std::vector<std::unique_ptr<Unit>> units_;
  size_t max_objects_;            ///< of a chunk, so that their vertices have room in the URB
  size_t objects_per_chunk_ = 1;  ///< of the batch that is worked on
};

}  // namespace softgen::render
