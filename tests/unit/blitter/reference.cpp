// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/blitter/reference.h"

#include <cstring>

namespace softgen::test {
namespace {

int64_t low(uint32_t dw) { return static_cast<int16_t>(dw); }
int64_t high(uint32_t dw) { return static_cast<int16_t>(dw >> 16); }
uint64_t wide(const std::vector<uint32_t>& dw, size_t at) { return dw[at] | uint64_t{dw[at + 1]} << 32; }
unsigned field(uint32_t dw, unsigned top, unsigned bottom) { return dw >> bottom & ((1u << (top - bottom + 1)) - 1); }

// From the manual's truth table: bit by bit.
uint32_t rop3(unsigned code, uint32_t p, uint32_t s, uint32_t d) {
  uint32_t result = 0;
  for (unsigned i = 0; i < 32; ++i) {
    const unsigned row = (p >> i & 1) * 4 + (s >> i & 1) * 2 + (d >> i & 1);
    result |= (code >> row & 1) << i;
  }
  return result;
}

constexpr const char* x_walk = "YYYXXXXXXXXX";
constexpr const char* y_walk = "XXXYYYYYXXXX";

}  // namespace

struct Bitmap {
  std::vector<uint8_t> bitmap;  // immediate
  bool immediate = false;
  uint64_t bitmap_at = 0;
  uint64_t bit_start = 0, bits_per_row = 0;
  uint32_t bg = 0, fg = 0;
  bool transparent = false;
};

struct Pattern {
  uint32_t pattern[8][8] = {};
  bool pattern_draws[8][8] = {};
  unsigned seed_x = 0, seed_y = 0;
};

struct ReferenceBlitter::Draw : Bitmap, Pattern {
  unsigned bytes = 4, rop = 0xcc;
  uint32_t mask = ~0u;
  Surface to, from;
  int64_t x1 = 0, y1 = 0, x2 = 0, y2 = 0, sx = 0, sy = 0;
  const int64_t* clip = nullptr;
  enum { no_source, color, mono } source = no_source;
  unsigned chroma = 0;
  uint32_t chroma_low = 0, chroma_high = 0;

