// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/debug/picture.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "hw/defs/command.h"

namespace softgen::debug {
namespace {

constexpr uint32_t largest_side = 16384;
constexpr unsigned largest_texel = 16;  // bytes; formats of vertices have up to 32

uint8_t byte_of(uint32_t value, surface::Numeric numeric, bool encode_srgb) {
  if (numeric == surface::Numeric::uint) return static_cast<uint8_t>(std::min<uint32_t>(value, 255));
  if (numeric == surface::Numeric::sint) return static_cast<uint8_t>(std::clamp(static_cast<int32_t>(value), 0, 255));
  const float colour = std::bit_cast<float>(value);
  if (std::isnan(colour)) return 0;
  const float bounded = std::clamp(colour, 0.0f, 1.0f);
  return encode_srgb ? surface::linear_to_srgb8(bounded) : static_cast<uint8_t>(std::lround(bounded * 255));
}

}  // namespace

bool is_picture_format(const surface::Format& format) {
  const bool texels = format.kind == surface::FormatKind::plain || format.kind == surface::FormatKind::shared_exponent;
  const bool fits = format.block_bits >= 8 && format.block_bytes() <= largest_texel;
  return texels && fits && format.numeric != surface::Numeric::raw64;
}

const surface::Format* picture_format(uint32_t code) {
  const surface::Format* format = surface::find_format(code);
  return format && is_picture_format(*format) ? format : nullptr;
}

const surface::Format* picture_format(const defs::CommandSet& commands, std::string_view name) {
  for (const defs::EnumValue& value : commands.surface_formats.values)
    if (name == value.name) return picture_format(value.value);
  return nullptr;
}

std::vector<uint8_t> read_picture(memory::View& view, const PictureSource& source) {
  const uint32_t width = std::min(source.width, largest_side), height = std::min(source.height, largest_side);
  const unsigned bytes = source.format->block_bytes();
  std::vector<uint8_t> rgba(size_t{4} * width * height);
  uint8_t* out = rgba.data();
  std::array<std::byte, largest_texel> texel{};
  for (uint32_t y = 0; y < height; y++) {
    for (uint32_t x = 0; x < width; x++, out += 4) {
      view.read(source.address + surface::offset(source.tiling, bytes, x * bytes, y, source.pitch), texel.data(), bytes);
      const bool clear =
          source.ccs && source.ccs.read(view, x / source.ccs.width(), y / surface::Ccs::pair_rows, 0) == surface::CcsCode::clear;
      const surface::Word4 colour = clear ? source.clear_color : surface::decode(*source.format, texel.data());
      for (unsigned c = 0; c < 3; c++) out[c] = byte_of(colour[c], source.format->numeric, source.format->srgb);
      out[3] = source.format->has_alpha() ? byte_of(colour[3], source.format->numeric, false) : 255;
    }
  }
  return rgba;
}

}  // namespace softgen::debug
