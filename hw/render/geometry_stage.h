// SPDX-License-Identifier: GPL-2.0-or-later
// The geometry shader stage: objects in, objects assembled from the shader's vertex streams out.
#pragma once

#include <optional>
#include <vector>

#include "hw/render/stage_thread.h"

namespace softgen::render {

class GeometryStage {
 public:
  /// `provoking`: which vertex of the objects it makes is the provoking one.
  GeometryStage(GeometryWorker& worker, Provoking provoking);

  /// The objects that next() shades, in order. `input` stays valid until next() has no more.
  void begin(const Batch& input);
  /// The next batch of what comes out; none: the input is done, and its URB space released.
  std::optional<Batch> next();

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
  bool full() const;
  void shade_some();
  Batch take();
  void discard();

  GeometryWorker& worker_;
  const StageState& stage_;
  const GeometryState& gs_;
  const Provoking provoking_;
  Kernel kernel_;
  uint32_t entry_bytes_;
  unsigned instances_;
  bool one_object_;  ///< a thread's channels are instances of one object, not objects
  Batch input_{};
  size_t object_ = 0;      ///< of input_, the next to be shaded
  unsigned instance_ = 0;  ///< of it
  uint32_t mark_ = 0;      ///< of the URB, before the stage's entries
  std::vector<Vertex> vertices_;
  std::vector<Object> objects_;
  uint64_t invocations_ = 0, primitives_ = 0;
};

}  // namespace softgen::render
