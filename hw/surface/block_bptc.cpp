// SPDX-License-Identifier: GPL-2.0-or-later
// BC7 and BC6H (ARB_texture_compression_bptc). Both are exact by specification.
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "hw/base/bits.h"
#include "hw/surface/block.h"
#include "hw/surface/bptc_tables.h"

namespace softgen::surface::blocks {
namespace {

class BitReader {
 public:
  explicit BitReader(const uint8_t* block) { std::memcpy(words_, block, sizeof words_); }
  uint32_t take(unsigned count) {
    uint32_t value = 0;
    for (unsigned i = 0; i < count; ++i, ++at_) value |= static_cast<uint32_t>(words_[at_ / 64] >> at_ % 64 & 1) << i;
    return value;
  }

 private:
  uint64_t words_[2];
  unsigned at_ = 0;
};

int interpolate(int a, int b, unsigned index, unsigned index_bits) {
  static constexpr uint8_t weights2[] = {0, 21, 43, 64}, weights3[] = {0, 9, 18, 27, 37, 46, 55, 64},
                           weights4[] = {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64};
  const int w = index_bits == 2 ? weights2[index] : index_bits == 3 ? weights3[index] : weights4[index];
  return ((64 - w) * a + w * b + 32) >> 6;
}

unsigned subset_of(unsigned subsets, unsigned partition, unsigned texel) {
  if (subsets == 1) return 0;
  return (subsets == 2 ? two_subsets : three_subsets)[partition] >> texel * 2 & 3;
}

bool is_anchor(unsigned subsets, unsigned partition, unsigned texel) {
  if (texel == 0) return true;
  if (subsets == 2) return anchors[0][partition] == texel;
  return subsets == 3 && (anchors[1][partition] == texel || anchors[2][partition] == texel);
}

using Indices = std::array<uint8_t, 16>;

Indices take_indices(BitReader& in, unsigned subsets, unsigned partition, unsigned bits) {
  Indices out{};
  for (unsigned i = 0; i < 16; ++i) out[i] = static_cast<uint8_t>(in.take(bits - is_anchor(subsets, partition, i)));
  return out;
}

// -- BC7
// ----------------------------------------------------------------------------------------------------------------------------

using Endpoints8 = std::array<std::array<uint32_t, 4>, 6>;

uint32_t expand(uint32_t value, unsigned bits) { return bits >= 8 ? value : (value << (8 - bits) | value >> (2 * bits - 8)) & 255; }

Endpoints8 take_endpoints(BitReader& in, const Bc7Mode& mode) {
  Endpoints8 ends{};
  const unsigned count = mode.subsets * 2u;
  for (unsigned c = 0; c < 3; ++c)
    for (unsigned e = 0; e < count; ++e) ends[e][c] = in.take(mode.color_bits);
  for (unsigned e = 0; e < count; ++e) ends[e][3] = mode.alpha_bits ? in.take(mode.alpha_bits) : 0;
  if (mode.endpoint_p_bits || mode.shared_p_bits) {
    uint32_t p = 0;
    for (unsigned e = 0; e < count; ++e) {
      if (mode.endpoint_p_bits || e % 2 == 0) p = in.take(1);
      for (auto& c : ends[e]) c = c << 1 | p;
    }
  }
  const unsigned extra = mode.endpoint_p_bits | mode.shared_p_bits;
  for (unsigned e = 0; e < count; ++e) {
    for (unsigned c = 0; c < 3; ++c) ends[e][c] = expand(ends[e][c], mode.color_bits + extra);
    ends[e][3] = mode.alpha_bits ? expand(ends[e][3], mode.alpha_bits + extra) : 255;
  }
  return ends;
}

// -- BC6H
// ---------------------------------------------------------------------------------------------------------------------------

using Endpoints16 = std::array<std::array<int, 3>, 4>;

const Bc6hMode* find_mode(const uint8_t* block) {
  for (const Bc6hMode& mode : bc6h_modes)
    if ((block[0] & ((1u << mode.code_bits) - 1)) == mode.code) return &mode;
  return nullptr;
}

unsigned take_number(std::string_view& text) {
  unsigned value = 0;
  for (; !text.empty() && text[0] >= '0' && text[0] <= '9'; text.remove_prefix(1))
    value = value * 10 + static_cast<unsigned>(text[0] - '0');
  return value;
}

Endpoints16 take_layout(BitReader& in, std::string_view layout) {
  Endpoints16 ends{};
  while (!layout.empty()) {
    const size_t channel = std::string_view("rgb").find(layout[0]), end = std::string_view("wxyz").find(layout[1]);
    layout.remove_prefix(2);
    const unsigned first = take_number(layout);
    unsigned last = first;
    if (!layout.empty() && layout[0] == ':') {
      layout.remove_prefix(1);
      last = take_number(layout);
    }
    if (!layout.empty()) layout.remove_prefix(1);
    // "high:low" stores the low bit first, "low:high" the high one.
    if (first >= last)
      for (unsigned bit = last; bit <= first; ++bit) ends[end][channel] |= static_cast<int>(in.take(1) << bit);
    else
      for (unsigned bit = last + 1; bit-- > first;) ends[end][channel] |= static_cast<int>(in.take(1) << bit);
  }
  return ends;
}

int unquantize(int value, unsigned bits, bool is_signed) {
  if (!is_signed) {
    if (bits >= 15 || value == 0) return value;
    return value == (1 << bits) - 1 ? 0xffff : ((value << 15) + 0x4000) >> (bits - 1);
  }
  if (bits >= 16 || value == 0) return value;
  const int magnitude = value < 0 ? -value : value;
  const int wide = magnitude >= (1 << (bits - 1)) - 1 ? 0x7fff : ((magnitude << 15) + 0x4000) >> (bits - 1);
  return value < 0 ? -wide : wide;
}

Endpoints16 take_endpoints(BitReader& in, const Bc6hMode& mode, bool is_signed) {
  in.take(mode.code_bits);
  Endpoints16 ends = take_layout(in, mode.layout);
  const unsigned count = mode.partition_bits ? 4 : 2;
  if (mode.transformed)
    for (unsigned e = 1; e < count; ++e)
      for (unsigned c = 0; c < 3; ++c) {
        const int delta = static_cast<int>(sign_extend(static_cast<uint64_t>(ends[e][c]), mode.delta_bits[c]));
        ends[e][c] = (ends[0][c] + delta) & ((1 << mode.endpoint_bits) - 1);
      }
  for (unsigned e = 0; e < count; ++e)
    for (int& value : ends[e]) {
      if (is_signed) value = static_cast<int>(sign_extend(static_cast<uint64_t>(value), mode.endpoint_bits));
      value = unquantize(value, mode.endpoint_bits, is_signed);
    }
  return ends;
}

uint16_t finish(int value, bool is_signed) {
  if (!is_signed) return static_cast<uint16_t>(value * 31 / 64);
  return static_cast<uint16_t>(value < 0 ? (-value * 31 / 32) | 0x8000 : value * 31 / 32);
}

}  // namespace

void decode_bc7(const uint8_t* block, Texels8& out) {
  BitReader in(block);
  unsigned number = 0;
  while (number < 8 && !in.take(1)) ++number;
  if (number == 8) {  // reserved: transparent black
    out.fill({});
    return;
  }
  const Bc7Mode& mode = bc7_modes[number];
  const unsigned partition = in.take(mode.partition_bits), rotation = in.take(mode.rotation_bits), selection = in.take(mode.selection_bits);
  const Endpoints8 ends = take_endpoints(in, mode);
  const Indices first = take_indices(in, mode.subsets, partition, mode.index_bits);
  const Indices second = mode.index2_bits ? take_indices(in, 1, 0, mode.index2_bits) : Indices{};
  for (unsigned i = 0; i < 16; ++i) {
    const auto& a = ends[subset_of(mode.subsets, partition, i) * 2];
    const auto& b = ends[subset_of(mode.subsets, partition, i) * 2 + 1];
    for (unsigned c = 0; c < 4; ++c) {
      const bool use_second = mode.index2_bits && (c == 3) != (selection == 1);
      const unsigned index = use_second ? second[i] : first[i], bits = use_second ? mode.index2_bits : mode.index_bits;
      out[i][c] = static_cast<uint8_t>(interpolate(static_cast<int>(a[c]), static_cast<int>(b[c]), index, bits));
    }
    if (rotation) std::swap(out[i][3], out[i][rotation - 1]);
  }
}

void decode_bc6h(const uint8_t* block, bool is_signed, std::array<std::array<uint16_t, 3>, 16>& out) {
  const Bc6hMode* mode = find_mode(block);
  if (!mode) {
    out.fill({});
    return;
  }
  BitReader in(block);
  const Endpoints16 ends = take_endpoints(in, *mode, is_signed);
  const unsigned subsets = mode->partition_bits ? 2 : 1, partition = in.take(mode->partition_bits);
  const Indices indices = take_indices(in, subsets, partition, mode->index_bits);
  for (unsigned i = 0; i < 16; ++i) {
    const unsigned s = subset_of(subsets, partition, i) * 2;
    for (unsigned c = 0; c < 3; ++c) out[i][c] = finish(interpolate(ends[s][c], ends[s + 1][c], indices[i], mode->index_bits), is_signed);
  }
}

}  // namespace softgen::surface::blocks
