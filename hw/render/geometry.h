// SPDX-License-Identifier: GPL-2.0-or-later
// Vertices after the last geometry stage: URB entries (VUEs) and what the fixed functions read of them.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "hw/render/assembly.h"

namespace softgen::render {

/// A vertex URB entry: dwords. Header (SKL PRM vol 7, "Vertex URB Entry (VUE) Formats"): dw1 render target array index, dw2 viewport index,
/// dw3 point width, dw4-7 position, dw8-15 clip and cull distances where the shader writes them, then attributes of four dwords. Of a primitive that is
/// replicated there are more positions, one after the other.
class Vue {
 public:
  Vue() = default;
  explicit Vue(std::span<const uint32_t> dwords) : dwords_(dwords.data()), size_(static_cast<uint32_t>(dwords.size())) {}
  /// The same vertex with position number `index` of `positions`.
  Vue replica(unsigned index, unsigned positions) const {
    Vue one = *this;
    one.position_ = static_cast<uint16_t>(4 + 4 * index), one.distances_ = static_cast<uint16_t>(4 + 4 * positions);
    return one;
  }

  uint32_t dword(size_t i) const { return i < size_ ? dwords_[i] : 0; }
  float value(size_t i) const { return std::bit_cast<float>(dword(i)); }
  uint32_t layer() const { return dword(1) & 0x7ff; }
  uint32_t viewport() const { return dword(2) & 0xf; }
  float point_width() const { return value(3); }
  float position(unsigned c) const { return value(position_ + c); }
  float clip_distance(unsigned i) const { return value(distances_ + i); }
  std::span<const uint32_t> dwords() const { return {dwords_, size_}; }
  /// Its four floats, or `nothing` where it is shorter than that.
  const float* position_or(const float* nothing) const {
    return size_ >= position_ + 4u ? reinterpret_cast<const float*>(dwords_ + position_) : nothing;
  }

 private:
  const uint32_t* dwords_ = nullptr;
  uint32_t size_ = 0;
  uint16_t position_ = 4, distances_ = 8;  // dwords
};

/// A vertex in the URB.
struct Vertex {
  uint32_t handle = 0;
  Vue vue;
};

/// What one stage hands to the next; valid until that stage is asked for the next one. Objects' vertices are numbers into `vertices`.
struct Batch {
  ObjectType type;
  std::span<const Vertex> vertices;
  std::span<Object> objects;
  /// Instead of objects: as many triangles of a list, from number `first` on, that are not assembled yet.
  struct {
    uint32_t first = 0, count = 0;
  } triangles{};
  size_t size() const { return triangles.count ? triangles.count : objects.size(); }
};

/// Objects that a stage gathers for one batch, so that memory does not grow with the guest's counts.
constexpr size_t objects_per_batch = 2048;
/// The same where the batch is shaded in chunks.
constexpr size_t objects_per_chunked_batch = 16384;
/// Objects of a chunk: their vertices stay in a host core's second cache. Where vertices are shared a large batch has larger ones, as what two
/// chunks share is shaded by both.
constexpr size_t objects_per_chunk = 512, max_objects_per_chunk = 2048, chunks_per_batch = 8;

}  // namespace softgen::render
