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

using Mode = AddressMode;
using surface::Format;
using surface::SurfaceFormat;
using surface::Tiling;

std::optional<Wrap> wrap_of(Mode mode) {
  switch (mode) {
    case Mode::wrap: return Wrap::wrap;
    case Mode::mirror: return Wrap::mirror;
    case Mode::clamp: return Wrap::clamp;
    default: return std::nullopt;
  }
}

std::optional<LaneTiling> tiling_of(Tiling tiling, unsigned element) {
  switch (tiling) {
    case Tiling::linear: return LaneTiling::linear;
    case Tiling::x: return LaneTiling::x;
    case Tiling::y: return LaneTiling::y;
    case Tiling::yf: return element == 2 || element == 4 ? std::optional(LaneTiling::yf) : std::nullopt;
    default: return std::nullopt;
  }
}

/// Dwords of Y and Yf tiles.
constexpr uint32_t tile_columns = 32, tile_rows = 32;

std::optional<LaneCodes> codes_of(const Format& format) {
  if (format.code == SurfaceFormat::R32_FLOAT) return LaneCodes::float32;
  if (format.code == SurfaceFormat::R24_UNORM_X8_TYPELESS) return LaneCodes::unorm24;
  if (filters_codes(format)) return LaneCodes::unorm8;
  return format.layout == surface::ElementLayout::unorm8 ? std::optional(LaneCodes::srgb8) : std::nullopt;
}

