// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/geometry_pipeline.h"

#include <algorithm>
#include <utility>

#include "hw/base/log.h"
#include "hw/render/position/visibility_reader.h"

namespace softgen::render {
namespace {

// Units of the URB that vertices may take; the rest is for the stages after VS. One patch of 32 of the largest entries still fits.
constexpr uint32_t vertex_units = Urb::max_units / 4;

}  // namespace

GeometryPipeline::GeometryPipeline(GeometryWorker& worker, const DrawCall& call)
    : worker_(worker),
      call_(call),
      type_(object_type(call.topology)),
      provoking_(worker.state.raster.provoking),
      vs_(worker, call),
      assembler_(call.topology, provoking_, [this](const Object& object) { add(object, instance_); }) {
  if (type_ == ObjectType::patch && worker.state.tessellation.enable) tessellator_.emplace(worker, provoking_);
  if (worker.state.stage(Stage::gs).enable) gs_.emplace(worker, provoking_);
  vertices_per_batch_ = std::max(32u, vertex_units / Urb::units(vs_.entry_bytes()));
}

void GeometryPipeline::leave_unshaded() {
  unshaded_ = true;
  // Chunks may assemble the triangles of a list themselves.
  list_ = call_.topology == Topology::triangle_list && call_.instance_count == 1 && !vs_.fetch().has_cuts();
  if (!list_) return;
  counts_.ia_vertices = call_.vertex_count;
  counts_.ia_primitives = call_.vertex_count / 3;
}

bool GeometryPipeline::full(const Object& next) const {
  if (unshaded_) return gathered_.assembled >= objects_per_chunked_batch;
  return gathered_.assembled >= objects_per_batch || gathered_.vertices + next.count > vertices_per_batch_;
}

void GeometryPipeline::add(const Object& object, uint32_t instance) {
  const bool later = !gathered_.overflow.empty() || full(object);
  if (!later) {
    ++gathered_.assembled;
    gathered_.vertices += object.count;
    if (call_.visibility && !call_.visibility->next()) return;
  }
  std::vector<Object>& to = later ? gathered_.overflow : gathered_.objects;
  to.push_back(object);
  to.back().instance = instance;
}

/// Assembles objects until a batch is full or the draw ends. None: there are no objects, or the draw is aborted.
std::optional<Batch> GeometryPipeline::next_assembled() {
  gathered_.objects.clear();
  gathered_.assembled = gathered_.vertices = 0;
  for (const Object& object : std::exchange(gathered_.overflow, {})) add(object, object.instance);
  while (gathered_.overflow.empty() && instance_ < call_.instance_count && !worker_.stop.aborting()) {
    if (vertex_ == call_.vertex_count) {
      assembler_.next_instance();
      ++instance_, vertex_ = 0;
      continue;
    }
    const uint64_t index = vs_.fetch().index(vertex_++);
    if (index == VertexFetch::cut) assembler_.cut();
    else assembler_.vertex(static_cast<uint32_t>(index)), ++counts_.ia_vertices;
  }
  if (gathered_.assembled == 0 || worker_.stop.aborting()) return std::nullopt;
  counts_.ia_primitives += gathered_.assembled;
  if (unshaded_) return Batch{type_, {}, gathered_.objects, {}};
  worker_.urb.clear();
  const bool skipped = skip_ > 0 && !tessellator_ && !gs_;
  if (skipped) --skip_;
  const Batch batch{type_, skipped ? std::span<const Vertex>() : vs_.shade(gathered_.objects), gathered_.objects, {}};
  if (worker_.stop.aborting()) return std::nullopt;
  return batch;
}

std::optional<Batch> GeometryPipeline::next_tessellated() {
  for (;;) {
    if (tessellating_) {
      if (const std::optional<Batch> batch = tessellator_->next()) return batch;
      tessellating_ = false;
    }
    const std::optional<Batch> batch = next_assembled();
    if (!batch || !tessellator_) return batch;
    tessellator_->begin(*batch);
    tessellating_ = true;
  }
}

std::optional<Batch> GeometryPipeline::next() {
  if (list_) return next_triangles();
  for (;;) {
    if (shading_) {
      if (const std::optional<Batch> batch = gs_->next()) return batch;
      shading_ = false;
    }
    const std::optional<Batch> batch = next_tessellated();
    if (!batch || !gs_) return batch;
    gs_->begin(*batch);
    shading_ = true;
  }
}

std::optional<Batch> GeometryPipeline::next_triangles() {
  constexpr uint32_t max_triangles = objects_per_chunked_batch;
  const uint32_t first = triangle_, count = std::min(max_triangles, call_.vertex_count / 3 - first);
  if (count == 0 || worker_.stop.aborting()) return std::nullopt;
  triangle_ += count;
  if (call_.visibility) return visible_triangles(first, count);
  return Batch{type_, {}, {}, {first, count}};
}

Batch GeometryPipeline::visible_triangles(uint32_t first, uint32_t count) {
  gathered_.objects.clear();
  for (uint32_t at = 0; at < count;) {
    const VisibilityReader::Some some = call_.visibility->take(count - at);
    if (some.visible && some.count == count) return Batch{type_, {}, {}, {first, count}};
    const size_t before = gathered_.objects.size();
    if (some.visible) {
      gathered_.objects.resize(before + some.count);
      list_triangles(vs_.fetch(), provoking_, first + at, std::span(gathered_.objects).subspan(before));
    }
    at += some.count;
  }
  return Batch{type_, {}, gathered_.objects, {}};
}

void GeometryPipeline::list_triangles(VertexFetch& fetch, Provoking provoking, uint32_t first, std::span<Object> out) {
  constexpr size_t at_once = 64;
  std::array<uint32_t, 3 * at_once> indices;
  for (size_t at = 0; at < out.size(); at += at_once) {
    const std::span<Object> some = out.subspan(at, std::min(at_once, out.size() - at));
    const auto number = first + static_cast<uint32_t>(at);
    fetch.indices(3 * number, std::span(indices).first(3 * some.size()));
    for (size_t i = 0; i < some.size(); ++i)
      put_list_triangle(some[i], &indices[3 * i], std::min<uint8_t>(provoking.triangle, 2), number + static_cast<uint32_t>(i));
  }
}

uint64_t GeometryPipeline::index_bytes() const { return uint64_t{vs_.fetch().index_bytes()} * call_.vertex_count * call_.instance_count; }

GeometryCounts GeometryPipeline::counts() const {
  GeometryCounts result = counts_;
  result.vs = vs_.invocations();
  if (tessellator_) result.hs = tessellator_->hull_invocations(), result.ds = tessellator_->domain_invocations();
  if (gs_) result.gs = gs_->invocations(), result.gs_primitives = gs_->primitives();
  return result;
}

}  // namespace softgen::render
