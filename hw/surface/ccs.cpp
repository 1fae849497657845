// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/surface/ccs.h"

#include <bit>
#include <cstring>

#include "hw/surface/mapped_ccs.h"

namespace softgen::surface {
namespace {

constexpr uint32_t halign = 128, valign = 64;  // pixels, of levels in the CCS
constexpr unsigned line_bytes = 64;

/// Offset within a tile of 128x128 pairs: bits 11 to 0 are u6 u5 u4 v6 v5 v4 v3 v2 v1 u3 u2 u1.
constexpr uint32_t tile_offset(uint32_t u, uint32_t v) { return (u >> 4 & 7) << 9 | (v >> 1 & 63) << 3 | (u >> 1 & 7); }

constexpr uint8_t four(CcsCode code) { return static_cast<uint8_t>(static_cast<unsigned>(code) * 0x55); }

}  // namespace

Ccs::Ccs(const Surface& s, unsigned lod) {
  if ((s.aux != AuxMode::ccs_d && s.aux != AuxMode::ccs_e) || s.samples != 1 || s.is_null() || s.is_buffer() || !has_columns(s.tiling))
    return;
  // Views with an offset have no auxiliary surface (isl_surface_state.c).
  if (s.x_offset || s.y_offset || s.format->kind != FormatKind::plain) return;
  if (s.aux_mapped) {
    place_mapped(s, lod);
    return;
  }
  const unsigned bits = s.format->block_bits;
  if (bits != 32 && bits != 64 && bits != 128) return;
  base_ = strip_canonical(s.aux_base);
  pitch_ = s.aux_pitch;
  width_ = pair_bytes / (bits / 8);
  // Levels of a mip tail begin within lines.
  in_tail_ = in_mip_tail(s, lod);
  compresses_ = s.aux == AuxMode::ccs_e && s.format->is(use_ccs_e) && !in_tail_;
  Surface laid_out = s;
  laid_out.halign = halign, laid_out.valign = valign, laid_out.mip_tail = no_mip_tail;
  const Origin origin = level_origin(laid_out, lod);
  first_column_ = origin.x / width_, first_row_ = origin.y / pair_rows;
  // QPitch is of pixel rows and aligned more than levels are (SKL PRM vol 2d, RENDER_SURFACE_STATE); so no two tiles of the screen share a byte.
  slice_rows_ = (s.aux_qpitch & ~(valign - 1)) / pair_rows;
}

void Ccs::place_mapped(const Surface& s, unsigned lod) {
  if (!mapped::has_codes(s)) return;
  const unsigned bytes = s.format->block_bytes();
  const Origin origin = level_origin(s, lod);
  if (origin.x * bytes % pair_bytes || origin.y % pair_rows || s.qpitch % pair_rows) return;
  mapped_ = true;
  tiling_ = s.tiling;
  base_ = s.base, pitch_ = s.pitch;
  width_ = pair_bytes / bytes;
  compresses_ = s.aux == AuxMode::ccs_e && s.format->is(use_ccs_e);
  first_column_ = origin.x / width_, first_row_ = origin.y / pair_rows;
  slice_rows_ = s.qpitch / pair_rows;
}

uint64_t Ccs::block_address(uint32_t u, uint32_t v) const {
  return base_ + (uint64_t{v >> 7} * (pitch_ >> 7) + (u >> 7)) * 4096 + tile_offset(u, v);
}

uint64_t Ccs::address(uint32_t column, uint32_t row, uint32_t slice) const {
  return block_address(column + first_column_, row + first_row_ + slice * slice_rows_);
}

uint32_t Ccs::clear_columns(uint64_t clear, uint32_t row) {
  // Each byte has 2x2 codes: those of row 0 in bits 0 and 2, of row 1 in bits 4 and 6.
  const uint64_t of_row = clear >> 4 * row;
  uint32_t columns = 0;
  for (unsigned byte = 0; byte < 8; ++byte) {
    const auto two = static_cast<uint32_t>(of_row >> 8 * byte);
    columns |= ((two & 1) | (two >> 1 & 2)) << 2 * byte;
  }
  return columns;
}

CcsCode Ccs::read(memory::View& view, uint32_t column, uint32_t row, uint32_t slice) const {
  if (mapped_) return read_mapped(view, column, row, slice);
  return static_cast<CcsCode>(view.load<uint8_t>(address(column, row, slice)) >> shift(column, row) & 3);
}

void Ccs::write(memory::View& view, uint32_t column, uint32_t row, uint32_t slice, CcsCode code) const {
  if (mapped_) return fill_mapped(view, {column * width_, row * pair_rows, (column + 1) * width_, (row + 1) * pair_rows}, slice, code);
  const uint64_t at = address(column, row, slice);
  const unsigned by = shift(column, row);
  view.store(at, static_cast<uint8_t>((view.load<uint8_t>(at) & ~(3u << by)) | static_cast<unsigned>(code) << by));
}

void Ccs::update(memory::View& view, uint32_t column, uint32_t row, uint32_t slice, uint32_t pairs, uint32_t compressed) const {
  if (mapped_) return update_mapped(view, column, row, slice, pairs, compressed);
  uint32_t mask = 0, codes = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    if (pairs >> i & 1) mask |= 3u << 2 * i;
    if (pairs & compressed & 1u << i) codes |= static_cast<uint32_t>(CcsCode::compressed) << 2 * i;
  }
  const uint64_t at = address(column, row, slice);
  view.store(at, static_cast<uint8_t>(mask == 0xff ? codes : (view.load<uint8_t>(at) & ~mask) | codes));
}

