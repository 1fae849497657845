// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/plane.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/defs/registers/registers.h"

namespace softgen::display {

namespace field = reg::field;

using surface::Tiling;

namespace {

constexpr uint32_t two_bit_cursor_stride = 16;

// A half float clamped to [0, 1]; NaN is 0.
uint16_t half_to_16(uint16_t half) {
  constexpr uint16_t one = 0x3c00, infinity = 0x7c00;
  if (half > infinity) return 0;
  if (half >= one) return 0xffff;
  const uint32_t exponent = half >> 10, mantissa = half & 0x3ff;
  // (1024 + mantissa) * 2^(exponent - 25), or mantissa * 2^-24 when denormal, times 65535, rounded.
  const uint64_t scaled = uint64_t{exponent ? 1024 + mantissa : mantissa} * 65535 << (exponent ? exponent - 1 : 0);
  return static_cast<uint16_t>((scaled + (1u << 23)) >> 24);
}

Pixel from_dword(uint32_t v) { return {widen8(bits(v, 23, 16)), widen8(bits(v, 15, 8)), widen8(bits(v, 7, 0)), widen8(v >> 24)}; }

Pixel from_1010102(uint32_t v) {
  return {widen10(bits(v, 29, 20)), widen10(bits(v, 19, 10)), widen10(bits(v, 9, 0)), static_cast<uint16_t>((v >> 30) * 0x5555)};
}

Pixel from_565(uint32_t v) {
  const uint32_t r = bits(v, 15, 11), g = bits(v, 10, 5), b = bits(v, 4, 0);
  return {static_cast<uint16_t>(r << 11 | r << 6 | r << 1 | r >> 4), static_cast<uint16_t>(g << 10 | g << 4 | g >> 2),
          static_cast<uint16_t>(b << 11 | b << 6 | b << 1 | b >> 4), 0xffff};
}

Pixel from_half(const uint8_t* raw) {
  uint16_t c[4];
  std::memcpy(c, raw, sizeof c);
  return {half_to_16(c[2]), half_to_16(c[1]), half_to_16(c[0]), half_to_16(c[3])};
}

}  // namespace

uint32_t format_bytes(PlaneFormat format) {
  switch (format) {
    case PlaneFormat::nv12:
    case PlaneFormat::indexed: return 1;
    case PlaneFormat::yuv422:
    case PlaneFormat::rgb_565:
    case PlaneFormat::p010:
    case PlaneFormat::p012:
    case PlaneFormat::p016: return 2;
    case PlaneFormat::rgb_2101010:
    case PlaneFormat::rgb_8888:
    case PlaneFormat::xyuv_8888:
    case PlaneFormat::y210:
    case PlaneFormat::y212:
    case PlaneFormat::y216:
    case PlaneFormat::y410: return 4;
    case PlaneFormat::rgb_16161616f:
    case PlaneFormat::y412:
    case PlaneFormat::y416: return 8;
    default: return 0;
  }
}

Blend blend_of(uint32_t alpha_mode) {
  switch (alpha_mode) {
    case 2: return Blend::premultiplied;
    case 3: return Blend::coverage;
    default: return Blend::opaque;
  }
}

bool decode_tiling(const PlaneRegs& regs, Tiling& out) {
  switch (field::PLANE_CTL_TILED_SURFACE.of(regs.ctl)) {
    case 0: out = Tiling::linear; return true;
    case 1: out = Tiling::x; return true;
    case 4: out = Tiling::y; return true;
    case 5: out = Tiling::yf; return true;
    default: return false;
  }
}

bool decode_rotation(const PlaneRegs& regs, PlaneView& out) {
  const uint32_t rotation = field::PLANE_CTL_PLANE_ROTATION.of(regs.ctl);
  out.main.rotated = rotation == 1 || rotation == 3;
  out.flip_x = out.flip_y = rotation >= 2;
  return !out.main.rotated || out.main.tiling == Tiling::y || out.main.tiling == Tiling::yf;
}

void decode_place(const PlaneRegs& regs, PlaneView& out) {
  const bool linear = out.main.tiling == Tiling::linear;
  out.main.base = field::PLANE_SURF_SURFACE_BASE_ADDRESS.in_place(regs.surf);
  out.main.stride = field::PLANE_STRIDE_STRIDE.of(regs.stride) * (linear ? 64 : 1);
  out.u = field::PLANE_OFFSET_START_X_POSITION.of(regs.offset);
  out.v = field::PLANE_OFFSET_START_Y_POSITION.of(regs.offset);
  out.width = field::PLANE_SIZE_WIDTH.of(regs.size) + 1;
  out.height = field::PLANE_SIZE_HEIGHT.of(regs.size) + 1;
  out.x = static_cast<int16_t>(field::PLANE_POS_X_POSITION.of(regs.pos));
  out.y = static_cast<int16_t>(field::PLANE_POS_Y_POSITION.of(regs.pos));
}

void decode_key(const PlaneRegs& regs, PlaneView& out) {
  if (field::PLANE_KEY_MSK_PLANE_ALPHA_ENABLE.of(regs.keymsk))
    out.constant_alpha = widen8(field::PLANE_KEY_MAX_PLANE_ALPHA_VALUE.of(regs.keymax));
  switch (field::PLANE_CTL_KEY_ENABLE.of(regs.ctl)) {
    case 1: out.key = Key::source; break;
    case 2: out.key = Key::destination; break;
    default: out.key = Key::none; break;
  }
  out.key_min = field::PLANE_KEY_VAL_KEY_MIN_VALUE.of(regs.keyval);
  out.key_max = field::PLANE_KEY_MAX_KEY_MAX_VALUE.of(regs.keymax);
  out.key_mask = field::PLANE_KEY_MSK_KEY_CHANNEL_ENABLES.in_place(regs.keymsk) | field::PLANE_KEY_MSK_KEY_MASK_VALUE.of(regs.keymsk);
}

bool decode_cursor(const CursorRegs& regs, const CursorPalette& palette, PlaneView& out) {
  uint32_t size = 0;
  bool alpha = true;
  std::optional<PlaneFormat> two_bit;
  constexpr uint32_t known_modes = 0x27;  // of Cursor Mode Select
  switch (field::CUR_CTL_CURSOR_MODE_SELECT.of(regs.ctl) & known_modes) {
    case 0x00: return false;
    case 0x02: size = 128, alpha = false; break;
    case 0x03: size = 256, alpha = false; break;
    // Two bits a pixel (xf86-video-intel, i830_cursor.c: CURSOR_MODE_64_3C, _4C_AX, _4C).
    case 0x04: size = 64, two_bit = PlaneFormat::cursor_three_colors; break;
    case 0x05: size = 64, two_bit = PlaneFormat::cursor_and_xor; break;
    case 0x06: size = 64, two_bit = PlaneFormat::cursor_four_colors; break;
    case 0x07: size = 64, alpha = false; break;
    case 0x22: size = 128; break;
    case 0x23: size = 256; break;
    case 0x27: size = 64; break;
    default: unimplemented("CUR_CTL 32-line and AND/XOR cursor modes", "CUR_CTL {:#x}", regs.ctl); return false;
  }
  out = PlaneView{};
  out.width = out.height = size;
  // It makes the cursor lower than wide.
  if (field::CUR_FBC_CTL_REDUCTION_ENABLE.of(regs.fbc_ctl))
    out.height = std::min(size, field::CUR_FBC_CTL_REDUCED_SCAN_LINES.of(regs.fbc_ctl) + 1);
  out.main.base = field::CUR_BASE_CURSOR_BASE_ADDRESS.in_place(regs.base);
  out.main.stride = size * 4;
  out.flip_x = out.flip_y = field::CUR_CTL_180_ROTATION.of(regs.ctl);
  out.blend = alpha ? Blend::premultiplied : Blend::opaque;
  if (two_bit) {
    out.format = *two_bit;
    out.blend = Blend::inverting;
    out.main.bytes = 1, out.main.stride = two_bit_cursor_stride;
    out.cursor_palette = palette;
  }
  out.pipe_gamma = field::CUR_CTL_PIPE_GAMMA_ENABLE.of(regs.ctl);
  out.pipe_csc = field::CUR_CTL_PIPE_CSC_ENABLE.of(regs.ctl);
  const auto coordinate = [&](reg::Bits magnitude, reg::Bits sign) {
    const auto value = static_cast<int32_t>(magnitude.of(regs.pos));
    return sign.of(regs.pos) ? -value : value;
  };
  out.x = coordinate(field::CUR_POS_X_POSITION_MAGNITUDE, field::CUR_POS_X_POSITION_SIGN);
  out.y = coordinate(field::CUR_POS_Y_POSITION_MAGNITUDE, field::CUR_POS_Y_POSITION_SIGN);
  return true;
}

PlaneReader::PlaneReader(const PlaneView& plane, memory::View& view, const LegacyPalette& palette)
    : plane_(plane), view_(view), palette_(palette) {}

const uint8_t* PlaneReader::fetch(const Surface& surface, std::vector<uint8_t>& buffer, uint32_t u, uint32_t v, uint32_t count) {
  buffer.resize(size_t{count} * surface.bytes);
  surface.read_row(view_, u, v, count, buffer.data());
  return buffer.data();
}

void PlaneReader::row(uint32_t x, uint32_t y, uint32_t count, Pixel* out) {
  const uint32_t first = plane_.flip_x ? plane_.width - x - count : x;
  const uint32_t line = plane_.flip_y ? plane_.height - 1 - y : y;
  switch (plane_.format) {
    case PlaneFormat::cursor_and_xor:
    case PlaneFormat::cursor_three_colors:
    case PlaneFormat::cursor_four_colors: cursor_row(first, line, count, out); break;
    default:
      if (plane_.yuv()) {
        yuv_row(first, line, count, out);
      } else {
        convert(fetch(plane_.main, raw_, plane_.u + first, plane_.v + line, count), count, out);
      }
  }
  if (plane_.flip_x) std::reverse(out, out + count);
}

// A row is 64 bits of the first plane (AND) and 64 of the second (XOR), the leftmost pixel in the highest bit of the first byte (i810fb's
// i810_load_cursor_image; i830_cursor.c, whose masks are so interleaved). Codes 0 and 1 are colours. With AND and XOR, 2 shows what is below and 3
// inverts it; of three colours, 2 shows what is below.
void PlaneReader::cursor_row(uint32_t u, uint32_t v, uint32_t count, Pixel* out) {
  const uint8_t* row = fetch(plane_.main, raw_, 0, v, two_bit_cursor_stride);
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t x = u + i, shift = 7 - x % 8;
    const unsigned code = (row[x / 8] >> shift & 1) * 2 + (row[8 + x / 8] >> shift & 1);
    const bool clear = code == 2 && plane_.format != PlaneFormat::cursor_four_colors;
    const bool inverts = code == 3 && plane_.format == PlaneFormat::cursor_and_xor;
    out[i] = clear ? Pixel{0, 0, 0, 0} : inverts ? Pixel{0, 0, 0, invert_alpha} : from_dword(plane_.cursor_palette[code] | 0xff000000u);
  }
}