/// As Texture::fetch() and then Texture::swizzle() would have it.
std::optional<LaneDecode> decode_of(const surface::Surface& s) {
  const Format& format = *s.format;
  const auto codes = codes_of(format);
  if (!codes || !std::has_single_bit(format.block_bytes())) return std::nullopt;
  LaneDecode d;
  d.codes = *codes;
  d.srgb = surface::srgb8_values().data();
  const auto stored = [&](unsigned c) {
    return format.output[c] >= 0 ? static_cast<uint8_t>(format.output[c]) : c == 3 ? LaneDecode::one : LaneDecode::zero;
  };
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

LaneSampler::LaneSampler(const Texture& texture, const State& state, const LaneKernels& kernels) : kernels_(&kernels) {
  const surface::Surface& s = texture.surface();
  if (!texture.has_texels() || s.type != surface::SurfaceType::two_d || texture.layers() != 1 || s.samples != 1 || s.base % 4 ||
      s.pitch % 4)
    return;
  const auto decode = decode_of(s);
  const auto tiling = tiling_of(s.tiling, s.format->block_bytes());
  const auto across = wrap_of(state.mode_u), down = wrap_of(state.mode_v);
  const bool reduces = state.reduction != Reduction::average;
  // Only whole tiles: a row of partial tiles is laid out by Level::address().
  if (tiling && *tiling != LaneTiling::linear && s.pitch % surface::tile_pitch(s.tiling, 4)) return;
  if (!decode || !tiling || !across || !down || reduces) return;
  surface_ = {.wrap = {*across, *down},
              .normalized = !state.non_normalized,
              .powers = true,
              .tiling = *tiling,
              .shift = static_cast<uint8_t>(std::countr_zero(s.format->block_bytes())),
              .pitch = s.pitch,
              .decode = *decode};
  base_ = s.base;
  places(texture);
  // Offsets of 31 bits, as the hosts' gathers have them.
  if (bytes_ >> 31) return;
  possible_ = true;
  const auto& of_format = kernels.sample[static_cast<unsigned>(surface_.decode.codes)][static_cast<unsigned>(surface_.tiling)];
  magnified_ = {of_format[state.mag_filter != TexelFilter::nearest],
                {state.mag_rounding.u, state.mag_rounding.v},
                state.mag_filter == TexelFilter::anisotropic};
  minified_ = {of_format[state.min_filter != TexelFilter::nearest],
               {state.min_rounding.u, state.min_rounding.v},
               state.min_filter == TexelFilter::anisotropic};
  detail_ = lane_detail(texture, state);
  any_value_ = surface_.decode.codes == LaneCodes::float32;
  filters_differ_ = magnified_ != minified_;
  anisotropic_ = magnified_.anisotropic || minified_.anisotropic;
  max_taps_ = state.max_taps;
  const bool mips = detail_.mips != LaneMips::none && (texture.levels() > 1 || detail_.low > 0);
  needs_lod_ = mips || filters_differ_ || anisotropic_;
}

/// The levels, and how many bytes from the surface's base they reach.
void LaneSampler::places(const Texture& texture) {
  const surface::Surface& s = texture.surface();
  const uint64_t tile_rows = surface::page_shape(s.tiling, 4).height;
  for (unsigned n = 0; n < texture.levels(); ++n) {
    const surface::Extent& size = texture.extent(n);
    const surface::Origin& origin = texture.origin(n);
    const uint64_t y = origin.y + uint64_t{s.min_array_element} * s.qpitch,
                   rows = (y + size.height + tile_rows - 1) / tile_rows * tile_rows;
    levels_.push_back({static_cast<int32_t>(size.width), static_cast<int32_t>(size.height), origin.x, static_cast<uint32_t>(y)});
    surface_.powers = surface_.powers && std::has_single_bit(size.width) && std::has_single_bit(size.height);
    const uint64_t row = ((uint64_t{origin.x} + size.width) * s.format->block_bytes() + 3) & ~uint64_t{3};
    // Columns beyond the pitch lie in the next row of tiles.
    const uint64_t last = surface_.tiling == LaneTiling::linear ? row : tile_rows * (row <= s.pitch ? s.pitch : s.pitch + row + 512);
    bytes_ = std::max(bytes_, (rows - tile_rows) * s.pitch + last);
  }
}

LanePlainSample LaneSampler::shortest(unsigned channels, std::vector<LanePlain>& to, LanePlainLevels& levels) const {
  const LaneSurface& s = surface_;
  const bool srgb = s.decode.codes == LaneCodes::srgb8, codes24 = s.decode.codes == LaneCodes::unorm24;
  const bool codes8 = s.decode.codes == LaneCodes::unorm8 || (srgb && s.decode.linear_component >= 3);
  if (!possible_ || !(codes8 || codes24) || s.shift != 2 || filters_differ_) return nullptr;
  if (s.tiling != LaneTiling::y && s.tiling != LaneTiling::yf) return nullptr;
  const LanePlainKernels& kernels = kernels_->plain[s.tiling == LaneTiling::yf];
  to.assign(needs_lod_ ? levels_.size() : 1, {});
  for (size_t n = 0; n < to.size(); ++n)
    if (!shortest(levels_[n], to[n])) return nullptr;
  if (needs_lod_) {
    levels.detail = detail_, levels.max_taps = max_taps_;
    if (!codes8 || !is_linear()) return nullptr;
    return (anisotropic_ ? kernels.footprints : kernels.levels)[srgb][channels == 16];
  }
  if (to[0].within[0] || to[0].within[1]) return nullptr;
  if (codes8) return kernels.sample[srgb][is_linear()][channels == 16];
  return is_linear() ? nullptr : kernels.nearest24[channels == 16];
}

bool LaneSampler::is_linear() const {
  return magnified_.sample == kernels_->sample[static_cast<unsigned>(surface_.decode.codes)][static_cast<unsigned>(surface_.tiling)][1];
}

/// Sets what depends on the level and the sampler.
bool LaneSampler::shortest(const LaneLevel& level, LanePlain& to) const {
  const LaneSurface& s = surface_;
  if (level.x % 4 || level.y % 4) return false;
  const bool linear = is_linear();
  to.pitch = s.pitch;
  to.srgb = s.decode.srgb;
  to.within[0] = s.tiling == LaneTiling::yf ? level.x % tile_columns : 0;
  to.within[1] = level.y % tile_rows;
  to.tile_step = tile_rows * s.pitch - 512;
  const int32_t size[2] = {level.width, level.height};
  for (unsigned n = 0; n < 2; ++n) {
    to.scale[n] = s.normalized ? 256.0f * static_cast<float>(size[n]) : 256.0f;
    to.added[n] = magnified_.rounded[n] ? lane_rounding : lane_least;
    to.wrap[n] = s.wrap[n], to.texels[n] = size[n];
    if (s.wrap[n] == Wrap::clamp) {
      // Linear: half a texel less; both texels are the last one where the upper one would be beyond.
      to.min[n] = 0, to.max[n] = static_cast<float>(256 * size[n] - (linear ? 0 : 1));
      to.first[n] = 0, to.last[n] = size[n] - 1, to.mask[n] = -1;
    } else {
      const bool power = s.wrap[n] == Wrap::wrap && std::has_single_bit(static_cast<uint32_t>(size[n]));
      to.min[n] = -256 * lane_far, to.max[n] = 256 * lane_far;
      to.first[n] = INT32_MIN, to.last[n] = INT32_MAX, to.mask[n] = power ? size[n] - 1 : -1;
      to.folded[n] = !power;
    }
  }
  constexpr int32_t window[2] = {12, 8};
  to.has_window = size[0] >= window[0] && size[1] >= window[1] && std::max(size[0], size[1]) <= 1 << 14 &&
                  (linear || !(magnified_.rounded[0] || magnified_.rounded[1]));
  for (unsigned n = 0; n < 2; ++n) {
    to.size[n] = s.normalized ? static_cast<float>(size[n]) : 1.0f;
    to.window_last[4 * n] = static_cast<int16_t>((size[n] - window[n]) & (n == 0 ? ~3 : ~0)),
                       to.window_mask[4 * n] = static_cast<int16_t>(to.mask[n]);
  }
  to.window_top[4] = static_cast<int16_t>(to.within[1]);
  return true;
}

bool LaneSampler::find_texels(memory::View& view, std::vector<LanePlain>& levels) {
  const std::byte* surface = memory(view);
  // Four columns of dwords are 512 bytes from the next four, across Y tiles, and from the first four of one Yf tile to those of the next.
  for (size_t n = 0; surface && n < levels.size(); ++n)
    levels[n].memory =
        surface + uint64_t{levels_[n].y - levels[n].within[1]} * surface_.pitch + uint64_t{levels_[n].x - levels[n].within[0]} * 128;
  return surface;
}

/// Looking up all pages pays for messages that read many texels.
const std::byte* LaneSampler::looked_up(memory::View& view) {
  if (const auto stamp = view.stamp(); stamp != stamp_) {
    stamp_ = stamp;
    memory_ = nullptr;
    looks_ = 0;
  }
  if (!memory_ && looks_++ == 8 + bytes_ / (8 * memory::View::page_size)) memory_ = view.piece(base_, bytes_);
  return memory_;
}

/// The mean of all of a footprint's taps; null: of one.
void LaneSampler::sample_taps(const Manner& manner, const LaneTap& tap, const LaneFootprints* f, float* const (&out)[4]) const {
  if (f && manner.anisotropic) kernels_->taps(manner.sample, surface_, tap, *f, out);
  else manner.sample(surface_, tap, out);
}

void LaneSampler::sample_levels(const Manner& manner, LaneTap& tap, const LaneLods& lods, const LaneFootprints* f,
                                float* const (&out)[4]) const {
  tap.rounded[0] = manner.rounded[0], tap.rounded[1] = manner.rounded[1];
  tap.one_level = lods.one_level;
  const LaneLevel* levels = levels_.data();
  for (unsigned q = 0; q < max_quads; ++q) tap.level[q] = levels + lods.level[q];
  sample_taps(manner, tap, f, out);
  if (!lods.mixed) return;
  // There is a next level where it has a weight.
  if (tap.one_level) ++tap.level[0];
  else
    for (unsigned q = 0; q < max_quads; ++q) tap.level[q] += lods.weight[q] != 0;
  tap.weight = lods.weight;
  sample_taps(manner, tap, f, out);
  tap.weight = nullptr;
}

void LaneSampler::footprints(const LaneRequest& r, LaneFootprints& out, float (&lod)[max_quads]) const {
  kernels_->footprints(detail_, r.tap.u, r.tap.v, max_taps_, out, lod);
  for (unsigned q = 0; q < max_quads; ++q)
    if (!(r.tap.mask >> 4 * q & 15)) out.taps[q] = 1, lod[q] = 0;
}

/// False: some quad's channels do not agree.
bool LaneSampler::lods(const LaneRequest& r, LaneLods& out, LaneFootprints* f) const {
  if (!r.has_lod && !r.has_bias && !r.level_zero && !f) {
    kernels_->lods(detail_, r.tap.u, r.tap.v, nullptr, nullptr, out);
    return true;
  }
  alignas(16) float given[max_quads] = {}, bias[max_quads] = {};
  const auto common = [&](const float* of, float(&quads)[max_quads]) {
    for (unsigned q = 0; q < r.tap.channels / 4; ++q) {
      quads[q] = of[4 * q];
      if (!(r.tap.mask >> 4 * q & 15)) continue;
      for (unsigned i = 1; i < 4; ++i)
        if (std::bit_cast<uint32_t>(of[4 * q + i]) != std::bit_cast<uint32_t>(of[4 * q])) return false;
    }
    return true;
  };
  if ((r.has_lod && !common(r.lod, given)) || (r.has_bias && !common(r.bias, bias))) return false;
  if (f) footprints(r, *f, given);
  kernels_->lods(detail_, r.tap.u, r.tap.v, r.has_lod || r.level_zero || f ? given : nullptr, r.has_bias ? bias : nullptr, out);
  return true;
}

void LaneSampler::sample_scattered(memory::View& view, LaneTap& tap, float* const (&out)[4]) const {
  Pages pages{view, base_};
  tap.load = load, tap.context = &pages;
  magnified_.sample(surface_, tap, out);
}

bool LaneSampler::sample(memory::View& view, LaneRequest& r) {
  if (any_value_ && (control_word() & daz)) {
    const KeepDenormals keep;
    return sample(view, r);
  }
  LaneTap& tap = r.tap;
  if (!needs_lod_) return sample_plain(view, tap, r.out), true;
  Pages pages{view, base_};
  tap.memory = memory(view), tap.load = load, tap.context = &pages;
  LaneLods lods;
  LaneFootprints footprints;
  LaneFootprints* f = anisotropic_ && !r.has_lod && !r.level_zero ? &footprints : nullptr;
  if (!this->lods(r, lods, f)) return false;
  if (!filters_differ_) {
    sample_levels(minified_, tap, lods, f, r.out);
    return true;
  }
  // Quads that magnify, and the others.
  const uint32_t m = lods.magnify, magnified = ((m | m << 3 | m << 6 | m << 9) & 0x1111) * 15, mask = tap.mask;
  tap.mask = mask & ~magnified;
  if (tap.mask) sample_levels(minified_, tap, lods, f, r.out);
  tap.mask = mask & magnified;
  if (tap.mask) sample_levels(magnified_, tap, lods, f, r.out);
  tap.mask = mask;
  return true;
}

}  // namespace softgen::sampler
