// SPDX-License-Identifier: GPL-2.0-or-later
// Surface formats: one table (formats.inc), and the conversion of an element between memory and registers.
//
// Registers hold float bits for unorm, snorm, scaled, fixed and float channels, integers for uint and sint
// ones. A channel that a format lacks reads 0, alpha 1 (1.0 or integer 1). sRGB formats read linear colour
// and are written from it. Rounding (SKL PRM vol 5, "Format Conversion"; D3D 11.3 functional
// specification 3.2.3 where it is silent): to unorm and snorm saturates, NaN gives 0, nearest even; to 16-bit
// float nearest even; to 11- and 10-bit float towards zero, negative gives 0, beyond the largest gives the
// largest unless infinite; to integers of fewer bits saturates.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "hw/surface/decode/enums.h"

namespace softgen::surface {

enum class FormatKind : uint8_t {
  plain,            ///< channels side by side
  shared_exponent,  ///< R9G9B9E5
  palette,
  yuv,
  bits,  ///< fewer than 8 bits an element: R1, MONO8
  compressed,
  raw,  ///< buffers without elements
};

enum class ChannelType : uint8_t { unused, unorm, snorm, uint, sint, uscaled, sscaled, sfixed, sfloat, ufloat, raw };

/// What a register holds after reading the format.
enum class Numeric : uint8_t { floating, uint, sint, raw64 };

enum FormatUse : uint16_t {
  use_sample = 1,
  use_filter = 2,
  use_shadow = 4,
  use_render = 8,
  use_blend = 16,
  use_vertex = 32,
  use_stream_out = 64,
  use_typed_write = 128,
  use_typed_read = 256,
  use_typed_atomic = 512,
  use_ccs_e = 1024,
};

struct Channel {
  char role = 0;  ///< r g b a l i p
  ChannelType type = ChannelType::unused;
  uint8_t bits = 0;
  uint8_t shift = 0;  ///< from bit 0 of the element
};

/// Elements whose channels all have one type.
enum class ElementLayout : uint8_t {
  any,
  words,   ///< each stored channel is 32 bits, which are the register's
  unorm8,  ///< each is 8 bits of UNORM, or sRGB
  uint8,   ///< each is 8 bits of an integer
};

struct Format {
  SurfaceFormat code{};
  std::string_view name;
  uint16_t block_bits = 0;
  uint8_t block_width = 1, block_height = 1;
  FormatKind kind = FormatKind::plain;
  bool srgb = false;
  uint16_t uses = 0;  ///< FormatUse
  Numeric numeric = Numeric::floating;
  uint8_t channels = 0;
  ElementLayout layout = ElementLayout::any;
  std::array<Channel, 4> channel{};              ///< as stored
  std::array<int8_t, 4> output{-1, -1, -1, -1};  ///< stored channel that r, g, b, a come from; -1: none
  std::array<int8_t, 4> input{-1, -1, -1, -1};   ///< which of r, g, b, a a stored channel is written from; -1: none

  unsigned block_bytes() const { return block_bits / 8u; }
  bool is(FormatUse use) const { return uses & use; }
  bool has_alpha() const { return output[3] >= 0; }
};

/// `format` with its red, green and blue as channels rgb[0], rgb[1], rgb[2] (0 to 2, each once) of what is stored.
const Format& reordered(const Format& format, const std::array<uint8_t, 3>& rgb);

/// `format`, one of the set's, read without conversion of sRGB: its codes are UNORM.
const Format& without_srgb(const Format& format);

/// 4:2:0 with chroma planes of their own.
constexpr bool is_planar(const Format& format) {
  return format.code == SurfaceFormat::PLANAR_420_8 || format.code == SurfaceFormat::PLANAR_420_16;
}

/// The formats of a generation: generations differ in what their units do with them.
struct FormatSet;
extern const FormatSet gen9_formats, gen11_formats, gen12_formats;

/// Null for codes that the set does not have.
const Format* find_format(uint32_t code, const FormatSet& set = gen9_formats);
inline const Format* find_format(SurfaceFormat code, const FormatSet& set = gen9_formats) {
  return find_format(static_cast<uint32_t>(code), set);
}

using Float4 = std::array<float, 4>;
using Word4 = std::array<uint32_t, 4>;

/// One element as four registers. plain and shared_exponent formats; others give 0, 0, 0, 1.
Word4 decode(const Format& format, const std::byte* element);
/// The same as floats (Numeric::floating).
Float4 decode_float(const Format& format, const std::byte* element);
/// Vertex elements of 64-bit PASSTHRU formats: the dwords as they are, missing ones 0. Returns dwords
/// written.
unsigned decode_raw64(const Format& format, const std::byte* element, std::array<uint32_t, 8>& out);

/// Writes one element from four registers (integers for uint and sint formats, else float bits). Channels
/// that the format lacks are dropped, unused bits become 0.
void encode(const Format& format, const Word4& value, std::byte* element);
void encode_float(const Format& format, const Float4& value, std::byte* element);

// -- the conversions themselves
// ---------------------------------------------------------------------------------------------------
float half_to_float(uint16_t half);
uint16_t float_to_half(float value);
/// Unsigned floats with a 5-bit exponent and `mantissa` bits (6: 11-bit, 5: 10-bit).
float ufloat_to_float(uint32_t value, unsigned mantissa);
uint32_t float_to_ufloat(float value, unsigned mantissa);
float unorm_to_float(uint32_t value, unsigned bits);
uint32_t float_to_unorm(float value, unsigned bits);
float snorm_to_float(int32_t value, unsigned bits);
int32_t float_to_snorm(float value, unsigned bits);
/// 8-bit sRGB code to linear (srgb8_values(): by code) and back; float forms for other widths.
const std::array<float, 256>& srgb8_values();
float srgb8_to_linear(uint8_t code);
uint8_t linear_to_srgb8(float linear);
float srgb_to_linear(float srgb);
float linear_to_srgb(float linear);
Float4 decode_shared_exponent(uint32_t packed);
uint32_t encode_shared_exponent(float r, float g, float b);

}  // namespace softgen::surface
