// SPDX-License-Identifier: GPL-2.0-or-later
// SKL PRM vol 7, "Texel Fetch"; vol 5, "Surface Formats".
#include "hw/sampler/texture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

#include "hw/base/log.h"
#include "hw/base/per_thread.h"
#include "hw/surface/block.h"
#include "hw/surface/ccs.h"

namespace softgen::sampler {
namespace {

using surface::Format;
using surface::FormatKind;
using surface::SurfaceFormat;

constexpr auto unorm8 = [] {
  std::array<uint32_t, 256> table{};
  for (unsigned i = 0; i < 256; ++i) table[i] = std::bit_cast<uint32_t>(static_cast<float>(i / 255.0));
  return table;
}();
constexpr uint32_t one = 0x3f800000;

/// The four 8-bit formats nearly everything is stored in.
template <bool bgra, bool srgb, bool alpha>
Word4 decode_8888(const Format&, const std::byte* element) {
  const auto at = [&](unsigned i) { return static_cast<uint8_t>(element[i]); };
  const auto color = [](uint8_t code) { return srgb ? std::bit_cast<uint32_t>(surface::srgb8_to_linear(code)) : unorm8[code]; };
  return {color(at(bgra ? 2 : 0)), color(at(1)), color(at(bgra ? 0 : 2)), alpha ? unorm8[at(3)] : one};
}

/// Decoded blocks of this host thread. An entry is found by the block's bytes, so that it can never be stale.
class BlockCache {
 public:
  const surface::BlockTexels& get(const Format& format, const std::byte* block) {
    Key key{&format, {}};
    std::memcpy(key.bytes.data(), block, format.block_bytes());
    const uint64_t hash = (key.bytes[0] * 0x9e3779b97f4a7c15) ^ (key.bytes[1] * 0xc2b2ae3d27d4eb4f);
    Entry& entry = entries_[hash >> 60];
    if (entry.key.format != key.format || entry.key.bytes != key.bytes) {
      surface::decode_block(format, block, entry.texels);
      entry.key = key;
    }
    return entry.texels;
  }

