// SPDX-License-Identifier: GPL-2.0-or-later
// RENDER_SURFACE_STATE as plain values, checked once, and where its elements lie: mip levels, array slices,
// cube faces, samples. Sources: SKL PRM vol 2d (RENDER_SURFACE_STATE), vol 5 ("Common Surface Formats":
// surface layout); Mesa isl/isl.c, isl_surface_state.c.
//
// An element is a pixel, a compression block, or (interleaved multisampling) a sample. Layouts of Gen9:
//   2D tree   levels 0 and 1 below each other, 2 and on right of level 1 downwards; slices QPitch rows apart
//   (2D, cube, 3D, tiled 1D) 1D row    linear 1D surfaces: all levels side by side, slices QPitch elements
//   apart
//   volume    3D surfaces of Yf and Ys: a 2D tree of tiles that are several slices deep (hw/surface/volume.h)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "hw/surface/decode/enums.h"
#include "hw/surface/format.h"
#include "hw/surface/tiling.h"
#include "hw/surface/volume.h"

namespace softgen::surface {

/// Codes of the Surface Type field.
enum class SurfaceType : uint8_t { one_d, two_d, three_d, cube, buffer, structured_buffer, null = 7 };
/// ccs_d and, where the generation has mcs_lce, ccs_e are MCS on multisampled surfaces; mcs_lce is an MCS with compressed samples.
enum class AuxMode : uint8_t { none, ccs_d, append, hiz, mcs_lce, ccs_e };

/// Where the chroma planes of a planar YUV surface begin, in elements and rows from its own beginning. Without `separate`, U and V follow each other in
/// the first one.
struct ChromaPlanes {
  struct Origin {
    uint32_t x, y;
    bool operator==(const Origin&) const = default;
  };
  Origin u{}, v{};
  bool separate = false;
  bool operator==(const ChromaPlanes&) const = default;
};

constexpr uint8_t no_mip_tail = 15;

/// Every second row of a frame: `base` and `pitch` are the field's.
enum class Field : uint8_t { none, top, bottom };

/// Of the mip levels.
struct SurfaceLevels {
  uint8_t mip_count = 0;           ///< levels after the first; of a render target: the level
  uint8_t min_lod = 0;             ///< first level that the sampler sees
  uint8_t mip_tail = no_mip_tail;  ///< first level of the mip tail (hw/surface/mip_tail.h)
  float resource_min_lod = 0;
  float base_mip_level = 0;
};

/// What of the surface is accessed, and how its channels are taken.
struct SurfaceWindow {
  uint32_t min_array_element = 0;
  uint32_t view_extent = 1;             ///< slices a render target or typed access may reach
  uint32_t x_offset = 0, y_offset = 0;  ///< pixels
  Field field = Field::none;            ///< what the state's Vertical Line Stride selects, where messages may select other rows (Ironlake)
  uint8_t cube_faces = 0x3f;            ///< bit 0 +Z, 1 -Z, 2 +Y, 3 -Y, 4 +X, 5 -X enabled
  std::array<ShaderChannelSelect, 4> select{ShaderChannelSelect::SCS_RED, ShaderChannelSelect::SCS_GREEN, ShaderChannelSelect::SCS_BLUE,
                                            ShaderChannelSelect::SCS_ALPHA};
};

struct AuxSurface {
  AuxMode aux = AuxMode::none;
  bool aux_mapped = false;  ///< the aux map says where the CCS is (hw/memory/aux_walker.h); aux_base and what follows are of an MCS
  uint64_t aux_base = 0;
  uint32_t aux_pitch = 0, aux_qpitch = 0;  ///< bytes; rows
  Word4 clear_color{};                     ///< as the format's registers hold it
  uint64_t clear_address = 0;              ///< of CLEAR_COLOR: read_clear_color() gives clear_color and clear_texel; 0: the state has it
  bool converts_clear_color = false;       ///< a fast clear writes clear_texel to CLEAR_COLOR
  bool clear_texel_is_raw = false;         ///< clear_texel is the raw colour's first dword, not the converted colour
  uint64_t clear_texel = 0;                ///< with clear_address: what the sampler takes for a clear texel of up to 64 bits
};

struct Surface : SurfaceLevels, SurfaceWindow, AuxSurface {
  SurfaceType type = SurfaceType::null;
  const Format* format = nullptr;  ///< never null but for SurfaceType::null
  Tiling tiling = Tiling::linear;
  bool array = false;
  bool interleaved = false;  ///< MSFMT_DEPTH_STENCIL: samples side by side; else a slice each
  bool packed = false;       ///< Ironlake's 3D surfaces: 2^l slices of level l side by side, below them the next ones, then the next level
  bool tree_1d = false;      ///< Ironlake's linear 1D surfaces: levels and slices lie as those of 2D ones
  uint8_t samples = 1;
  uint8_t log2_samples = 0;
  uint16_t halign = 4, valign = 4;  ///< elements
  uint64_t base = 0;
  uint32_t width = 1, height = 1,
           depth = 1;     ///< level 0: pixels; array: depth is slices (cubes of an array of cubes)
  uint64_t entries = 0;   ///< buffers
  uint32_t pitch = 0;     ///< bytes a row; structured buffers and typed ones: bytes an entry
  uint32_t qpitch = 0;    ///< rows (1D row layout: elements) from slice to slice
  ChromaPlanes chroma{};  ///< of planar formats, which have no auxiliary surface
  uint8_t mocs = 0;

