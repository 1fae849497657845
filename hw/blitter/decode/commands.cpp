// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/blitter/decode.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/blitter/decode/block.h"
#include "hw/blitter/rop.h"
#include "hw/defs/command.h"
#include "hw/defs/gen5/all.h"
#include "hw/defs/gen9/all.h"

namespace softgen::blitter {
namespace {

using defs::CommandId;
using surface::Tiling;

template <typename ColorDepth>
unsigned pixel_bytes(ColorDepth depth) {
  switch (static_cast<unsigned>(depth)) {
    case 0: return 1;
    case 3: return 4;
    default: return 2;
  }
}

// Pitches of tiled operands count dwords; tiled bases are whole pages.
Plane make_plane(uint64_t base, int32_t pitch, bool tiled, bool y_walk, unsigned element) {
  Plane plane{.base = base, .pitch = pitch, .element = static_cast<uint8_t>(element)};
  if (!tiled) return plane;
  if (pitch < 0) guest_error("blit to or from a tiled surface with a negative pitch");
  plane.tiling = y_walk ? Tiling::y : Tiling::x;
  plane.base = align_down(base, uint64_t{4096});
  plane.pitch = std::abs(pitch) * 4;
  return plane;
}

template <typename C>
Plane destination_of(const C& c, TiledAsY as_y, unsigned element) {
  bool tiled = false;
  if constexpr (requires { c.destination_tiled; }) tiled = c.destination_tiled;
  return make_plane(c.destination_base_address, c.destination_pitch, tiled, as_y.destination, element);
}

template <typename C>
void read_write_mask(const C& c, Blit& blit) {
  if (blit.pixel_bytes == 4) blit.write_mask = (c.alpha_channel_write ? 0xff000000u : 0) | (c.rgb_channel_write ? 0x00ffffffu : 0);
}

template <typename C>
void read_rect_fields(const C& c, Blit& blit) {
  blit.rect = {c.destination_x1, c.destination_y1, c.destination_x2, c.destination_y2};
}

template <typename C>
void read_color_source(const C& c, TiledAsY as_y, Blit& blit) {
  bool tiled = false;
  if constexpr (requires { c.source_tiled; }) tiled = c.source_tiled;
  blit.source_kind = SourceKind::color;
  blit.source = make_plane(c.source_base_address, c.source_pitch, tiled, as_y.source, blit.pixel_bytes);
  if constexpr (requires { c.source_x1; }) blit.source_x = c.source_x1, blit.source_y = c.source_y1;
}

// Rows of a monochrome source start at 16-bit words (KBL PRM vol 11, "Monochrome Source").
template <typename C>
void read_mono_source(const C& c, Blit& blit) {
  blit.source_kind = SourceKind::mono;
  MonoSource& mono = blit.mono;
  mono.start = c.monochrome_source_start;
  const uint64_t width = static_cast<uint64_t>(std::max(blit.rect.x2 - blit.rect.x1, 0));
  mono.row_bits = align_up(mono.start + width, uint64_t{16});
  mono.background = c.source_background_color, mono.foreground = c.source_foreground_color;
  mono.transparent = c.monochrome_source_transparency_mode;
  if constexpr (requires { c.source_base_address; }) mono.address = c.source_base_address;
}

// An 8x8 bitmap, a byte a row, most significant bit leftmost.
void set_mono_pattern(Blit& blit, uint64_t bitmap, uint32_t background, uint32_t foreground, bool transparent) {
  blit.pattern_kind = PatternKind::tile;
  blit.pattern_mask = transparent ? 0 : ~uint64_t{0};
  for (unsigned i = 0; i < 64; ++i) {
    const bool set = bitmap >> (i / 8 * 8 + 7 - i % 8) & 1;
    blit.pattern[i] = set ? foreground : background;
    if (set) blit.pattern_mask |= uint64_t{1} << i;
  }
}

void set_color_pattern(Blit& blit, const std::byte* data) {
  blit.pattern_kind = PatternKind::tile;
  for (unsigned i = 0; i < 64; ++i) {
    blit.pattern[i] = 0;
    std::memcpy(&blit.pattern[i], data + i * blit.pixel_bytes, blit.pixel_bytes);
  }
}

void set_solid(Blit& blit, uint32_t color) {
  blit.pattern_kind = PatternKind::solid;
  blit.solid[0] = color;
}

// HS_HORIZONTAL … HS_DIAGCROSS and the screens. The PRM names them; the bitmaps are GDI's hatch brushes of
// the same names.
constexpr uint64_t fixed_patterns[] = {
    0x000000ff00000000, 0x0808080808080808, 0x8040201008040201, 0x0102040810204080, 0x080808ff08080808, 0x8142241818244281, 0, 0,
    0xaa55aa55aa55aa55, 0xcccc3333cccc3333, 0x8844221188442211, 0x77bbddee77bbddee};

template <typename C>
uint64_t fixed_pattern(const C& c) {
  if (c.fixed_pattern < std::size(fixed_patterns) && fixed_patterns[c.fixed_pattern])
    return __builtin_bswap64(fixed_patterns[c.fixed_pattern]);
  guest_error("XY_MONO_PAT_FIXED_BLT with a reserved pattern");
  return 0;
}

template <typename C>
void read_mono_pattern(const C& c, memory::View& view, Blit& blit) {
  if constexpr (requires { c.solid_pattern_select; })
    if (c.solid_pattern_select) return set_solid(blit, c.pattern_foreground_color);
  uint64_t bitmap = 0;
  if constexpr (requires { c.fixed_pattern; }) bitmap = fixed_pattern(c);
  else bitmap = view.load<uint64_t>(c.pattern_base_address);
  set_mono_pattern(blit, bitmap, c.pattern_background_color, c.pattern_foreground_color, c.monochrome_pattern_transparency_mode);
}

template <typename C>
void read_color_pattern(const C& c, memory::View& view, Blit& blit) {
  std::byte data[256];
  view.read(c.pattern_base_address, data, 64u * blit.pixel_bytes);
  set_color_pattern(blit, data);
}

void read_immediate_pattern(std::span<const uint32_t> dwords, Blit& blit) {
  std::byte data[256] = {};
  if (!dwords.empty()) std::memcpy(data, dwords.data(), std::min<size_t>(dwords.size_bytes(), 64u * blit.pixel_bytes));
  set_color_pattern(blit, data);
}

// Transparency Range Mode: even values are off.
template <typename C>
void read_chroma(const C& c, Blit& blit) {
  blit.chroma_low = c.transparency_color_low, blit.chroma_high = c.transparency_color_high;
  if (c.transparency_range_mode == 1 && blit.source_kind == SourceKind::color) blit.chroma = ChromaKey::keep_if_source_in_range;
  else if (c.transparency_range_mode == 5) blit.chroma = ChromaKey::draw_if_destination_in_range;
  else if (c.transparency_range_mode & 1) unimplemented("chroma-keyed blit with a range mode other than source or destination");
}

// -- the commands
// ------------------------------------------------------------------------------------------------------------------

struct Context {
  const Packet& packet;
  TiledAsY as_y;
  memory::View& view;
  ContextState& state;
};

std::span<const uint32_t> tail(const Packet& packet, size_t first) {
  return packet.dwords.size() > first ? packet.dwords.subspan(first) : std::span<const uint32_t>{};
}

// Every XY_ command that says all by itself.
template <typename C>
std::optional<Blit> rectangle(const C& c, Context& x) {
  Blit b;
  b.pixel_bytes = static_cast<uint8_t>(pixel_bytes(c.color_depth));
  b.rop = static_cast<uint8_t>(c.raster_operation);
  b.destination = destination_of(c, x.as_y, b.pixel_bytes);
  read_rect_fields(c, b);
  read_write_mask(c, b);
  b.clipped = c.clipping_enabled;
  b.clip = {x.state.clip[0], x.state.clip[1], x.state.clip[2], x.state.clip[3]};
  if constexpr (requires { c.source_pitch; }) read_color_source(c, x.as_y, b);
  if constexpr (requires { c.monochrome_source_start; }) read_mono_source(c, b);
  if constexpr (requires { c.pattern_horizontal_seed; }) b.seed_x = c.pattern_horizontal_seed, b.seed_y = c.pattern_vertical_seed;
  if constexpr (requires { c.solid_pattern_color; }) set_solid(b, c.solid_pattern_color);
  else if constexpr (requires { c.pattern_foreground_color; }) read_mono_pattern(c, x.view, b);
  else if constexpr (requires { c.pattern_base_address; }) read_color_pattern(c, x.view, b);
  if constexpr (requires { C::immediate_data_first_dword; }) {
    const auto data = tail(x.packet, C::immediate_data_first_dword);
    if constexpr (requires { c.pattern_horizontal_seed; }) {
      read_immediate_pattern(data, b);
    } else {
      b.mono.immediate = data;
      if (data.empty()) b.source_kind = SourceKind::none;
    }
  }
  if constexpr (requires { c.transparency_range_mode; }) read_chroma(c, b);
  return b;
}

// COLOR_BLT, SRC_COPY_BLT: linear, width in bytes.
template <typename C>
std::optional<Blit> linear(const C& c, Context& x) {
  Blit b;
  b.pixel_bytes = static_cast<uint8_t>(pixel_bytes(c.color_depth));
  b.rop = static_cast<uint8_t>(c.raster_operation);
  b.destination = destination_of(c, {}, b.pixel_bytes);
  b.rect = {0, 0, static_cast<int32_t>(c.destination_width / b.pixel_bytes), static_cast<int32_t>(c.destination_height)};
  read_write_mask(c, b);
  if constexpr (requires { c.source_pitch; }) read_color_source(c, x.as_y, b);
  if constexpr (requires { c.solid_pattern_color; }) set_solid(b, c.solid_pattern_color);
  return b;
}

template <typename Method>
Tiling fast_tiling(Method method, bool yf) {
  switch (static_cast<unsigned>(method)) {
    case 1: return Tiling::x;
    case 2: return yf ? Tiling::yf : Tiling::y;
    case 3: return Tiling::ys;
    default: return Tiling::linear;
  }
}

Plane fast_plane(uint64_t base, int32_t pitch, Tiling tiling, unsigned element) {
  // The pitch is unsigned here ("cannot be a negative number"); tiled ones count dwords.
  const int32_t unsigned_pitch = static_cast<uint16_t>(pitch);
  Plane plane{.base = base, .pitch = unsigned_pitch, .tiling = tiling, .element = static_cast<uint8_t>(element)};
  if (plane.tiled()) plane.base = align_down(base, uint64_t{4096}), plane.pitch = unsigned_pitch * 4;
  return plane;
}

template <typename C>
std::optional<Blit> fast_copy(const C& c) {
  static constexpr uint8_t bytes[8] = {1, 2, 0, 4, 8, 16, 0, 0};
  Blit b;
  b.pixel_bytes = bytes[static_cast<unsigned>(c.color_depth) & 7];
  if (b.pixel_bytes == 0) {
    guest_error("XY_FAST_COPY_BLT with a reserved colour depth");
    return std::nullopt;
  }
  read_rect_fields(c, b);
  b.destination = fast_plane(c.destination_base_address, c.destination_pitch,
                             fast_tiling(c.destination_tiling_method, static_cast<unsigned>(c.tile_y_type_for_destination)), b.pixel_bytes);
  b.source_kind = SourceKind::color;
  b.source = fast_plane(c.source_base_address, c.source_pitch,
                        fast_tiling(c.source_tiling_method, static_cast<unsigned>(c.tile_y_type_for_source)), b.pixel_bytes);
  b.source_x = c.source_x1, b.source_y = c.source_y1;
  return b;
}

// -- the setup commands and those that lean on them
// ---------------------------------------------------------------------------------

template <typename C>
std::optional<Blit> setup(const C& c, Context& x) {
  constexpr bool mono = requires { c.solid_pattern_select; };
  x.state.kind = mono ? ContextState::mono_pattern : ContextState::color_pattern;
  for (size_t i = 0; i < x.state.setup.size(); ++i) x.state.setup[i] = i < x.packet.dwords.size() ? x.packet.dwords[i] : 0;
  x.state.clip = {static_cast<int16_t>(c.clip_rectangle_x1), static_cast<int16_t>(c.clip_rectangle_y1),
                  static_cast<int16_t>(c.clip_rectangle_x2), static_cast<int16_t>(c.clip_rectangle_y2)};
  return std::nullopt;
}

template <typename C>
std::optional<Blit> setup_clip(const C& c, Context& x) {
  x.state.clip = {static_cast<int16_t>(c.clip_rectangle_x1), static_cast<int16_t>(c.clip_rectangle_y1),
                  static_cast<int16_t>(c.clip_rectangle_x2), static_cast<int16_t>(c.clip_rectangle_y2)};
  return std::nullopt;
}

template <typename S>
Blit from_setup(const S& s, bool tiled, Context& x) {
  Blit b;
  b.pixel_bytes = static_cast<uint8_t>(pixel_bytes(s.color_depth));
  b.rop = static_cast<uint8_t>(s.raster_operation);
  b.destination = make_plane(s.destination_base_address, s.destination_pitch, tiled, x.as_y.destination, b.pixel_bytes);
  read_write_mask(s, b);
  b.clipped = s.clipping_enabled;
  b.clip = {x.state.clip[0], x.state.clip[1], x.state.clip[2], x.state.clip[3]};
  b.mono.background = s.background_color, b.mono.foreground = s.foreground_color;
  if constexpr (requires { s.solid_pattern_select; }) {
    if (s.solid_pattern_select) set_solid(b, s.foreground_color);
    else set_mono_pattern(b, s.pattern_data, s.background_color, s.foreground_color, s.monochrome_pattern_transparency_mode);
  } else {
    b.mono.transparent = s.monochrome_source_transparency_mode;
    if (rop_uses_pattern(b.rop)) read_color_pattern(s, x.view, b);
  }
  return b;
}

template <typename G>
std::optional<Blit> from_kept_setup(bool tiled, Context& x) {
  if (x.state.kind == ContextState::color_pattern) return from_setup(G::XY_SETUP_BLT::unpack(x.state.setup), tiled, x);
  if (x.state.kind == ContextState::mono_pattern) return from_setup(G::XY_SETUP_MONO_PATTERN_SL_BLT::unpack(x.state.setup), tiled, x);
  guest_error("2D command that needs a setup before any XY_SETUP_BLT");
  return std::nullopt;
}

// A pixel has the foreground colour whatever the setup's pattern is.
template <typename G>
std::optional<Blit> pixel(const typename G::XY_PIXEL_BLT& c, Context& x) {
  auto b = from_kept_setup<G>(c.destination_tiled, x);
  if (!b) return b;
  b->rect = {c.destination_x1, c.destination_y1, c.destination_x1 + 1, c.destination_y1 + 1};
  b->pattern_mask = ~uint64_t{0};
  set_solid(*b, b->mono.foreground);
  return b;
}

template <typename G>
std::optional<Blit> scanlines(const typename G::XY_SCANLINES_BLT& c, Context& x) {
  auto b = from_kept_setup<G>(c.destination_tiled, x);
  if (!b) return b;
  read_rect_fields(c, *b);
  b->seed_x = c.pattern_horizontal_seed, b->seed_y = c.pattern_vertical_seed;
  return b;
}

// Rows of a text bitmap follow each other by the bit, or start at bytes when "packed" says byte packed.
template <typename G, typename C>
std::optional<Blit> text(const C& c, Context& x) {
  auto b = from_kept_setup<G>(c.destination_tiled, x);
  if (!b) return b;
  read_rect_fields(c, *b);
  b->source_kind = SourceKind::mono;
  const uint64_t width = static_cast<uint64_t>(std::max(b->rect.x2 - b->rect.x1, 0));
  b->mono.row_bits = c.packed ? align_up(width, uint64_t{8}) : width;
  if constexpr (requires { c.source_base_address; }) {
    b->mono.address = c.source_base_address;
  } else {
    b->mono.immediate = tail(x.packet, C::immediate_data_first_dword);
    if (b->mono.immediate.empty()) return std::nullopt;
  }
  return b;
}

}  // namespace

template <typename G>
std::optional<Blit> decode(const Packet& packet, TiledAsY as_y, memory::View& view, ContextState& state, bool& known) {
  Context x{packet, as_y, view, state};
  known = true;
#define READ(name, read) \
  case CommandId::name: return read(G::name::unpack(packet.dwords), x)
  switch (packet.command->id) {
    READ(XY_COLOR_BLT, rectangle);
    READ(XY_PAT_BLT, rectangle);
    READ(XY_MONO_PAT_BLT, rectangle);
    READ(XY_SRC_COPY_BLT, rectangle);
    READ(XY_MONO_SRC_COPY_BLT, rectangle);
    READ(XY_FULL_BLT, rectangle);
    READ(XY_FULL_MONO_SRC_BLT, rectangle);
    READ(XY_FULL_MONO_PATTERN_BLT, rectangle);
    READ(XY_FULL_MONO_PATTERN_MONO_SRC_BLT, rectangle);
    READ(XY_MONO_PAT_FIXED_BLT, rectangle);
    READ(XY_MONO_SRC_COPY_IMMEDIATE_BLT, rectangle);
    READ(XY_PAT_BLT_IMMEDIATE, rectangle);
    READ(XY_SRC_COPY_CHROMA_BLT, rectangle);
    READ(XY_FULL_IMMEDIATE_PATTERN_BLT, rectangle);
    READ(XY_FULL_MONO_SRC_IMMEDIATE_PATTERN_BLT, rectangle);
    READ(XY_PAT_CHROMA_BLT, rectangle);
    READ(XY_PAT_CHROMA_BLT_IMMEDIATE, rectangle);
    READ(COLOR_BLT, linear);
    READ(SRC_COPY_BLT, linear);
    READ(XY_SETUP_BLT, setup);
    READ(XY_SETUP_MONO_PATTERN_SL_BLT, setup);
    READ(XY_SETUP_CLIP_BLT, setup_clip);
    READ(XY_PIXEL_BLT, pixel<G>);
    READ(XY_SCANLINES_BLT, scanlines<G>);
    READ(XY_TEXT_BLT, text<G>);
    READ(XY_TEXT_IMMEDIATE_BLT, text<G>);
    case CommandId::XY_FAST_COPY_BLT:
      if constexpr (requires { typename G::XY_FAST_COPY_BLT; }) return fast_copy(G::XY_FAST_COPY_BLT::unpack(packet.dwords));
      break;
    case CommandId::XY_BLOCK_COPY_BLT: return block_copy(packet.dwords);
    case CommandId::XY_FAST_COLOR_BLT: return fast_color(packet.dwords);
    default: break;
  }
#undef READ
  known = false;
  return std::nullopt;
}

template std::optional<Blit> decode<defs::Gen5>(const Packet&, TiledAsY, memory::View&, ContextState&, bool&);
template std::optional<Blit> decode<defs::Gen9>(const Packet&, TiledAsY, memory::View&, ContextState&, bool&);

}  // namespace softgen::blitter
