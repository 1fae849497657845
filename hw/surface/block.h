// SPDX-License-Identifier: GPL-2.0-or-later
// Block-compressed formats to texels. Registers as for the uncompressed ones: linear colour, missing channels
// 0, alpha 1.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "hw/surface/format.h"

namespace softgen::surface {

constexpr unsigned max_block_texels = 144;  // ASTC 12x12

/// Row by row, format.block_width texels each.
using BlockTexels = std::array<Float4, max_block_texels>;

/// Decodes one block of a FormatKind::compressed format. Illegal encodings give what each format's specification says.
void decode_block(const Format& format, const std::byte* block, BlockTexels& texels);

namespace blocks {

using Rgba8 = std::array<uint8_t, 4>;
using Texels8 = std::array<Rgba8, 16>;

void decode_fxt1(const uint8_t* block, std::array<Rgba8, 32>& out);
void decode_bc1(const uint8_t* block, bool with_alpha, Texels8& out);
void decode_bc2(const uint8_t* block, Texels8& out);
void decode_bc3(const uint8_t* block, Texels8& out);
/// One channel of BC4 and BC5.
void decode_rgtc(const uint8_t* block, bool is_signed, std::array<float, 16>& out);
void decode_bc7(const uint8_t* block, Texels8& out);
/// 16-bit floats.
void decode_bc6h(const uint8_t* block, bool is_signed, std::array<std::array<uint16_t, 3>, 16>& out);
void decode_etc2(const uint8_t* block, bool punch_through, Texels8& out);
/// The alpha block of ETC2_EAC_RGBA8.
void decode_eac_alpha(const uint8_t* block, Texels8& out);
/// 11-bit EAC.
void decode_eac11(const uint8_t* block, bool is_signed, std::array<float, 16>& out);
/// What an ASTC format's texels are: 16 bits, the upper 8 of 16 (the sRGB formats), or floats of 16 bits (the HDR formats).
enum class AstcTexels : uint8_t { unorm16, unorm8, half };
/// Any footprint up to 12x12. Error blocks, and HDR endpoints in LDR formats, are opaque magenta.
void decode_astc(const uint8_t* block, unsigned width, unsigned height, AstcTexels kind,
                 std::array<std::array<uint16_t, 4>, max_block_texels>& out);

}  // namespace blocks

}  // namespace softgen::surface
