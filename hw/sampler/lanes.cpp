// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/sampler/lanes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

#include "hw/base/denormals.h"
#include "hw/sampler/lod.h"

namespace softgen::sampler {
namespace {

using Mode = defs::gen9::TextureCoordinateMode;
using surface::Format;
using surface::SurfaceFormat;
using surface::Tiling;

std::optional<Wrap> wrap_of(Mode mode) {
  switch (mode) {
    case Mode::TCM_WRAP: return Wrap::wrap;
    case Mode::TCM_MIRROR: return Wrap::mirror;
    case Mode::TCM_CLAMP: return Wrap::clamp;
    default: return std::nullopt;
  }
}

std::optional<LaneTiling> tiling_of(Tiling tiling) {
  switch (tiling) {
    case Tiling::linear: return LaneTiling::linear;
    case Tiling::x: return LaneTiling::x;
    case Tiling::y: return LaneTiling::y;
    default: return std::nullopt;
  }
}

std::optional<LaneCodes> codes_of(const Format& format) {
  if (format.code == SurfaceFormat::R32_FLOAT) return LaneCodes::float32;
  if (format.code == SurfaceFormat::R24_UNORM_X8_TYPELESS) return LaneCodes::unorm24;
  if (format.layout != surface::ElementLayout::unorm8) return std::nullopt;
  return format.srgb ? LaneCodes::srgb8 : LaneCodes::unorm8;
}

/// As Texture::fetch() and then Texture::swizzle() would have it.
std::optional<LaneDecode> decode_of(const surface::Surface& s) {
  const Format& format = *s.format;
  const auto codes = codes_of(format);
  if (!codes || !std::has_single_bit(format.block_bytes())) return std::nullopt;
  LaneDecode d;
  d.codes = *codes;
  d.srgb = surface::srgb8_values().data();
  const auto stored = [&](unsigned c) { return format.output[c] >= 0 ? static_cast<uint8_t>(format.output[c]) : c == 3 ? LaneDecode::one : LaneDecode::zero; };
  using Select = surface::ShaderChannelSelect;
  for (unsigned c = 0; c < 4; ++c)
    d.from[c] = s.select[c] >= Select::SCS_RED   ? stored(static_cast<unsigned>(s.select[c]) - static_cast<unsigned>(Select::SCS_RED))
                : s.select[c] == Select::SCS_ONE ? LaneDecode::one
                                                 : LaneDecode::zero;
  if (format.has_alpha()) d.linear_component = static_cast<uint8_t>(format.output[3]);
  return d;
}

/// The elements of a surface that is scattered over host memory, mostly of few pages.
struct Pages {
  memory::View& view;
  uint64_t base;
};
void load(void* context, const uint32_t* offsets, unsigned count, const std::byte** out) {
  const Pages& pages = *static_cast<Pages*>(context);
  constexpr uint64_t in_page = memory::View::page_size - 1;
  uint64_t where = ~uint64_t{0};
  const std::byte* page = nullptr;
  for (unsigned i = 0; i < count; ++i) {
    const uint64_t at = pages.base + offsets[i];
    if ((at & ~in_page) != where) where = at & ~in_page, page = pages.view.at(where);
    out[i] = page + (at & in_page);
  }
}

}  // namespace

LaneSampler::LaneSampler(const Texture& texture, const State& state, const LaneKernels& kernels) : mix_(kernels.mix), lods_(kernels.lods) {
  const surface::Surface& s = texture.surface();
  if (!texture.has_texels() || s.type != surface::SurfaceType::two_d || texture.layers() != 1 || s.samples != 1 || s.base % 4 || s.pitch % 4) return;
  const auto decode = decode_of(s);
  const auto tiling = tiling_of(s.tiling);
  const auto across = wrap_of(state.tcx_address_control_mode), down = wrap_of(state.tcy_address_control_mode);
  const auto anisotropic = [](auto mode) { return static_cast<unsigned>(mode) == static_cast<unsigned>(State::MagModeFilter::MAPFILTER_ANISOTROPIC); };
  const bool reduces = state.reduction_type_enable &&
                       (state.reduction_type == State::ReductionType::MINIMUM || state.reduction_type == State::ReductionType::MAXIMUM);
  // Only whole tiles: what lies where in a row of parts of tiles is Level::address()'s affair, and how far it reaches.
  if (tiling && *tiling != LaneTiling::linear && s.pitch % surface::tile_pitch(s.tiling, 4)) return;
  if (!decode || !tiling || !across || !down || reduces || anisotropic(state.mag_mode_filter) || anisotropic(state.min_mode_filter)) return;
  surface_ = {.wrap = {*across, *down}, .normalized = !state.non_normalized_coordinate_enable, .powers = true, .tiling = *tiling,
              .shift = static_cast<uint8_t>(std::countr_zero(s.format->block_bytes())), .pitch = s.pitch, .decode = *decode};
  base_ = s.base;
  places(texture);
  // Offsets of 31 bits, as the hosts' gathers have them.
  if (bytes_ >> 31) return;
  possible_ = true;
  const auto& of_format = kernels.sample[static_cast<unsigned>(surface_.decode.codes)][static_cast<unsigned>(surface_.tiling)];
  magnified_ = {of_format[state.mag_mode_filter != State::MagModeFilter::MAPFILTER_NEAREST],
                {static_cast<bool>(state.u_address_mag_filter_rounding_enable), static_cast<bool>(state.v_address_mag_filter_rounding_enable)}};
  minified_ = {of_format[state.min_mode_filter != State::MinModeFilter::MAPFILTER_NEAREST],
               {static_cast<bool>(state.u_address_min_filter_rounding_enable), static_cast<bool>(state.v_address_min_filter_rounding_enable)}};
  mips_ = state.mip_mode_filter;
  detail_ = lane_detail(texture, state);
  any_value_ = surface_.decode.codes == LaneCodes::float32;
  needs_lod_ = mips_ == State::MipModeFilter::MIPFILTER_NEAREST || mips_ == State::MipModeFilter::MIPFILTER_LINEAR || magnified_ != minified_;
}

/// The levels, and how many bytes from the surface's base they reach.
void LaneSampler::places(const Texture& texture) {
  const surface::Surface& s = texture.surface();
  const uint64_t tile_rows = surface_.tiling == LaneTiling::y ? 32 : surface_.tiling == LaneTiling::x ? 8 : 1;
  for (unsigned n = 0; n < texture.levels(); ++n) {
    const surface::Extent& size = texture.extent(n);
    const surface::Origin& origin = texture.origin(n);
    const uint64_t y = origin.y + uint64_t{s.min_array_element} * s.qpitch, rows = (y + size.height + tile_rows - 1) / tile_rows * tile_rows;
    levels_.push_back({static_cast<int32_t>(size.width), static_cast<int32_t>(size.height), origin.x, static_cast<uint32_t>(y)});
    surface_.powers = surface_.powers && std::has_single_bit(size.width) && std::has_single_bit(size.height);
    const uint64_t row = ((uint64_t{origin.x} + size.width) * s.format->block_bytes() + 3) & ~uint64_t{3};
    // Columns beyond the pitch lie in the next row of tiles.
    const uint64_t last = surface_.tiling == LaneTiling::linear ? row : tile_rows * (row <= s.pitch ? s.pitch : s.pitch + row + 512);
    bytes_ = std::max(bytes_, (rows - tile_rows) * s.pitch + last);
  }
}

/// Looking up all pages is worth it for those who look at many texels.
const std::byte* LaneSampler::memory(memory::View& view) {
  if (const auto stamp = view.stamp(); stamp != stamp_) {
    stamp_ = stamp;
    memory_ = nullptr;
    looks_ = 0;
  }
  if (!memory_ && looks_++ == 8 + bytes_ / (8 * memory::View::page_size)) memory_ = view.piece(base_, bytes_);
  return memory_;
}

void LaneSampler::sample_levels(const Manner& manner, LaneTap& tap, const float (&lod)[quads_of_lanes], float* const (&out)[4]) const {
  tap.rounded[0] = manner.rounded[0], tap.rounded[1] = manner.rounded[1];
  const LaneLevel* next[quads_of_lanes];
  float weight[quads_of_lanes] = {};
  bool mixed = false;
  for (unsigned q = 0; q < quads_of_lanes; ++q) {
    size_t n = 0;
    if (mips_ == State::MipModeFilter::MIPFILTER_NEAREST) {
      n = static_cast<size_t>(lod[q] + 0.5f);
    } else if (mips_ == State::MipModeFilter::MIPFILTER_LINEAR) {
      n = static_cast<size_t>(lod[q]);
      if (n + 1 < levels_.size()) weight[q] = static_cast<float>(static_cast<int>((lod[q] - static_cast<float>(n)) * 256)) / 256;
    }
    tap.level[q] = &levels_[n];
    next[q] = weight[q] != 0 ? &levels_[n + 1] : tap.level[q];
    mixed = mixed || weight[q] != 0;
  }
  manner.sample(surface_, tap, out);
  if (!mixed) return;
  std::copy(std::begin(next), std::end(next), std::begin(tap.level));
  alignas(32) float more[4][lane_count];
  manner.sample(surface_, tap, {more[0], more[1], more[2], more[3]});
  mix_(out, more, weight);
}

/// Eight channels; `lods` of all the message's quads, null: the level of detail has no say, and the tap is complete.
void LaneSampler::sample_eight(LaneTap& tap, const LaneLods* lods, unsigned first_quad, float* const (&out)[4]) const {
  if (!lods) return magnified_.sample(surface_, tap, out);
  const float* lod = lods->clamped + first_quad;
  const uint32_t magnify = lods->magnify >> first_quad & 3;
  const auto manner = [&](unsigned q) -> const Manner& { return magnify >> q & 1 ? magnified_ : minified_; };
  if (magnify == 0 || magnify == 3 || magnified_ == minified_) return sample_levels(manner(0), tap, {lod[0], lod[1]}, out);
  // Each quad its own way.
  alignas(32) float halves[2][4][lane_count];
  for (unsigned q = 0; q < quads_of_lanes; ++q)
    sample_levels(manner(q), tap, {lod[q], lod[q]}, {halves[q][0], halves[q][1], halves[q][2], halves[q][3]});
  for (unsigned c = 0; c < 4; ++c)
    for (unsigned i = 0; i < lane_count; ++i) out[c][i] = halves[i / 4][c][i];
}

/// False: some quad's channels do not agree.
bool LaneSampler::lods(const LaneRequest& r, LaneLods& out) const {
  alignas(16) float given[4] = {}, bias[4] = {};
  const auto common = [&](const float* of, float (&quads)[4]) {
    for (unsigned q = 0; q < r.channels / 4; ++q) {
      quads[q] = of[4 * q];
      if (!(r.mask >> 4 * q & 15)) continue;
      for (unsigned i = 1; i < 4; ++i)
        if (std::bit_cast<uint32_t>(of[4 * q + i]) != std::bit_cast<uint32_t>(of[4 * q])) return false;
    }
    return true;
  };
  if ((r.has_lod && !common(r.lod, given)) || (r.has_bias && !common(r.bias, bias))) return false;
  lods_(detail_, r.u, r.v, r.has_lod || r.level_zero ? given : nullptr, r.has_bias ? bias : nullptr, out);
  return true;
}

bool LaneSampler::sample(memory::View& view, const LaneRequest& r) {
  if (any_value_ && (control_word() & daz)) {
    const KeepDenormals keep;
    return sample(view, r);
  }
  LaneLods lods;
  if (needs_lod_ && !this->lods(r, lods)) return false;
  Pages pages{view, base_};
  LaneTap tap{.level = {levels_.data(), levels_.data()}, .u = nullptr, .v = nullptr, .offset = {r.offsets.u, r.offsets.v}, .memory = memory(view), .load = load, .context = &pages};
  if (!needs_lod_) {
    tap.rounded[0] = magnified_.rounded[0], tap.rounded[1] = magnified_.rounded[1];
    const bool whole = r.mask == (1u << r.channels) - 1 && r.out[0] && r.out[1] && r.out[2] && r.out[3];
    for (unsigned first = 0; whole && first < r.channels; first += lane_count) {
      tap.u = r.u + first, tap.v = r.v + first;
      magnified_.sample(surface_, tap, {r.out[0] + first, r.out[1] + first, r.out[2] + first, r.out[3] + first});
    }
    if (whole) return true;
  }
  for (unsigned first = 0; first < r.channels; first += lane_count) {
    const uint32_t lit = r.mask >> first & 0xff;
    if (!lit) continue;
    alignas(32) float color[4][lane_count];
    float* out[4];
    for (unsigned c = 0; c < 4; ++c) out[c] = r.out[c] && lit == 0xff ? r.out[c] + first : color[c];
    tap.u = r.u + first, tap.v = r.v + first;
    sample_eight(tap, needs_lod_ ? &lods : nullptr, first / 4, out);
    if (lit == 0xff) continue;
    for (unsigned c = 0; c < 4; ++c)
      for (unsigned i = 0; r.out[c] && i < lane_count; ++i)
        if (lit >> i & 1) r.out[c][first + i] = color[c][i];
  }
  return true;
}

}  // namespace softgen::sampler
