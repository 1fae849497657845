// SPDX-License-Identifier: GPL-2.0-or-later
// The common samples, all channels of a message at a time: one 2D surface of a common format, nearest, bilinear and trilinear filters, no
// border, no comparison. Everything else is Filter's, whose results these are bit for bit.
#pragma once

#include <vector>

#include "hw/sampler/filter.h"
#include "hw/sampler/lane_kernels.h"

namespace softgen::sampler {

/// A message's channels, eight or sixteen.
struct LaneRequest {
  static constexpr unsigned max_channels = max_lanes;
  LaneTap tap;                                              ///< what its sender sets
  alignas(64) float lod[max_channels], bias[max_channels];  ///< where the message has them
  bool has_lod = false, has_bias = false;
  bool level_zero = false;  ///< the level of detail is 0
  float* out[4];            ///< components of all channels in a row; null: not wanted
};

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
  /// Neither of them: sample_plain() will do.
  bool plain() const { return !needs_lod_ && !any_value_; }
  /// A whole message, of level 0. `tap`: what its sender sets.
  void sample_plain(memory::View& view, LaneTap& tap, float* const (&out)[4]) {
    tap.memory = memory(view);
    tap.one_level = true, tap.level[0] = levels_.data();
    tap.rounded[0] = magnified_.rounded[0], tap.rounded[1] = magnified_.rounded[1];
    if (!tap.memory) return sample_scattered(view, tap, out);
    magnified_.sample(surface_, tap, out);
  }
  /// The shortest way, for a message without offsets (and, with mip levels, with implicit levels of detail), if there is one. Sets an element
  /// for each level that it may sample, all but registers and memory, and the function takes a LanePlain or, if this needs_lod(), `levels`
  /// with them.
  LanePlainSample shortest(unsigned channels, std::vector<LanePlain>& to, LanePlainLevels& levels) const;
  /// Sets where shortest()'s texels are, as long as the view's stamp stays. False: not known yet, or the surface is scattered.
  bool find_texels(memory::View& view, std::vector<LanePlain>& levels);
  /// Where the components of a texel go: the result's by component, LanePlain::nowhere for none; or a constant.
  const LaneDecode& decode() const { return surface_.decode; }
  /// A whole message. False: the channels of a quad have levels of detail of their own; no effect.
  bool sample(memory::View& view, LaneRequest& request);

 private:
  /// What magnification and minification choose.
  struct Manner {
    LaneSample sample = nullptr;
    bool rounded[2] = {false, false};
    bool anisotropic = false;
    bool operator==(const Manner&) const = default;
  };
  void places(const Texture& texture);
  bool is_linear() const;
  bool shortest(const LaneLevel& level, LanePlain& to) const;
  bool lods(const LaneRequest& request, LaneLods& out, LaneFootprints* footprints) const;
  const std::byte* memory(memory::View& view) { return memory_ && view.stamp() == stamp_ ? memory_ : looked_up(view); }
  const std::byte* looked_up(memory::View& view);
  void sample_scattered(memory::View& view, LaneTap& tap, float* const (&out)[4]) const;
  void footprints(const LaneRequest& request, LaneFootprints& out, float (&lod)[max_quads]) const;
  void sample_taps(const Manner& manner, const LaneTap& tap, const LaneFootprints* footprints, float* const (&out)[4]) const;
  void sample_levels(const Manner& manner, LaneTap& tap, const LaneLods& lods, const LaneFootprints* footprints,
                     float* const (&out)[4]) const;

  const LaneKernels* kernels_ = nullptr;
  LaneSurface surface_;
  std::vector<LaneLevel> levels_;
  Manner magnified_, minified_;
  LaneDetail detail_;
  bool possible_ = false, needs_lod_ = true, any_value_ = false, filters_differ_ = false, anisotropic_ = false;
  unsigned max_taps_ = 1;
  uint64_t base_ = 0, bytes_ = 0;
  // Where the surface is in host memory, when it is in one piece.
  memory::View::Stamp stamp_;
  const std::byte* memory_ = nullptr;
  uint64_t looks_ = 0;  ///< since the stamp changed
};

}  // namespace softgen::sampler
