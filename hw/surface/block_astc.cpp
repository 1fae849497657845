// SPDX-License-Identifier: GPL-2.0-or-later
// ASTC, 2D, LDR and HDR profiles (Khronos Data Format specification 1.3, chapter 23 "ASTC Compressed Texture Image
// Formats").
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "hw/surface/astc_endpoints.h"
#include "hw/surface/block.h"

namespace softgen::surface::blocks {
namespace {

constexpr unsigned max_weights = 64, max_colors = 18, max_partitions = 4;

struct Bits128 {
  uint64_t word[2];
  // [at, at + count), count <= 32; beyond the block zeros.
  uint32_t get(unsigned at, unsigned count) const {
    uint64_t value = 0;
    for (unsigned i = 0; i < count && at + i < 128; ++i) value |= (word[(at + i) / 64] >> (at + i) % 64 & 1) << i;
    return static_cast<uint32_t>(value);
  }
  Bits128 reversed() const {
    const auto flip = [](uint64_t v) {
      uint64_t out = 0;
      for (unsigned i = 0; i < 64; ++i) out |= (v >> i & 1) << (63 - i);
      return out;
    };
    return {{flip(word[1]), flip(word[0])}};
  }
};

// A range of integers 0 … levels - 1 in bounded integer sequence encoding: bits, and a trit or a quint.
struct Range {
  uint8_t trits, quints, bits;
  unsigned size(unsigned count) const { return count * bits + (trits ? (8 * count + 4) / 5 : 0) + (quints ? (7 * count + 2) / 3 : 0); }
};

constexpr Range weight_ranges[12] = {{0, 0, 1}, {1, 0, 0}, {0, 0, 2}, {0, 1, 0}, {1, 0, 1}, {0, 0, 3},
                                     {0, 1, 1}, {1, 0, 2}, {0, 0, 4}, {0, 1, 2}, {1, 0, 3}, {0, 0, 5}};
// Colour ranges from the largest down to 6 levels.
constexpr Range color_ranges[17] = {{0, 0, 8}, {1, 0, 6}, {0, 1, 5}, {0, 0, 7}, {1, 0, 5}, {0, 1, 4}, {0, 0, 6}, {1, 0, 4}, {0, 1, 3},
                                    {0, 0, 5}, {1, 0, 3}, {0, 1, 2}, {0, 0, 4}, {1, 0, 2}, {0, 1, 1}, {0, 0, 3}, {1, 0, 1}};

struct Digit {
  uint8_t bits, high;  // low bits, and the trit or quint
};

// Section 23.12: five trits in eight bits.
void unpack_trits(unsigned t, uint8_t out[5]) {
  unsigned c;
  if ((t >> 2 & 7) == 7) {
    c = (t >> 5 & 7) << 2 | (t & 3);
    out[4] = out[3] = 2;
  } else {
    c = t & 31;
    if ((t >> 5 & 3) == 3) {
      out[4] = 2, out[3] = t >> 7 & 1;
    } else {
      out[4] = t >> 7 & 1, out[3] = t >> 5 & 3;
    }
  }
  if ((c & 3) == 3) {
    out[2] = 2, out[1] = c >> 4 & 1;
    out[0] = static_cast<uint8_t>((c >> 3 & 1) << 1 | ((c >> 2 & 1) & ~(c >> 3 & 1)));
  } else if ((c >> 2 & 3) == 3) {
    out[2] = 2, out[1] = 2, out[0] = c & 3;
  } else {
    out[2] = c >> 4 & 1, out[1] = c >> 2 & 3;
    out[0] = static_cast<uint8_t>((c >> 1 & 1) << 1 | ((c & 1) & ~(c >> 1 & 1)));
  }
}

// Three quints in seven bits.
void unpack_quints(unsigned q, uint8_t out[3]) {
  unsigned c;
  if ((q >> 1 & 3) == 3 && (q >> 5 & 3) == 0) {
    const unsigned q0 = q & 1;
    out[2] = static_cast<uint8_t>(q0 << 2 | ((q >> 4 & 1) & ~q0) << 1 | ((q >> 3 & 1) & ~q0));
    out[1] = out[0] = 4;
    return;
  }
  if ((q >> 1 & 3) == 3) {
    out[2] = 4;
    c = (q >> 3 & 3) << 3 | (~(q >> 5) & 3) << 1 | (q & 1);
  } else {
    out[2] = q >> 5 & 3;
    c = q & 31;
  }
  if ((c & 7) == 5) {
    out[1] = 4, out[0] = c >> 3 & 3;
  } else {
    out[1] = c >> 3 & 3, out[0] = c & 7;
  }
}

// `count` digits from bit `at` on. The last group may be cut short: its missing bits are zero.
void unpack(const Bits128& block, unsigned at, const Range& r, unsigned count, Digit* out) {
  const unsigned end = at + r.size(count);
  const auto take = [&](unsigned n) {
    const unsigned have = std::min(n, end - std::min(end, at));
    const uint32_t value = block.get(at, have);
    at += n;
    return value;
  };
  if (!r.trits && !r.quints) {
    for (unsigned i = 0; i < count; ++i) out[i] = {static_cast<uint8_t>(take(r.bits)), 0};
    return;
  }
  static constexpr uint8_t trit_parts[5] = {2, 2, 1, 2, 1}, quint_parts[3] = {3, 2, 2};
  const unsigned group = r.trits ? 5 : 3;
  for (unsigned first = 0; first < count; first += group) {
    uint8_t low[5] = {}, high[5] = {};
    unsigned packed = 0, shift = 0;
    for (unsigned i = 0; i < group; ++i) {
      const unsigned part = r.trits ? trit_parts[i] : quint_parts[i];
      low[i] = static_cast<uint8_t>(take(r.bits));
      packed |= take(part) << shift;
      shift += part;
    }
    r.trits ? unpack_trits(packed, high) : unpack_quints(packed, high);
    for (unsigned i = 0; i < group && first + i < count; ++i) out[first + i] = {low[i], high[i]};
  }
}

unsigned replicate(unsigned value, unsigned bits, unsigned width) {
  unsigned out = 0;
  for (int left = static_cast<int>(width); left > 0; left -= static_cast<int>(bits)) {
    const int shift = left - static_cast<int>(bits);
    out |= shift >= 0 ? value << shift : value >> -shift;
  }
  return out;
}

// Where the bits of B stand, from the top: letters b to f are bits 1 to 5 of the digit (tables "Color/Weight
// Unquantization Parameters").
unsigned spread(const char* pattern, unsigned bits) {
  unsigned out = 0;
  for (; *pattern; ++pattern) out = out << 1 | (*pattern == '0' ? 0 : bits >> (*pattern - 'a') & 1);
  return out;
}

uint8_t unquantize_color(const Range& r, Digit d) {
  if (!r.trits && !r.quints) return static_cast<uint8_t>(replicate(d.bits, r.bits, 8));
  static constexpr const char* trit_b[] = {"", "000000000", "b000b0bb0", "cb000cbcb", "dcb000dcb", "edcb000ed", "fedcb000f"};
  static constexpr const char* quint_b[] = {"", "000000000", "b0000bb00", "cb0000cbc", "dcb0000dc", "edcb0000e"};
  static constexpr unsigned trit_c[] = {0, 204, 93, 44, 22, 11, 5}, quint_c[] = {0, 113, 54, 26, 13, 6};
  const unsigned a = d.bits & 1 ? 0x1ff : 0;
  const unsigned t = (d.high * (r.trits ? trit_c : quint_c)[r.bits] + spread((r.trits ? trit_b : quint_b)[r.bits], d.bits)) ^ a;
  return static_cast<uint8_t>((a & 0x80) | t >> 2);
}

uint8_t unquantize_weight(const Range& r, Digit d) {
  unsigned w;
  if (!r.trits && !r.quints) {
    w = replicate(d.bits, r.bits, 6);
  } else if (r.bits == 0) {
    static constexpr uint8_t trits[] = {0, 32, 63}, quints[] = {0, 16, 32, 47, 63};
    w = r.trits ? trits[d.high] : quints[d.high];
  } else {
    static constexpr const char* trit_b[] = {"", "0000000", "b000b0b", "cb000cb"};
    static constexpr const char* quint_b[] = {"", "0000000", "b0000b0"};
    static constexpr unsigned trit_c[] = {0, 50, 23, 11}, quint_c[] = {0, 28, 13};
    const unsigned a = d.bits & 1 ? 0x7f : 0;
    const unsigned t = (d.high * (r.trits ? trit_c : quint_c)[r.bits] + spread((r.trits ? trit_b : quint_b)[r.bits], d.bits)) ^ a;
    w = (a & 0x20) | t >> 2;
  }
  return static_cast<uint8_t>(w > 32 ? w + 1 : w);
}

struct Mode {
  unsigned grid_width = 0, grid_height = 0;
  bool dual_plane = false;
  Range weights{};
};

// Table "2D Block Mode Layout". False: reserved.
bool decode_mode(unsigned bits, Mode& mode) {
  const unsigned a = bits >> 5 & 3, b = bits >> 7 & 3;
  unsigned r = bits >> 4 & 1;
  bool d = bits >> 10 & 1, h = bits >> 9 & 1;
  if (bits & 3) {
    r |= (bits & 3) << 1;
    switch (bits >> 2 & 3) {
      case 0: mode.grid_width = b + 4, mode.grid_height = a + 2; break;
      case 1: mode.grid_width = b + 8, mode.grid_height = a + 2; break;
      case 2: mode.grid_width = a + 2, mode.grid_height = b + 8; break;
      case 3:
        if (b & 2) mode.grid_width = (b & 1) + 2, mode.grid_height = a + 2;
        else mode.grid_width = a + 2, mode.grid_height = (b & 1) + 6;
        break;
    }
  } else {
    r |= (bits >> 2 & 3) << 1;
    if ((bits >> 2 & 3) == 0) return false;
    switch (b) {
      case 0: mode.grid_width = 12, mode.grid_height = a + 2; break;
      case 1: mode.grid_width = a + 2, mode.grid_height = 12; break;
      case 2:
        mode.grid_width = a + 6, mode.grid_height = (bits >> 9 & 3) + 6;
        d = h = false;
        break;
      case 3:
        if (a > 1) return false;
        mode.grid_width = a ? 10 : 6, mode.grid_height = a ? 6 : 10;
        break;
    }
  }
  if (r < 2) return false;
  mode.dual_plane = d;
  mode.weights = weight_ranges[r - 2 + (h ? 6 : 0)];
  return true;
}

uint32_t hash52(uint32_t p) {
  p ^= p >> 15, p -= p << 17, p += p << 7, p += p << 4, p ^= p >> 5;
  p += p << 16, p ^= p >> 7, p ^= p >> 3, p ^= p << 6, p ^= p >> 17;
  return p;
}

// Section 23.16, "Partition Pattern Generation", for z = 0.
unsigned select_partition(unsigned seed, unsigned x, unsigned y, unsigned count, bool small_block) {
  if (count == 1) return 0;
  if (small_block) x *= 2, y *= 2;
  seed += (count - 1) * 1024;
  const uint32_t random = hash52(seed);
  const unsigned shift_a = seed & 2 ? 4 : 5, shift_b = count == 3 ? 6 : 5;
  const unsigned x_shift = seed & 1 ? shift_a : shift_b, y_shift = seed & 1 ? shift_b : shift_a;
  unsigned sums[4];
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned sx = random >> (i * 8) & 15, sy = random >> (i * 8 + 4) & 15;
    const unsigned offset = random >> (14 - i * 4);
    sums[i] = ((sx * sx >> x_shift) * x + (sy * sy >> y_shift) * y + offset) & 63;
  }
  if (count < 4) sums[3] = 0;
  if (count < 3) sums[2] = 0;
  unsigned best = 0;
  for (unsigned i = 1; i < 4; ++i)
    if (sums[i] > sums[best]) best = i;
  return best;
}

struct Decoded {
  Mode mode;
  unsigned partitions = 1, seed = 0;
  unsigned plane2_channel = 0;
  std::array<astc::Endpoints, max_partitions> ends;
  std::array<uint8_t, max_weights> weights{};
};

bool decode_weights(const Bits128& block, Decoded& out) {
  const unsigned count = out.mode.grid_width * out.mode.grid_height * (out.mode.dual_plane ? 2 : 1);
  if (count > max_weights) return false;
  const unsigned bits = out.mode.weights.size(count);
  if (bits < 24 || bits > 96) return false;
  Digit digits[max_weights];
  unpack(block.reversed(), 0, out.mode.weights, count, digits);
  for (unsigned i = 0; i < count; ++i) out.weights[i] = unquantize_weight(out.mode.weights, digits[i]);
  return true;
}

// Endpoint modes, colour values, and what stands below the weights.
bool decode_colors(const Bits128& block, Decoded& out) {
  const unsigned weight_count = out.mode.grid_width * out.mode.grid_height * (out.mode.dual_plane ? 2 : 1);
  unsigned top = 128 - out.mode.weights.size(weight_count);
  unsigned modes[max_partitions], start = 17;
  if (out.partitions == 1) {
    modes[0] = block.get(13, 4);
  } else {
    start = 29;
    out.seed = block.get(13, 10);
    const unsigned field = block.get(23, 6), selector = field & 3;
    const unsigned extra = selector ? 3 * out.partitions - 4 : 0;
    top -= extra;
    const unsigned all = field >> 2 | block.get(top, extra) << 4;
    for (unsigned i = 0; i < out.partitions; ++i)
      modes[i] = selector ? (selector - 1 + (all >> i & 1)) << 2 | (all >> (out.partitions + 2 * i) & 3) : field >> 2;
  }
  if (out.mode.dual_plane) {
    top -= 2;
    out.plane2_channel = block.get(top, 2);
  }
  unsigned count = 0;
  for (unsigned i = 0; i < out.partitions; ++i) count += (modes[i] / 4 + 1) * 2;
  if (count > max_colors || top < start || top - start < (13 * count + 4) / 5) return false;
  const auto range =
      std::find_if(std::begin(color_ranges), std::end(color_ranges), [&](const Range& r) { return r.size(count) <= top - start; });
  if (range == std::end(color_ranges)) return false;
  Digit digits[max_colors];
  unpack(block, start, *range, count, digits);
  uint8_t values[max_colors + 8] = {};
  for (unsigned i = 0; i < count; ++i) values[i] = unquantize_color(*range, digits[i]);
  const uint8_t* at = values;
  for (unsigned i = 0; i < out.partitions; ++i) {
    out.ends[i] = astc::decode_endpoints(modes[i], at);
    at += (modes[i] / 4 + 1) * 2;
  }
  return true;
}

// Section 23.19, "Weight Infill": plane `plane` of the grid at texel (s, t).
int infill(const Decoded& d, unsigned width, unsigned height, unsigned s, unsigned t, unsigned plane) {
  const unsigned ds = (1024 + width / 2) / (width - 1), dt = (1024 + height / 2) / (height - 1);
  const unsigned gs = (ds * s * (d.mode.grid_width - 1) + 32) >> 6, gt = (dt * t * (d.mode.grid_height - 1) + 32) >> 6;
  const unsigned fs = gs & 15, ft = gt & 15, planes = d.mode.dual_plane ? 2 : 1;
  const unsigned first = (gs >> 4) + (gt >> 4) * d.mode.grid_width;
  const auto p = [&](unsigned i) { return unsigned{d.weights[std::min((first + i) * planes + plane, max_weights - 1)]}; };
  const unsigned w11 = (fs * ft + 8) >> 4, w10 = ft - w11, w01 = fs - w11, w00 = 16 - fs - ft + w11;
  return static_cast<int>((p(0) * w00 + p(1) * w01 + p(d.mode.grid_width) * w10 + p(d.mode.grid_width + 1) * w11 + 8) >> 4);
}

using Texels16 = std::array<std::array<uint16_t, 4>, max_block_texels>;

// Opaque magenta, whatever the profile: the specification's other choice for HDR, a NaN in each channel, would spread in filters.
constexpr std::array<uint16_t, 4> error_color(AstcTexels kind) {
  const uint16_t one = kind == AstcTexels::half ? 0x3c00 : 0xffff;
  return {one, 0, one, one};
}

// Section 23.19: UNORM16 to the half below it; 0xffff is 1.
uint16_t half_of_unorm16(unsigned v) {
  if (v == 0xffff) return 0x3c00;
  if (v < 4) return static_cast<uint16_t>(v << 8);  // v / 65536 in units of 2^-24
  const unsigned exponent = static_cast<unsigned>(std::bit_width(v)) - 1;
  return static_cast<uint16_t>((exponent - 1) << 10 | (v << (16 - exponent) >> 6 & 0x3ff));
}

// Section 23.19: 5 bits of exponent over 11 bits of a piecewise linear logarithm. Never infinite.
uint16_t half_of_logarithm(unsigned v) {
  const unsigned m = v & 0x7ff;
  const unsigned mantissa = m < 512 ? 3 * m : m < 1536 ? 4 * m - 512 : 5 * m - 2048;
  return static_cast<uint16_t>(std::min((v >> 11 << 10) + (mantissa >> 3), 0x7bffu));
}

bool decode_void_extent(const Bits128& block, AstcTexels kind, Texels16& out) {
  const bool hdr = block.get(9, 1);
  // Bits 10 and 11 are reserved, and 1. Of LDR formats they are not looked at, as in Mesa's decoder.
  if (kind == AstcTexels::half ? block.get(10, 2) != 3 : hdr) return false;
  const unsigned s0 = block.get(12, 13), s1 = block.get(25, 13), t0 = block.get(38, 13), t1 = block.get(51, 13);
  const bool none = s0 == 0x1fff && s1 == 0x1fff && t0 == 0x1fff && t1 == 0x1fff;
  if (!none && (s0 >= s1 || t0 >= t1)) return false;
  std::array<uint16_t, 4> color;
  for (unsigned c = 0; c < 4; ++c) {
    color[c] = static_cast<uint16_t>(block.get(64 + c * 16, 16));
    if (kind == AstcTexels::half && !hdr) color[c] = half_of_unorm16(color[c]);
  }
  out.fill(color);
  return true;
}

struct Size {
  unsigned width, height;
};

std::array<uint16_t, 4> texel(const Decoded& d, const astc::Endpoints& e, Size size, unsigned s, unsigned t, AstcTexels kind) {
  const int w1 = infill(d, size.width, size.height, s, t, 0), w2 = d.mode.dual_plane ? infill(d, size.width, size.height, s, t, 1) : w1;
  std::array<uint16_t, 4> out;
  for (unsigned c = 0; c < 4; ++c) {
    const int w = d.mode.dual_plane && c == d.plane2_channel ? w2 : w1;
    const bool hdr = c < 3 ? e.hdr_color : e.hdr_alpha;
    const auto wide = [&](int v) { return hdr ? v << 4 : v << 8 | (kind == AstcTexels::unorm8 ? 0x80 : v); };
    const auto value = static_cast<uint16_t>((wide(e.low[c]) * (64 - w) + wide(e.high[c]) * w + 32) >> 6);
    out[c] = kind != AstcTexels::half ? value : hdr ? half_of_logarithm(value) : half_of_unorm16(value);
  }
  return out;
}

}  // namespace

void decode_astc(const uint8_t* bytes, unsigned width, unsigned height, AstcTexels kind, Texels16& out) {
  Bits128 block;
  std::memcpy(&block, bytes, sizeof block);
  out.fill(error_color(kind));
  if (block.get(0, 9) == 0x1fc) {
    if (!decode_void_extent(block, kind, out)) out.fill(error_color(kind));
    return;
  }
  Decoded d;
  if (!decode_mode(block.get(0, 11), d.mode)) return;
  d.partitions = block.get(11, 2) + 1;
  if (d.mode.grid_width > width || d.mode.grid_height > height || (d.mode.dual_plane && d.partitions == 4)) return;
  if (!decode_weights(block, d) || !decode_colors(block, d)) return;
  const bool small_block = width * height < 31;
  for (unsigned t = 0; t < height; ++t)
    for (unsigned s = 0; s < width; ++s) {
      const astc::Endpoints& e = d.ends[select_partition(d.seed, s, t, d.partitions, small_block)];
      if (kind == AstcTexels::half || !e.hdr_color) out[t * width + s] = texel(d, e, {width, height}, s, t, kind);
    }
}

}  // namespace softgen::surface::blocks
