// SPDX-License-Identifier: GPL-2.0-or-later
// The texels of a surface as the sampler sees them: levels of the view, slices, samples, every format. No filtering, no messages.
#pragma once

#include <array>
#include <cstdint>

#include "hw/iface/message_target.h"
#include "hw/memory/view.h"
#include "hw/surface/ccs.h"
#include "hw/surface/surface.h"

namespace softgen::sampler {

using surface::Float4;
using surface::Word4;

class Texture {
 public:
  Texture() = default;
  explicit Texture(const surface::Surface& surface);

  const surface::Surface& surface() const { return surface_; }
  /// Can be sampled: neither null nor a buffer, and of a format that we can read.
  bool has_texels() const { return level_count_ != 0; }
  /// Of a format that we can read; buffers, too.
  bool decodes() const { return decode_ != nullptr; }
  /// Texels name entries of a palette: set_palettes() precedes fetch(), and its argument outlives this. Until then all entries are zero.
  bool has_palette() const { return surface_.format && surface_.format->kind == surface::FormatKind::palette; }
  void set_palettes(const TexturePalettes& palettes);
  /// Levels of the view. Level 0 of the calls below is the view's first one.
  unsigned levels() const { return surface_.mip_count + 1u; }
  const surface::Extent& extent(unsigned level) const { return levels_[level].extent; }
  const surface::Level& place(unsigned level) const { return levels_[level].place; }
  /// Where slice 0 of a level begins, in elements from the surface's base.
  const surface::Origin& origin(unsigned level) const { return levels_[level].origin; }
  /// swizzle() has no effect.
  bool plain_select() const { return plain_select_; }
  /// Slices of an array (cubes for arrays of cubes), else 1.
  unsigned layers() const { return surface_.array ? surface_.depth : 1; }
  /// The one that a message's coordinate names (cube for arrays of cubes).
  unsigned layer_of(float coordinate) const;
  bool is_cube() const { return surface_.type == surface::SurfaceType::cube; }
  bool is_3d() const { return surface_.type == surface::SurfaceType::three_d; }
  bool is_1d() const { return surface_.type == surface::SurfaceType::one_d; }
  /// Array slices times faces, or the depth of the level.
  unsigned slices(unsigned level) const { return is_3d() ? levels_[level].extent.depth : is_cube() ? layers() * 6 : layers(); }

  /// One texel, not swizzled. Coordinates must be within the level: not checked.
  Word4 fetch(memory::View& view, unsigned level, uint32_t x, uint32_t y, uint32_t slice, uint32_t sample = 0) const;
  /// The same for coordinates of any size: zeros outside.
  Word4 load(memory::View& view, unsigned level, int64_t x, int64_t y, int64_t slice, uint32_t sample = 0) const;
  Word4 load_buffer(memory::View& view, uint32_t index) const;
  /// An element of a surface that decodes(), that is neither in blocks nor of two pixels, not swizzled.
  Word4 decoded(const std::byte* element) const { return decode_(*surface_.format, element); }
  /// What a texel holds after a fast clear, not swizzled.
  Word4 clear_color() const;
  /// Of a surface whose clear colour stands in memory: as it is there now.
  void read_clear_color(memory::View& view) { surface::read_clear_color(view, surface_); }
  Word4 swizzle(const Word4& color) const { return plain_select_ ? color : surface::swizzle(surface_, color); }

 private:
  using Decoder = Word4 (*)(const surface::Format&, const std::byte*);
  struct Level {
    surface::Extent extent;
    surface::Level place;
    surface::Origin origin;
  };
  static constexpr unsigned max_levels = 16;
  static Decoder decoder_of(const surface::Format& format);
  Word4 fetch_block(memory::View& view, const surface::Level& place, uint32_t x, uint32_t y, uint32_t slice) const;
  Word4 fetch_yuv(memory::View& view, const surface::Level& place, uint32_t x, uint32_t y, uint32_t slice) const;
  Word4 fetch_planar(memory::View& view, const surface::Level& place, uint32_t x, uint32_t y, uint32_t slice) const;
  Word4 fetch_indexed(memory::View& view, uint64_t address) const;

  surface::Surface surface_;
  std::array<Level, max_levels> levels_{};
  unsigned level_count_ = 0;
  Decoder decode_ = nullptr;
  const std::array<uint32_t, 256>* palette_ = nullptr;
  bool plain_select_ = true;
};

}  // namespace softgen::sampler