 private:
  struct Key {
    const Format* format = nullptr;
    std::array<uint64_t, 2> bytes{};
  };
  struct Entry {
    Key key;
    surface::BlockTexels texels;
  };
  std::array<Entry, 16> entries_;
};

bool readable(const Format& format) {
  switch (format.kind) {
    case FormatKind::plain:
    case FormatKind::shared_exponent: return format.block_bytes() <= 16;
    case FormatKind::compressed: return format.is(surface::use_sample);  // HDR forms of ASTC are not there on Gen9
    case FormatKind::palette: return format.block_bits >= 8;
    case FormatKind::yuv: return format.is(surface::use_sample);
    default: return false;
  }
}

}  // namespace

Texture::Decoder Texture::decoder_of(const Format& format) {
  switch (format.code) {
    case SurfaceFormat::R8G8B8A8_UNORM:
    case SurfaceFormat::R8G8B8A8_UNORM_SRGB: return format.srgb ? decode_8888<false, true, true> : decode_8888<false, false, true>;
    case SurfaceFormat::R8G8B8X8_UNORM:
    case SurfaceFormat::R8G8B8X8_UNORM_SRGB: return format.srgb ? decode_8888<false, true, false> : decode_8888<false, false, false>;
    case SurfaceFormat::B8G8R8A8_UNORM:
    case SurfaceFormat::B8G8R8A8_UNORM_SRGB: return format.srgb ? decode_8888<true, true, true> : decode_8888<true, false, true>;
    case SurfaceFormat::B8G8R8X8_UNORM:
    case SurfaceFormat::B8G8R8X8_UNORM_SRGB: return format.srgb ? decode_8888<true, true, false> : decode_8888<true, false, false>;
    default: return surface::decode;
  }
}

Texture::Texture(const surface::Surface& surface) : surface_(surface) {
  using Select = surface::ShaderChannelSelect;
  plain_select_ = surface.select == std::array{Select::SCS_RED, Select::SCS_GREEN, Select::SCS_BLUE, Select::SCS_ALPHA};
  if (surface.is_null() || !surface.format) return;
  const bool texels_alone = surface.format->kind == FormatKind::palette || surface.format->kind == FormatKind::yuv;
  if (!readable(*surface.format) || (texels_alone && surface.is_buffer())) {
    if (surface.format->kind != FormatKind::raw) unimplemented("sampling a format", "{}", surface.format->name);
    return;
  }
  decode_ = decoder_of(*surface.format);
  if (surface.is_buffer()) return;
  level_count_ = std::min(levels(), max_levels);  // MIP Count has four bits: never truncated
  for (unsigned i = 0; i < level_count_; ++i) {
    levels_[i].place = surface::Level(surface, surface.min_lod + i);
    levels_[i].extent = levels_[i].place.extent();
    levels_[i].origin = surface::level_origin(surface, surface.min_lod + i);
  }
}

unsigned Texture::layer_of(float coordinate) const {
  if (std::isnan(coordinate)) return 0;
  return static_cast<unsigned>(std::clamp(std::nearbyint(coordinate), 0.0f, static_cast<float>(std::max(layers(), 1u) - 1)));
}

Word4 Texture::fetch_block(memory::View& view, const surface::Level& place, uint32_t x, uint32_t y, uint32_t slice) const {
  const Format& format = *surface_.format;
  const uint32_t bx = x / format.block_width, by = y / format.block_height;
  std::array<std::byte, 16> raw{};
  view.read(place.address(bx, by, slice), raw.data(), format.block_bytes());
  const auto& texels = per_thread<BlockCache>().get(format, raw.data());
  return std::bit_cast<Word4>(texels[(y - by * format.block_height) * format.block_width + (x - bx * format.block_width)]);
}

Word4 Texture::fetch_yuv(memory::View& view, const surface::Level& place, uint32_t x, uint32_t y, uint32_t slice) const {
  // Two pixels share 4 bytes; red is Cr, green Y, blue Cb (SKL PRM vol 5, "YCrCb 4:2:2").
  const auto low = view.load<uint16_t>(place.address(x & ~1u, y, slice)), high = view.load<uint16_t>(place.address(x | 1, y, slice));
  const std::array<uint8_t, 4> bytes{static_cast<uint8_t>(low), static_cast<uint8_t>(low >> 8), static_cast<uint8_t>(high),
                                     static_cast<uint8_t>(high >> 8)};
  const SurfaceFormat code = surface_.format->code;
  const bool luma_first = code == SurfaceFormat::YCRCB_NORMAL || code == SurfaceFormat::YCRCB_SWAPUV;
  const bool cr_first = code == SurfaceFormat::YCRCB_SWAPUV || code == SurfaceFormat::YCRCB_SWAPUVY;
  const unsigned chroma = luma_first ? 1 : 0, luma = (luma_first ? 0 : 1) + 2 * (x & 1);
  return {unorm8[bytes[chroma + (cr_first ? 0 : 2)]], unorm8[bytes[luma]], unorm8[bytes[chroma + (cr_first ? 2 : 0)]], one};
}

// SKL PRM vol 2d, RENDER_SURFACE_STATE, X and Y Offset for U and V Planes: the chroma planes have half the width and height and the pitch of the luma.
// All four pixels of a square have its chroma. Red is Cr, green Y, blue Cb, as in the other YUV formats.
Word4 Texture::fetch_planar(memory::View& view, const surface::Level& place, uint32_t x, uint32_t y, uint32_t slice) const {
  const bool wide = surface_.format->block_bits == 16;
  const auto value = [&](uint32_t column, uint32_t row) {
    const uint64_t at = place.address(column, row, slice);
    return wide ? std::bit_cast<uint32_t>(surface::unorm_to_float(view.load<uint16_t>(at), 16)) : unorm8[view.load<uint8_t>(at)];
  };
  const auto& [cb, cr, separate] = surface_.chroma;
  const uint32_t luma = value(x, y);
  if (separate) return {value(cr.x + x / 2, cr.y + y / 2), luma, value(cb.x + x / 2, cb.y + y / 2), one};
  const uint32_t pair = cb.x + (x & ~1u), row = cb.y + y / 2;
  return {value(pair + 1, row), luma, value(pair, row), one};
}

// An alpha stored with the index replaces the palette's.
Word4 Texture::fetch_indexed(memory::View& view, uint64_t address) const {
  const Format& format = *surface_.format;
  const uint32_t texel = format.block_bits == 16 ? view.load<uint16_t>(address) : view.load<uint8_t>(address);
  uint32_t index = 0;
  std::optional<uint32_t> alpha;
  for (unsigned i = 0; i < format.channels; ++i) {
    const surface::Channel& channel = format.channel[i];
    const uint32_t code = texel >> channel.shift & ((1u << channel.bits) - 1);
    if (channel.role == 'p') index = code;
    else alpha = std::bit_cast<uint32_t>(surface::unorm_to_float(code, channel.bits));
  }
  const uint32_t entry = palette_ ? (*palette_)[index] : 0;
  return {unorm8[entry >> 16 & 0xff], unorm8[entry >> 8 & 0xff], unorm8[entry & 0xff], alpha.value_or(unorm8[entry >> 24])};
}

void Texture::set_palettes(const TexturePalettes& palettes) { palette_ = &palettes[surface_.format->name.back() - '0']; }

Word4 Texture::fetch(memory::View& view, unsigned level, uint32_t x, uint32_t y, uint32_t slice, uint32_t sample) const {
  const surface::Level& place = levels_[level].place;
  const Format& format = *surface_.format;
  slice += surface_.min_array_element;
  if (format.kind == FormatKind::compressed) return fetch_block(view, place, x, y, slice);
  if (format.kind == FormatKind::yuv)
    return surface::is_planar(format) ? fetch_planar(view, place, x, y, slice) : fetch_yuv(view, place, x, y, slice);
  if (format.kind == FormatKind::palette) return fetch_indexed(view, place.address(x, y, slice, sample));
  const uint64_t address = place.address(x, y, slice, sample);
  const unsigned bytes = format.block_bytes();
  if ((address & (memory::View::page_size - 1)) + bytes <= memory::View::page_size) return decode_(format, view.at(address));
  std::array<std::byte, 16> raw{};
  view.read(address, raw.data(), std::min<size_t>(bytes, raw.size()));
  return decode_(format, raw.data());
}

Word4 Texture::load(memory::View& view, unsigned level, int64_t x, int64_t y, int64_t slice, uint32_t sample) const {
  if (level >= level_count_ || sample >= surface_.samples) return {};
  const surface::Extent& size = extent(level);
  if (x < 0 || y < 0 || slice < 0 || x >= size.width || y >= size.height || slice >= slices(level)) return {};
  return fetch(view, level, static_cast<uint32_t>(x), static_cast<uint32_t>(y), static_cast<uint32_t>(slice), sample);
}

Word4 Texture::load_buffer(memory::View& view, uint32_t index) const {
  if (!decode_ || index >= surface_.entries) return {};
  std::array<std::byte, 16> raw{};
  view.read(surface::entry_address(surface_, index), raw.data(), std::min<size_t>(surface_.format->block_bytes(), raw.size()));
  return decode_(*surface_.format, raw.data());
}

Word4 Texture::clear_color() const {
  std::array<std::byte, 16> texel{};
  surface::store_clear_color(surface_, surface::ClearUse::sampling, texel.data());
  return surface::decode(*surface_.format, texel.data());
}

}  // namespace softgen::sampler
