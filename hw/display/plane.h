// SPDX-License-Identifier: GPL-2.0-or-later
// Universal planes and the cursor: registers decoded into what is fetched from memory and its place on the pipe.
// SKL PRM vol 2c, PLANE_CTL .. PLANE_AUX_OFFSET, CUR_CTL .. CUR_FBC_CTL; i915 display/skl_universal_plane.c, intel_cursor.c.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "hw/defs/bit6_swizzle.h"
#include "hw/display/csc.h"
#include "hw/display/pixel.h"
#include "hw/memory/view.h"
#include "hw/surface/tiling.h"

namespace softgen::display {

/// One plane's double-buffered registers, in the order of their offsets from PLANE_CTL.
struct PlaneRegs {
  uint32_t ctl = 0, stride = 0, pos = 0, size = 0, keyval = 0, keymsk = 0, surf = 0, keymax = 0, offset = 0, aux_dist = 0, aux_offset = 0;
  bool operator==(const PlaneRegs&) const = default;
};

struct CursorRegs {
  uint32_t ctl = 0, base = 0, pos = 0, fbc_ctl = 0;
  bool operator==(const CursorRegs&) const = default;
};

/// CUR_PAL: [23:16] red, [15:8] green, [7:0] blue. Takes effect as it is written.
using CursorPalette = std::array<uint32_t, 4>;

/// PLANE_CTL: Source Pixel Format, with the codes of Gen9; the last ones are not in Gen9.
enum class PlaneFormat : uint8_t {
  yuv422 = 0,
  nv12 = 1,
  rgb_2101010 = 2,
  rgb_8888 = 4,
  rgb_16161616f = 6,
  xyuv_8888 = 8,
  indexed = 12,
  rgb_565 = 14,
  cursor_and_xor,
  cursor_three_colors,
  cursor_four_colors,  ///< of the cursor: two bits a pixel, in no PLANE_CTL
  p010,
  p012,
  p016,  ///< as NV12, with samples of 16 bits, of which the upper ones count
  y210,
  y212,
  y216,  ///< as YUV 4:2:2, likewise
  y410,
  y412,
  y416,  ///< V, Y, U from the top down
};

/// One colour plane of a framebuffer in the GGTT.
struct Surface {
  uint32_t base = 0;
  uint32_t stride = 0;  ///< bytes a row (linear), tiles a row of tiles (tiled)
  surface::Tiling tiling = surface::Tiling::linear;
  uint32_t bytes = 4;    ///< a pixel
  bool rotated = false;  ///< memory is the driver's view turned by a quarter: tiles column by column, inside unturned
  /// Of Y tiles: GGTT address of their codes (hw/surface/mapped_ccs.h); 0: there are none. Pairs that are coded "clear" have `clear_color`, not what
  /// is in memory.
  uint32_t control = 0;
  std::array<uint32_t, 2> clear_color{};
  defs::Bit6Swizzle swizzle{};  ///< of X tiles

  /// Copies `count` pixels of row `y` from column `x` on. Addresses wrap at 4 GiB; unmapped memory reads as zero.
  void read_row(memory::View& view, uint32_t x, uint32_t y, uint32_t count, uint8_t* out) const;

 private:
  void read_tiled_row(memory::View& view, uint32_t x, uint32_t y, uint32_t count, uint8_t* out) const;
  void read_swizzled_row(memory::View& view, uint32_t x, uint32_t y, uint32_t count, uint8_t* out) const;
  void fill_clear_pairs(memory::View& view, uint32_t x, uint32_t y, uint32_t count, uint8_t* out) const;
  void read_rotated_row(memory::View& view, uint32_t x, uint32_t y, uint32_t count, uint8_t* out) const;
};

/// inverting: premultiplied, but for pixels of alpha `invert_alpha`, which invert what is below.
enum class Blend : uint8_t { opaque, premultiplied, coverage, inverting };
constexpr uint16_t invert_alpha = 1;
enum class Key : uint8_t { none, source, destination };
/// none: V, Y, U are shown as red, green, blue.
enum class YuvEncoding : uint8_t { bt601, bt709, bt2020, none };

/// How a plane is put over what is below it.
struct PlaneBlend {
  Blend blend = Blend::opaque;
  uint16_t constant_alpha = 0xffff;
  Key key = Key::none;
  uint32_t key_min = 0, key_max = 0, key_mask = 0;
};

/// How its pixels become RGB.
struct PlaneYuv {
  uint8_t yuv_order = 0;  ///< 0 YUYV, 1 UYVY, 2 YVYU, 3 VYUY
  YuvEncoding encoding = YuvEncoding::bt601;
  bool full_range = false;
  std::optional<ColorMatrix> input_csc;  ///< in place of `encoding`
};

/// A plane as it is shown. Everything is bounded: width and height by the chip's limits, x and y within +-32768.
struct PlaneView : PlaneBlend, PlaneYuv {
  PlaneFormat format = PlaneFormat::rgb_8888;
  Surface main, chroma;
  bool swap_red_blue = false;
  bool flip_x = false;             ///< last pixel of a row first
  bool flip_y = false;             ///< last row first; both: rotation by 180, and the half turn in 270
  uint32_t width = 0, height = 0;  ///< as fetched
  uint32_t u = 0, v = 0;           ///< first pixel in the surface
  uint32_t chroma_u = 0, chroma_v = 0;
  int32_t x = 0, y = 0;                        ///< place on the pipe, unscaled
  uint32_t shown_width = 0, shown_height = 0;  ///< size on the pipe of a plane that scales by itself; 0: its own
  bool pipe_gamma = false, pipe_csc = false;
  CursorPalette cursor_palette{};  ///< of the cursor's formats

