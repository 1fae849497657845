// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/tessellation.h"

#include <algorithm>
#include <numeric>

namespace softgen::render {
namespace {

// What DS vertices leave of the URB for a geometry shader: eight entries of the largest size.
constexpr uint32_t units_behind = 8 * 512;

}  // namespace

Tessellator::Tessellator(GeometryWorker& worker, Provoking provoking)
    : worker_(worker), te_(worker.state.tessellation), hs_(worker), ds_(worker) {
  using Output = TessellationOutput;
  const bool point = te_.output == Output::point, line = te_.output == Output::line;
  type_ = point ? ObjectType::point : line ? ObjectType::line : ObjectType::triangle;
  vertices_an_object_ = point ? 1 : line ? 2 : 3;
  provoking_ = point ? 0 : line ? provoking.line & 1 : std::min<uint8_t>(provoking.triangle, 2);
}

void Tessellator::pass_on(const BatchSink& next) {
  if (!objects_.empty()) next({type_, vertices_, objects_, {}});
  objects_.clear();
  vertices_.clear();
}

void Tessellator::add_objects(const Patch& patch, std::span<const uint16_t> indices, std::span<const uint32_t> number_of) {
  for (size_t at = 0; at + vertices_an_object_ <= indices.size(); at += vertices_an_object_) {
    Object object{};
    for (unsigned i = 0; i < vertices_an_object_; ++i) object.vertices[i] = number_of[indices[at + i]];
    object.count = static_cast<uint8_t>(vertices_an_object_);
    object.provoking = provoking_;
    object.primitive_id = patch.object->primitive_id;
    object.instance = patch.object->instance;
    objects_.push_back(object);
  }
}

/// A patch whose vertices do not fit the URB at once: in pieces, which shade again what they share.
void Tessellator::split_patch(const Patch& patch, size_t points_a_piece, const BatchSink& next) {
  const size_t step = vertices_an_object_;
  std::vector<uint32_t> number_of(tessellation_.points.size());
  std::vector<bool> shaded(tessellation_.points.size());
  for (size_t at = 0; at < tessellation_.indices.size() && !worker_.stop.aborting();) {
    const uint32_t mark = worker_.urb.mark();
    std::vector<DomainPoint> points;
    std::fill(number_of.begin(), number_of.end(), ~0u);
    uint64_t again = 0;
    size_t end = at;
    for (; end + step <= tessellation_.indices.size() && points.size() + step <= points_a_piece; end += step)
      for (size_t i = end; i < end + step; ++i) {
        const uint16_t index = tessellation_.indices[i];
        if (number_of[index] != ~0u) continue;
        number_of[index] = static_cast<uint32_t>(points.size());
        points.push_back(tessellation_.points[index]);
        again += shaded[index];
        shaded[index] = true;
      }
    if (end == at) return;
    ds_.shade(patch, points, vertices_);
    ds_.shaded_again(again);
    add_objects(patch, std::span(tessellation_.indices).subspan(at, end - at), number_of);
    pass_on(next);
    worker_.urb.release(mark);
    at = end;
  }
}

void Tessellator::add_patch(const Patch& patch, const BatchSink& next) {
  std::array<uint32_t, 8> header{};
  const std::span<uint32_t> data = worker_.urb.dwords(patch.handle, 0, 8);
  std::copy(data.begin(), data.end(), header.begin());
  tessellate(te_, patch_factors(te_, header), tessellation_);
  if (tessellation_.points.empty()) return;
  const uint32_t units = Urb::units(ds_.entry_bytes());
  const uint32_t room = worker_.urb.room() > units_behind ? worker_.urb.room() - units_behind : 0;
  if (tessellation_.points.size() * units > room) return pass_on(next), split_patch(patch, room / units, next);
  const auto first = static_cast<uint32_t>(vertices_.size());
  ds_.shade(patch, tessellation_.points, vertices_);
  std::vector<uint32_t> number_of(tessellation_.points.size());
  std::iota(number_of.begin(), number_of.end(), first);
  add_objects(patch, tessellation_.indices, number_of);
}

void Tessellator::run(const Batch& batch, const BatchSink& next) {
  mark_ = worker_.urb.mark();
  std::array<Patch, simd8> patches;
  // Room for the patches of a thread and for a patch that is finely divided; more than that is passed on first.
  const uint32_t needed = hs_.patches_a_thread() * Urb::units(hs_.entry_bytes()) + Urb::max_units / 2;
  for (size_t at = 0; at < batch.objects.size() && !worker_.stop.aborting(); at += hs_.patches_a_thread()) {
    if (worker_.urb.room() < needed || objects_.size() >= objects_a_batch) {
      pass_on(next);
      worker_.urb.release(mark_);
    }
    const size_t count = std::min<size_t>(hs_.patches_a_thread(), batch.objects.size() - at);
    for (size_t i = 0; i < count; ++i) patches[i] = {worker_.urb.allocate(hs_.entry_bytes()), &batch.objects[at + i]};
    hs_.run(batch, std::span(patches).first(count));
    for (size_t i = 0; i < count; ++i) add_patch(patches[i], next);
  }
  pass_on(next);
  worker_.urb.release(mark_);
}

}  // namespace softgen::render
