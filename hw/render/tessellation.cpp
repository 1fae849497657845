// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/tessellation.h"

#include <algorithm>
#include <numeric>

namespace softgen::render {
namespace {

// Units of the URB that DS vertices leave for a geometry shader: eight entries of the largest size.
constexpr uint32_t reserved_units = 8 * 512;

}  // namespace

Tessellator::Tessellator(GeometryWorker& worker, Provoking provoking)
    : worker_(worker), te_(worker.state.tessellation), hs_(worker), ds_(worker) {
  using Output = TessellationOutput;
  const bool point = te_.output == Output::point, line = te_.output == Output::line;
  type_ = point ? ObjectType::point : line ? ObjectType::line : ObjectType::triangle;
  vertices_per_object_ = point ? 1 : line ? 2 : 3;
  provoking_ = point ? 0 : line ? provoking.line & 1 : std::min<uint8_t>(provoking.triangle, 2);
}

void Tessellator::add_objects(const Patch& patch, std::span<const uint16_t> indices, std::span<const uint32_t> number_of) {
  for (size_t at = 0; at + vertices_per_object_ <= indices.size(); at += vertices_per_object_) {
    Object object{};
    for (unsigned i = 0; i < vertices_per_object_; ++i) object.vertices[i] = number_of[indices[at + i]];
    object.count = static_cast<uint8_t>(vertices_per_object_);
    object.provoking = provoking_;
    object.primitive_id = patch.object->primitive_id;
    object.instance = patch.object->instance;
    objects_.push_back(object);
  }
}

void Tessellator::begin(const Batch& patches) {
  input_ = patches;
  object_ = patch_ = patches_count_ = 0;
  split_.reset();
  release_ = Release::nothing;
  mark_ = worker_.urb.mark();
}

Batch Tessellator::take(Release release) {
  release_ = release;
  return {type_, vertices_, objects_, {}};
}

/// Gives back what was handed out last.
void Tessellator::discard() {
  objects_.clear();
  vertices_.clear();
  if (release_ == Release::vertices) worker_.urb.release(piece_mark_);
  if (release_ == Release::patches) worker_.urb.release(mark_);
  release_ = Release::nothing;
}

/// Whether there is room neither for the patches of a thread nor for one that is finely divided, or objects enough.
bool Tessellator::full() const {
  const uint32_t needed = hs_.patches_per_thread() * Urb::units(hs_.entry_bytes()) + Urb::max_units / 2;
  return worker_.urb.room() < needed || objects_.size() >= objects_per_batch;
}

/// A thread of the hull shader.
void Tessellator::shade_hulls() {
  patch_ = 0;
  patches_count_ = std::min<size_t>(hs_.patches_per_thread(), input_.objects.size() - object_);
  for (size_t i = 0; i < patches_count_; ++i) patches_[i] = {worker_.urb.allocate(hs_.entry_bytes()), &input_.objects[object_ + i]};
  hs_.run(input_, std::span(patches_).first(patches_count_));
  object_ += patches_count_;
}

/// Shades the patch, or leaves it in split_.
void Tessellator::add_patch(const Patch& patch) {
  std::array<uint32_t, 8> header{};
  const std::span<uint32_t> data = worker_.urb.dwords(patch.handle, 0, 8);
  std::copy(data.begin(), data.end(), header.begin());
  tessellate(te_, patch_factors(te_, header), tessellation_);
  const size_t points = tessellation_.points.size();
  if (points == 0) return;
  const uint32_t units = Urb::units(ds_.entry_bytes());
  const uint32_t room = worker_.urb.room() > reserved_units ? worker_.urb.room() - reserved_units : 0;
  if (points * units > room) {
    split_ = Split{.points_per_piece = room / units, .number_of = std::vector<uint32_t>(points), .shaded = std::vector<bool>(points)};
    return;
  }
  const auto first = static_cast<uint32_t>(vertices_.size());
  ds_.shade(patch, tessellation_.points, vertices_);
  std::vector<uint32_t> number_of(points);
  std::iota(number_of.begin(), number_of.end(), first);
  add_objects(patch, tessellation_.indices, number_of);
}

/// The next piece of a patch in split_. False: there is none.
bool Tessellator::shade_piece(const Patch& patch) {
  Split& split = *split_;
  const size_t step = vertices_per_object_;
  if (split.at >= tessellation_.indices.size() || worker_.stop.aborting()) return false;
  piece_mark_ = worker_.urb.mark();
  std::vector<DomainPoint> points;
  std::fill(split.number_of.begin(), split.number_of.end(), ~0u);
  uint64_t again = 0;
  size_t end = split.at;
  for (; end + step <= tessellation_.indices.size() && points.size() + step <= split.points_per_piece; end += step)
    for (size_t i = end; i < end + step; ++i) {
      const uint16_t index = tessellation_.indices[i];
      if (split.number_of[index] != ~0u) continue;
      split.number_of[index] = static_cast<uint32_t>(points.size());
      points.push_back(tessellation_.points[index]);
      again += split.shaded[index];
      split.shaded[index] = true;
    }
  if (end == split.at) return false;
  ds_.shade(patch, points, vertices_);
  ds_.shaded_again(again);
  add_objects(patch, std::span(tessellation_.indices).subspan(split.at, end - split.at), split.number_of);
  split.at = end;
  return true;
}

std::optional<Batch> Tessellator::next() {
  discard();
  for (;;) {
    if (split_) {
      if (shade_piece(patches_[patch_])) return take(Release::vertices);
      split_.reset();
      ++patch_;
    } else if (patch_ < patches_count_) {
      add_patch(patches_[patch_]);
      if (!split_) ++patch_;
      else if (!objects_.empty()) return take(Release::nothing);  // of the patches before; this one's data are still needed
      else vertices_.clear();
    } else {
      const bool ends = object_ >= input_.objects.size() || worker_.stop.aborting();
      if (ends || full()) {
        if (!objects_.empty()) return take(Release::patches);
        release_ = Release::patches;
        discard();
      }
      if (ends) return std::nullopt;
      shade_hulls();
    }
  }
}

}  // namespace softgen::render
