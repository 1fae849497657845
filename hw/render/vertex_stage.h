// SPDX-License-Identifier: GPL-2.0-or-later
// The vertex shader stage: vertices are fetched, shaded eight at a time and stored in the URB as VUEs.
#pragma once

#include <span>
#include <vector>

#include "hw/eu/program/series.h"
#include "hw/render/stage_thread.h"
#include "hw/render/vertex_fetch.h"

namespace softgen::render {

/// Numbers of vertices of one instance, by their indices, where these lie close together. Cleared by counting on.
class NearNumbers {
 public:
  /// Forgets all numbers. False: the indices of `count` vertices, from `low` to `high`, are too far apart for the table.
  bool clear(size_t count, uint32_t low, uint32_t high);
  /// Replaces each index by its number. `order`, with room for one more than there are indices, gets the vertices by number; returns how many there are.
  size_t number(std::span<uint32_t> indices, uint32_t instance, VertexName* order);

 private:
  std::vector<uint32_t> table_;            ///< by index from low_ on: base_ plus the number; less: none yet
  uint32_t base_ = 1, end_ = 1, low_ = 0;  ///< end_: the next base
};

/// Numbers of the vertices of a batch, by name: a hash table. Cleared by counting on: no memory is touched.
class VertexNumbers {
 public:
  /// For at most `max` names.
  void clear(size_t max);
  /// The number of `name`, or `next` where it has none: that is its number from then on.
  uint32_t find_or_add(VertexName name, uint32_t next) {
    const size_t mask = slots_.size() - 1;
    for (size_t at = (name.index * 0x9e3779b1u >> 7) + name.instance * 0x85ebca6bu;; ++at) {
      Slot& slot = slots_[at & mask];
      if (slot.stamp != stamp_) {
        slot = {name, next, stamp_};
        return next;
      }
      if (slot.name.index == name.index && slot.name.instance == name.instance) return slot.number;
    }
  }

 private:
  struct Slot {
    VertexName name;
    uint32_t number;
    uint32_t stamp;
  };
  std::vector<Slot> slots_;
  uint32_t stamp_ = 0;
};

/// Memory of a host thread's vertex stages, used by one draw after the other: most are small.
struct VertexScratch {
  std::vector<Grf> own, attributes;  ///< registers of all threads that run together
  std::vector<Grf*> inputs;          ///< by component of a fetched vertex: the first thread's register that takes it, or null
  DirectAnswers answers;
  std::vector<Vec4> fetched;
  VertexNumbers numbers;
  NearNumbers near;
  std::vector<uint32_t> indices;  ///< of objects
  std::vector<VertexName> order;  ///< vertices by number
  std::vector<Vertex> vertices;
};

class VertexStage {
 public:
  VertexStage(GeometryWorker& worker, const DrawCall& call);
  /// The same for another worker of the draw; it has shaded nothing yet.
  VertexStage(GeometryWorker& worker, const VertexStage& like);
  ~VertexStage();
  VertexStage(const VertexStage&) = delete;
  VertexStage& operator=(const VertexStage&) = delete;

  VertexFetch& fetch() { return fetch_; }
  const VertexFetch& fetch() const { return fetch_; }
  /// Fetches and shades what the objects name (index and instance), each vertex once. Afterwards their vertices are numbers into the result,
  /// which holds until the next call. `alone`: no two objects name the same.
  std::span<const Vertex> shade(std::span<Object> objects, bool alone = false);
  /// shade() of vertices of the first instance that `indices` names. They become numbers into the result.
  std::span<const Vertex> shade_indices(std::span<uint32_t> indices, bool alone = false);
  /// Whether shade_indices() does all that shade() does: vertices have no edge flags.
  bool shades_indices() const { return !edge_flags_; }
  /// Of a VUE.
  uint32_t entry_bytes() const { return entry_bytes_; }
  uint64_t invocations() const { return invocations_; }

 private:
  size_t number_objects(std::span<Object> objects, bool alone);
  size_t number_indices(std::span<uint32_t> indices, uint32_t instance, bool alone);
  std::span<const Vertex> shade_numbered(size_t count);
  void shade_some(std::span<const VertexName> names, std::span<Vertex> out);
  void allocate(std::span<Vertex> out);
  void put_payload(size_t number, std::span<const VertexName> names, std::span<const Vertex> vertices);
  void pass_on(const VertexName& name, std::span<uint32_t> entry);
  void apply_edge_flags(std::span<Object> objects);
  void lay_out(size_t threads);

  GeometryWorker& worker_;
  VertexFetch fetch_;
  bool edge_flags_;  ///< the topology has them and there are some
  Kernel kernel_;
  uint32_t entry_bytes_;
  std::vector<uint8_t> packed_;              ///< VertexFetch::delivered()
  static constexpr size_t max_threads = 32;  ///< that run together, eight vertices each
  eu::SeriesLayout layout_;
  size_t payloads_ = 0;                               ///< threads that there is room for
  unsigned own_registers_ = 0, input_registers_ = 0;  ///< of each thread, in the scratch
  VertexScratch& scratch_;                            ///< the worker's
  uint64_t invocations_ = 0;
};

}  // namespace softgen::render