  void mono_source(const std::vector<uint32_t>& dw) {
    source = mono;
    transparent = dw[1] >> 29 & 1;
    bit_start = field(dw[0], 19, 17);
    bits_per_row = (bit_start + static_cast<uint64_t>(x2 - x1) + 15) / 16 * 16;
  }
  void immediate_bits(const std::vector<uint32_t>& dw, size_t at) {
    immediate = true;
    bitmap.resize((dw.size() - at) * 4);
    std::memcpy(bitmap.data(), &dw[at], bitmap.size());
  }
  void solid(uint32_t value) {
    for (auto& row : pattern)
      for (auto& p : row) p = value;
    for (auto& row : pattern_draws)
      for (auto& p : row) p = true;
  }
  void bits(const uint8_t* rows, uint32_t back, uint32_t front, bool clear) {
    for (int y = 0; y < 8; ++y)
      for (int x = 0; x < 8; ++x) {
        const bool set = rows[y] & 0x80 >> x;
        pattern[y][x] = set ? front : back;
        pattern_draws[y][x] = set || !clear;
      }
  }
  void colors(const uint8_t* data) {
    solid(0);
    for (int y = 0; y < 8; ++y)
      for (int x = 0; x < 8; ++x) std::memcpy(&pattern[y][x], data + (y * 8 + x) * bytes, bytes);
  }
};

uint64_t ReferenceBlitter::address(const Surface& s, int64_t x, int64_t y) const {
  if (!*s.tiling) return (s.base + static_cast<uint64_t>(y * s.pitch + x)) & 0xffffffffffff;
  const size_t bits = std::strlen(s.tiling);
  uint64_t within = 0, width = 1, height = 1, xs = static_cast<uint64_t>(x), ys = static_cast<uint64_t>(y);
  for (size_t i = 0; i < bits; ++i) {
    uint64_t& v = s.tiling[bits - 1 - i] == 'X' ? xs : ys;
    (s.tiling[bits - 1 - i] == 'X' ? width : height) *= 2;
    within |= (v & 1) << i;
    v >>= 1;
  }
  const uint64_t tiles = static_cast<uint64_t>(s.pitch) < s.tile_pitch ? 1 : static_cast<uint64_t>(s.pitch) / s.tile_pitch;
  const uint64_t at = (s.base & ~uint64_t{4095}) + (ys * tiles + xs) * width * height + within;
  return swizzles_ ? at ^ ((at >> 9 ^ at >> 10) & 1) << 6 : at;
}

uint32_t ReferenceBlitter::read_pixel(const Surface& s, int64_t x, int64_t y, unsigned bytes) const {
  uint32_t value = 0;
  for (unsigned i = 0; i < bytes; ++i) value |= uint32_t{read(address(s, x * bytes + i, y))} << i * 8;
  return value;
}

void ReferenceBlitter::draw(const Draw& d) {
  const std::vector<uint8_t> before = memory_;
  auto after = memory_;
  for (int64_t y = d.y1; y < d.y2; ++y)
    for (int64_t x = d.x1; x < d.x2; ++x) {
      if (d.clip && (x < d.clip[0] || y < d.clip[1] || x >= d.clip[2] || y >= d.clip[3])) continue;
      if (*d.to.tiling && (x < 0 || y < 0)) continue;
      const int64_t sx = x - d.x1 + d.sx, sy = y - d.y1 + d.sy;
      if (d.source == Draw::color && *d.from.tiling && (sx < 0 || sy < 0)) continue;
      uint32_t s = 0;
      bool write = true;
      if (d.source == Draw::color) s = read_pixel(d.from, sx, sy, d.bytes);
      if (d.source == Draw::mono) {
        const uint64_t bit = static_cast<uint64_t>(y - d.y1) * d.bits_per_row + d.bit_start + static_cast<uint64_t>(x - d.x1);
        const uint8_t byte = !d.immediate ? read(d.bitmap_at + bit / 8) : bit / 8 < d.bitmap.size() ? d.bitmap[bit / 8] : 0;
        const bool set = byte & 0x80 >> bit % 8;
        s = set ? d.fg : d.bg;
        if (!set && d.transparent) write = false;
      }
      const unsigned px = static_cast<unsigned>(x + d.seed_x) & 7, py = static_cast<unsigned>(y + d.seed_y) & 7;
      const uint32_t old = read_pixel(d.to, x, y, d.bytes);
      if (!d.pattern_draws[py][px]) write = false;
      if (d.chroma & 1) {
        const uint32_t key = d.chroma == 5 ? old : s;
        bool inside = true;
        const std::vector<std::pair<int, int>> parts = d.bytes == 1   ? std::vector<std::pair<int, int>>{{7, 0}}
                                                       : d.bytes == 2 ? std::vector<std::pair<int, int>>{{15, 11}, {10, 5}, {4, 0}}
                                                                      : std::vector<std::pair<int, int>>{{23, 16}, {15, 8}, {7, 0}};
        for (const auto& [top, bottom] : parts) {
          const unsigned v = field(key, static_cast<unsigned>(top), static_cast<unsigned>(bottom));
          inside &= v >= field(d.chroma_low, static_cast<unsigned>(top), static_cast<unsigned>(bottom)) &&
                    v <= field(d.chroma_high, static_cast<unsigned>(top), static_cast<unsigned>(bottom));
        }
        if (d.chroma == 5 ? !inside : inside) write = false;
      }
      if (!write) continue;
      uint32_t result = rop3(d.rop, d.pattern[py][px], s, old);
      if (d.bytes == 4) result = (result & d.mask) | (old & ~d.mask);
      for (unsigned i = 0; i < d.bytes; ++i) {
        const uint64_t at = address(d.to, x * d.bytes + i, y);
        if (at < after.size()) after[at] = static_cast<uint8_t>(result >> i * 8);
      }
    }
  memory_ = after;
}

void ReferenceBlitter::fast_copy(const std::vector<uint32_t>& dw) {
  static constexpr unsigned sizes[] = {1, 2, 0, 4, 8, 16};
  const unsigned bytes = sizes[field(dw[1], 26, 24)];
  const char* yf = bytes == 1 ? "XYXYYYYYXXXX" : bytes <= 4 ? "XYXYXYYYXXXX" : "XYXYXXYYXXXX";
  const char* ys = bytes == 1 ? "XYXYXYXYYYYYXXXX" : bytes <= 4 ? "XYXYXYXYXYYYXXXX" : "XYXYXYXYXXYYXXXX";
  const uint64_t yf_pitch = bytes == 1 ? 64 : bytes <= 4 ? 128 : 256;
  const auto surface = [&](uint64_t base, uint32_t pitch, unsigned tiling, bool f) {
    Surface s{base, static_cast<int64_t>(pitch & 0xffff), "", 1};
    if (tiling) s.pitch *= 4;
    if (tiling == 1) s.tiling = x_walk, s.tile_pitch = 512;
    if (tiling == 2) s.tiling = f ? yf : y_walk, s.tile_pitch = f ? yf_pitch : 128;
    if (tiling == 3) s.tiling = ys, s.tile_pitch = yf_pitch * 4;
    return s;
  };
  const Surface to = surface(wide(dw, 4), dw[1], field(dw[0], 14, 13), dw[1] >> 30 & 1);
  const Surface from = surface(wide(dw, 8), dw[7], field(dw[0], 21, 20), dw[1] >> 31);
  auto after = memory_;
  for (int64_t y = high(dw[2]); y < high(dw[3]); ++y)
    for (int64_t x = low(dw[2]); x < low(dw[3]); ++x) {
      const int64_t sx = x - low(dw[2]) + low(dw[6]), sy = y - high(dw[2]) + high(dw[6]);
      if (*to.tiling && (x < 0 || y < 0)) continue;
      if (*from.tiling && (sx < 0 || sy < 0)) continue;
      for (unsigned i = 0; i < bytes; ++i) {
        const uint64_t at = address(to, x * bytes + i, y);
        if (at < after.size()) after[at] = read(address(from, sx * bytes + i, sy));
      }
    }
  memory_ = after;
}

// XY_BLOCK_COPY_BLT and XY_FAST_COLOR_BLT, whose colours are at dword 7.
void ReferenceBlitter::block(const std::vector<uint32_t>& dw) {
  static constexpr unsigned sizes[] = {1, 2, 4, 8, 12, 16};
  const unsigned bytes = sizes[field(dw[0], 21, 19)];
  const bool copy = field(dw[0], 28, 22) == 0x41;
  const auto surface = [](uint64_t base, uint32_t dw) {
    Surface s{base, int64_t{field(dw, 17, 0)} + 1, "", 1};
    if (dw >> 30 == 1) s.pitch *= 4, s.tiling = y_walk, s.tile_pitch = 128;
    return s;
  };
  const Surface to = surface(wide(dw, 4), dw[1]), from = copy ? surface(wide(dw, 9), dw[8]) : Surface{};
  auto after = memory_;
  for (int64_t y = high(dw[2]); y < high(dw[3]); ++y)
    for (int64_t x = low(dw[2]); x < low(dw[3]); ++x) {
      const int64_t tx = x + field(dw[6], 13, 0), ty = y + field(dw[6], 29, 16);
      if (*to.tiling && (tx < 0 || ty < 0)) continue;
      int64_t sx = 0, sy = 0;
      if (copy) {
        sx = x - low(dw[2]) + low(dw[7]) + field(dw[11], 13, 0), sy = y - high(dw[2]) + high(dw[7]) + field(dw[11], 29, 16);
        if (*from.tiling && (sx < 0 || sy < 0)) continue;
      }
      for (unsigned i = 0; i < bytes; ++i) {
        const uint64_t at = address(to, tx * bytes + i, ty);
        const uint8_t value = copy ? read(address(from, sx * bytes + i, sy)) : static_cast<uint8_t>(dw[7 + i / 4] >> i % 4 * 8);
        if (at < after.size()) after[at] = value;
      }
    }
  memory_ = after;
}

/// The operands of each command, in the order of its dwords from 6 on.
struct Parts {
  bool solid, color_source, mono_source, source_colors, pattern_address, pattern_colors, immediate, chroma;
};

Parts parts_of(unsigned op) {
  Parts has{};
  switch (op) {
    case 0x50: has.solid = true; break;
    case 0x51: has.pattern_address = true; break;
    case 0x52: has.pattern_address = has.pattern_colors = true; break;
    case 0x53: has.color_source = true; break;
    case 0x54: has.mono_source = has.source_colors = true; break;
    case 0x55: has.color_source = has.pattern_address = true; break;
    case 0x56: has.mono_source = has.source_colors = has.pattern_address = true; break;
    case 0x57: has.color_source = has.pattern_address = has.pattern_colors = true; break;
    case 0x58: has.mono_source = has.source_colors = has.pattern_address = has.pattern_colors = true; break;
    case 0x59: has.pattern_colors = true; break;
    case 0x71: has.source_colors = has.immediate = true; break;
    case 0x72: has.immediate = true; break;
    case 0x73: has.color_source = has.chroma = true; break;
    case 0x74: has.color_source = has.immediate = true; break;
    case 0x75: has.mono_source = has.source_colors = has.immediate = true; break;
    case 0x76: has.pattern_address = has.chroma = true; break;
    case 0x77: has.chroma = has.immediate = true; break;
  }
  return has;
}

void ReferenceBlitter::legacy(const std::vector<uint32_t>& dw, uint32_t swctrl) {
  const unsigned op = field(dw[0], 28, 22);
  Draw d;
  d.bytes = (const unsigned[]){1, 2, 2, 4}[field(dw[1], 25, 24)];
  d.rop = field(dw[1], 23, 16);
  d.mask = (dw[0] & 1 << 21 ? 0xff000000 : 0) | (dw[0] & 1 << 20 ? 0xffffff : 0);
  d.solid(0);
  const auto surface = [&](uint64_t base, uint32_t pitch, bool tiled, bool y) {
    Surface s{base, low(pitch), "", 1};
    if (tiled) s.pitch *= 4, s.tiling = y ? y_walk : x_walk, s.tile_pitch = y ? 128 : 512;
    return s;
  };
  if (op == 0x40 || op == 0x43) {  // COLOR_BLT, SRC_COPY_BLT
    d.to = surface(wide(dw, 3), dw[1], false, false);
    d.x2 = (dw[2] & 0xffff) / d.bytes, d.y2 = dw[2] >> 16;
    if (op == 0x40) d.solid(dw[5]);
    if (op == 0x43) d.source = Draw::color, d.from = surface(wide(dw, 6), dw[5], false, false);
    return draw(d);
  }
  d.to = surface(wide(dw, 4), dw[1], dw[0] >> 11 & 1, swctrl >> 1 & 1);
  d.x1 = low(dw[2]), d.y1 = high(dw[2]), d.x2 = low(dw[3]), d.y2 = high(dw[3]);
  if (dw[1] >> 30 & 1) d.clip = clip_;
  d.seed_x = field(dw[0], 14, 12), d.seed_y = field(dw[0], 10, 8);

  const Parts has = parts_of(op);
  size_t at = 6;
  if (has.solid) d.solid(dw[at++]);
  if (has.color_source) {
    d.source = Draw::color;
    d.sx = low(dw[at]), d.sy = high(dw[at]);
    d.from = surface(wide(dw, at + 2), dw[at + 1], dw[0] >> 15 & 1, swctrl & 1);
    at += 4;
  }
  if (has.mono_source || op == 0x71) {
    d.mono_source(dw);
    if (has.mono_source) d.bitmap_at = wide(dw, at), at += 2;
    d.bg = dw[at], d.fg = dw[at + 1], at += 2;
  }
  uint8_t pattern[256] = {};
  if (has.pattern_address) {
    for (int i = 0; i < 256; ++i) pattern[i] = read(wide(dw, at) + static_cast<uint64_t>(i));
    at += 2;
    if (!has.pattern_colors) d.colors(pattern);
  }
  if (has.pattern_colors) {
    if (op != 0x59 && dw[1] >> 31) d.solid(dw[at + 1]);
    else d.bits(pattern, dw[at], dw[at + 1], dw[1] >> 28 & 1);
    at += 2;
  }
  if (has.chroma) d.chroma = field(dw[0], 19, 17), d.chroma_low = dw[at], d.chroma_high = dw[at + 1], at += 2;
  if (has.immediate) {
    if (op == 0x71) {
      d.immediate_bits(dw, at);
    } else {
      std::memcpy(pattern, &dw[at], std::min<size_t>((dw.size() - at) * 4, 256));
      d.colors(pattern);
    }
  }
  draw(d);
}

void ReferenceBlitter::with_setup(const std::vector<uint32_t>& dw, uint32_t swctrl) {
  const unsigned op = field(dw[0], 28, 22);
  const bool mono_setup = field(setup_[0], 28, 22) == 0x11;
  Draw d;
  d.bytes = (const unsigned[]){1, 2, 2, 4}[field(setup_[1], 25, 24)];
  d.rop = field(setup_[1], 23, 16);
  d.mask = (setup_[0] & 1 << 21 ? 0xff000000 : 0) | (setup_[0] & 1 << 20 ? 0xffffff : 0);
  d.to = {wide(setup_, 4), low(setup_[1]), "", 1};
  if (dw[0] >> 11 & 1) {
    d.to.pitch *= 4;
    d.to.tiling = swctrl & 2 ? y_walk : x_walk;
    d.to.tile_pitch = swctrl & 2 ? 128 : 512;
  }
  if (setup_[1] >> 30 & 1) d.clip = clip_;
  d.bg = setup_[6], d.fg = setup_[7];
  uint8_t pattern[256];
  if (mono_setup) {
    std::memcpy(pattern, &setup_[8], 8);
    if (setup_[1] >> 31) d.solid(d.fg);
    else d.bits(pattern, d.bg, d.fg, setup_[1] >> 28 & 1);
  } else {
    for (int i = 0; i < 256; ++i) pattern[i] = read(wide(setup_, 8) + static_cast<uint64_t>(i));
    d.colors(pattern);
  }
  d.x1 = low(dw[1]), d.y1 = high(dw[1]);
  d.x2 = op == 0x24 ? d.x1 + 1 : low(dw[2]), d.y2 = op == 0x24 ? d.y1 + 1 : high(dw[2]);
  if (op == 0x24) d.solid(d.fg);
  if (op == 0x25) d.seed_x = field(dw[0], 14, 12), d.seed_y = field(dw[0], 10, 8);
  if (op == 0x26 || op == 0x31) {
    d.source = Draw::mono;
    d.transparent = !mono_setup && (setup_[1] >> 29 & 1);
    const uint64_t width = static_cast<uint64_t>(d.x2 - d.x1);
    d.bits_per_row = dw[0] >> 16 & 1 ? (width + 7) / 8 * 8 : width;
    d.immediate = op == 0x31;
    if (d.immediate) {
      d.bitmap.resize((dw.size() - 3) * 4);
      std::memcpy(d.bitmap.data(), &dw[3], d.bitmap.size());
    } else {
      d.bitmap_at = wide(dw, 3);
    }
  }
  draw(d);
}

void ReferenceBlitter::execute(const std::vector<uint32_t>& dw, uint32_t swctrl) {
  const auto take_clip = [&](size_t at) {
    clip_[0] = low(dw[at]), clip_[1] = high(dw[at]), clip_[2] = low(dw[at + 1]), clip_[3] = high(dw[at + 1]);
  };
  switch (field(dw[0], 28, 22)) {
    case 0x01:
    case 0x11: setup_ = dw; return take_clip(2);
    case 0x03: return take_clip(1);
    case 0x24:
    case 0x25:
    case 0x26:
    case 0x31: return with_setup(dw, swctrl);
    case 0x41:
    case 0x44: return block(dw);
    case 0x42: return fast_copy(dw);
    default: return legacy(dw, swctrl);
  }
}

}  // namespace softgen::test
