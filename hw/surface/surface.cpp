// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/surface/surface.h"

#include <algorithm>
#include <bit>

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/surface/mip_tail.h"
#include "hw/surface/standard_tiling.h"

namespace softgen::surface {
namespace {

constexpr uint32_t row_layout_alignment = 64;  // SKL PRM vol 5, "1D Alignment Requirements"

uint32_t minify(uint32_t size, unsigned lod) { return std::max(lod < 32 ? size >> lod : 0u, 1u); }

}  // namespace

bool is_volume(const Surface& s) {
  const unsigned element = element_bytes(*s.format);
  return s.type == SurfaceType::three_d && is_standard(s.tiling) && std::has_single_bit(element) && element <= 16;
}

bool has_sampled_tiles(const Surface& s) {
  const unsigned element = element_bytes(*s.format);
  return s.tiling == Tiling::ys && s.samples > 1 && !s.interleaved && std::has_single_bit(element) && element <= 16;
}

Extent level_extent(const Surface& s, unsigned lod) {
  return {minify(s.width, lod), minify(s.height, lod), s.type == SurfaceType::three_d ? minify(s.depth, lod) : s.depth};
}

namespace {

// Elements across `pixels` of level 0 at level `lod`, aligned.
uint32_t level_elements(uint32_t pixels, unsigned lod, uint32_t block, uint32_t align) {
  const uint32_t blocks = (minify(pixels, lod) + block - 1) / block;
  return (blocks + align - 1) / align * align;
}

// Level 0 as it is laid out in memory: interleaved samples make it larger (SKL PRM vol 5, "Computing Mip Level
// Sizes").
Origin physical_size(const Surface& s) {
  if (!s.interleaved) return {s.width, s.height};
  const unsigned x = (s.log2_samples + 1u) / 2, y = s.log2_samples / 2u;
  return {align_up(s.width, 2u) << x, align_up(s.height, 2u) << y};
}

}  // namespace

namespace {

/// Rows of slices of a packed level.
uint32_t packed_rows(const Surface& s, unsigned lod) { return ((minify(s.depth, lod) - 1) >> lod) + 1; }

}  // namespace

Origin level_origin(const Surface& s, unsigned lod) {
  const Origin size = physical_size(s);
  const uint32_t bw = s.format->block_width, bh = s.format->block_height;
  Origin at{s.x_offset / bw, s.y_offset / bh};
  for (unsigned l = 0; l < std::min<unsigned>(lod, s.mip_tail); ++l) {
    if (s.packed) at.y += level_elements(size.y, l, bh, s.valign) * packed_rows(s, l);
    else if (s.row_layout()) at.x += level_elements(size.x, l, 1, row_layout_alignment);
    else if (l == 1) at.x += level_elements(size.x, l, bw, s.halign);
    else at.y += level_elements(size.y, l, bh, s.valign);
  }
  if (in_mip_tail(s, lod)) {
    const Origin slot = (is_volume(s) ? volume_mip_tail_slot : mip_tail_slot)(s.tiling, element_bytes(*s.format), lod - s.mip_tail);
    at.x += slot.x, at.y += slot.y, at.z = slot.z;
  }
  return at;
}

// As blorp's encode_msaa (SKL PRM vol 5, "Multisampled Surfaces", interleaved): the low bit of x and y stays,
// samples go above it.
Origin interleaved_position(unsigned samples, uint32_t x, uint32_t y, unsigned s) {
  const uint32_t x0 = x & 1, y0 = y & 1, x_rest = x & ~1u, y_rest = y & ~1u;
  switch (samples) {
    case 2: return {x_rest << 1 | (s & 1) << 1 | x0, y};
    case 4: return {x_rest << 1 | (s & 1) << 1 | x0, y_rest << 1 | (s & 2) | y0};
    case 8: return {x_rest << 2 | (s & 4) | (s & 1) << 1 | x0, y_rest << 1 | (s & 2) | y0};
    case 16: return {x_rest << 2 | (s & 4) | (s & 1) << 1 | x0, y_rest << 2 | (s & 8) >> 1 | (s & 2) | y0};
    default: return {x, y};
  }
}

Level::Level(const Surface& s, unsigned lod)
    : base_(s.base),
      tiling_(s.tiling),
      interleaved_(s.interleaved),
      samples_(s.samples),
      element_(element_bytes(*s.format)),
      pitch_(s.pitch),
      origin_(level_origin(s, lod)),
      extent_(level_extent(s, lod)) {
  if (s.packed) {
    // Mesa isl.c, get_image_offset_sa_gfx4_3d.
    packed_ = true;
    packed_x_ = level_elements(s.width, lod, s.format->block_width, s.halign);
    packed_y_ = level_elements(s.height, lod, s.format->block_height, s.valign);
    packed_shift_ = std::min(lod, 15u), packed_mask_ = (1u << packed_shift_) - 1;
  } else if (s.row_layout()) {
    slice_x_ = s.qpitch;
    pitch_ = 0;
  } else if (is_volume(s) || has_sampled_tiles(s)) {
    volume_ = is_volume(s), sampled_ = !volume_;
    standard_qpitch_ = s.qpitch;
  } else {
    slice_y_ = s.qpitch;
  }
}

uint64_t Level::other_offset(uint32_t x, uint32_t y, uint32_t slice) const {
  if (tiling_ == Tiling::swizzled_x) return offset_swizzled_x(x, y, pitch_);
  if (tiling_ == Tiling::swizzled_y) return offset_swizzled_y(x, y, pitch_);
  if (volume_) return volume_offset(tiling_, element_, x, y, slice + origin_.z, pitch_, standard_qpitch_);
  if (!sampled_) return offset(tiling_, element_, x, y, pitch_);
  const auto log2_samples = static_cast<unsigned>(std::countr_zero(samples_));
  return sampled_offset(element_, log2_samples, x, y + (slice >> log2_samples) * standard_qpitch_, slice & (samples_ - 1), pitch_);
}

const Format& written_format(const Surface& s) {
  std::array<uint8_t, 3> rgb;
  unsigned seen = 0;
  for (size_t i = 0; i < 3; ++i) {
    rgb[i] = static_cast<uint8_t>(static_cast<unsigned>(s.select[i]) - static_cast<unsigned>(ShaderChannelSelect::SCS_RED));
    // Nothing is written of a channel that the format lacks: Mesa selects zero for it.
    if (rgb[i] > 2 && s.format->kind == FormatKind::plain && s.format->output[i] < 0) rgb[i] = static_cast<uint8_t>(i);
    if (rgb[i] < 3) seen |= 1u << rgb[i];
  }
  if (seen != 7) {
    guest_error("channel selects of a written surface are no order of red, green and blue");
    return *s.format;
  }
  return rgb == std::array<uint8_t, 3>{0, 1, 2} ? *s.format : reordered(*s.format, rgb);
}

Word4 swizzle(const Surface& s, const Word4& color) {
  const uint32_t one = s.format && s.format->numeric != Numeric::floating ? 1u : std::bit_cast<uint32_t>(1.0f);
  Word4 out;
  for (size_t i = 0; i < 4; ++i) {
    switch (s.select[i]) {
      case ShaderChannelSelect::SCS_ONE: out[i] = one; break;
      case ShaderChannelSelect::SCS_RED: out[i] = color[0]; break;
      case ShaderChannelSelect::SCS_GREEN: out[i] = color[1]; break;
      case ShaderChannelSelect::SCS_BLUE: out[i] = color[2]; break;
      case ShaderChannelSelect::SCS_ALPHA: out[i] = color[3]; break;
      default: out[i] = 0; break;
    }
  }
  return out;
}

}  // namespace softgen::surface
