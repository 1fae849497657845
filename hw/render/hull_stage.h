// SPDX-License-Identifier: GPL-2.0-or-later
// The hull shader stage: a patch of control points in, a patch URB entry with tessellation factors out.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "hw/render/stage_thread.h"

namespace softgen::render {

struct Patch {
  uint32_t handle = 0;             ///< of its URB entry
  const Object* object = nullptr;  ///< its control points
};

class HullStage {
 public:
  explicit HullStage(GeometryWorker& worker);

  /// Patches that one run() takes: as many as a thread of this dispatch mode has.
  unsigned patches_per_thread() const { return eight_ ? simd8 : 1; }
  uint32_t entry_bytes() const { return entry_bytes_; }
  /// All instances of the shader on the patches, whose entries are allocated. They may wait for each other at barriers.
  void run(const Batch& batch, std::span<const Patch> patches);
  uint64_t invocations() const { return invocations_; }

 private:
  void payload_single(eu::Thread& thread, const Batch& batch, const Patch& patch, unsigned instance);
  void payload_eight(eu::Thread& thread, const Batch& batch, std::span<const Patch> patches, unsigned instance);
  void run_together(uint32_t dispatch_mask);

  GeometryWorker& worker_;
  const StageState& stage_;
  const HullState& hs_;
  Kernel kernel_;
  uint32_t entry_bytes_;
  unsigned instances_;
  bool eight_;
  std::vector<std::unique_ptr<eu::Thread>> threads_;
  uint64_t invocations_ = 0;
};

}  // namespace softgen::render