namespace {

// One loop a format, so that each can be vectorised.
template <unsigned bytes, typename F>
void convert_all(const uint8_t* raw, uint32_t count, Pixel* out, F from) {
  for (uint32_t i = 0; i < count; i++) out[i] = from(raw + size_t{i} * bytes);
}

uint32_t dword(const uint8_t* raw) {
  uint32_t v;
  std::memcpy(&v, raw, sizeof v);
  return v;
}

}  // namespace

void PlaneReader::convert(const uint8_t* raw, uint32_t count, Pixel* out) const {
  switch (plane_.format) {
    case PlaneFormat::rgb_8888: convert_all<4>(raw, count, out, [](const uint8_t* p) { return from_dword(dword(p)); }); break;
    case PlaneFormat::rgb_2101010: convert_all<4>(raw, count, out, [](const uint8_t* p) { return from_1010102(dword(p)); }); break;
    case PlaneFormat::rgb_16161616f: convert_all<8>(raw, count, out, from_half); break;
    case PlaneFormat::rgb_565:
      convert_all<2>(raw, count, out, [](const uint8_t* p) { return from_565(p[0] | uint32_t{p[1]} << 8); });
      break;
    case PlaneFormat::indexed:
      convert_all<1>(raw, count, out, [this](const uint8_t* p) { return from_dword(palette_[*p] | 0xff000000u); });
      break;
    default: break;
  }
  if (!plane_.swap_red_blue) return;
  for (uint32_t i = 0; i < count; i++) std::swap(out[i].r, out[i].b);
}

void PlaneReader::row_xrgb(uint32_t x, uint32_t y, uint32_t count, uint32_t* out) {
  const uint32_t first = plane_.flip_x ? plane_.width - x - count : x;
  const uint32_t line = plane_.flip_y ? plane_.height - 1 - y : y;
  if (plane_.format == PlaneFormat::rgb_8888) {
    plane_.main.read_row(view_, plane_.u + first, plane_.v + line, count, reinterpret_cast<uint8_t*>(out));
    if (plane_.swap_red_blue) {
      for (uint32_t i = 0; i < count; i++) out[i] = (out[i] & 0xff00ff00u) | (out[i] & 0xff) << 16 | (out[i] >> 16 & 0xff);
    }
    for (uint32_t i = 0; i < count; i++) out[i] |= 0xff000000u;
    if (plane_.flip_x) std::reverse(out, out + count);
    return;
  }
  std::vector<Pixel> pixels(count);
  row(x, y, count, pixels.data());
  for (uint32_t i = 0; i < count; i++) out[i] = to_xrgb(pixels[i]);
}

}  // namespace softgen::display
