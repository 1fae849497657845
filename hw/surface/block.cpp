// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/surface/block.h"

#include <cassert>

namespace softgen::surface {
namespace {

using F = SurfaceFormat;
using blocks::Texels8;

template <size_t count>
void finish(const Format& format, const std::array<blocks::Rgba8, count>& texels, BlockTexels& out) {
  for (size_t i = 0; i < count; ++i) {
    for (size_t c = 0; c < 3; ++c) out[i][c] = format.srgb ? srgb8_to_linear(texels[i][c]) : static_cast<float>(texels[i][c]) / 255.0f;
    out[i][3] = static_cast<float>(texels[i][3]) / 255.0f;
  }
}

void decode_two_channels(const std::byte* block, bool two, bool is_signed, void (*decode)(const uint8_t*, bool, std::array<float, 16>&),
                         BlockTexels& out) {
  std::array<float, 16> red{}, green{};
  const auto* bytes = reinterpret_cast<const uint8_t*>(block);
  decode(bytes, is_signed, red);
  if (two) decode(bytes + 8, is_signed, green);
  for (size_t i = 0; i < 16; ++i) out[i] = {red[i], green[i], 0.0f, 1.0f};
}

void decode_half_colors(const uint8_t* block, bool is_signed, BlockTexels& out) {
  std::array<std::array<uint16_t, 3>, 16> texels;
  blocks::decode_bc6h(block, is_signed, texels);
  for (size_t i = 0; i < 16; ++i) out[i] = {half_to_float(texels[i][0]), half_to_float(texels[i][1]), half_to_float(texels[i][2]), 1.0f};
}

// The formats whose texels are 8 bits a channel. False: not one of them.
bool decode_texels8(const Format& format, const uint8_t* block, Texels8& out) {
  switch (format.code) {
    case F::BC1_UNORM:
    case F::BC1_UNORM_SRGB: blocks::decode_bc1(block, true, out); return true;
    case F::DXT1_RGB:
    case F::DXT1_RGB_SRGB: blocks::decode_bc1(block, false, out); return true;
    case F::BC2_UNORM:
    case F::BC2_UNORM_SRGB: blocks::decode_bc2(block, out); return true;
    case F::BC3_UNORM:
    case F::BC3_UNORM_SRGB: blocks::decode_bc3(block, out); return true;
    case F::BC7_UNORM:
    case F::BC7_UNORM_SRGB: blocks::decode_bc7(block, out); return true;
    case F::ETC1_RGB8:
    case F::ETC2_RGB8:
    case F::ETC2_SRGB8: blocks::decode_etc2(block, false, out); return true;
    case F::ETC2_RGB8_PTA:
    case F::ETC2_SRGB8_PTA: blocks::decode_etc2(block, true, out); return true;
    case F::ETC2_EAC_RGBA8:
    case F::ETC2_EAC_SRGB8_A8:
      blocks::decode_etc2(block + 8, false, out);
      blocks::decode_eac_alpha(block, out);
      return true;
    default: return false;
  }
}

void decode_fxt1(const Format& format, const uint8_t* block, BlockTexels& out) {
  std::array<blocks::Rgba8, 32> texels;
  blocks::decode_fxt1(block, texels);
  finish(format, texels, out);
}

blocks::AstcTexels astc_texels(F code) {
  if (code >= F::ASTC_HDR_2D_4X4_FLT16) return blocks::AstcTexels::half;
  return code >= F::ASTC_LDR_2D_4X4_FLT16 ? blocks::AstcTexels::unorm16 : blocks::AstcTexels::unorm8;
}

void decode_astc(const Format& format, const uint8_t* block, BlockTexels& out) {
  using blocks::AstcTexels;
  const AstcTexels kind = astc_texels(format.code);
  std::array<std::array<uint16_t, 4>, max_block_texels> texels;
  blocks::decode_astc(block, format.block_width, format.block_height, kind, texels);
  const auto value = [&](uint16_t v, bool alpha) {
    switch (kind) {
      case AstcTexels::half: return half_to_float(v);
      case AstcTexels::unorm16:
        return v == 65535 ? 1.0f : static_cast<float>(v) / 65536.0f;  // as the conversion to 16-bit float is specified
      default: return format.srgb && !alpha ? srgb8_to_linear(static_cast<uint8_t>(v >> 8)) : static_cast<float>(v >> 8) / 255.0f;
    }
  };
  for (size_t i = 0; i < size_t{format.block_width} * format.block_height; ++i)
    for (size_t c = 0; c < 4; ++c) out[i][c] = value(texels[i][c], c == 3);
}

}  // namespace

void decode_block(const Format& format, const std::byte* block, BlockTexels& texels) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(block);
  Texels8 small;
  if (decode_texels8(format, bytes, small)) return finish(format, small, texels);
  switch (format.code) {
    case F::BC4_UNORM: return decode_two_channels(block, false, false, blocks::decode_rgtc, texels);
    case F::BC4_SNORM: return decode_two_channels(block, false, true, blocks::decode_rgtc, texels);
    case F::BC5_UNORM: return decode_two_channels(block, true, false, blocks::decode_rgtc, texels);
    case F::BC5_SNORM: return decode_two_channels(block, true, true, blocks::decode_rgtc, texels);
    case F::EAC_R11: return decode_two_channels(block, false, false, blocks::decode_eac11, texels);
    case F::EAC_SIGNED_R11: return decode_two_channels(block, false, true, blocks::decode_eac11, texels);
    case F::EAC_RG11: return decode_two_channels(block, true, false, blocks::decode_eac11, texels);
    case F::EAC_SIGNED_RG11: return decode_two_channels(block, true, true, blocks::decode_eac11, texels);
    case F::BC6H_UF16: return decode_half_colors(bytes, false, texels);
    case F::BC6H_SF16: return decode_half_colors(bytes, true, texels);
    case F::FXT1: return decode_fxt1(format, bytes, texels);
    default: break;
  }
  assert(format.name.starts_with("ASTC"));
  decode_astc(format, bytes, texels);
}

}  // namespace softgen::surface
