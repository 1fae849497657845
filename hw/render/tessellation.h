// SPDX-License-Identifier: GPL-2.0-or-later
// Patches through HS, TE and DS to the objects they become.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "hw/render/domain_stage.h"
#include "hw/render/hull_stage.h"
#include "hw/render/tessellator.h"

namespace softgen::render {

class Tessellator {
 public:
  Tessellator(GeometryWorker& worker, Provoking provoking);

  /// The patches that next() tessellates, in order. `patches` stay valid until next() has no more.
  void begin(const Batch& patches);
  /// The next batch of their objects; none: all are done, and their URB space given back.
  std::optional<Batch> next();
  uint64_t hull_invocations() const { return hs_.invocations(); }
  uint64_t domain_invocations() const { return ds_.invocations(); }

 private:
  /// A patch whose vertices do not fit the URB at once, done in pieces, which shade again what they share.
  struct Split {
    size_t at = 0;  ///< of tessellation_.indices, the next to be done
    size_t points_per_piece = 0;
    std::vector<uint32_t> number_of;  ///< of each point, its vertex in the piece
    std::vector<bool> shaded;         ///< by an earlier piece
  };
  /// What becomes of the batch that was handed out, when the next one is asked for.
  enum class Release : uint8_t { nothing, vertices, patches };

  void shade_hulls();
  void add_patch(const Patch& patch);
  bool shade_piece(const Patch& patch);
  void add_objects(const Patch& patch, std::span<const uint16_t> indices, std::span<const uint32_t> number_of);
  bool full() const;
  Batch take(Release release);
  void discard();

  GeometryWorker& worker_;
  const TessellationState& te_;
  HullStage hs_;
  DomainStage ds_;
  ObjectType type_;
  unsigned vertices_per_object_;
  uint8_t provoking_;
  Batch input_{};
  size_t object_ = 0;                   ///< of input_, the next for the hull shader
  std::array<Patch, simd8> patches_{};  ///< that have left the hull shader
  size_t patch_ = 0, patches_count_ = 0;
  std::optional<Split> split_;  ///< of patches_[patch_]
  Release release_ = Release::nothing;
  uint32_t mark_ = 0;        ///< of the URB, before the patches
  uint32_t piece_mark_ = 0;  ///< before the vertices of a piece
  Tessellation tessellation_;
  std::vector<Vertex> vertices_;
  std::vector<Object> objects_;
};

}  // namespace softgen::render