  bool is_buffer() const { return type == SurfaceType::buffer || type == SurfaceType::structured_buffer; }
  bool is_null() const { return type == SurfaceType::null; }
  bool row_layout() const { return type == SurfaceType::one_d && tiling == Tiling::linear && !tree_1d; }
};

/// `dwords`: the 16 of a generation's RENDER_SURFACE_STATE (missing ones read as 0), by its traits (defs::Gen9). What hardware would not do (reserved
/// type, format or sample count) gives a null surface and is counted as a guest error. A part of the platform (hw/gt/parts.h).
template <class G>
Surface decode_surface(std::span<const uint32_t> dwords);
using DecodeSurface = Surface (*)(std::span<const uint32_t> dwords);

/// The depth and stencil buffers of 3DSTATE_DEPTH_BUFFER and 3DSTATE_STENCIL_BUFFER (whole packets, header
/// first), with `samples` of 3DSTATE_MULTISAMPLE. mip_count is the level. Before Gen12 the stencil buffer takes size
/// and level from the depth packet. A reserved type or format, and a pitch and an address of zero, give a null surface.
template <class G>
Surface decode_depth_buffer(std::span<const uint32_t> depth, unsigned samples);
template <class G>
Surface decode_stencil_buffer(std::span<const uint32_t> depth, std::span<const uint32_t> stencil, unsigned samples);

inline bool in_mip_tail(const Surface& surface, unsigned lod) { return surface.mip_tail != no_mip_tail && lod >= surface.mip_tail; }

/// Its tiles are several slices deep: elements of one slice do not lie as in the 2D surfaces of its tiling.
bool is_volume(const Surface& surface);

/// Its samples share tiles (sampled_tile_shape).
bool has_sampled_tiles(const Surface& surface);

/// Size of level `lod` in pixels; depth of 3D surfaces shrinks too, slices of arrays do not.
struct Extent {
  uint32_t width, height, depth;
};
Extent level_extent(const Surface& surface, unsigned lod);

/// Where a level's slice 0 starts, in elements from the surface's base, X/Y offset included.
struct Origin {
  uint32_t x, y, z = 0;  ///< z: slices, of levels in a volume's mip tail
};
Origin level_origin(const Surface& surface, unsigned lod);

/// Element of an interleaved multisampled surface that is sample `sample` of pixel (x, y).
Origin interleaved_position(unsigned samples, uint32_t x, uint32_t y, unsigned sample);

/// One level with all that does not change from texel to texel. Not for buffers.
class Level {
 public:
  Level() = default;
  Level(const Surface& surface, unsigned lod);

  /// Pixels.
  const Extent& extent() const { return extent_; }
  /// Address of the element that holds pixel (x, y) of `slice` (array slice, cube face or depth, from the
  /// surface's own first one: add min_array_element for views), sample `sample`. For block formats x, y count
  /// blocks. Nothing is checked or clamped.
  uint64_t address(uint32_t x, uint32_t y, uint32_t slice, uint32_t sample = 0) const {
    if (interleaved_) {
      const Origin p = interleaved_position(samples_, x, y, sample);
      x = p.x, y = p.y;
    } else if (packed_) {
      x += (slice & packed_mask_) * packed_x_, y += (slice >> packed_shift_) * packed_y_;
      slice = 0;
    } else {
      slice = slice * samples_ + sample;
    }
    x = (x + origin_.x + slice * slice_x_) * element_;
    y += origin_.y + slice * slice_y_;
    switch (tiling_) {
      case Tiling::linear: return base_ + uint64_t{y} * pitch_ + x;
      case Tiling::x: return base_ + offset_x(x, y, pitch_);
      case Tiling::y: return base_ + offset_y(x, y, pitch_);
      case Tiling::w: return base_ + offset_w(x, y, pitch_);
      default: return base_ + other_offset(x, y, slice);
    }
  }
  /// Bytes from byte `x` of a row of `slice` on that are together in memory: its element's at least.
  uint32_t piece(uint32_t x, uint32_t slice) const {
    if (samples_ > 1) return element_ - x % element_;
    const uint32_t whole = row_piece(tiling_);
    return whole - (x + (origin_.x + slice * slice_x_) * element_) % whole;
  }

 private:
  /// Of Yf and Ys. `slice`: with the sample, where there are several.
  uint64_t other_offset(uint32_t x, uint32_t y, uint32_t slice) const;

  uint64_t base_ = 0;
  Tiling tiling_ = Tiling::linear;
  bool interleaved_ = false, packed_ = false, volume_ = false, sampled_ = false;
  uint32_t samples_ = 1, element_ = 1, pitch_ = 0;
  uint32_t slice_x_ = 0, slice_y_ = 0;  ///< of a volume and of sampled tiles 0
  uint32_t standard_qpitch_ = 0;        ///< of these
  uint32_t packed_x_ = 0, packed_y_ = 0, packed_mask_ = 0,
           packed_shift_ = 0;  ///< of packed slices: from one to the next, and how many a row
  Origin origin_{};
  Extent extent_{};
};

/// Address of entry `index` of a buffer.
inline uint64_t entry_address(const Surface& buffer, uint64_t index) { return buffer.base + index * buffer.pitch; }

/// `color` (registers of the format) through the surface's channel selects; `one` is 1.0 or 1 by the format.
Word4 swizzle(const Surface& surface, const Word4& color);

/// What a shader's colour is stored as in a surface that is written to (render targets, typed writes): its format through its channel selects,
/// which may only change the order of red, green and blue; others count as a guest's error and have no effect. SKL PRM vol 2d,
/// RENDER_SURFACE_STATE, Shader Channel Select Red. The surface has a format.
const Format& written_format(const Surface& surface);

}  // namespace softgen::surface
