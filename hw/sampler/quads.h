// SPDX-License-Identifier: GPL-2.0-or-later
// The common samples, a quad at a time: one 2D surface of four 8-bit channels, nearest, bilinear and trilinear filters, no border, no
// comparison. Everything else is Filter's, whose results these are bit for bit.
#pragma once

#include "hw/sampler/filter.h"
#include "hw/sampler/quad_kernels.h"

namespace softgen::sampler {

class QuadSampler {
 public:
  explicit QuadSampler(const Filter& filter);

  /// This surface and this state are of that kind.
  bool possible() const { return possible_; }
  /// Whether the level of detail has any say.
  bool needs_lod() const { return needs_lod_; }
  /// Four colours, swizzled: channel c of lane i in out[c][i]. False: Filter has to do it.
  bool sample(memory::View& view, const float* u, const float* v, const Offsets& offsets, const Filter::Lod& lod, float (&out)[4][4]) const;

 private:
  bool sample_level(memory::View& view, const float* u, const float* v, const Offsets& offsets, unsigned level, bool linear, bool magnify, float (&out)[4][4]) const;
  void swizzle(float (&color)[4][4]) const;

  const Filter& filter_;
  DecodeKernel decode_;
  Wrap wrap_[2];
  bool by_offsets_ = false;  ///< Y tiles
  bool possible_ = false, needs_lod_ = true;
};

}  // namespace softgen::sampler
