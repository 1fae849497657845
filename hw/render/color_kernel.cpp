// SPDX-License-Identifier: GPL-2.0-or-later
// Selects the targets and blend states for which the vector code (pixel_kernels) gives the output merger's results.
#include <algorithm>
#include <cstring>

#include "hw/render/output_merger.h"

namespace softgen::render {
namespace {

bool four_of(const surface::Format& f, surface::ElementLayout layout) { return f.layout == layout && f.channels == 4; }

/// Formats whose channels need no conversion other than saturation or unorm encoding.
std::optional<ColorKernel::Stored> stored_as(const surface::Format& f) {
  using surface::ElementLayout;
  if (four_of(f, ElementLayout::unorm8)) return ColorKernel::Stored::unorm8;
  if (four_of(f, ElementLayout::uint8)) return ColorKernel::Stored::uint8;
  if (f.layout == ElementLayout::words && f.channels == 1 && f.output[0] == 0) return ColorKernel::Stored::word;
  return std::nullopt;
}

using Factor = BlendFactor;

bool is_second_source(Factor f) {
  switch (f) {
    case Factor::source1_color:
    case Factor::source1_alpha:
    case Factor::inverse_source1_color:
    case Factor::inverse_source1_alpha: return true;
    default: return false;
  }
}

/// Whether a factor is the same for red, green and blue.
bool one_for_all(Factor f) {
  switch (f) {
    case Factor::one:
    case Factor::zero:
    case Factor::source_alpha:
    case Factor::destination_alpha:
    case Factor::constant_alpha:
    case Factor::inverse_source_alpha:
    case Factor::inverse_destination_alpha:
    case Factor::inverse_constant_alpha: return true;
    default: return false;
  }
}

/// The common form of blending: 8-bit unorm channels, function "add", no second source, no saturated alpha.
bool is_added(const ColorKernel& k) {
  if (!k.blending || k.stored != ColorKernel::Stored::unorm8 || k.srgb || k.alpha_to_one) return false;
  const auto is_add = [](uint8_t f) { return f == static_cast<uint8_t>(BlendFunction::add); };
  const auto second = [](uint8_t f) { return is_second_source(static_cast<Factor>(f)); };
  const auto saturates = [](uint8_t f) { return static_cast<Factor>(f) == Factor::source_alpha_saturate; };
  return std::ranges::all_of(k.function, is_add) && std::ranges::none_of(k.source_factor, second) &&
         std::ranges::none_of(k.destination_factor, second) && !saturates(k.source_factor[0]) && !saturates(k.destination_factor[0]);
}

/// Whether quad_rows() applies: the pixels of a quad's row, and its rows, are at fixed distances.
bool placed(const surface::Surface& s) {
  switch (s.tiling) {
    // Four pixels side by side are in one page.
    case surface::Tiling::linear: return s.base % 16 == 0 && s.pitch % 16 == 0 && !s.row_layout();
    case surface::Tiling::x:
    case surface::Tiling::y:
    case surface::Tiling::swizzled_x:
    case surface::Tiling::swizzled_y: return s.base % memory::View::page_size == 0;
    case surface::Tiling::yf: return s.base % memory::View::page_size == 0 && !surface::in_mip_tail(s, s.mip_count);
    default: return false;
  }
}

/// As factor() of pixel_colors.cpp: 0 + As is As, and 1 - As is rounded once, also as a sum of three.
ColorCodes::Factor factor_of(uint8_t factor, float constant) {
  switch (static_cast<Factor>(factor)) {
    case Factor::one:
    case Factor::source_alpha_saturate: return {.constant = 1};
    case Factor::source_color:
    case Factor::source_alpha: return {.source_alpha = 1};
    case Factor::destination_color:
    case Factor::destination_alpha: return {.destination_alpha = 1};
    case Factor::constant_color:
    case Factor::constant_alpha: return {.constant = constant};
    case Factor::inverse_source_color:
    case Factor::inverse_source_alpha: return {.constant = 1, .source_alpha = -1};
    case Factor::inverse_destination_color:
    case Factor::inverse_destination_alpha: return {.constant = 1, .destination_alpha = -1};
    case Factor::inverse_constant_color:
    case Factor::inverse_constant_alpha: return {.constant = 1 - constant};
    default: return {};
  }
}

}  // namespace

ColorCodes color_codes(const ColorKernel& k) {
  ColorCodes codes{.alpha = k.alpha_stored ? 255u : 0, .blends = k.added, .keep = k.keep};
  for (unsigned c = 0; c < 4; ++c) codes.shift[c] = k.shift[c];
  const float constant = k.constant[3];
  codes.factors = {factor_of(k.source_factor[0], constant), factor_of(k.destination_factor[0], constant),
                   factor_of(k.source_factor[3], constant), factor_of(k.destination_factor[3], constant)};
  return codes;
}

uint32_t RenderTarget::quad_rows(memory::View& view, uint32_t x, uint32_t y, uint32_t slice, std::byte** rows) const {
  const surface::Extent& extent = level->extent();
  if (x >= extent.width || y >= extent.height) return 0;
  // Levels and slices start at multiples of four elements in a row, and at even rows.
  const uint64_t at = level->address(x, y, slice);
  rows[0] = view.at_for_write(at);
  switch (surface.tiling) {
    case surface::Tiling::x: rows[1] = rows[0] + 512; break;
    case surface::Tiling::y:
    case surface::Tiling::swizzled_y:  // bit 4 of the address alone differs, and no bit of the swizzle
    case surface::Tiling::yf: rows[1] = rows[0] + 16; break;
    case surface::Tiling::swizzled_x: {
      // Both rows are in one page.
      constexpr uint64_t within = memory::View::page_size - 1;
      rows[1] = rows[0] - (at & within) + (level->address(x, y + 1, slice) & within);
      break;
    }
    default: rows[1] = y + 1 < extent.height ? view.at_for_write(at + surface.pitch) : rows[0]; break;
  }
  return (x + 1 < extent.width ? 0xfu : 0x5u) & (y + 1 < extent.height ? 0xfu : 0x3u);
}

uint32_t RenderTarget::write_words(memory::View& view, uint32_t x, uint32_t y, uint32_t slice, uint32_t pixels,
                                   const std::array<surface::Word4, 2>& words) const {
  const size_t bytes = format->block_bytes();
  std::array<std::byte, 2 * sizeof(surface::Word4)> stored;
  for (unsigned i = 0; i < 2; ++i) {
    if (format->layout == surface::ElementLayout::words) std::memcpy(&stored[i * bytes], words[i].data(), bytes);
    else
      for (unsigned c = 0; c < bytes; ++c) stored[i * bytes + c] = static_cast<std::byte>(std::min(words[i][c], 255u));
  }
  const surface::Extent& extent = level->extent();
  if (y >= extent.height) return 0;
  if (x + 1 >= extent.width) pixels &= x < extent.width ? 1 : 0;
  const uint64_t at = level->address(x, y, slice);
  // No pixel crosses a page.
  if (pixels == 3 && (at & (memory::View::page_size - 1)) <= memory::View::page_size - 2 * bytes) {
    std::memcpy(view.at_for_write(at), stored.data(), 2 * bytes);
    return pixels;
  }
  for (unsigned i = 0; i < 2; ++i)
    if (pixels >> i & 1) std::memcpy(view.at_for_write(at + i * bytes), &stored[i * bytes], bytes);
  return pixels;
}

bool OutputMerger::stores_texels(const RenderTarget& rt, unsigned target) const {
  if (!rt.level || rt.mcs || rt.surface.samples != 1 || blend_.alpha_test || alpha_to_coverage_) return false;
  const Mode how = mode(rt, target);
  return !how.reads && !(how.floating && blend_.alpha_to_one);
}

bool OutputMerger::copies_words(const RenderTarget& rt, unsigned target) const {
  const surface::Surface& s = rt.surface;
  if (!stores_texels(rt, target) || s.tiling != surface::Tiling::linear || s.row_layout()) return false;
  const surface::Format& format = *rt.format;
  if (format.layout != surface::ElementLayout::words && format.layout != surface::ElementLayout::uint8) return false;
  if (format.numeric == surface::Numeric::floating) return false;
  // Stored channel n is the message's channel n. Three of them have a size by which addresses are seldom divisible.
  for (int8_t c = 0; c < 4; ++c)
    if (format.output[static_cast<size_t>(c)] != (c < format.channels ? c : -1)) return false;
  if (format.channels == 3) return false;
  return (s.base | s.pitch) % format.block_bytes() == 0;
}

std::optional<ColorKernel> OutputMerger::color_kernel(const RenderTarget& rt, unsigned target) const {
  if (!rt.level || rt.mcs || rt.surface.samples != 1 || !placed(rt.surface)) return std::nullopt;
  const auto stored = stored_as(*rt.format);
  const Mode how = mode(rt, target);
  if (!stored || how.logic || alpha_to_coverage_) return std::nullopt;
  if (*stored != ColorKernel::Stored::unorm8 && (how.blending || (how.floating && how.blend.clamp_before))) return std::nullopt;
  const surface::Format& format = *rt.format;
  const TargetBlend& e = how.blend;
  ColorKernel k;
  k.stored = *stored;
  for (unsigned c = 0; c < 4; ++c)
    if (format.output[c] >= 0) k.shift[c] = format.channel[static_cast<size_t>(format.output[c])].shift;
  k.alpha_stored = format.has_alpha();
  k.srgb = format.srgb;
  k.alpha_to_one = blend_.alpha_to_one;
  for (unsigned i = 0; i < 4; ++i) k.keep |= uint32_t{how.kept[i]} << 8 * i;
  k.blending = how.blending;
  k.clamp_before = e.clamp_before, k.clamp_after = e.clamp_after;
  k.clamp_low = e.clamp == ColorClamp::snorm ? -1.0f : 0.0f;
  k.constant = blend_.constant;
  if (e.clamp_before && !e.clamp_source_only)
    for (float& c : k.constant) c = !(c >= k.clamp_low) ? (c != c ? 0 : k.clamp_low) : c > 1 ? 1 : c;
  for (unsigned c = 0; c < 4; ++c) {
    const bool own = c == 3 && blend_.independent_alpha;
    k.source_factor[c] = static_cast<uint8_t>(own ? e.source_alpha_factor : e.source_factor);
    k.destination_factor[c] = static_cast<uint8_t>(own ? e.destination_alpha_factor : e.destination_factor);
    k.function[c] = static_cast<uint8_t>(own ? e.alpha_function : e.function);
  }
  k.added = is_added(k);
  k.by_alpha = one_for_all(static_cast<Factor>(k.source_factor[0])) && one_for_all(static_cast<Factor>(k.destination_factor[0]));
  return k;
}

}  // namespace softgen::render
