// SPDX-License-Identifier: GPL-2.0-or-later
// SKL PRM vol 7, "Color Buffer Blending", "Logic Ops", "Alpha Test".
#include "hw/render/output_merger.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "hw/base/log.h"
#include "hw/render/depth_stencil_rules.h"

namespace softgen::render {
namespace {

using surface::Float4;
using surface::Word4;
using Factor = BlendFactor;
using Function = BlendFunction;
using surface::ChannelType;

Float4 as_floats(const Word4& w) {
  Float4 f;
  for (unsigned i = 0; i < 4; ++i) f[i] = std::bit_cast<float>(w[i]);
  return f;
}

struct Inputs {
  const Float4 &source, &source1, &destination;
  Float4 constant;
};

float factor(Factor f, const Inputs& in, unsigned c) {
  switch (f) {
    case Factor::one: return 1;
    case Factor::source_color: return in.source[c];
    case Factor::source_alpha: return in.source[3];
    case Factor::destination_alpha: return in.destination[3];
    case Factor::destination_color: return in.destination[c];
    case Factor::source_alpha_saturate: return c == 3 ? 1 : std::min(in.source[3], 1 - in.destination[3]);
    case Factor::constant_color: return in.constant[c];
    case Factor::constant_alpha: return in.constant[3];
    case Factor::source1_color: return in.source1[c];
    case Factor::source1_alpha: return in.source1[3];
    case Factor::inverse_source_color: return 1 - in.source[c];
    case Factor::inverse_source_alpha: return 1 - in.source[3];
    case Factor::inverse_destination_alpha: return 1 - in.destination[3];
    case Factor::inverse_destination_color: return 1 - in.destination[c];
    case Factor::inverse_constant_color: return 1 - in.constant[c];
    case Factor::inverse_constant_alpha: return 1 - in.constant[3];
    case Factor::inverse_source1_color: return 1 - in.source1[c];
    case Factor::inverse_source1_alpha: return 1 - in.source1[3];
    default: return 0;
  }
}

float combine(Function function, float source, float source_factor, float destination, float destination_factor) {
  switch (function) {
    case Function::add: return source * source_factor + destination * destination_factor;
    case Function::subtract: return source * source_factor - destination * destination_factor;
    case Function::reverse_subtract: return destination * destination_factor - source * source_factor;
    case Function::min: return std::min(source, destination);
    case Function::max: return std::max(source, destination);
  }
  return source;
}

/// The range a format holds, for the clamps before and after blending.
void clamp_to(ColorClamp range, const surface::Format& format, Float4& color) {
  float low = 0, high = 1;
  if (range == ColorClamp::snorm) low = -1;
  if (range == ColorClamp::format) {
    const ChannelType type = format.channel[0].type;
    if (type == ChannelType::sfloat || type == ChannelType::ufloat) return;
    if (type == ChannelType::snorm) low = -1;
  }
  for (float& c : color) c = std::clamp(std::isnan(c) ? 0 : c, low, high);
}

/// `table`: bit (2 s + d) of the result.
uint32_t logic(uint32_t table, uint32_t s, uint32_t d) {
  return (table & 1 ? ~s & ~d : 0) | (table & 2 ? ~s & d : 0) | (table & 4 ? s & ~d : 0) | (table & 8 ? s & d : 0);
}

/// Stored bits of the channels whose writes are disabled, as a mask over the element's first 16 bytes.
std::array<uint8_t, 16> disabled_bits(uint8_t disabled, const surface::Format& format) {
  std::array<uint8_t, 16> mask{};
  for (unsigned c = 0; c < 4; ++c) {
    if (!(disabled >> c & 1) || format.output[c] < 0) continue;
    const surface::Channel& channel = format.channel[static_cast<size_t>(format.output[c])];
    for (unsigned b = channel.shift; b < unsigned{channel.shift} + channel.bits; ++b) mask[b / 8] |= static_cast<uint8_t>(1 << b % 8);
  }
  return mask;
}

}  // namespace

RenderTarget::RenderTarget(const surface::Surface& bound) : surface(bound), format(bound.format) {
  if (bound.is_null() || bound.is_buffer() || !bound.format || !bound.format->is(surface::use_render)) return;
  if (bound.format->kind != surface::FormatKind::plain) {
    unimplemented("rendering to a format", "{}", bound.format->name);
    return;
  }
  format = &surface::written_format(bound);
  level.emplace(bound, bound.mip_count);
  mcs = surface::Mcs(bound);
  ccs = surface::Ccs(bound, bound.mip_count);
}

void RenderTarget::expand(memory::View& view, uint32_t x, uint32_t y, uint32_t slice) const {
  const uint64_t code = mcs.read(view, x, y, slice);
  if (code == mcs.identity()) return;
  const unsigned bytes = surface.format->block_bytes();
  std::array<std::array<std::byte, 16>, 16> texels{};
  if (mcs.is_clear(code)) {
    surface::encode(*surface.format, surface.clear_color, texels[0].data());
    for (unsigned s = 1; s < surface.samples; ++s) texels[s] = texels[0];
  } else {
    for (unsigned s = 0; s < surface.samples; ++s) view.read(level->address(x, y, slice, mcs.slice_of(code, s)), texels[s].data(), bytes);
  }
  for (unsigned s = 0; s < surface.samples; ++s) view.write(level->address(x, y, slice, s), texels[s].data(), bytes);
  mcs.write(view, x, y, slice, mcs.identity());
}

OutputMerger::OutputMerger(const DrawState& state)
    : blend_(state.blend), alpha_to_coverage_(state.blend.alpha_to_coverage && !state.pixel.disables_alpha_to_coverage) {}

bool OutputMerger::alpha_passes(float alpha) const {
  if (!blend_.alpha_test) return true;
  const float value = blend_.alpha_reference_unorm ? std::round(std::clamp(alpha, 0.0f, 1.0f) * 255) : alpha;
  return compare(blend_.alpha_function, value, blend_.alpha_reference);
}

// SKL PRM vol 2d, BLEND_STATE: more alpha lights no fewer samples, 0 lights none, 1 all; with AlphaToCoverage Dither Enable the coverage depends
// on the screen's coordinates, too. The rounding and the pattern are not published (docs/render.md, Chosen). On Kaby Lake piglit finds other
// numbers of samples with dithering where alpha is between multiples of a sample (nv_alpha_to_coverage_dither_control passes), but none where it
// is one (sample-alpha-to-coverage passes, and dithering is Mesa's default).
uint32_t OutputMerger::alpha_to_coverage(float alpha, unsigned count, uint32_t x, uint32_t y) const {
  const uint32_t all = (1u << count) - 1;
  if (!alpha_to_coverage_) return all;
  const double lit = std::clamp(std::isnan(alpha) ? 0.0 : double{alpha}, 0.0, 1.0) * count;
  const auto mask = [&](double rounding) { return (1u << static_cast<unsigned>(lit + rounding)) - 1; };
  if (!blend_.alpha_to_coverage_dither) return mask(0.5);
  constexpr std::array<double, 4> rounding{1 / 8.0, 5 / 8.0, 7 / 8.0, 3 / 8.0};
  const unsigned place = (y & 1) * 2 + (x & 1), quarter = std::max(count / 4, 1u), first = place * quarter % count;
  const uint32_t lowest = mask(rounding[place]);
  return (lowest << first | lowest >> (count - first)) & all;
}

Float4 OutputMerger::blend(const TargetBlend& how, const surface::Format& format, const Float4& source, const Float4& source1,
                           const Float4& destination) const {
  Float4 constant = blend_.constant;
  if (how.clamp_before && !how.clamp_source_only) clamp_to(how.clamp, format, constant);
  const Inputs in{source, source1, destination, constant};
  Float4 result;
  for (unsigned c = 0; c < 3; ++c)
    result[c] = combine(how.function, source[c], factor(how.source_factor, in, c), destination[c], factor(how.destination_factor, in, c));
  // Without Independent Alpha Blend the colour's factors and function are alpha's too (SKL PRM vol 2d, BLEND_STATE).
  const bool own = blend_.independent_alpha;
  result[3] = combine(own ? how.alpha_function : how.function, source[3], factor(own ? how.source_alpha_factor : how.source_factor, in, 3),
                      destination[3], factor(own ? how.destination_alpha_factor : how.destination_factor, in, 3));
  return result;
}

OutputMerger::Mode OutputMerger::mode(const RenderTarget& rt, unsigned target) const {
  Mode mode;
  mode.blend = targets_[target & 7];
  if (!rt.level) return mode;
  const surface::Format& format = *rt.format;
  mode.floating = format.numeric == surface::Numeric::floating;
  mode.blending = mode.floating && mode.blend.blend && format.is(surface::use_blend);
  // Logic operations are for stored integers, not for floats or sRGB (SKL PRM vol 7, "Logic Ops").
  const ChannelType type = format.channel[0].type;
  mode.logic = mode.blend.logic_op && !mode.blending && !format.srgb && type != ChannelType::sfloat && type != ChannelType::ufloat;
  mode.kept = disabled_bits(mode.blend.disabled, format);
  mode.partial = std::any_of(mode.kept.begin(), mode.kept.end(), [](uint8_t b) { return b != 0; });
  mode.reads = mode.blending || mode.logic || mode.partial;
  return mode;
}

Float4 OutputMerger::merged(const Mode& mode, const surface::Format& format, const PixelColor& color, const std::byte* old) const {
  const TargetBlend& how = mode.blend;
  Float4 source = as_floats(color.source0);
  if (blend_.alpha_to_one) source[3] = 1;
  if (how.clamp_before) clamp_to(how.clamp, format, source);
  if (!mode.blending) return source;
  Float4 source1 = as_floats(color.source1);
  if (blend_.alpha_to_one) source1[3] = 1;
  if (how.clamp_before) clamp_to(how.clamp, format, source1);
  source = blend(how, format, source, source1, surface::decode_float(format, old));
  if (how.clamp_after) clamp_to(how.clamp, format, source);
  return source;
}

uint32_t OutputMerger::write(memory::View& view, const RenderTarget& rt, const Mode& mode, uint32_t x, uint32_t y, uint32_t layer,
                             uint32_t samples, const PixelColor& color) const {
  if (!rt.holds(x, y, layer)) return 0;
  const surface::Format& format = *rt.format;
  const unsigned bytes = format.block_bytes();
  const uint32_t slice = layer + rt.surface.min_array_element;
  if (rt.mcs) rt.expand(view, x, y, slice);
  std::array<std::byte, 16> old{}, next{};
  bool encoded = false;
  samples &= (1u << rt.surface.samples) - 1;
  for (uint32_t left = samples; left; left &= left - 1) {
    const uint64_t address = rt.level->address(x, y, slice, static_cast<uint32_t>(std::countr_zero(left)));
    if (mode.reads) view.read(address, old.data(), bytes);
    if (!encoded || mode.reads) {
      if (mode.floating) surface::encode_float(format, merged(mode, format, color, old.data()), next.data());
      else surface::encode(format, color.source0, next.data());
      encoded = true;
    }
    if (mode.logic)
      for (unsigned i = 0; i < bytes; ++i)
        next[i] = static_cast<std::byte>(logic(mode.blend.logic_table, static_cast<uint32_t>(next[i]), static_cast<uint32_t>(old[i])));
    if (mode.partial)
      for (unsigned i = 0; i < bytes; ++i) {
        const auto keep = static_cast<std::byte>(mode.kept[i]);
        next[i] = (old[i] & keep) | (next[i] & ~keep);
      }
    view.write(address, next.data(), bytes);
  }
  return samples;
}

Word4 OutputMerger::read(memory::View& view, const RenderTarget& rt, uint32_t x, uint32_t y, uint32_t layer, unsigned sample) const {
  if (!rt.holds(x, y, layer)) return {};
  const uint32_t slice = layer + rt.surface.min_array_element;
  if (rt.mcs) rt.expand(view, x, y, slice);
  std::array<std::byte, 16> raw{};
  view.read(rt.level->address(x, y, slice, std::min<unsigned>(sample, rt.surface.samples - 1u)), raw.data(), rt.format->block_bytes());
  return surface::decode(*rt.format, raw.data());
}

}  // namespace softgen::render
