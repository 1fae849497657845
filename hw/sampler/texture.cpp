// SPDX-License-Identifier: GPL-2.0-or-later
// SKL PRM vol 7, "Sampling Engine": "Texture Address Control", "Texel Fetch", "Filtering".
#include "hw/sampler/texture.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "hw/base/log.h"

namespace softgen::sampler {
namespace {

using Mode = defs::gen9::TextureCoordinateMode;
using surface::SurfaceType;

Float4 as_floats(const Word4& w) { return {std::bit_cast<float>(w[0]), std::bit_cast<float>(w[1]), std::bit_cast<float>(w[2]), std::bit_cast<float>(w[3])}; }

/// The shadow comparison is "reference OP texel" with the operation's sense inverted (SKL PRM vol 2d, SAMPLER_STATE, Shadow Function).
float shadow(State::ShadowFunction function, float reference, float texel) {
  using F = State::ShadowFunction;
  switch (function) {
    case F::PREFILTEROP_ALWAYS: return 0;
    case F::PREFILTEROP_NEVER: return 1;
    case F::PREFILTEROP_LESS: return !(texel < reference);
    case F::PREFILTEROP_EQUAL: return !(texel == reference);
    case F::PREFILTEROP_LEQUAL: return !(texel <= reference);
    case F::PREFILTEROP_GREATER: return !(texel > reference);
    case F::PREFILTEROP_NOTEQUAL: return !(texel != reference);
    case F::PREFILTEROP_GEQUAL: return !(texel >= reference);
  }
  return 0;
}

Float4 mix(const Float4& a, const Float4& b, float t) {
  Float4 r;
  for (unsigned i = 0; i < 4; ++i) r[i] = t == 0 ? a[i] : t == 1 ? b[i] : a[i] * (1 - t) + b[i] * t;
  return r;
}

/// Filter weights have 8 bits (SKL PRM vol 7, "Linear": beta U0.8).
float quantized(float weight) { return std::floor(weight * 256 + 0.5f) / 256; }

}  // namespace

Texture::Texture(memory::View& view, const surface::Surface& surface) : view_(view), surface_(surface) {
  levels_ = surface.mip_count + 1u;
}

unsigned Texture::layers() const {
  // Render Target View Extent does not bound what the sampler sees: isl leaves it 0 in texture views.
  return surface_.array ? surface_.depth : 1;
}

Word4 Texture::load(int x, int y, int slice, unsigned level, unsigned sample) const {
  if (surface_.is_null() || surface_.is_buffer() || !surface_.format) return {};
  const auto& format = *surface_.format;
  if (format.kind != surface::FormatKind::plain && format.kind != surface::FormatKind::shared_exponent) {
    unimplemented("sampling a format", "{}", format.name);
    return {};
  }
  const surface::Level lod(surface_, level);
  const auto& extent = lod.extent();
  const int slices = surface_.type == SurfaceType::three_d ? static_cast<int>(extent.depth) : static_cast<int>(is_cube() ? layers() * 6 : layers());
  if (x < 0 || y < 0 || slice < 0 || x >= static_cast<int>(extent.width) || y >= static_cast<int>(extent.height) || slice >= slices) return {};
  const uint64_t address = lod.address(static_cast<uint32_t>(x), static_cast<uint32_t>(y), static_cast<uint32_t>(slice) + surface_.min_array_element, sample);
  std::array<std::byte, 16> raw{};
  view_.read(address, raw.data(), std::min<size_t>(format.block_bytes(), raw.size()));
  return surface::swizzle(surface_, surface::decode(format, raw.data()));
}

Word4 Texture::load_buffer(uint32_t index) const {
  if (!surface_.format || index >= surface_.entries) return {};
  std::array<std::byte, 16> raw{};
  view_.read(surface::entry_address(surface_, index), raw.data(), std::min<size_t>(surface_.format->block_bytes(), raw.size()));
  return surface::swizzle(surface_, surface::decode(*surface_.format, raw.data()));
}

std::array<float, 3> Texture::scale(const State& state) const {
  if (state.non_normalized_coordinate_enable) return {1, 1, 1};
  const auto extent = surface::level_extent(surface_, surface_.min_lod);
  return {static_cast<float>(extent.width), static_cast<float>(extent.height), static_cast<float>(extent.depth)};
}

Texture::Face Texture::face_of(const Coordinates& at) const {
  // Order of faces: +X, -X, +Y, -Y, +Z, -Z (SKL PRM vol 7, "Cube Map Coordinate to Texel Mapping").
  const float ax = std::abs(at.u), ay = std::abs(at.v), az = std::abs(at.r);
  float major, s, t;
  int face;
  if (az >= ax && az >= ay) face = at.r >= 0 ? 4 : 5, major = az, s = at.r >= 0 ? at.u : -at.u, t = -at.v;
  else if (ay >= ax) face = at.v >= 0 ? 2 : 3, major = ay, s = at.u, t = at.v >= 0 ? at.r : -at.r;
  else face = at.u >= 0 ? 0 : 1, major = ax, s = at.u >= 0 ? -at.r : at.r, t = -at.v;
  if (!(major > 0)) major = 1;
  return {(s / major + 1) / 2, (t / major + 1) / 2, face};
}

int Texture::wrap(Mode mode, int i, int size) {
  switch (mode) {
    case Mode::TCM_WRAP: return ((i % size) + size) % size;
    case Mode::TCM_MIRROR: {
      const int period = ((i % (2 * size)) + 2 * size) % (2 * size);
      return period < size ? period : 2 * size - 1 - period;
    }
    case Mode::TCM_MIRROR_ONCE: return std::min(i < 0 ? -1 - i : i, size - 1);
    case Mode::TCM_CLAMP_BORDER:
    case Mode::TCM_HALF_BORDER: return i < 0 || i >= size ? -1 : i;
    default: return std::clamp(i, 0, size - 1);
  }
}

Texture::Axis Texture::axis(const Filter& filter, Mode mode, float coordinate, int size, int offset, bool linear) const {
  float texels = filter.state.non_normalized_coordinate_enable ? coordinate : coordinate * static_cast<float>(size);
  if (std::isnan(texels)) texels = 0;
  if (mode == Mode::TCM_HALF_BORDER) texels = std::clamp(texels, 0.0f, static_cast<float>(size));
  texels = std::clamp(texels, -1e9f, 1e9f);
  if (!linear) {
    const int i = wrap(mode, static_cast<int>(std::floor(texels)) + offset, size);
    return {i, i, 0};
  }
  const float shifted = texels - 0.5f, low = std::floor(shifted);
  const int base = static_cast<int>(low) + offset;
  return {wrap(mode, base, size), wrap(mode, base + 1, size), quantized(shifted - low)};
}

Float4 Texture::texel(const Filter& filter, int x, int y, int slice, unsigned level) const {
  const Float4 value = x < 0 || y < 0 || slice < 0 ? filter.border : as_floats(load(x, y, slice, level));
  if (!filter.reference) return value;
  const float lit = shadow(filter.state.shadow_function, *filter.reference, value[0]);
  return {lit, lit, lit, lit};
}

int Texture::slice_of(const Coordinates& at) const {
  const int last = static_cast<int>(layers()) - 1;
  return std::clamp(static_cast<int>(std::nearbyint(std::isnan(at.layer) ? 0 : at.layer)), 0, std::max(last, 0));
}

Float4 Texture::sample_level(const Filter& filter, const Coordinates& at, const Offsets& offsets, unsigned level, bool linear) const {
  const auto extent = surface::level_extent(surface_, level);
  Coordinates c = at;
  int slice = slice_of(at);
  Mode mode_u = filter.state.tcx_address_control_mode, mode_v = filter.state.tcy_address_control_mode;
  if (is_cube()) {
    const Face face = face_of(at);
    c.u = face.u, c.v = face.v;
    slice = slice * 6 + face.slice;
    mode_u = mode_v = Mode::TCM_CLAMP;  // edges between faces are not filtered across yet
  }
  const Axis u = axis(filter, mode_u, c.u, static_cast<int>(extent.width), offsets.u, linear);
  const bool one_d = surface_.type == SurfaceType::one_d;
  const Axis v = one_d ? Axis{0, 0, 0} : axis(filter, mode_v, c.v, static_cast<int>(extent.height), offsets.v, linear);
  const auto plane = [&](int z) {
    const Float4 top = u.weight == 0 ? texel(filter, u.low, v.low, z, level) : mix(texel(filter, u.low, v.low, z, level), texel(filter, u.high, v.low, z, level), u.weight);
    if (v.weight == 0) return top;
    const Float4 bottom = u.weight == 0 ? texel(filter, u.low, v.high, z, level) : mix(texel(filter, u.low, v.high, z, level), texel(filter, u.high, v.high, z, level), u.weight);
    return mix(top, bottom, v.weight);
  };
  if (surface_.type != SurfaceType::three_d) return plane(slice);
  const Axis r = axis(filter, filter.state.tcz_address_control_mode, at.r, static_cast<int>(extent.depth), offsets.r, linear);
  return r.weight == 0 ? plane(r.low) : mix(plane(r.low), plane(r.high), r.weight);
}

Float4 Texture::sample(const Filter& filter, const Coordinates& at, const Offsets& offsets, float lod) const {
  if (surface_.is_null() || surface_.is_buffer()) return {};
  const State& state = filter.state;
  // A LOD of zero or less magnifies (SKL PRM vol 7, "LOD Computation": Mag Mode where the clamped LOD <= Base).
  const bool magnify = lod <= 0;
  const auto mode = magnify ? static_cast<uint32_t>(state.mag_mode_filter) : static_cast<uint32_t>(state.min_mode_filter);
  const bool linear = mode != 0;
  const float last = static_cast<float>(levels_ - 1);
  const unsigned first = surface_.min_lod;
  if (state.mip_mode_filter == State::MipModeFilter::MIPFILTER_NONE || magnify) return sample_level(filter, at, offsets, first, linear);
  const float clamped = std::clamp(lod, 0.0f, last);
  if (state.mip_mode_filter == State::MipModeFilter::MIPFILTER_NEAREST)
    return sample_level(filter, at, offsets, first + static_cast<unsigned>(std::floor(clamped + 0.5f)), linear);
  const float low = std::floor(clamped), weight = quantized(clamped - low);
  const Float4 a = sample_level(filter, at, offsets, first + static_cast<unsigned>(low), linear);
  if (weight == 0 || low >= last) return a;
  return mix(a, sample_level(filter, at, offsets, first + static_cast<unsigned>(low) + 1, linear), weight);
}

Float4 Texture::gather(const Filter& filter, const Coordinates& at, const Offsets& offsets, unsigned channel) const {
  if (surface_.is_null() || surface_.is_buffer()) return {};
  const unsigned level = surface_.min_lod;
  const auto extent = surface::level_extent(surface_, level);
  Coordinates c = at;
  int slice = slice_of(at);
  Mode mode_u = filter.state.tcx_address_control_mode, mode_v = filter.state.tcy_address_control_mode;
  if (is_cube()) {
    const Face face = face_of(at);
    c.u = face.u, c.v = face.v;
    slice = slice * 6 + face.slice;
    mode_u = mode_v = Mode::TCM_CLAMP;
  }
  const Axis u = axis(filter, mode_u, c.u, static_cast<int>(extent.width), offsets.u, true);
  const Axis v = axis(filter, mode_v, c.v, static_cast<int>(extent.height), offsets.v, true);
  const unsigned k = filter.reference ? 0 : channel;
  return {texel(filter, u.low, v.high, slice, level)[k], texel(filter, u.high, v.high, slice, level)[k],
          texel(filter, u.high, v.low, slice, level)[k], texel(filter, u.low, v.low, slice, level)[k]};
}

}  // namespace softgen::sampler
