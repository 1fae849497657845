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
using Factor = gen9::BlendFactor;
using Function = gen9::BlendFunction;
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
    case Factor::BLENDFACTOR_ONE: return 1;
    case Factor::BLENDFACTOR_SRC_COLOR: return in.source[c];
    case Factor::BLENDFACTOR_SRC_ALPHA: return in.source[3];
    case Factor::BLENDFACTOR_DST_ALPHA: return in.destination[3];
    case Factor::BLENDFACTOR_DST_COLOR: return in.destination[c];
    case Factor::BLENDFACTOR_SRC_ALPHA_SATURATE: return c == 3 ? 1 : std::min(in.source[3], 1 - in.destination[3]);
    case Factor::BLENDFACTOR_CONST_COLOR: return in.constant[c];
    case Factor::BLENDFACTOR_CONST_ALPHA: return in.constant[3];
    case Factor::BLENDFACTOR_SRC1_COLOR: return in.source1[c];
    case Factor::BLENDFACTOR_SRC1_ALPHA: return in.source1[3];
    case Factor::BLENDFACTOR_INV_SRC_COLOR: return 1 - in.source[c];
    case Factor::BLENDFACTOR_INV_SRC_ALPHA: return 1 - in.source[3];
    case Factor::BLENDFACTOR_INV_DST_ALPHA: return 1 - in.destination[3];
    case Factor::BLENDFACTOR_INV_DST_COLOR: return 1 - in.destination[c];
    case Factor::BLENDFACTOR_INV_CONST_COLOR: return 1 - in.constant[c];
    case Factor::BLENDFACTOR_INV_CONST_ALPHA: return 1 - in.constant[3];
    case Factor::BLENDFACTOR_INV_SRC1_COLOR: return 1 - in.source1[c];
    case Factor::BLENDFACTOR_INV_SRC1_ALPHA: return 1 - in.source1[3];
    default: return 0;
  }
}

float combine(Function function, float source, float source_factor, float destination, float destination_factor) {
  switch (function) {
    case Function::BLENDFUNCTION_ADD: return source * source_factor + destination * destination_factor;
    case Function::BLENDFUNCTION_SUBTRACT: return source * source_factor - destination * destination_factor;
    case Function::BLENDFUNCTION_REVERSE_SUBTRACT: return destination * destination_factor - source * source_factor;
    case Function::BLENDFUNCTION_MIN: return std::min(source, destination);
    case Function::BLENDFUNCTION_MAX: return std::max(source, destination);
  }
  return source;
}

/// The range a format holds, for the clamps before and after blending.
void clamp_to(gen9::BLEND_STATE_ENTRY::ColorClampRange range, const surface::Format& format, Float4& color) {
  using Range = gen9::BLEND_STATE_ENTRY::ColorClampRange;
  float low = 0, high = 1;
  if (range == Range::COLORCLAMP_SNORM) low = -1;
  if (range == Range::COLORCLAMP_RTFORMAT) {
    const ChannelType type = format.channel[0].type;
    if (type == ChannelType::sfloat || type == ChannelType::ufloat) return;
    if (type == ChannelType::snorm) low = -1;
  }
  for (float& c : color) c = std::clamp(std::isnan(c) ? 0 : c, low, high);
}

uint32_t logic(gen9::LogicOpFunction op, uint32_t s, uint32_t d) {
  // The function's code is its truth table: bit (2 s + d).
  const uint32_t table = static_cast<uint32_t>(op);
  return (table & 1 ? ~s & ~d : 0) | (table & 2 ? ~s & d : 0) | (table & 4 ? s & ~d : 0) | (table & 8 ? s & d : 0);
}

/// Stored bits of the channels whose writes are disabled, as a mask over the element's first 16 bytes.
std::array<uint8_t, 16> disabled_bits(const gen9::BLEND_STATE_ENTRY& entry, const surface::Format& format) {
  std::array<uint8_t, 16> mask{};
  const bool disabled[4] = {entry.write_disable_red, entry.write_disable_green, entry.write_disable_blue, entry.write_disable_alpha};
  for (unsigned c = 0; c < 4; ++c) {
    if (!disabled[c] || format.output[c] < 0) continue;
    const surface::Channel& channel = format.channel[static_cast<size_t>(format.output[c])];
    for (unsigned b = channel.shift; b < unsigned{channel.shift} + channel.bits; ++b) mask[b / 8] |= static_cast<uint8_t>(1 << b % 8);
  }
  return mask;
}

}  // namespace

