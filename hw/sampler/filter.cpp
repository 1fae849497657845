// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/sampler/filter.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "hw/sampler/cube.h"

namespace softgen::sampler {
namespace {

using surface::ChannelType;
using surface::Format;
using surface::Numeric;

/// The shadow comparison is "reference OP texel" with the operation's sense inverted (SKL PRM vol 2d, SAMPLER_STATE, Shadow Function).
float shadow(ShadowFunction function, float reference, float texel) {
  using F = ShadowFunction;
  switch (function) {
    case F::always: return 0;
    case F::never: return 1;
    case F::less: return !(texel < reference);
    case F::equal: return !(texel == reference);
    case F::less_equal: return !(texel <= reference);
    case F::greater: return !(texel > reference);
    case F::not_equal: return !(texel != reference);
    case F::greater_equal: return !(texel >= reference);
  }
  return 0;
}

/// The border in the registers' form: within the format's range, channels it lacks as they would be read.
Float4 border_of(const Format& format, const Word4& border) {
  const uint32_t one = format.numeric == Numeric::floating ? 0x3f800000u : 1u;
  Word4 out{0, 0, 0, one};
  for (size_t c = 0; c < 4; ++c) {
    const bool stored = format.kind == surface::FormatKind::plain ? format.output[c] >= 0 : true;
    if (!stored) continue;
    out[c] = border[c];
    if (format.kind != surface::FormatKind::plain) continue;
    const ChannelType type = format.channel[static_cast<size_t>(format.output[c])].type;
    const float value = std::bit_cast<float>(border[c]);
    if (type == ChannelType::unorm) out[c] = std::bit_cast<uint32_t>(value > 0 ? std::min(value, 1.0f) : 0.0f);
    if (type == ChannelType::snorm) out[c] = std::bit_cast<uint32_t>(std::isnan(value) ? 0.0f : std::clamp(value, -1.0f, 1.0f));
  }
  return std::bit_cast<Float4>(out);
}

}  // namespace

Filter::Filter(memory::View& view, const Texture& texture, const State& state, const Word4& border)
    : view_(view), texture_(texture), state_(state), modes_{state.mode_u, state.mode_v, state.mode_r}, reduction_(state.reduction) {
  if (texture.surface().format) border_ = border_of(*texture.surface().format, border);
  seamless_ = texture.is_cube() && is_seamless(state);
  anisotropic_ = (state.min_filter == TexelFilter::anisotropic || state.mag_filter == TexelFilter::anisotropic) &&
                 texture.surface().type == surface::SurfaceType::two_d;
  const Format* format = texture.surface().format;
  codes_ = format && filters_codes(*format) && averages();
  clamp_reference_ = format && format->channel[0].type == ChannelType::unorm;
}

bool Filter::is_seamless(const State& state) { return state.seamless || state.mode_u == Mode::cube || state.mode_v == Mode::cube; }

bool Filter::has_border(const State& state) {
  const auto borders = [](Mode mode) { return mode == Mode::clamp_border || mode == Mode::half_border; };
  return borders(state.mode_u) || borders(state.mode_v) || borders(state.mode_r);
}

int Filter::wrap(Mode mode, int64_t i, int size) {
  switch (mode) {
    case Mode::wrap: {
      const int64_t m = i % size;
      return static_cast<int>(m < 0 ? m + size : m);
    }
    case Mode::mirror: {
      int64_t m = i % (2 * size);
      if (m < 0) m += 2 * size;
      return static_cast<int>(m < size ? m : 2 * size - 1 - m);
    }
    case Mode::mirror_101: {
      const int period = std::max(2 * (size - 1), 1);
      int64_t m = i % period;
      if (m < 0) m += period;
      return static_cast<int>(m < size ? m : period - m);
    }
    case Mode::mirror_once: return static_cast<int>(std::min<int64_t>(i < 0 ? -1 - i : i, size - 1));
    case Mode::clamp_border:
    case Mode::half_border: return i < 0 || i >= size ? -1 : static_cast<int>(i);
    default: return static_cast<int>(std::clamp<int64_t>(i, 0, size - 1));
  }
}

Filter::Axis Filter::axis(Mode mode, float coordinate, int size, int offset, bool linear, bool rounded) const {
  // In single precision, as lane_kernels has it: 2^22 texels with eight bits of fraction are within 32 bits. What is no number is far.
  // Tiny values are zero, also with denormals as zeros.
  constexpr float far = 1 << 22, least = 0x1p-64f;
  float texels = state_.non_normalized ? coordinate : coordinate * static_cast<float>(size);
  texels = texels < far ? std::max(texels, -far) : far;
  // Texture coordinates have eight bits below the texel; rounding or truncation is the first step.
  int64_t fixed = static_cast<int64_t>(std::floor(texels * one + (rounded ? 0.5f : least))) + int64_t{offset} * one;
  if (mode == Mode::half_border) {
    fixed = std::clamp<int64_t>(fixed, 0, int64_t{size} * one);
    if (!linear) mode = Mode::clamp;
  }
  if (!linear) {
    const int i = wrap(mode, fixed >> weight_bits, size);
    return {i, i, 0};
  }
  fixed -= one / 2;
  const int64_t low = fixed >> weight_bits;
  return {wrap(mode, low, size), wrap(mode, low + 1, size), static_cast<int>(fixed & (one - 1))};
}

Filter::Place Filter::place(const Coordinates& at, const Offsets& offsets, unsigned level, bool linear, bool magnify) const {
  const auto& size = texture_.extent(level);
  const int width = static_cast<int>(size.width), height = static_cast<int>(size.height);
  const bool round_u = magnify ? state_.mag_rounding.u : state_.min_rounding.u;
  const bool round_v = magnify ? state_.mag_rounding.v : state_.min_rounding.v;
  const bool round_r = magnify ? state_.mag_rounding.r : state_.min_rounding.r;
  if (texture_.is_cube()) {
    const FacePoint p = face_of({at.u, at.v, at.r});
    const int slice = static_cast<int>(texture_.layer_of(at.layer)) * 6 + static_cast<int>(p.face);
    Place place{{}, {}, {slice, slice, 0}};
    // A nearest sample is never beyond the edge, for the edge itself belongs to the last texel.
    if (!seamless_ || !linear) {
      place.u = axis(seamless_ ? Mode::clamp : modes_[0], p.u, width, offsets.u, linear, round_u);
      place.v = axis(seamless_ ? Mode::clamp : modes_[1], p.v, height, offsets.v, linear, round_v);
      return place;
    }
    const auto open = [&](float c, int n, int offset, bool rounded) {
      c = c > 0 ? std::min(c, 1.0f) : 0.0f;  // also what directions of NaNs give
      const auto fixed = static_cast<int64_t>(std::floor(double{c} * n * one + (rounded ? 0.5 : 0))) + offset * one - one / 2;
      const int low = static_cast<int>(std::clamp<int64_t>(fixed >> weight_bits, -1, n - 1));
      return Axis{low, low + 1, static_cast<int>(fixed & (one - 1))};
    };
    place.u = open(p.u, width, offsets.u, round_u);
    place.v = open(p.v, height, offsets.v, round_v);
    return place;
  }
  Place place{axis(modes_[0], at.u, width, offsets.u, linear, round_u), {}, {}};
  if (!texture_.is_1d()) place.v = axis(modes_[1], at.v, height, offsets.v, linear, round_v);
  if (texture_.is_3d()) place.r = axis(modes_[2], at.r, static_cast<int>(size.depth), offsets.r, linear, round_r);
  else place.r.low = place.r.high = static_cast<int>(texture_.layer_of(at.layer));
  return place;
}

Float4 Filter::corner(int x, int y, int slice, int size, unsigned level) const {
  // There is no texel beyond a cube's corner: the three around it stand in for it.
  const Float4 a = texel(std::clamp(x, 0, size - 1), y, slice, level), b = texel(x, std::clamp(y, 0, size - 1), slice, level),
               c = texel(std::clamp(x, 0, size - 1), std::clamp(y, 0, size - 1), slice, level);
  Float4 sum;
  for (size_t i = 0; i < 4; ++i) sum[i] = (a[i] + b[i] + c[i]) / 3;
  return sum;
}

Float4 Filter::texel(int x, int y, int slice, unsigned level) const {
  if (seamless_) {
    const int size = static_cast<int>(texture_.extent(level).width);
    const bool x_out = x < 0 || x >= size, y_out = y < 0 || y >= size;
    if (x_out && y_out) return corner(x, y, slice, size, level);
    if (x_out || y_out) {
      const FaceTexel t = across_edge(static_cast<unsigned>(slice) % 6, x, y, size);
      return std::bit_cast<Float4>(texture_.fetch(view_, level, t.x, t.y, static_cast<unsigned>(slice) / 6 * 6 + t.face));
    }
  } else if ((x | y | slice) < 0) {
    return border_;
  }
  return std::bit_cast<Float4>(
      texture_.fetch(view_, level, static_cast<uint32_t>(x), static_cast<uint32_t>(y), static_cast<uint32_t>(slice)));
}

Float4 Filter::tested(int x, int y, int slice, unsigned level, const float* reference) const {
  Float4 value = texel(x, y, slice, level);
  if (reference) value[0] = shadow(state_.shadow_function, *reference, value[0]);
  return value;
}

Float4 Filter::mix(const Float4& a, const Float4& b, int weight) const {
  Float4 r;
  switch (reduction_) {
    case Reduction::average: {
      const float t = static_cast<float>(weight) / one;
      for (size_t i = 0; i < 4; ++i) r[i] = a[i] + (b[i] - a[i]) * t;
      break;
    }
    case Reduction::minimum:
      for (size_t i = 0; i < 4; ++i) r[i] = std::min(a[i], b[i]);
      break;
    case Reduction::maximum:
      for (size_t i = 0; i < 4; ++i) r[i] = std::max(a[i], b[i]);
      break;
  }
  return r;
}

/// All four corners are texels of this slice.
bool Filter::within(const Place& p, int slice, unsigned level) const {
  if (!seamless_) return (p.u.low | p.u.high | p.v.low | p.v.high | slice) >= 0;
  const int size = static_cast<int>(texture_.extent(level).width);
  return p.u.low >= 0 && p.v.low >= 0 && p.u.high < size && p.v.high < size;
}

Float4 Filter::mix_codes(const Float4 (&corners)[4], int across, int down) const {
  Float4 r;
  for (size_t i = 0; i < 4; ++i) {
    const auto code = [&](size_t corner) { return static_cast<int>(corners[corner][i] * 255 + 0.5f); };
    const int top = code(0) * (one - across) + code(1) * across, bottom = code(2) * (one - across) + code(3) * across;
    r[i] = static_cast<float>(top * (one - down) + bottom * down) / (255 * one * one);
  }
  return r;
}

Float4 Filter::sample_level(const Coordinates& at, const Offsets& offsets, unsigned level, bool linear, bool magnify,
                            const float* reference) const {
  const Place p = place(at, offsets, level, linear, magnify);
  const auto row = [&](int y, int z) {
    const Float4 left = tested(p.u.low, y, z, level, reference);
    return p.u.weight == 0 ? left : mix(left, tested(p.u.high, y, z, level, reference), p.u.weight);
  };
  const auto plane = [&](int z) {
    if (codes_ && !reference && (p.u.weight | p.v.weight) && within(p, z, level)) {
      const auto at = [&](int x, int y) { return texel(x, y, z, level); };
      // A texel without weight is not read: it would count if it were in a null tile.
      const int right = p.u.weight ? p.u.high : p.u.low, below = p.v.weight ? p.v.high : p.v.low;
      return mix_codes({at(p.u.low, p.v.low), at(right, p.v.low), at(p.u.low, below), at(right, below)}, p.u.weight, p.v.weight);
    }
    const Float4 top = row(p.v.low, z);
    return p.v.weight == 0 ? top : mix(top, row(p.v.high, z), p.v.weight);
  };
  const Float4 near = plane(p.r.low);
  return p.r.weight == 0 ? near : mix(near, plane(p.r.high), p.r.weight);
}

Float4 Filter::taps(const Coordinates& at, const Offsets& offsets, unsigned level, const Detail& detail, bool linear, bool magnify,
                    const float* reference) const {
  if (detail.taps <= 1) return sample_level(at, offsets, level, linear, magnify, reference);
  Float4 sum{};
  for (unsigned i = 0; i < detail.taps; ++i) {
    const float t = (static_cast<float>(i) + 0.5f) / static_cast<float>(detail.taps) - 0.5f;
    Coordinates c = at;
    c.u += detail.step_u * t;
    c.v += detail.step_v * t;
    const Float4 tap = sample_level(c, offsets, level, linear, magnify, reference);
    for (size_t k = 0; k < 4; ++k) {
      if (reduction_ == Reduction::average) sum[k] += tap[k];
      else sum[k] = i == 0 ? tap[k] : reduction_ == Reduction::minimum ? std::min(sum[k], tap[k]) : std::max(sum[k], tap[k]);
    }
  }
  if (reduction_ == Reduction::average)
    for (float& k : sum) k /= static_cast<float>(detail.taps);
  return sum;
}

Word4 Filter::finished(const Float4& color, const float* reference) const {
  if (!reference) return texture_.swizzle(std::bit_cast<Word4>(color));
  return texture_.swizzle({std::bit_cast<uint32_t>(color[0]), 0, 0, 0x3f800000});
}

Word4 Filter::sample(const Coordinates& at, const Offsets& offsets, const Detail& detail, const Lod& lod, const float* reference) const {
  if (!texture_.has_texels()) return {};
  float clamped_reference = 0;
  if (reference && clamp_reference_) {
    clamped_reference = *reference > 0 ? std::min(*reference, 1.0f) : 0.0f;
    reference = &clamped_reference;
  }
  const bool magnify = lod.magnify;
  const bool linear = magnify ? state_.mag_filter != TexelFilter::nearest : state_.min_filter != TexelFilter::nearest;
  const bool aniso = magnify ? state_.mag_filter == TexelFilter::anisotropic : state_.min_filter == TexelFilter::anisotropic;
  Detail footprint = detail;
  if (!aniso || !anisotropic_) footprint.taps = 1;
  const auto level = [&](float n) { return taps(at, offsets, static_cast<unsigned>(n), footprint, linear, magnify, reference); };
  switch (state_.mip_filter) {
    case MipFilter::nearest: return finished(level(lod.nearest_level()), reference);
    case MipFilter::linear: {
      const float low = std::floor(lod.clamped);
      const int weight = static_cast<int>((lod.clamped - low) * one);
      const Float4 a = level(low);
      if (weight == 0 || low + 1 >= static_cast<float>(texture_.levels())) return finished(a, reference);
      return finished(mix(a, level(low + 1), weight), reference);
    }
    default: return finished(level(0), reference);
  }
}

Word4 Filter::gather(const Coordinates& at, const Offsets& offsets, unsigned channel, const float* reference) const {
  if (!texture_.has_texels()) return {};
  float clamped_reference = 0;
  if (reference && clamp_reference_) {
    clamped_reference = *reference > 0 ? std::min(*reference, 1.0f) : 0.0f;
    reference = &clamped_reference;
  }
  const Place p = place(at, offsets, 0, true, true);
  const auto get = [&](int x, int y) {
    const Float4 value = tested(x, y, p.r.low, 0, reference);
    return reference ? std::bit_cast<uint32_t>(value[0]) : texture_.swizzle(std::bit_cast<Word4>(value))[channel];
  };
  return {get(p.u.low, p.v.high), get(p.u.high, p.v.high), get(p.u.high, p.v.low), get(p.u.low, p.v.low)};
}

}  // namespace softgen::sampler
