// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/color.h"

#include <algorithm>
#include <cmath>

#include "hw/base/bits.h"
#include "hw/base/log.h"

namespace softgen::display {

namespace {

constexpr unsigned csc_before_gamma = 1;

uint16_t unit_to_16(float v) { return v <= 0.f ? 0 : v >= 1.f ? 0xffff : static_cast<uint16_t>(std::lround(v * 65535.f)); }

// Offsets are 13-bit two's complement in units of 1/4096.
float csc_offset(uint32_t field) { return static_cast<float>(sign_extend(bits(field, 12, 0), 13)) / 4096.f; }

}  // namespace

float csc_coefficient(uint32_t field) {
  // Fraction bits of the mantissa by exponent; 4 and 5 are reserved (i915 ilk_csc_convert_ctm).
  constexpr int fraction[8] = {9, 10, 11, 12, 9, 9, 7, 8};
  const float magnitude = std::ldexp(static_cast<float>(bits(field, 11, 3)), -fraction[bits(field, 14, 12)]);
  return bit(field, 15) ? -magnitude : magnitude;
}

ColorPipe::ColorPipe(uint32_t gamma_mode, const CscRegs& csc, const Palettes& palettes) : palettes_(&palettes) {
  const bool csc_first = bit(csc.mode, csc_before_gamma);
  Step step = Step::none;
  switch (gamma_mode & 3) {
    case 0: step = Step::legacy; break;
    case 1: step = Step::precise; break;
    case 2: step = Step::interpolated; break;
    case 3: break;
  }
  (csc_first ? after_ : before_) = step;
  if ((gamma_mode & 3) == 3) before_ = Step::degamma, after_ = Step::gamma;
  for (unsigned row = 0; row < 3; row++) {
    const uint32_t first = csc.coefficients[row * 2], second = csc.coefficients[row * 2 + 1];
    matrix_[row * 3] = csc_coefficient(first >> 16);
    matrix_[row * 3 + 1] = csc_coefficient(first & 0xffff);
    matrix_[row * 3 + 2] = csc_coefficient(second >> 16);
    pre_[row] = csc_offset(csc.pre[row]);
    post_[row] = csc_offset(csc.post[row]);
  }
}

/// Between two of 513 points: the palette's entries in pairs, of which the first has the low 6 bits of each channel in [9:4] of its field
/// and the second the high 10, and PAL_GC_MAX (i915 display/intel_color.c, ilk_lut_12p4_ldw, ilk_lut_12p4_udw, ivb_load_lut_max).
uint16_t ColorPipe::interpolate(uint16_t in, unsigned channel) const {
  constexpr unsigned points = prec_palette_entries / 2, step_bits = 7;  // 16 bits over 512 steps
  const unsigned low = 20 - 10 * channel;
  const auto point = [&](unsigned index) -> uint32_t {
    if (index == points) return std::min(palettes_->gc_max[channel], 0x10000u);
    return bits(palettes_->precise[2 * index + 1], low + 9, low) << 6 | bits(palettes_->precise[2 * index], low + 9, low + 4);
  };
  const unsigned index = in >> step_bits;
  const int32_t part = static_cast<int32_t>(bits(in, step_bits - 1, 0));
  const int32_t first = static_cast<int32_t>(point(index)), second = static_cast<int32_t>(point(index + 1));
  return static_cast<uint16_t>(std::min(first + (second - first) * part / (1 << step_bits), 0xffff));
}

Pixel ColorPipe::look_up(const Pixel& in, Step step) const {
  const auto precise = [this](uint32_t index, unsigned low) { return widen10(bits(palettes_->precise[index], low + 9, low)); };
  switch (step) {
    case Step::none: return in;
    case Step::legacy:
      return {widen8(bits(palettes_->legacy[in.r >> 8], 23, 16)), widen8(bits(palettes_->legacy[in.g >> 8], 15, 8)),
              widen8(bits(palettes_->legacy[in.b >> 8], 7, 0)), in.a};
    case Step::precise: return {precise(in.r >> 6, 20), precise(in.g >> 6, 10), precise(in.b >> 6, 0), in.a};
    case Step::interpolated: return {interpolate(in.r, 0), interpolate(in.g, 1), interpolate(in.b, 2), in.a};
    case Step::degamma: return {precise(in.r >> 7, 20), precise(in.g >> 7, 10), precise(in.b >> 7, 0), in.a};
    case Step::gamma: return {precise(512 + (in.r >> 7), 20), precise(512 + (in.g >> 7), 10), precise(512 + (in.b >> 7), 0), in.a};
  }
  return in;
}

Pixel ColorPipe::convert(const Pixel& in) const {
  const float r = in.r / 65535.f + pre_[0], g = in.g / 65535.f + pre_[1], b = in.b / 65535.f + pre_[2];
  const auto lane = [&](unsigned i) { return unit_to_16(matrix_[i * 3] * r + matrix_[i * 3 + 1] * g + matrix_[i * 3 + 2] * b + post_[i]); };
  return {lane(0), lane(1), lane(2), in.a};
}

Pixel ColorPipe::apply(const Pixel& in, bool gamma, bool csc) const {
  Pixel p = in;
  if (gamma) p = look_up(p, before_);
  if (csc) p = convert(p);
  if (gamma) p = look_up(p, after_);
  return p;
}

ColorPipe::Table8 ColorPipe::table8(bool gamma, bool csc) const {
  Table8 table;
  const auto& m = matrix_;
  table.separable = !csc || (m[1] == 0 && m[2] == 0 && m[3] == 0 && m[5] == 0 && m[6] == 0 && m[7] == 0);
  if (!table.separable) return table;
  table.identity = true;
  for (unsigned v = 0; v < 256; v++) {
    const Pixel p = apply({widen8(v), widen8(v), widen8(v), 0xffff}, gamma, csc);
    table.channel[0][v] = static_cast<uint8_t>(narrow8(p.r));
    table.channel[1][v] = static_cast<uint8_t>(narrow8(p.g));
    table.channel[2][v] = static_cast<uint8_t>(narrow8(p.b));
    table.identity &= table.channel[0][v] == v && table.channel[1][v] == v && table.channel[2][v] == v;
  }
  return table;
}

}  // namespace softgen::display