  bool planar() const {
    return format == PlaneFormat::nv12 || format == PlaneFormat::p010 || format == PlaneFormat::p012 || format == PlaneFormat::p016;
  }
  bool yuv() const {
    return format == PlaneFormat::yuv422 || format == PlaneFormat::nv12 || format == PlaneFormat::xyuv_8888 || format >= PlaneFormat::p010;
  }
  /// 8 bits a channel RGB without key or blending: rows can be copied.
  bool plain_8888() const {
    return format == PlaneFormat::rgb_8888 && blend == Blend::opaque && constant_alpha == 0xffff && key == Key::none && !main.rotated;
  }
};

/// What chips have in common in a plane's registers: place, size, surfaces and keys.
void decode_place(const PlaneRegs& regs, PlaneView& out);
void decode_key(const PlaneRegs& regs, PlaneView& out);
/// Alpha Mode, of whichever register.
Blend blend_of(uint32_t alpha_mode);
/// False: not a tiling.
bool decode_tiling(const PlaneRegs& regs, surface::Tiling& out);
/// Turns the view by PLANE_CTL's rotation. False: the tiling cannot be turned so.
bool decode_rotation(const PlaneRegs& regs, PlaneView& out);
/// Bytes of a pixel (of planar formats: of the luma); 0: not a format of planes.
uint32_t format_bytes(PlaneFormat format);

/// False: disabled or a reserved mode.
bool decode_cursor(const CursorRegs& regs, const CursorPalette& palette, PlaneView& out);

/// The legacy palette, which indexed pixels go through: LGC_PALETTE entries, x8r8g8b8.
using LegacyPalette = uint32_t[256];

/// Rows of a plane as pipe pixels, before scaling.
class PlaneReader {
 public:
  PlaneReader(const PlaneView& plane, memory::View& view, const LegacyPalette& palette);
  /// Pixels [x, x + count) of row `y` of the shown image, x + count <= width, y < height.
  void row(uint32_t x, uint32_t y, uint32_t count, Pixel* out);
  /// The raw 8-bit values of the same pixels as x8r8g8b8, for colour keys of RGB formats and for plain copies.
  void row_xrgb(uint32_t x, uint32_t y, uint32_t count, uint32_t* out);

 private:
  void convert(const uint8_t* raw, uint32_t count, Pixel* out) const;
  void cursor_row(uint32_t u, uint32_t v, uint32_t count, Pixel* out);
  void yuv_row(uint32_t u, uint32_t v, uint32_t count, Pixel* out);
  /// Whether a pixel in this column lies between two chroma samples.
  bool between_samples(uint32_t column) const;
  template <typename S>
  void packed_422_row(const S& samples, uint32_t u, uint32_t v, uint32_t count, Pixel* out);
  template <typename S>
  void planar_420_row(const S& samples, uint32_t u, uint32_t v, uint32_t count, Pixel* out);
  void packed_444_row(uint32_t u, uint32_t v, uint32_t count, Pixel* out);
  Pixel from_yuv(float y, float cb, float cr) const;
  const uint8_t* fetch(const Surface& surface, std::vector<uint8_t>& buffer, uint32_t u, uint32_t v, uint32_t count);

  const PlaneView& plane_;
  memory::View& view_;
  const LegacyPalette& palette_;
  std::vector<uint8_t> raw_, chroma_above_, chroma_below_;
};

}  // namespace softgen::display
