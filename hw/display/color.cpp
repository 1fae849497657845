// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/color.h"

#include <algorithm>

#include "hw/base/bits.h"
#include "hw/defs/registers/registers.h"

namespace softgen::display {

namespace field = reg::field;

namespace {

constexpr reg::Bits precise_channels[3] = {field::PAL_PREC_DATA_RED, field::PAL_PREC_DATA_GREEN, field::PAL_PREC_DATA_BLUE};

constexpr uint32_t one = 0x10000;

/// 0xffff, the pipe's largest value, is 1.0 exactly.
constexpr uint32_t full_scale(uint16_t v) { return v + (v >> 15); }

/// Two entries of PAL_PREC_DATA: the first has the low 6 bits of each channel in [9:4] of its field and the second the high 10.
uint32_t point_12p4(const uint32_t* entries, unsigned channel) {
  return precise_channels[channel].of(entries[1]) << 6 | precise_channels[channel].of(entries[0]) >> 4;
}

uint16_t between(uint32_t first, uint32_t second, uint32_t part, uint32_t parts) {
  const auto a = static_cast<int32_t>(first), b = static_cast<int32_t>(second);
  return static_cast<uint16_t>(std::min(a + (b - a) * static_cast<int32_t>(part) / static_cast<int32_t>(parts), 0xffff));
}

}  // namespace

/// Between two of 513 points: the palette's entries in pairs, of which the first has the low 6 bits of each channel in [9:4] of its field
/// and the second the high 10, and PAL_GC_MAX (i915 display/intel_color.c, ilk_lut_12p4_ldw, ilk_lut_12p4_udw, ivb_load_lut_max).
uint16_t ColorPipe::interpolate(uint16_t in, unsigned channel) const {
  constexpr unsigned points = prec_palette_entries / 2, step_bits = 7;  // 16 bits over 512 steps
  const auto point = [&](unsigned index) {
    return index == points ? std::min(palettes_->gc_max[channel], one) : point_12p4(&palettes_->precise[size_t{2} * index], channel);
  };
  const unsigned index = in >> step_bits;
  return between(point(index), point(index + 1), in % (1 << step_bits), 1 << step_bits);
}

// Points of [0, 2^-15], nine of them; then of up to 2^-7, 256 from the second on; then of all, 256 and PAL_GC_MAX (i915 display/intel_color.c,
// icl_program_gamma_superfine_segment, icl_program_gamma_multi_segment). The latter two share PAL_PREC_DATA.
uint16_t ColorPipe::multi_segment(uint16_t in, unsigned channel) const {
  constexpr uint32_t fine_step = one >> 15, coarse_step = one >> 8, fine_end = one >> 7, fine_points = 256;
  const uint32_t at = full_scale(in);
  if (at <= fine_step) return between(point_12p4(&palettes_->super_fine[size_t{2} * at * 8 / fine_step], channel), 0, 0, 1);
  if (at <= fine_end) {
    const auto point = [&](uint32_t index) {
      return point_12p4(&palettes_->precise[size_t{2} * (std::min(index, fine_points) - 1)], channel);
    };
    return between(point(at / fine_step), point(at / fine_step + 1), at % fine_step, fine_step);
  }
  const auto point = [&](uint32_t index) {
    const size_t first = size_t{2} * (fine_points + index);
    return first < prec_palette_entries ? point_12p4(&palettes_->precise[first], channel) : std::min(palettes_->gc_max[channel], one);
  };
  return between(point(at / coarse_step), point(at / coarse_step + 1), at % coarse_step, coarse_step);
}

uint16_t ColorPipe::linear(uint16_t in) const {
  constexpr uint32_t step = one / 32;
  const uint32_t at = full_scale(in), index = at / step;
  return between(palettes_->degamma[index], palettes_->degamma[index + 1], at % step, step);
}

Pixel ColorPipe::look_up(const Pixel& in, ColorStep step) const {
  const auto precise = [this](uint32_t index, reg::Bits channel) { return widen10(channel.of(palettes_->precise[index])); };
  constexpr auto r = precise_channels[0], g = precise_channels[1], b = precise_channels[2];
  switch (step) {
    case ColorStep::none: return in;
    case ColorStep::legacy:
      return {widen8(field::LGC_PALETTE_RED.of(palettes_->legacy[in.r >> 8])),
              widen8(field::LGC_PALETTE_GREEN.of(palettes_->legacy[in.g >> 8])),
              widen8(field::LGC_PALETTE_BLUE.of(palettes_->legacy[in.b >> 8])), in.a};
    case ColorStep::precise: return {precise(in.r >> 6, r), precise(in.g >> 6, g), precise(in.b >> 6, b), in.a};
    case ColorStep::interpolated: return {interpolate(in.r, 0), interpolate(in.g, 1), interpolate(in.b, 2), in.a};
    case ColorStep::split_degamma: return {precise(in.r >> 7, r), precise(in.g >> 7, g), precise(in.b >> 7, b), in.a};
    case ColorStep::split_gamma: return {precise(512 + (in.r >> 7), r), precise(512 + (in.g >> 7), g), precise(512 + (in.b >> 7), b), in.a};
    case ColorStep::linear: return {linear(in.r), linear(in.g), linear(in.b), in.a};
    case ColorStep::multi_segment: return {multi_segment(in.r, 0), multi_segment(in.g, 1), multi_segment(in.b, 2), in.a};
  }
  return in;
}

Pixel ColorPipe::apply(const Pixel& in, bool gamma, bool csc) const {
  Pixel p = in;
  if (gamma) p = look_up(p, stages_.before);
  if (csc) p = stages_.csc.apply(p);
  if (gamma) p = look_up(p, stages_.after);
  if (csc && stages_.output) p = stages_.output->apply(p);
  return p;
}

ColorPipe::Table8 ColorPipe::table8(bool gamma, bool csc) const {
  Table8 table;
  table.separable = !csc || (stages_.csc.separable() && (!stages_.output || stages_.output->separable()));
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
