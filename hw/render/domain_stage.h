// SPDX-License-Identifier: GPL-2.0-or-later
// The domain shader stage: points of a tessellated patch in, vertices out.
#pragma once

#include <span>
#include <vector>

#include "hw/render/hull_stage.h"
#include "hw/render/tessellator.h"

namespace softgen::render {

class DomainStage {
 public:
  explicit DomainStage(GeometryWorker& worker);

  uint32_t entry_bytes() const { return entry_bytes_; }
  /// Shades the points, at most `Urb::room()` of them; their vertices are appended.
  void shade(const Patch& patch, std::span<const DomainPoint> points, std::vector<Vertex>& out);
  uint64_t invocations() const { return invocations_; }
  /// A point was shaded again because the patch was too large to be kept; hardware would have found it in its cache.
  void shaded_again(uint64_t points) { invocations_ -= points; }

 private:
  void shade_eight(const Patch& patch, std::span<const DomainPoint> points, std::span<Vertex> out);

  GeometryWorker& worker_;
  const StageState& ds_;
  Kernel kernel_;
  uint32_t entry_bytes_;
  uint64_t invocations_ = 0;
};

}  // namespace softgen::render