RenderTarget::RenderTarget(const surface::Surface& bound) : surface(bound) {
  if (bound.is_null() || bound.is_buffer() || !bound.format || !bound.format->is(surface::use_render)) return;
  if (bound.format->kind != surface::FormatKind::plain) {
    unimplemented("rendering to a format", "{}", bound.format->name);
    return;
  }
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

OutputMerger::OutputMerger(const State& state, memory::View& view) {
  const uint64_t dynamic = state.bases().dynamic_state;
  const auto& pointers = state.get<gen9::_3DSTATE_BLEND_STATE_POINTERS>();
  if (pointers.blend_state_pointer_valid) {
    blend_at_ = strip_canonical(dynamic + pointers.blend_state_pointer);
    std::array<uint32_t, 1> common;
    view.read(*blend_at_, common.data(), sizeof common);
    blend_ = gen9::BLEND_STATE::unpack(common);
  }
  std::array<uint32_t, gen9::COLOR_CALC_STATE::dwords> cc;
  view.read(strip_canonical(dynamic + state.get<gen9::_3DSTATE_CC_STATE_POINTERS>().color_calc_state_pointer), cc.data(), sizeof cc);
  color_calc_ = gen9::COLOR_CALC_STATE::unpack(cc);
  alpha_to_coverage_ = blend_.alpha_to_coverage_enable && !state.get<gen9::_3DSTATE_PS_EXTRA>().pixel_shader_disables_alpha_to_coverage;
}

void OutputMerger::load_target(memory::View& view, unsigned target) {
  if (!blend_at_) return;
  std::array<uint32_t, gen9::BLEND_STATE_ENTRY::dwords> dw;
  view.read(strip_canonical(*blend_at_ + 4 + target * sizeof dw), dw.data(), sizeof dw);
  entries_[target & 7] = gen9::BLEND_STATE_ENTRY::unpack(dw);
}

bool OutputMerger::alpha_passes(float alpha) const {
  if (!blend_.alpha_test_enable) return true;
  using Format = gen9::COLOR_CALC_STATE::AlphaTestFormat;
  const bool unorm = color_calc_.alpha_test_format == Format::ALPHATEST_UNORM8;
  const float reference = unorm ? static_cast<float>(color_calc_.alpha_reference_value_as_unorm8) : color_calc_.alpha_reference_value_as_float32;
  const float value = unorm ? std::round(std::clamp(alpha, 0.0f, 1.0f) * 255) : alpha;
  return compare(blend_.alpha_test_function, value, reference);
}

// SKL PRM vol 2d, BLEND_STATE, "AlphaToCoverage Dither Enable": the screen's coordinates vary which samples are covered. How is not said: here
// each pixel of a 2x2 block begins a quarter of the samples further on, so neighbours differ and the number of samples stays alpha's.
uint32_t OutputMerger::alpha_to_coverage(float alpha, unsigned count, uint32_t x, uint32_t y) const {
  const uint32_t all = (1u << count) - 1;
  if (!alpha_to_coverage_) return all;
  const auto covered = static_cast<unsigned>(std::lround(std::clamp(std::isnan(alpha) ? 0 : alpha, 0.0f, 1.0f) * static_cast<float>(count)));
  const uint32_t mask = (1u << covered) - 1;
  if (!blend_.alpha_to_coverage_dither_enable) return mask;
  const unsigned quarter = std::max(count / 4, 1u), first = ((x & 1) * quarter + (y & 1) * 2 * quarter) % count;
  return (mask << first | mask >> (count - first)) & all;
}

Float4 OutputMerger::blend(const gen9::BLEND_STATE_ENTRY& e, const surface::Format& format, const Float4& source, const Float4& source1, const Float4& destination) const {
  Float4 constant{color_calc_.blend_constant_color_red, color_calc_.blend_constant_color_green, color_calc_.blend_constant_color_blue,
                  color_calc_.blend_constant_color_alpha};
  if (e.pre_blend_color_clamp_enable && !e.pre_blend_source_only_clamp_enable) clamp_to(e.color_clamp_range, format, constant);
  const Inputs in{source, source1, destination, constant};
  Float4 result;
  for (unsigned c = 0; c < 3; ++c)
    result[c] = combine(e.color_blend_function, source[c], factor(e.source_blend_factor, in, c), destination[c],
                        factor(e.destination_blend_factor, in, c));
  // Without Independent Alpha Blend the colour's factors and function are alpha's too (SKL PRM vol 2d, BLEND_STATE).
  const bool own = blend_.independent_alpha_blend_enable;
  result[3] = combine(own ? e.alpha_blend_function : e.color_blend_function, source[3], factor(own ? e.source_alpha_blend_factor : e.source_blend_factor, in, 3),
                      destination[3], factor(own ? e.destination_alpha_blend_factor : e.destination_blend_factor, in, 3));
  return result;
}

OutputMerger::Mode OutputMerger::mode(const RenderTarget& rt, unsigned target) const {
  Mode mode;
  mode.entry = entries_[target & 7];
  if (!rt.level) return mode;
  const surface::Format& format = *rt.surface.format;
  mode.floating = format.numeric == surface::Numeric::floating;
  mode.blending = mode.floating && mode.entry.color_buffer_blend_enable && format.is(surface::use_blend);
  // Logic operations are for stored integers, not for floats or sRGB (SKL PRM vol 7, "Logic Ops").
  const ChannelType type = format.channel[0].type;
  mode.logic = mode.entry.logic_op_enable && !mode.blending && !format.srgb && type != ChannelType::sfloat && type != ChannelType::ufloat;
  mode.kept = disabled_bits(mode.entry, format);
  mode.partial = std::any_of(mode.kept.begin(), mode.kept.end(), [](uint8_t b) { return b != 0; });
  mode.reads = mode.blending || mode.logic || mode.partial;
  return mode;
}

Float4 OutputMerger::merged(const Mode& mode, const surface::Format& format, const PixelColor& color, const std::byte* old) const {
  const gen9::BLEND_STATE_ENTRY& entry = mode.entry;
  Float4 source = as_floats(color.source0);
  if (blend_.alpha_to_one_enable) source[3] = 1;
  if (entry.pre_blend_color_clamp_enable) clamp_to(entry.color_clamp_range, format, source);
  if (!mode.blending) return source;
  Float4 source1 = as_floats(color.source1);
  if (blend_.alpha_to_one_enable) source1[3] = 1;
  if (entry.pre_blend_color_clamp_enable) clamp_to(entry.color_clamp_range, format, source1);
  source = blend(entry, format, source, source1, surface::decode_float(format, old));
  if (entry.post_blend_color_clamp_enable) clamp_to(entry.color_clamp_range, format, source);
  return source;
}

void OutputMerger::write(memory::View& view, const RenderTarget& rt, const Mode& mode, uint32_t x, uint32_t y, uint32_t layer, uint32_t samples,
                         const PixelColor& color) const {
  if (!rt.holds(x, y, layer)) return;
  const surface::Format& format = *rt.surface.format;
  const unsigned bytes = format.block_bytes();
  const uint32_t slice = layer + rt.surface.min_array_element;
  if (rt.mcs) rt.expand(view, x, y, slice);
  std::array<std::byte, 16> old{}, next{};
  bool encoded = false;
  samples &= (1u << rt.surface.samples) - 1;
  for (; samples; samples &= samples - 1) {
    const uint64_t address = rt.level->address(x, y, slice, static_cast<uint32_t>(std::countr_zero(samples)));
    if (mode.reads) view.read(address, old.data(), bytes);
    if (!encoded || mode.reads) {
      if (mode.floating) surface::encode_float(format, merged(mode, format, color, old.data()), next.data());
      else surface::encode(format, color.source0, next.data());
      encoded = true;
    }
    if (mode.logic)
      for (unsigned i = 0; i < bytes; ++i)
        next[i] = static_cast<std::byte>(logic(mode.entry.logic_op_function, static_cast<uint32_t>(next[i]), static_cast<uint32_t>(old[i])));
    if (mode.partial)
      for (unsigned i = 0; i < bytes; ++i) {
        const auto keep = static_cast<std::byte>(mode.kept[i]);
        next[i] = (old[i] & keep) | (next[i] & ~keep);
      }
    view.write(address, next.data(), bytes);
  }
}

Word4 OutputMerger::read(memory::View& view, const RenderTarget& rt, uint32_t x, uint32_t y, uint32_t layer, unsigned sample) const {
  if (!rt.holds(x, y, layer)) return {};
  const uint32_t slice = layer + rt.surface.min_array_element;
  if (rt.mcs) rt.expand(view, x, y, slice);
  std::array<std::byte, 16> raw{};
  view.read(rt.level->address(x, y, slice, std::min<unsigned>(sample, rt.surface.samples - 1u)), raw.data(), rt.surface.format->block_bytes());
  return surface::decode(*rt.surface.format, raw.data());
}

}  // namespace softgen::render
