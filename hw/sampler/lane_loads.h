// SPDX-License-Identifier: GPL-2.0-or-later
// Messages that load texels by their integer coordinates (ld, ld_lz, ld2dms*), eight channels at a time, without a filter: what is the same for
// all channels is asked for once, and common formats are decoded in one loop a component. The results are those of Texture::load().
#pragma once

#include "hw/sampler/filter.h"
#include "hw/surface/mcs.h"

namespace softgen::sampler {

constexpr unsigned lane_count = 8;

/// Parameters of eight channels, as the message has them; null: zeros.
struct LoadParameters {
  const uint32_t *u = nullptr, *v = nullptr, *r = nullptr, *lod = nullptr, *sample = nullptr, *mcs_low = nullptr, *mcs_high = nullptr;
};

/// One surface; belongs to one host thread.
class LaneLoads {
 public:
  LaneLoads() = default;
  explicit LaneLoads(const Texture& texture);

  /// Elements are converted by arithmetic on floats: the host has to keep denormals.
  bool converts() const { return decode_ == Decode::other || decode_ == Decode::none; }
  /// Channels in `lit` of out[component][channel], swizzled; the others stay as they are. `mcs`: null without one.
  void load(memory::View& view, const Texture& texture, const surface::Mcs* mcs, const LoadParameters& at, const Offsets& offsets,
            uint32_t lit, uint32_t* const (&out)[4]) const;

 private:
  enum class Decode : uint8_t { other, words, bytes, none };
  static Decode decode_of(const surface::Format& format);
  /// The address of an element, or of a copy when it crosses a page.
  class Elements;
  class Rows;
  void load_buffer(memory::View& view, const Texture& texture, const LoadParameters& at, uint32_t lit, uint32_t* const (&out)[4]) const;
  void decode(const Texture& texture, const Elements& elements, uint32_t lit, uint32_t* const (&out)[4]) const;

  Decode decode_ = Decode::none;      ///< none: not one element at one place, so Texture::fetch()'s affair
  const uint32_t* values_ = nullptr;  ///< of `bytes`, by code
  /// Of red, green, blue and alpha, channel selects included: the stored channel, or `constant` where there is none.
  uint8_t from_[4] = {};
  uint32_t constant_[4] = {};
  static constexpr uint8_t no_channel = 4;
};

}  // namespace softgen::sampler
