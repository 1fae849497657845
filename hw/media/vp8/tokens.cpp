// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vp8/tokens.h"

#include <algorithm>

#include "hw/media/vp8/token_tables.h"

namespace softgen::media::vp8 {
namespace {

/// A value of 2 or more; p is its node's probabilities.
int read_large(BoolDecoder& bits, const uint8_t* p) {
  if (!bits.decode(p[3])) return !bits.decode(p[4]) ? 2 : 3 + bits.decode(p[5]);
  if (!bits.decode(p[6])) {
    if (!bits.decode(p[7])) return 5 + bits.decode(159);
    const int high = bits.decode(165);
    return 7 + 2 * high + bits.decode(145);
  }
  const unsigned high = bits.decode(p[8]), category = high * 2 + bits.decode(p[9 + high]);
  int value = 0;
  for (const uint8_t* probability = extra[category]; *probability; ++probability) value = value * 2 + bits.decode(*probability);
  return value + 3 + (8 << category);
}

/// Whether a token other than the end came.
bool read_block(BoolDecoder& bits, const BlockProbabilities& probs, unsigned context, unsigned first, const std::array<int16_t, 2>& factor,
                int16_t* to) {
  const uint8_t* p = probs[bands[first]][context].data();
  if (!bits.decode(p[0])) return false;
  for (unsigned at = first;;) {
    if (!bits.decode(p[1])) {
      if (++at == 16) return true;
      p = probs[bands[at]][0].data();
      continue;
    }
    const int value = bits.decode(p[2]) ? read_large(bits, p) : 1;
    const unsigned place = at++;
    p = probs[bands[at]][value == 1 ? 1 : 2].data();
    to[zigzag[place]] = static_cast<int16_t>((bits.flag() ? -value : value) * factor[place > 0]);
    if (at == 16 || !bits.decode(p[0])) return true;
  }
}

/// 2 * sin(pi / 8) * 2^15 and (sqrt(2) * cos(pi / 8) - 1) * 2^16, section 14.4.
constexpr int sine = 35468, cosine = 20091;

/// Results of 16 bits, as libvpx keeps them between the passes.
void transform_line(const int16_t* in, size_t step, int16_t* out) {
  const int i0 = in[0], i1 = in[step], i2 = in[2 * step], i3 = in[3 * step];
  const int a = i0 + i2, b = i0 - i2;
  const int c = (i1 * sine >> 16) - (i3 + (i3 * cosine >> 16)), d = i1 + (i1 * cosine >> 16) + (i3 * sine >> 16);
  const auto narrow = [](int value) { return static_cast<int16_t>(value); };
  out[0] = narrow(a + d), out[3 * step] = narrow(a - d), out[step] = narrow(b + c), out[2 * step] = narrow(b - c);
}

}  // namespace

void inverse_walsh(const std::array<int16_t, 16>& in, Residual& to) {
  int mid[16];
  for (unsigned i = 0; i < 4; ++i) {
    const int a = in[i] + in[12 + i], b = in[4 + i] + in[8 + i], c = in[4 + i] - in[8 + i], d = in[i] - in[12 + i];
    mid[i] = a + b, mid[4 + i] = c + d, mid[8 + i] = a - b, mid[12 + i] = d - c;
  }
  for (unsigned i = 0; i < 4; ++i) {
    const int* const row = mid + 4 * i;
    const int a = row[0] + row[3], b = row[1] + row[2], c = row[1] - row[2], d = row[0] - row[3];
    const int out[4] = {a + b, c + d, a - b, d - c};
    for (unsigned x = 0; x < 4; ++x) to.block[4 * i + x][0] = static_cast<int16_t>((out[x] + 3) >> 3);
  }
}

bool read_residual(BoolDecoder& bits, const TokenProbabilities& probs, const Quantizer& quantizer, bool has_y2, Nonzero& above,
                   Nonzero& left, Residual& to) {
  bool any = false;
  to.coded = 0;
  for (auto& block : to.block) block.fill(0);
  if (has_y2) {
    std::array<int16_t, 16> y2{};
    const bool coded = read_block(bits, probs[1], above[8] + left[8], 0, quantizer.y2, y2.data());
    above[8] = left[8] = coded;
    any = coded;
    if (coded) inverse_walsh(y2, to), to.coded |= 0xffff;
  }
  const auto plane = [&](unsigned first, unsigned size, unsigned nonzero, const BlockProbabilities& types, unsigned start,
                         const std::array<int16_t, 2>& factor) {
    for (unsigned i = 0; i < size * size; ++i) {
      uint8_t &over = above[nonzero + i % size], &before = left[nonzero + i / size];
      const bool coded = read_block(bits, types, over + before, start, factor, to.block[first + i].data());
      over = before = coded;
      any |= coded;
      to.coded |= uint32_t{coded} << (first + i);
    }
  };
  plane(0, 4, 0, probs[has_y2 ? 0 : 3], has_y2, quantizer.y1);
  plane(16, 2, 4, probs[2], 0, quantizer.uv);
  plane(20, 2, 6, probs[2], 0, quantizer.uv);
  return any;
}

void skip_residual(bool has_y2, Nonzero& above, Nonzero& left) {
  for (unsigned i = 0; i < (has_y2 ? 9u : 8u); ++i) above[i] = left[i] = 0;
}

void add_residual(const std::array<int16_t, 16>& block, uint8_t* to, size_t step, size_t stride) {
  int16_t mid[16], out[16];
  for (size_t x = 0; x < 4; ++x) transform_line(block.data() + x, 4, mid + x);
  for (size_t y = 0; y < 4; ++y) transform_line(mid + 4 * y, 1, out + 4 * y);
  for (size_t y = 0; y < 4; ++y, to += stride)
    for (size_t x = 0; x < 4; ++x) to[x * step] = static_cast<uint8_t>(std::clamp(to[x * step] + ((out[4 * y + x] + 4) >> 3), 0, 255));
}

}  // namespace softgen::media::vp8
