// SPDX-License-Identifier: GPL-2.0-or-later
// Samples of arrays and cubes whose channels all sample the same slice, as samples of that slice alone, eight channels at a time. The results are
// those of Filter, bit for bit.
#pragma once

#include <memory>
#include <vector>

#include "hw/sampler/lanes.h"

namespace softgen::sampler {

/// A message's channels with all their coordinates; null: the message has none.
struct SliceRequest {
  LaneRequest lanes;  ///< its u and v are made here for cubes
  const float *u = nullptr, *v = nullptr, *r = nullptr,
              *a = nullptr;  ///< r: a direction's third component, or the layer; a: layer of an array of cubes
};

/// A surface and a sampler; belongs to one host thread.
class SliceSamplers {
 public:
  SliceSamplers() = default;
  SliceSamplers(const Texture& texture, const State& state);

  /// Arrays of 2D surfaces, and cubes without linear filters, which read across edges.
  bool possible() const { return !entries_.empty(); }
  /// A whole message. False: no effect, the channels are not all of one kind.
  bool sample(memory::View& view, const Texture& texture, SliceRequest& request);

 private:
  struct Entry {
    unsigned slice = ~0u;
    std::unique_ptr<LaneSampler> lanes;
  };
  LaneSampler& sampler_of(unsigned slice);
  bool sample_cube(memory::View& view, const Texture& texture, SliceRequest& request);

  static constexpr unsigned remembered = 16;
  surface::Surface surface_;  ///< of slice 0
  State state_{};
  std::vector<Entry> entries_;
};

}  // namespace softgen::sampler
