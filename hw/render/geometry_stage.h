// SPDX-License-Identifier: GPL-2.0-or-later
// The geometry shader stage: objects in, objects assembled from the shader's vertex streams out.
#pragma once

#include <vector>

#include "hw/render/stage_thread.h"

namespace softgen::render {

class GeometryStage {
 public:
  /// `provoking`: which vertex of the objects it makes is the provoking one.
  GeometryStage(GeometryWorker& worker, Provoking provoking);

  /// Runs the shader on all objects, in order; `next` gets what comes out, in batches. URB space used is given back.
  void run(const Batch& batch, const BatchSink& next);

  uint64_t invocations() const { return invocations_; }
  uint64_t primitives() const { return primitives_; }

 private:
  /// One entry in the URB: an instance of the shader on an object.
  struct Output {
    uint32_t handle;
    uint32_t instance;  ///< of the shader
    const Object* object;
  };
  void dispatch(const Batch& batch, std::span<const Output> outputs);
  unsigned put_handles(const Batch& batch, std::span<const Output> outputs, unsigned reg);
  void put_inputs(const Batch& batch, std::span<const Output> outputs, unsigned reg);
  void gather(const Output& output);
  void pass_on(const BatchSink& next);

  GeometryWorker& worker_;
  const StageState& stage_;
  const GeometryState& gs_;
  const Provoking provoking_;
  Kernel kernel_;
  uint32_t entry_bytes_;
  unsigned instances_;
  bool one_object_;  ///< a thread's channels are instances of one object, not objects
  uint32_t mark_ = 0;
  std::vector<Vertex> vertices_;
  std::vector<Object> objects_;
  uint64_t invocations_ = 0, primitives_ = 0;
};

}  // namespace softgen::render
