// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/chunked_geometry.h"

#include <algorithm>

namespace softgen::render {

void add_slots(GeometrySlots& slots, size_t count, const memory::View& like) {
  while (slots.size() < count) slots.push_back(std::make_unique<GeometrySlot>(like));
}

/// What a host thread has of the draw.
struct ChunkedGeometry::Unit {
  Unit(const GeometryWorker& like, GeometrySlot& own, uint32_t slot, const VertexStage& vs, const Setup& prototype)
      : worker{own.view, like.state, like.stop, like.shared, like.kernels, own.urb, own.thread, own.vertices, like.absolute_constants,
               slot},
        stage(worker, vs),
        setup(prototype),
        objects(own.objects),
        corners(own.corners) {}
  GeometryWorker worker;
  VertexStage stage;
  Setup setup;
  std::vector<Object>& objects;
  std::vector<uint32_t>& corners;
};

bool ChunkedGeometry::takes(const DrawState& state, const DrawCall& call, const GeometryWorker& worker) {
  // Line stipples count from object to object, whether of lines or of outlined triangles.
  return last_geometry_stage(state) == Stage::vs && object_type(call.topology) != ObjectType::patch && worker.repeatable &&
         !state.raster.line_stipple;
}

ChunkedGeometry::ChunkedGeometry(WorkerPool* pool, const GeometryWorker& worker, const GeometryPipeline& pipeline, const Setup& setup,
                                 GeometrySlots& slots)
    : pool_(pool),
      worker_(worker),
      stage_(pipeline.vertex_stage()),
      provoking_(pipeline.provoking()),
      setup_(setup),
      slots_(slots),
      units_(slots_of(pool)) {
  add_slots(slots_, units_.size(), worker.view);
  constexpr unsigned max_vertices = 6;
  max_objects_ =
      std::clamp<size_t>((Urb::max_units - 1) / (size_t{Urb::units(stage_.entry_bytes())} * max_vertices), 1, max_objects_per_chunk);
}

ChunkedGeometry::~ChunkedGeometry() = default;

ChunkedGeometry::Unit& ChunkedGeometry::unit(unsigned slot) {
  if (!units_[slot]) {
    slots_[slot]->view.set_space(worker_.view.space());
    units_[slot] = std::make_unique<Unit>(worker_, *slots_[slot], slot, stage_, setup_);
  }
  return *units_[slot];
}

/// Whether no two objects of the batch share a vertex.
bool ChunkedGeometry::alone(const Batch& batch) const { return batch.triangles.count && !stage_.fetch().indexed(); }

/// Triangles `first` and following of a list.
void ChunkedGeometry::list_chunk(const Batch& batch, Unit& own, uint32_t first, size_t count, PreparedObjects& out) {
  if (own.corners.size() < 3 * count) own.corners.resize(3 * count);
  const std::span<uint32_t> corners = std::span(own.corners).first(3 * count);
  own.stage.fetch().indices(3 * first, corners);
  const std::span<const Vertex> vertices = own.stage.shade_indices(corners, alone(batch));
  if (worker_.stop.aborting()) return;
  own.setup.prepare_list(corners, std::min<uint8_t>(provoking_.triangle, 2), first, vertices, out);
}

void ChunkedGeometry::chunk(const Batch& batch, size_t index, unsigned slot, PreparedObjects& out) {
  out.clear();
  if (worker_.stop.aborting()) return;
  Unit& own = unit(slot);
  const size_t first = index * objects_per_chunk_;
  const size_t count = std::min(objects_per_chunk_, batch.size() - first);
  own.worker.urb.clear();
  std::span<Object> objects;
  if (batch.triangles.count && own.stage.shades_indices())
    return list_chunk(batch, own, static_cast<uint32_t>(batch.triangles.first + first), count, out);
  if (batch.triangles.count) {
    if (own.objects.size() < count) own.objects.resize(count);
    objects = std::span(own.objects).first(count);
    GeometryPipeline::list_triangles(own.stage.fetch(), provoking_, static_cast<uint32_t>(batch.triangles.first + first), objects);
  } else {
    objects = batch.objects.subspan(first, count);
  }
  const std::span<const Vertex> vertices = own.stage.shade(objects, alone(batch));
  if (worker_.stop.aborting()) return;
  if (without_adjacency(batch.type) != batch.type)
    for (Object& object : objects) object = primary_vertices(object, batch.type);
  own.setup.prepare_all(without_adjacency(batch.type), objects, vertices, out);
}

void ChunkedGeometry::run(const Batch& batch, std::vector<std::unique_ptr<PreparedObjects>>& out) {
  objects_per_chunk_ =
      std::min(max_objects_,
               alone(batch) ? objects_per_chunk : std::clamp(batch.size() / chunks_per_batch, objects_per_chunk, max_objects_per_chunk));
  const size_t chunks = (batch.size() + objects_per_chunk_ - 1) / objects_per_chunk_;
  while (out.size() < chunks) out.push_back(std::make_unique<PreparedObjects>());
  for (size_t i = chunks; i < out.size(); ++i) out[i]->clear();
  if (pool_) pool_->for_each(chunks, [&](size_t index, unsigned slot) { chunk(batch, index, slot, *out[index]); });
  else
    for (size_t i = 0; i < chunks; ++i) chunk(batch, i, 0, *out[i]);
}

uint64_t ChunkedGeometry::invocations() const {
  uint64_t sum = 0;
  for (const auto& u : units_) sum += u ? u->stage.invocations() : 0;
  return sum;
}

uint64_t ChunkedGeometry::primitives() const {
  uint64_t sum = 0;
  for (const auto& u : units_) sum += u ? u->setup.primitives() : 0;
  return sum;
}

}  // namespace softgen::render
