// SPDX-License-Identifier: GPL-2.0-or-later
// Unfiltered loads by integer coordinates (ld, ld_lz, ld2dms*), eight channels at a time. Facts common to all channels are looked up once,
// and common formats are decoded by one loop per component. Gives the results of Texture::load().
#pragma once

#include "hw/sampler/filter.h"
#include "hw/surface/mcs.h"

namespace softgen::sampler {

constexpr unsigned lane_count = 8;

/// A message's parameters for eight channels; null: zeros.
struct LoadParameters {
  const uint32_t *u = nullptr, *v = nullptr, *r = nullptr, *lod = nullptr, *sample = nullptr, *mcs_low = nullptr, *mcs_high = nullptr;
};

/// One surface; belongs to one host thread.
class LaneLoads {
 public:
  LaneLoads() = default;
  explicit LaneLoads(const Texture& texture);

  /// Whether elements are converted by float arithmetic, which needs denormals on the host (no DAZ).
  bool converts() const { return decode_ == Decode::other || decode_ == Decode::none; }
  /// Sets the channels in `enabled` of out[component][channel], swizzled. `mcs`: null without one.
  void load(memory::View& view, const Texture& texture, const surface::Mcs* mcs, const LoadParameters& at, const Offsets& offsets,
            uint32_t enabled, uint32_t* const (&out)[4]) const;

 private:
  enum class Decode : uint8_t { other, words, bytes, none };
  static Decode decode_of(const surface::Format& format);
  /// The address of an element, or of a copy when it crosses a page.
  class Elements;
  class Rows;
  void load_buffer(memory::View& view, const Texture& texture, const LoadParameters& at, uint32_t enabled, uint32_t* const (&out)[4]) const;
  void decode(const Texture& texture, const Elements& elements, uint32_t enabled, uint32_t* const (&out)[4]) const;

  Decode decode_ = Decode::none;      ///< none: texels are not single elements, so Texture::fetch() reads them
  const uint32_t* values_ = nullptr;  ///< Decode::bytes: values by code
  /// By component of the result, channel selects applied: the stored channel, or no_channel for constant_.
  uint8_t from_[4] = {};
  uint32_t constant_[4] = {};
  static constexpr uint8_t no_channel = 4;
};

}  // namespace softgen::sampler
