// SPDX-License-Identifier: GPL-2.0-or-later
// The common samples, eight channels at a time: one 2D surface of a common format, nearest, bilinear and trilinear filters, no border, no
// comparison. Everything else is Filter's, whose results these are bit for bit.
#pragma once

#include <vector>

#include "hw/sampler/filter.h"
#include "hw/sampler/lane_kernels.h"

namespace softgen::sampler {

/// A surface and a sampler; belongs to one host thread.
class LaneSampler {
 public:
  LaneSampler() = default;
  LaneSampler(const Texture& texture, const State& state, const LaneKernels& kernels = lane_kernels());

  /// This surface and this state are of that kind.
  bool possible() const { return possible_; }
  /// Whether the level of detail has any say.
  bool needs_lod() const { return needs_lod_; }
  /// Texels may be denormals: the host has to keep them.
  bool any_value() const { return any_value_; }
  /// What coordinates of 1 span at level 0, in texels.
  float width() const { return span_[0]; }
  float height() const { return span_[1]; }
  /// Eight colours, swizzled: channel c of lane i in out[c][i], whoever asked for them. `lod`: of each quad.
  void sample(memory::View& view, const float* u, const float* v, const Offsets& offsets, const Lod (&lod)[quads_of_lanes], float* const (&out)[4]);
  /// The same where the level of detail has no say.
  void sample(memory::View& view, const float* u, const float* v, const Offsets& offsets, float* const (&out)[4]);

 private:
  /// What magnification and minification choose.
  struct Manner {
    LaneSample sample = nullptr;
    bool rounded[2] = {false, false};
    bool operator==(const Manner&) const = default;
  };
  void places(const Texture& texture);
  const std::byte* memory(memory::View& view);
  void sample_levels(const Manner& manner, LaneTap& tap, const Lod (&lod)[quads_of_lanes], float* const (&out)[4]) const;

  decltype(LaneKernels::mix) mix_ = nullptr;
  LaneSurface surface_;
  std::vector<LaneLevel> levels_;
  Manner magnified_, minified_;
  State::MipModeFilter mips_ = State::MipModeFilter::MIPFILTER_NONE;
  float span_[2] = {1, 1};
  bool possible_ = false, needs_lod_ = true, any_value_ = false;
  uint64_t base_ = 0, bytes_ = 0;
  // Where the surface is in host memory, when it is in one piece.
  memory::View::Stamp stamp_;
  const std::byte* memory_ = nullptr;
  uint64_t looks_ = 0;  ///< since the stamp changed
};

}  // namespace softgen::sampler