void Ccs::fill(memory::View& view, const CcsRect& rect, uint32_t slice, CcsCode code) const {
  if (mapped_) return fill_mapped(view, rect, slice, code);
  constexpr uint32_t run = 16;  // pairs in eight bytes
  const uint32_t end = (rect.x1 + width_ - 1) / width_;
  for (uint32_t row = rect.y0 / pair_rows; row * pair_rows < rect.y1;) {
    const bool both = row % 2 == 0 && (row + 1) * pair_rows < rect.y1;
    for (uint32_t column = rect.x0 / width_; column < end;) {
      const bool whole = both && (column + first_column_) % run == 0 && column + run <= end;
      if (whole) view.store(address(column, row, slice), four(code) * uint64_t{0x0101010101010101});
      else if (both && column % 2 == 0 && column + 2 <= end) view.store(address(column, row, slice), four(code));
      else {
        write(view, column, row, slice, code);
        if (both) write(view, column, row + 1, slice, code);
      }
      column += whole ? run : both && column % 2 == 0 && column + 2 <= end ? 2 : 1;
    }
    row += both ? 2 : 1;
  }
}

void Ccs::resolve(memory::View& view, const CcsRect& rect, uint32_t slice, bool partial) const {
  if (!partial) return fill(view, rect, slice, CcsCode::pass_through);
  each_clear(view, rect, slice, [&](const CcsRect& clear) { fill(view, clear, slice, CcsCode::compressed); });
}

namespace {

/// The same element to all of `rect` that is in the level.
void write_elements(memory::View& view, const Level& level, const CcsRect& rect, uint32_t slice, std::span<const std::byte> element) {
  for (uint32_t y = rect.y0; y < std::min(rect.y1, level.extent().height); ++y)
    for (uint32_t x = rect.x0; x < std::min(rect.x1, level.extent().width); ++x)
      view.write(level.address(x, y, slice), element.data(), element.size());
}

}  // namespace

namespace {

/// Whether the sampler takes the converted colour: formats of 32 bits a channel have only the raw one (Mesa isl_surface_state.c,
/// isl_get_sampler_clear_field_offset).
bool samples_converted(const Surface& surface) {
  return surface.clear_address && surface.format->block_bytes() <= sizeof surface.clear_texel && surface.format->channel[0].bits < 32;
}

}  // namespace

void store_clear_color(const Surface& surface, ClearUse use, std::byte* texel) {
  if (use == ClearUse::sampling && samples_converted(surface)) {
    std::memcpy(texel, &surface.clear_texel, surface.format->block_bytes());
    return;
  }
  Format format = *surface.format;
  if (use == ClearUse::sampling) format.srgb = false;
  encode(format, surface.clear_color, texel);
}

bool expand_clears(memory::View& view, const Ccs& ccs, const Surface& surface, ClearUse use, const Level& level, const CcsRect& rect,
                   uint32_t slice) {
  constexpr uint32_t y_tile_rows = 32;
  const unsigned bytes = surface.format->block_bytes();
  std::array<std::byte, 16> texel{};
  store_clear_color(surface, use, texel.data());
  std::array<std::byte, line_bytes> line;
  for (size_t at = 0; at < line.size(); at += bytes) std::memcpy(line.data() + at, texel.data(), bytes);
  // Lines are 16 bytes by 4 rows in all tilings that have a CCS; those of a Y tile's column follow each other.
  const uint32_t line_width = ccs.width() / 2, run_rows = surface.tiling == Tiling::y ? y_tile_rows : Ccs::pair_rows;
  bool any = false;
  ccs.each_clear(view, rect, slice, [&](const CcsRect& clear) {
    any = true;
    if (ccs.in_tail()) return write_elements(view, level, clear, slice, std::span(texel).first(bytes));
    for (uint32_t x = clear.x0; x < clear.x1; x += line_width)
      for (uint32_t y = clear.y0; y < clear.y1;) {
        uint64_t left;
        std::byte* to = view.at_for_write(level.address(x, y, slice), left);
        const uint32_t column_left = run_rows == y_tile_rows ? static_cast<uint32_t>(left % (y_tile_rows * 16)) / 16 : 0;
        const uint32_t rows = std::min(clear.y1 - y, column_left ? column_left : run_rows);
        for (uint32_t row = 0; row < rows; row += Ccs::pair_rows, to += line_bytes) std::memcpy(to, line.data(), line_bytes);
        y += rows;
      }
  });
  return any;
}

bool pair_compresses(const std::byte* line, const std::byte* other, unsigned element) {
  typedef uint64_t Two __attribute__((vector_size(16)));
  const auto two = [](const std::byte* at) {
    Two value;
    std::memcpy(&value, at, sizeof value);
    return value;
  };
  Two first = two(line);
  if (element == 8) first = Two{first[0], first[0]};
  if (element == 4) {
    const uint64_t word = (first[0] & 0xffffffff) * 0x100000001;
    first = Two{word, word};
  }
  Two varies{};
  for (unsigned at = 0; at < line_bytes; at += sizeof first) varies |= (two(line + at) ^ first) | (two(other + at) ^ first);
  return pair_compresses(std::array{uint64_t{varies[0]}, uint64_t{varies[1]}}, element);
}

}  // namespace softgen::surface
