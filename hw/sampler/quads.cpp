// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/sampler/quads.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

namespace softgen::sampler {
namespace {

using Mode = defs::gen9::TextureCoordinateMode;
using surface::SurfaceFormat;

std::optional<Wrap> wrap_of(Mode mode) {
  switch (mode) {
    case Mode::TCM_WRAP: return Wrap::wrap;
    case Mode::TCM_MIRROR: return Wrap::mirror;
    case Mode::TCM_CLAMP: return Wrap::clamp;
    default: return std::nullopt;
  }
}

std::optional<DecodeKernel> decode_of(const surface::Format& format) {
  static const auto srgb = [] {
    std::array<float, 256> table;
    for (unsigned i = 0; i < 256; ++i) table[i] = surface::srgb8_to_linear(static_cast<uint8_t>(i));
    return table;
  }();
  switch (format.code) {
    case SurfaceFormat::R8G8B8A8_UNORM: return DecodeKernel{};
    case SurfaceFormat::R8G8B8A8_UNORM_SRGB: return DecodeKernel{.srgb = srgb.data()};
    case SurfaceFormat::R8G8B8X8_UNORM: return DecodeKernel{.alpha = false};
    case SurfaceFormat::R8G8B8X8_UNORM_SRGB: return DecodeKernel{.alpha = false, .srgb = srgb.data()};
    case SurfaceFormat::B8G8R8A8_UNORM: return DecodeKernel{.bgra = true};
    case SurfaceFormat::B8G8R8A8_UNORM_SRGB: return DecodeKernel{.bgra = true, .srgb = srgb.data()};
    case SurfaceFormat::B8G8R8X8_UNORM: return DecodeKernel{.bgra = true, .alpha = false};
    case SurfaceFormat::B8G8R8X8_UNORM_SRGB: return DecodeKernel{.bgra = true, .alpha = false, .srgb = srgb.data()};
    default: return std::nullopt;
  }
}

constexpr uint64_t in_page = memory::View::page_size - 1;

/// The texels at sixteen addresses, mostly of one page.
template <typename Address>
void load(memory::View& view, unsigned corners, Address&& address, uint32_t (&out)[4][4]) {
  uint64_t where = ~uint64_t{0};
  const std::byte* page = nullptr;
  for (unsigned corner = 0; corner < corners; ++corner)
    for (unsigned i = 0; i < 4; ++i) {
      const uint64_t at = address(corner, i);
      if ((at & ~in_page) != where) where = at & ~in_page, page = view.at(where);
      std::memcpy(&out[corner][i], page + (at & in_page), 4);
    }
}

}  // namespace

QuadSampler::QuadSampler(const Filter& filter) : filter_(filter) {
  const Texture& texture = filter.texture();
  const surface::Surface& s = texture.surface();
  const State& state = filter.state();
  if (!texture.has_texels() || s.type != surface::SurfaceType::two_d || texture.layers() != 1 || s.samples != 1 || s.base % 4 || s.pitch % 4) return;
  const auto decode = decode_of(*s.format);
  if (!decode || filter.anisotropic() || !filter.averages()) return;
  const auto across = wrap_of(state.tcx_address_control_mode), down = wrap_of(state.tcy_address_control_mode);
  if (!across || !down) return;
  possible_ = true;
  // Offsets of 32 bits: the largest surface is 16384 rows of 64 KiB, and its levels stand below it.
  by_offsets_ = s.tiling == surface::Tiling::y && s.min_array_element == 0 && s.pitch <= 1u << 16 && s.y_offset + s.x_offset == 0;
  decode_ = *decode;
  wrap_[0] = *across, wrap_[1] = *down;
  needs_lod_ = state.mip_mode_filter == State::MipModeFilter::MIPFILTER_NEAREST || state.mip_mode_filter == State::MipModeFilter::MIPFILTER_LINEAR ||
               static_cast<unsigned>(state.min_mode_filter) != static_cast<unsigned>(state.mag_mode_filter) ||
               state.u_address_mag_filter_rounding_enable != state.u_address_min_filter_rounding_enable ||
               state.v_address_mag_filter_rounding_enable != state.v_address_min_filter_rounding_enable;
}

bool QuadSampler::sample_level(memory::View& view, const float* u, const float* v, const Offsets& offsets, unsigned level, bool linear, bool magnify,
                               float (&out)[4][4]) const {
  const Texture& texture = filter_.texture();
  const State& state = filter_.state();
  const auto& size = texture.extent(level);
  const bool normalized = !state.non_normalized_coordinate_enable;
  const AxisKernel across{wrap_[0], magnify ? state.u_address_mag_filter_rounding_enable : state.u_address_min_filter_rounding_enable,
                          normalized, static_cast<int32_t>(size.width), offsets.u};
  const AxisKernel down{wrap_[1], magnify ? state.v_address_mag_filter_rounding_enable : state.v_address_min_filter_rounding_enable,
                        normalized, static_cast<int32_t>(size.height), offsets.v};
  const QuadKernels& kernels = quad_kernels();
  QuadAxis x, y;
  if (!kernels.axis(across, linear, u, x) || !kernels.axis(down, linear, v, y)) return false;
  uint32_t raw[4][4];
  const unsigned corners = linear ? 4 : 1;
  if (by_offsets_) {
    uint32_t offsets_of[4][4];
    const surface::Origin& origin = texture.origin(level);
    kernels.y_tile(x, y, origin.x, origin.y, texture.surface().pitch, offsets_of);
    const uint64_t base = texture.surface().base;
    load(view, corners, [&](unsigned corner, unsigned i) { return base + offsets_of[corner][i]; }, raw);
  } else {
    const surface::Level& place = texture.place(level);
    load(view, corners, [&](unsigned corner, unsigned i) {
      return place.address(static_cast<uint32_t>(corner & 1 ? x.high[i] : x.low[i]), static_cast<uint32_t>(corner & 2 ? y.high[i] : y.low[i]), texture.surface().min_array_element);
    }, raw);
  }
  if (linear) kernels.linear(decode_, raw, x.weight, y.weight, out);
  else kernels.nearest(decode_, raw[0], out);
  return true;
}

void QuadSampler::swizzle(float (&color)[4][4]) const {
  const Texture& texture = filter_.texture();
  if (texture.plain_select()) return;
  using Select = surface::ShaderChannelSelect;
  float from[4][4];
  std::memcpy(from, color, sizeof from);
  for (unsigned c = 0; c < 4; ++c) {
    const Select select = texture.surface().select[c];
    if (select >= Select::SCS_RED) std::memcpy(color[c], from[static_cast<unsigned>(select) - static_cast<unsigned>(Select::SCS_RED)], sizeof color[c]);
    else std::fill_n(color[c], 4, select == Select::SCS_ONE ? 1.0f : 0.0f);
  }
}

bool QuadSampler::sample(memory::View& view, const float* u, const float* v, const Offsets& offsets, const Filter::Lod& lod, float (&out)[4][4]) const {
  const State& state = filter_.state();
  const bool magnify = lod.magnify;
  const bool linear = magnify ? state.mag_mode_filter != State::MagModeFilter::MAPFILTER_NEAREST : state.min_mode_filter != State::MinModeFilter::MAPFILTER_NEAREST;
  const auto level = [&](float n, float (&to)[4][4]) { return sample_level(view, u, v, offsets, static_cast<unsigned>(n), linear, magnify, to); };
  switch (state.mip_mode_filter) {
    case State::MipModeFilter::MIPFILTER_NEAREST:
      if (!level(std::floor(lod.clamped + 0.5f), out)) return false;
      break;
    case State::MipModeFilter::MIPFILTER_LINEAR: {
      const float low = std::floor(lod.clamped);
      const int weight = static_cast<int>((lod.clamped - low) * 256);
      if (!level(low, out)) return false;
      if (weight == 0 || low + 1 >= static_cast<float>(filter_.texture().levels())) break;
      float next[4][4];
      if (!level(low + 1, next)) return false;
      quad_kernels().mix(out, next, static_cast<float>(weight) / 256);
      break;
    }
    default:
      if (!level(0, out)) return false;
  }
  swizzle(out);
  return true;
}

}  // namespace softgen::sampler
