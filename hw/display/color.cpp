// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/color.h"

#include <algorithm>
#include <cmath>

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/defs/registers/registers.h"

namespace softgen::display {

namespace field = reg::field;

namespace {

constexpr reg::Bits precise_channels[3] = {field::PAL_PREC_DATA_RED, field::PAL_PREC_DATA_GREEN, field::PAL_PREC_DATA_BLUE};

uint16_t unit_to_16(float v) { return v <= 0.f ? 0 : v >= 1.f ? 0xffff : static_cast<uint16_t>(std::lround(v * 65535.f)); }

// Offsets are 13-bit two's complement in units of 1/4096.
float csc_offset(uint32_t value) { return static_cast<float>(sign_extend(field::CSC_PREOFF_OFFSET.of(value), 13)) / 4096.f; }
static_assert(field::CSC_PREOFF_OFFSET.mask() == 0x1fff && field::CSC_POSTOFF_OFFSET.mask() == 0x1fff);

}  // namespace

float csc_coefficient(uint32_t value) {
  // Fraction bits of the mantissa by exponent; 4 and 5 are reserved (i915 ilk_csc_convert_ctm).
  constexpr int fraction[8] = {9, 10, 11, 12, 9, 9, 7, 8};
  const float magnitude =
      std::ldexp(static_cast<float>(field::CSC_COEFF_MANTISSA.of(value)), -fraction[field::CSC_COEFF_EXPONENT.of(value)]);
  return field::CSC_COEFF_SIGN.of(value) ? -magnitude : magnitude;
}

ColorPipe::ColorPipe(uint32_t gamma_mode, const CscRegs& csc, const Palettes& palettes) : palettes_(&palettes) {
  const bool csc_first = field::CSC_MODE_CSC_POSITION.of(csc.mode) != 0;
  Step step = Step::none;
  const uint32_t mode = field::GAMMA_MODE_GAMMA_MODE.of(gamma_mode);
  switch (mode) {
    case 0: step = Step::legacy; break;
    case 1: step = Step::precise; break;
    case 2: step = Step::interpolated; break;
    case 3: break;
  }
  (csc_first ? after_ : before_) = step;
  if (mode == 3) before_ = Step::degamma, after_ = Step::gamma;
  for (unsigned row = 0; row < 3; row++) {
    const uint32_t first = csc.coefficients[row * 2], second = csc.coefficients[row * 2 + 1];
    matrix_[row * 3] = csc_coefficient(field::CSC_COEFF_FIRST_COEFFICIENT.of(first));
    matrix_[row * 3 + 1] = csc_coefficient(first & 0xffff);
    matrix_[row * 3 + 2] = csc_coefficient(field::CSC_COEFF_FIRST_COEFFICIENT.of(second));
    pre_[row] = csc_offset(csc.pre[row]);
    post_[row] = csc_offset(csc.post[row]);
  }
}

/// Between two of 513 points: the palette's entries in pairs, of which the first has the low 6 bits of each channel in [9:4] of its field
/// and the second the high 10, and PAL_GC_MAX (i915 display/intel_color.c, ilk_lut_12p4_ldw, ilk_lut_12p4_udw, ivb_load_lut_max).
uint16_t ColorPipe::interpolate(uint16_t in, unsigned channel) const {
  constexpr unsigned points = prec_palette_entries / 2, step_bits = 7;  // 16 bits over 512 steps
  const reg::Bits bits = precise_channels[channel];
  const auto point = [&](unsigned index) -> uint32_t {
    if (index == points) return std::min(palettes_->gc_max[channel], 0x10000u);
    return bits.of(palettes_->precise[2 * index + 1]) << 6 | bits.of(palettes_->precise[2 * index]) >> 4;
  };
  const unsigned index = in >> step_bits;
  const int32_t part = in % (1 << step_bits);
  const int32_t first = static_cast<int32_t>(point(index)), second = static_cast<int32_t>(point(index + 1));
  return static_cast<uint16_t>(std::min(first + (second - first) * part / (1 << step_bits), 0xffff));
}

Pixel ColorPipe::look_up(const Pixel& in, Step step) const {
  const auto precise = [this](uint32_t index, reg::Bits channel) { return widen10(channel.of(palettes_->precise[index])); };
  constexpr auto r = precise_channels[0], g = precise_channels[1], b = precise_channels[2];
  switch (step) {
    case Step::none: return in;
    case Step::legacy:
      return {widen8(field::LGC_PALETTE_RED.of(palettes_->legacy[in.r >> 8])),
              widen8(field::LGC_PALETTE_GREEN.of(palettes_->legacy[in.g >> 8])),
              widen8(field::LGC_PALETTE_BLUE.of(palettes_->legacy[in.b >> 8])), in.a};
    case Step::precise: return {precise(in.r >> 6, r), precise(in.g >> 6, g), precise(in.b >> 6, b), in.a};
    case Step::interpolated: return {interpolate(in.r, 0), interpolate(in.g, 1), interpolate(in.b, 2), in.a};
    case Step::degamma: return {precise(in.r >> 7, r), precise(in.g >> 7, g), precise(in.b >> 7, b), in.a};
    case Step::gamma: return {precise(512 + (in.r >> 7), r), precise(512 + (in.g >> 7), g), precise(512 + (in.b >> 7), b), in.a};
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
