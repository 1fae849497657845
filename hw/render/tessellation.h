// SPDX-License-Identifier: GPL-2.0-or-later
// Patches through HS, TE and DS to the objects they become.
#pragma once

#include <vector>

#include "hw/render/domain_stage.h"
#include "hw/render/hull_stage.h"
#include "hw/render/tessellator.h"

namespace softgen::render {

class Tessellator {
 public:
  Tessellator(GeometryWorker& worker, Provoking provoking);

  /// `next` gets the objects of all patches, in order, in batches. URB space used is given back.
  void run(const Batch& patches, const BatchSink& next);
  uint64_t hull_invocations() const { return hs_.invocations(); }
  uint64_t domain_invocations() const { return ds_.invocations(); }

 private:
  void add_patch(const Patch& patch, const BatchSink& next);
  void add_objects(const Patch& patch, std::span<const uint16_t> indices, std::span<const uint32_t> number_of);
  void split_patch(const Patch& patch, size_t points_a_piece, const BatchSink& next);
  void pass_on(const BatchSink& next);

  GeometryWorker& worker_;
  const TessellationState& te_;
  HullStage hs_;
  DomainStage ds_;
  ObjectType type_;
  unsigned vertices_an_object_;
  uint8_t provoking_;
  uint32_t mark_ = 0;
  Tessellation tessellation_;
  std::vector<Vertex> vertices_;
  std::vector<Object> objects_;
};

}  // namespace softgen::render
