// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/debug/picture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "hw/base/bits.h"

namespace softgen::debug {
namespace {

using Kind = PixelLayout::Kind;

std::optional<Kind> kind_of(std::string_view word) {
  if (word == "UNORM" || word == "TYPELESS") return Kind::unorm;
  if (word == "SNORM") return Kind::snorm;
  if (word == "UINT" || word == "USCALED") return Kind::uint;
  if (word == "SINT" || word == "SSCALED") return Kind::sint;
  if (word == "FLOAT") return Kind::floating;
  return std::nullopt;
}

/// "R8G8B8A8" -> channels; false when the word is something else.
bool add_channels(std::string_view word, std::vector<PixelLayout::Channel>& out, unsigned& bit) {
  for (size_t at = 0; at < word.size();) {
    const char name = word[at++];
    unsigned width = 0;
    while (at < word.size() && word[at] >= '0' && word[at] <= '9') width = width * 10 + static_cast<unsigned>(word[at++] - '0');
    if (!std::strchr("RGBALIXDS", name) || width == 0 || width > 64 || bit + width > 128) return false;
    out.push_back({name, static_cast<uint8_t>(bit), static_cast<uint8_t>(width), Kind::unorm});
    bit += width;
  }
  return !word.empty();
}

/// Floats of 10 and 11 bits have no sign and a 5-bit exponent, those of 16 bits a sign (SKL PRM vol 2d, SURFACE_FORMAT).
float small_float(uint64_t raw, unsigned width) {
  const unsigned mantissa_bits = width == 16 ? 10 : width - 5;
  const auto mantissa = static_cast<float>(raw & ((1u << mantissa_bits) - 1)) / static_cast<float>(1u << mantissa_bits);
  const int exponent = static_cast<int>(raw >> mantissa_bits & 31);
  const float sign = width == 16 && raw >> 15 & 1 ? -1.0f : 1.0f;
  if (exponent == 31) return mantissa == 0 ? sign * 1e30f : 0.0f;
  return sign * (exponent ? std::ldexp(1.0f + mantissa, exponent - 15) : std::ldexp(mantissa, -14));
}

uint8_t byte_of(const PixelLayout::Channel& channel, uint64_t raw) {
  const auto scaled = [](double value) { return static_cast<uint8_t>(std::lround(std::clamp(value, 0.0, 1.0) * 255)); };
  switch (channel.kind) {
    case Kind::unorm: return scaled(static_cast<double>(raw) / static_cast<double>(channel.bits == 64 ? ~0ull : (1ull << channel.bits) - 1));
    case Kind::snorm: return scaled(static_cast<double>(sign_extend(raw, channel.bits)) / static_cast<double>((1ull << (channel.bits - 1)) - 1));
    case Kind::uint: return static_cast<uint8_t>(std::min<uint64_t>(raw, 255));
    case Kind::sint: return static_cast<uint8_t>(std::clamp<int64_t>(sign_extend(raw, channel.bits), 0, 255));
    case Kind::floating: {
      const double value = channel.bits == 64   ? std::bit_cast<double>(raw)
                           : channel.bits == 32 ? std::bit_cast<float>(static_cast<uint32_t>(raw))
                                                : small_float(raw, channel.bits);
      return std::isnan(value) ? 0 : scaled(value);
    }
    case Kind::unused: break;
  }
  return 0;
}

void store(uint8_t* rgba, char name, uint8_t value) {
  switch (name) {
    case 'R': rgba[0] = value; break;
    case 'G': rgba[1] = value; break;
    case 'B': rgba[2] = value; break;
    case 'A': rgba[3] = value; break;
    case 'I': rgba[3] = value; [[fallthrough]];
    case 'L':
    case 'D': rgba[0] = rgba[1] = rgba[2] = value; break;
    default: break;
  }
}

}  // namespace

std::optional<PixelLayout> pixel_layout(std::string_view format) {
  PixelLayout layout;
  unsigned bit = 0;
  size_t typed = 0;
  while (!format.empty()) {
    const std::string_view word = format.substr(0, format.find('_'));
    format.remove_prefix(std::min(format.size(), word.size() + 1));
    if (word == "SRGB") continue;
    if (const auto kind = kind_of(word)) {
      for (; typed < layout.channels.size(); typed++) layout.channels[typed].kind = layout.channels[typed].name == 'X' ? Kind::unused : *kind;
    } else if (!add_channels(word, layout.channels, bit)) {
      return std::nullopt;
    }
  }
  if (layout.channels.empty() || bit % 8) return std::nullopt;
  layout.bytes = bit / 8;
  return layout;
}

std::vector<uint8_t> read_picture(memory::View& view, const PictureSource& source) {
  const uint32_t width = std::min(source.width, 16384u), height = std::min(source.height, 16384u);
  std::vector<uint8_t> rgba(size_t{4} * width * height);
  uint8_t* out = rgba.data();
  for (uint32_t y = 0; y < height; y++) {
    for (uint32_t x = 0; x < width; x++, out += 4) {
      uint8_t texel[24] = {};
      view.read(source.address + surface::offset(source.tiling, source.layout.bytes, x * source.layout.bytes, y, source.pitch), texel,
                source.layout.bytes);
      out[3] = 255;
      for (const PixelLayout::Channel& channel : source.layout.channels) {
        uint64_t raw;
        std::memcpy(&raw, texel + channel.bit / 32 * 4, sizeof raw);
        if (channel.kind != Kind::unused) store(out, channel.name, byte_of(channel, bits(raw, channel.bit % 32 + channel.bits - 1u, channel.bit % 32)));
      }
    }
  }
  return rgba;
}

}  // namespace softgen::debug
