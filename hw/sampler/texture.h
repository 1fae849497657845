// SPDX-License-Identifier: GPL-2.0-or-later
// Texels of a surface: addresses modes, borders, filters. No messages here.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "hw/defs/gen9/all.h"
#include "hw/memory/view.h"
#include "hw/surface/surface.h"

namespace softgen::sampler {

using State = defs::gen9::SAMPLER_STATE;
using surface::Float4;
using surface::Word4;

/// Coordinates of one sample: normalized unless the state says otherwise; for cubes a direction; `layer` of arrays.
struct Coordinates {
  float u = 0, v = 0, r = 0;
  float layer = 0;
};
struct Offsets {
  int u = 0, v = 0, r = 0;
};

class Texture {
 public:
  Texture(memory::View& view, const surface::Surface& surface);

  const surface::Surface& surface() const { return surface_; }
  unsigned levels() const { return levels_; }
  unsigned first_level() const { return surface_.min_lod; }
  /// Slices of an array (cubes for arrays of cubes), else 1.
  unsigned layers() const;
  bool is_cube() const { return surface_.type == surface::SurfaceType::cube; }

  /// One texel, swizzled by the surface's channel selects; outside of the level: zeros (with the alpha of the format).
  /// `slice`: array slice, face or depth.
  Word4 load(int x, int y, int slice, unsigned level, unsigned sample = 0) const;
  Word4 load_buffer(uint32_t index) const;

  /// What a message needs to filter.
  struct Filter {
    const State& state;
    Float4 border{};
    std::optional<float> reference;   ///< sample_c
  };
  /// Levels and weights of `lod`, filtered within each by the minification or magnification filter.
  Float4 sample(const Filter& filter, const Coordinates& at, const Offsets& offsets, float lod) const;
  /// The four texels of linear filtering at level 0 of the view, component `channel`, in gather order (W, Z, Y, X of the footprint:
  /// lower left, lower right, upper right, upper left).
  Float4 gather(const Filter& filter, const Coordinates& at, const Offsets& offsets, unsigned channel) const;
  /// Coordinates in texels of level 0 per unit of `u`, `v`, `r`, for LOD computation.
  std::array<float, 3> scale(const State& state) const;

 private:
  struct Axis {
    int low, high;       ///< texel indices; -1: border
    float weight;        ///< of high
  };
  struct Face {
    float u, v;
    int slice;
  };
  Face face_of(const Coordinates& at) const;
  static int wrap(defs::gen9::TextureCoordinateMode mode, int i, int size);
  Axis axis(const Filter& filter, defs::gen9::TextureCoordinateMode mode, float coordinate, int size, int offset, bool linear) const;
  Float4 texel(const Filter& filter, int x, int y, int slice, unsigned level) const;
  Float4 sample_level(const Filter& filter, const Coordinates& at, const Offsets& offsets, unsigned level, bool linear) const;
  int slice_of(const Coordinates& at) const;

  memory::View& view_;
  surface::Surface surface_;
  unsigned levels_ = 1;
};

}  // namespace softgen::sampler
