// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/geometry_pipeline.h"

#include <algorithm>

#include "hw/base/log.h"

namespace softgen::render {
namespace {

// Of the URB's units, what vertices may take; the rest is for the stages behind. One patch of 32 of the largest entries still fits.
constexpr uint32_t vertex_units = Urb::max_units / 4;

}  // namespace

GeometryPipeline::GeometryPipeline(GeometryWorker& worker, const DrawCall& call)
    : worker_(worker), call_(call), type_(object_type(call.topology)), provoking_(worker.state.raster.provoking), vs_(worker, call) {
  if (type_ == ObjectType::patch && worker.state.tessellation.enable) tessellator_.emplace(worker, provoking_);
  if (worker.state.stage(Stage::gs).enable) gs_.emplace(worker, provoking_);
  vertices_a_batch_ = std::max(32u, vertex_units / Urb::units(vs_.entry_bytes()));
}

void GeometryPipeline::after_tessellation(const Batch& batch, const BatchSink& finished) {
  if (gs_) gs_->run(batch, finished);
  else finished(batch);
}

void GeometryPipeline::flush(const BatchSink& finished) {
  if (objects_.empty() || ends()) return;
  counts_.ia_primitives += objects_.size();
  if (unshaded_) {
    finished({type_, {}, objects_, {}});
    objects_.clear();
    return;
  }
  worker_.urb.clear();
  const bool skipped = skip_ > 0 && !tessellator_ && !gs_;
  if (skipped) --skip_;
  const Batch batch{type_, skipped ? std::span<const Vertex>() : vs_.shade(objects_), objects_, {}};
  if (worker_.stop.aborting()) return;
  if (tessellator_) tessellator_->run(batch, [&](const Batch& tessellated) { after_tessellation(tessellated, finished); });
  else after_tessellation(batch, finished);
  objects_.clear();
  gathered_ = 0;
}

void GeometryPipeline::list_triangles(VertexFetch& fetch, Provoking provoking, uint32_t first, std::span<Object> out) {
  constexpr size_t at_once = 64;
  std::array<uint32_t, 3 * at_once> indices;
  for (size_t at = 0; at < out.size(); at += at_once) {
    const std::span<Object> some = out.subspan(at, std::min(at_once, out.size() - at));
    const auto number = first + static_cast<uint32_t>(at);
    fetch.indices(3 * number, std::span(indices).first(3 * some.size()));
    for (size_t i = 0; i < some.size(); ++i) {
      Object& object = some[i];
      std::copy_n(&indices[3 * i], 3, object.vertices.begin());
      object.count = 3;
      object.reversed = false;
      object.provoking = std::min<uint8_t>(provoking.triangle, 2);
      object.stream = 0;
      object.primitive_id = number + static_cast<uint32_t>(i);
      object.edges = 7;
      object.instance = 0;
    }
  }
}

/// Lists of triangles may be assembled by whoever shades them. False: it is not that.
bool GeometryPipeline::runs_list(const BatchSink& finished) {
  if (!unshaded_ || call_.topology != Topology::triangle_list || call_.instance_count != 1 || vs_.fetch().has_cuts()) return false;
  const uint32_t triangles = call_.vertex_count / 3;
  counts_.ia_vertices += call_.vertex_count;
  counts_.ia_primitives += triangles;
  constexpr uint32_t most = objects_a_chunked_batch;
  for (uint32_t first = 0; first < triangles && !ends(); first += std::min(most, triangles - first))
    finished({type_, {}, {}, {first, std::min(most, triangles - first)}});
  return true;
}

void GeometryPipeline::run(const BatchSink& finished) {
  if (runs_list(finished)) return;
  uint32_t instance = 0;
  Assembler assembler(call_.topology, provoking_, [&](const Object& object) {
    if (unshaded_ ? objects_.size() >= objects_a_chunked_batch
                  : objects_.size() >= objects_a_batch || gathered_ + object.count > vertices_a_batch_)
      flush(finished);
    objects_.push_back(object);
    objects_.back().instance = instance;
    gathered_ += object.count;
  });
  for (; instance < call_.instance_count && !ends(); ++instance) {
    for (uint32_t n = 0; n < call_.vertex_count && !ends(); ++n) {
      const uint64_t index = vs_.fetch().index(n);
      if (index == VertexFetch::cut) assembler.cut();
      else assembler.vertex(static_cast<uint32_t>(index)), ++counts_.ia_vertices;
    }
    assembler.next_instance();
  }
  flush(finished);
}

GeometryCounts GeometryPipeline::counts() const {
  GeometryCounts result = counts_;
  result.vs = vs_.invocations();
  if (tessellator_) result.hs = tessellator_->hull_invocations(), result.ds = tessellator_->domain_invocations();
  if (gs_) result.gs = gs_->invocations(), result.gs_primitives = gs_->primitives();
  return result;
}

}  // namespace softgen::render
