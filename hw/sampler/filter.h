// SPDX-License-Identifier: GPL-2.0-or-later
// From coordinates and a level of detail to a colour: address modes, borders, linear and anisotropic filters, mip levels, comparison,
// minimum and maximum (SKL PRM vol 7, "Texture Address Control", "Filtering").
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "hw/sampler/state.h"
#include "hw/sampler/texture.h"

namespace softgen::sampler {

/// Coordinates of one sample: normalized unless the state says otherwise; for cubes a direction; `layer` of arrays.
struct Coordinates {
  float u = 0, v = 0, r = 0;
  float layer = 0;
};
struct Offsets {
  int u = 0, v = 0, r = 0;
};

/// How far apart the screen's pixels are on the texture.
struct Detail {
  float lod = 0;                 ///< of level 0 of the view; no bias, no clamp
  unsigned taps = 1;             ///< of anisotropic filtering
  float step_u = 0, step_v = 0;  ///< normalized extent of the footprint's longer axis
};

/// The level of detail after bias and clamps.
struct Lod {
  float unclamped;  ///< with bias
  float clamped;    ///< to the sampler's and the surface's levels, eight bits of fraction
  bool magnify;

  /// Of MIPFILTER_NEAREST.
  float nearest_level() const { return std::floor(clamped + 0.5f); }
};

/// Linear filters work on the codes of such texels, and round once: 8 bits of UNORM, not sRGB.
inline bool filters_codes(const surface::Format& format) { return format.layout == surface::ElementLayout::unorm8 && !format.srgb; }

class Filter {
 public:
  /// Whether an address mode can ask for the border colour.
  static bool has_border(const State& state);
  /// Cubes are filtered across their edges.
  static bool is_seamless(const State& state);
  /// The texel that texel `i` of an axis with `size` texels is; -1: the border colour.
  static int wrap(AddressMode mode, int64_t i, int size);
  /// `border`: the dwords of SAMPLER_BORDER_COLOR_STATE, where has_border().
  Filter(memory::View& view, const Texture& texture, const State& state, const Word4& border);

  const Texture& texture() const { return texture_; }
  const State& state() const { return state_; }
  /// Anisotropic filtering is on, by the minification or the magnification filter.
  bool anisotropic() const { return anisotropic_; }
  /// Texels are averaged: no minimum or maximum of them is asked for.
  bool averages() const { return reduction_ == Reduction::average; }
  unsigned max_taps() const { return state_.max_taps; }

  /// The colour, swizzled. `reference`: compare with it, null: do not.
  Word4 sample(const Coordinates& at, const Offsets& offsets, const Detail& detail, const Lod& lod, const float* reference) const;
  /// The texels of linear filtering at level 0 of the view, component `channel` of the swizzled colour, in gather order (W, Z, Y, X of the
  /// footprint: lower left, lower right, upper right, upper left).
  Word4 gather(const Coordinates& at, const Offsets& offsets, unsigned channel, const float* reference) const;

 private:
  using Mode = AddressMode;
  static constexpr unsigned weight_bits = 8;
  static constexpr int one = 1 << weight_bits;  // weights are U0.8 (SKL PRM vol 7, "Linear")
  struct Axis {
    int low, high;  ///< texel indices; -1: border (beyond the edge for seamless cubes)
    int weight;     ///< of high
  };
  /// A sample's position in a level: what linear and nearest filters and gathering have in common.
  struct Place {
    Axis u, v;
    Axis r;  ///< of 3D surfaces, else slice in low
  };
  Place place(const Coordinates& at, const Offsets& offsets, unsigned level, bool linear, bool magnify) const;
  Axis axis(Mode mode, float coordinate, int size, int offset, bool linear, bool rounded) const;
  Float4 texel(int x, int y, int slice, unsigned level) const;
  Float4 corner(int x, int y, int slice, int size, unsigned level) const;
  /// Texels of four corners in reading order, all within the surface.
  Float4 mix_codes(const Float4 (&corners)[4], int across, int down) const;
  bool within(const Place& place, int slice, unsigned level) const;
  Float4 tested(int x, int y, int slice, unsigned level, const float* reference) const;
  Float4 mix(const Float4& a, const Float4& b, int weight) const;
  Float4 sample_level(const Coordinates& at, const Offsets& offsets, unsigned level, bool linear, bool magnify,
                      const float* reference) const;
  Float4 taps(const Coordinates& at, const Offsets& offsets, unsigned level, const Detail& detail, bool linear, bool magnify,
              const float* reference) const;
  Word4 finished(const Float4& color, const float* reference) const;

  memory::View& view_;
  const Texture& texture_;
  const State& state_;
  Float4 border_;
  Mode modes_[3];
  Reduction reduction_;
  bool seamless_ = false, anisotropic_ = false, clamp_reference_ = false, codes_ = false;
};

}  // namespace softgen::sampler
