// SPDX-License-Identifier: GPL-2.0-or-later
// Structures in memory that packets point to: SKL PRM vol 2d, SF_CLIP_VIEWPORT, CC_VIEWPORT, SCISSOR_RECT, BLEND_STATE, COLOR_CALC_STATE. The
// pointers count from Dynamic State Base (vol 2a, the packets).
#include <algorithm>
#include <cmath>

#include "hw/base/bits.h"
#include "hw/memory/structure.h"
#include "hw/render/decode/part.h"

namespace softgen::render::decode {
namespace {

constexpr int32_t max_extent = 16384;  // pixels of the largest target

int32_t to_pixel(float value) {
  return std::isnan(value) ? 0 : static_cast<int32_t>(std::clamp(value, -1.0f, static_cast<float>(max_extent)));
}

/// Number `index` of an array of them.
template <typename Structure>
Structure load(memory::View& view, uint64_t address, unsigned index) {
  return memory::load_structure<Structure>(view, address + uint64_t{index} * Structure::dwords * 4);
}

template <class G>
void read_depth_ranges(const StateStore& store, memory::View& view, DrawState& state) {
  const uint64_t at =
      state.common_bases.dynamic_state + view_of<typename G::_3DSTATE_VIEWPORT_STATE_POINTERS_CC>(store).cc_viewport_pointer();
  for (unsigned i = 0; i < state.clip.viewports; ++i) {
    const auto depth = load<typename G::CC_VIEWPORT>(view, at, i);
    state.viewports[i].min_depth = depth.minimum_depth, state.viewports[i].max_depth = depth.maximum_depth;
  }
}

template <class G>
void read_blend(const StateStore& store, memory::View& view, DrawState& state) {
  using ColorCalc = typename G::COLOR_CALC_STATE;
  BlendState& out = state.blend;
  const uint64_t dynamic = state.common_bases.dynamic_state;
  const auto pointer = view_of<typename G::_3DSTATE_BLEND_STATE_POINTERS>(store);
  out = {};
  out.bound = pointer.blend_state_pointer_valid();
  if (out.bound) {
    out.address = strip_canonical(dynamic + pointer.blend_state_pointer());
    std::array<uint32_t, 1> dw;  // what all targets share
    view.read(out.address, dw.data(), sizeof dw);
    const auto common = G::BLEND_STATE::unpack(dw);
    out.alpha_to_coverage = common.alpha_to_coverage_enable, out.alpha_to_coverage_dither = common.alpha_to_coverage_dither_enable;
    out.alpha_to_one = common.alpha_to_one_enable, out.independent_alpha = common.independent_alpha_blend_enable;
    out.alpha_test = common.alpha_test_enable, out.alpha_function = same<CompareFunction>(common.alpha_test_function);
  }
  const uint64_t at = strip_canonical(dynamic + view_of<typename G::_3DSTATE_CC_STATE_POINTERS>(store).color_calc_state_pointer());
  const auto cc = memory::load_structure<ColorCalc>(view, at);
  out.alpha_reference_unorm = cc.alpha_test_format == ColorCalc::AlphaTestFormat::ALPHATEST_UNORM8;
  out.alpha_reference =
      out.alpha_reference_unorm ? static_cast<float>(cc.alpha_reference_value_as_unorm8) : cc.alpha_reference_value_as_float32;
  out.constant = {cc.blend_constant_color_red, cc.blend_constant_color_green, cc.blend_constant_color_blue, cc.blend_constant_color_alpha};
}

/// One state per viewport; read for shaders that ask for coarse pixels.
template <class G>
void read_coarse_sizes(const StateStore& store, memory::View& view, DrawState& state) {
  if constexpr (requires { typename G::CPS_STATE; }) {
    CoarseState& coarse = state.pixel.coarse;
    if (!coarse.per_coarse_pixel) return;
    const auto pointers = store.packet(G::_3DSTATE_CPS_POINTERS::id);
    const uint64_t at =
        state.common_bases.dynamic_state + typename G::_3DSTATE_CPS_POINTERS::View(pointers).coarse_pixel_shading_state_array_pointer();
    for (unsigned i = 0; i < state.clip.viewports; ++i)
      coarse.viewports[i] = pointers.empty() ? CoarseSizes{} : coarse_sizes(load<typename G::CPS_STATE>(view, at, i));
  }
}

}  // namespace

template <class G>
void Structures<G>::read_places(const StateStore& store, memory::View& view, DrawState& state) {
  const uint64_t dynamic = state.common_bases.dynamic_state;
  const uint64_t clip_at = dynamic + view_of<typename G::_3DSTATE_VIEWPORT_STATE_POINTERS_SF_CLIP>(store).sf_clip_viewport_pointer();
  const uint64_t scissor_at = dynamic + view_of<typename G::_3DSTATE_SCISSOR_STATE_POINTERS>(store).scissor_rect_pointer();
  for (unsigned i = 0; i < state.clip.viewports; ++i) {
    ViewportState& out = state.viewports[i];
    if (state.raster.viewport_transform) {
      const auto v = load<typename G::SF_CLIP_VIEWPORT>(view, clip_at, i);
      out.transform = {v.viewport_matrix_element_m00, v.viewport_matrix_element_m11, v.viewport_matrix_element_m22,
                       v.viewport_matrix_element_m30, v.viewport_matrix_element_m31, v.viewport_matrix_element_m32,
                       v.x_min_clip_guardband,        v.x_max_clip_guardband,        v.y_min_clip_guardband,
                       v.y_max_clip_guardband};
      out.extent = {to_pixel(v.x_min_viewport), to_pixel(v.y_min_viewport), to_pixel(v.x_max_viewport) + 1, to_pixel(v.y_max_viewport) + 1};
    }
    if (state.raster.scissor) {
      const auto s = load<typename G::SCISSOR_RECT>(view, scissor_at, i);
      out.scissor = {static_cast<int32_t>(s.scissor_rectangle_x_min), static_cast<int32_t>(s.scissor_rectangle_y_min),
                     static_cast<int32_t>(s.scissor_rectangle_x_max) + 1, static_cast<int32_t>(s.scissor_rectangle_y_max) + 1};
    }
  }
}

template <class G>
void Structures<G>::read(const StateStore& store, memory::View& view, DrawState& state) {
  read_depth_ranges<G>(store, view, state);
  read_places(store, view, state);
  read_blend<G>(store, view, state);
  read_coarse_sizes<G>(store, view, state);
}

template <class G>
TargetBlend Structures<G>::target_blend(memory::View& view, const DrawState& state, unsigned target) {
  using Entry = typename G::BLEND_STATE_ENTRY;
  using Clamp = typename Entry::ColorClampRange;
  using Factor = typename G::BlendFactor;
  using Function = typename G::BlendFunction;
  static_assert(agree(BlendFactor::one, Factor::BLENDFACTOR_ONE) &&
                agree(BlendFactor::source_alpha_saturate, Factor::BLENDFACTOR_SRC_ALPHA_SATURATE) &&
                agree(BlendFactor::source1_alpha, Factor::BLENDFACTOR_SRC1_ALPHA) && agree(BlendFactor::zero, Factor::BLENDFACTOR_ZERO) &&
                agree(BlendFactor::inverse_destination_color, Factor::BLENDFACTOR_INV_DST_COLOR) &&
                agree(BlendFactor::inverse_constant_color, Factor::BLENDFACTOR_INV_CONST_COLOR) &&
                agree(BlendFactor::inverse_source1_alpha, Factor::BLENDFACTOR_INV_SRC1_ALPHA));
  static_assert(agree(BlendFunction::add, Function::BLENDFUNCTION_ADD) &&
                agree(BlendFunction::reverse_subtract, Function::BLENDFUNCTION_REVERSE_SUBTRACT) &&
                agree(BlendFunction::max, Function::BLENDFUNCTION_MAX));
  // A logic operation's code is its truth table.
  static_assert(agree(0b0001, G::LogicOpFunction::LOGICOP_NOR) && agree(0b1000, G::LogicOpFunction::LOGICOP_AND) &&
                agree(0b1100, G::LogicOpFunction::LOGICOP_COPY));
  if (!state.blend.bound) return {};
  constexpr uint64_t common = 4;  // bytes before the first entry
  const auto e = memory::load_structure<Entry>(view, strip_canonical(state.blend.address + common + uint64_t{target} * Entry::dwords * 4));
  const auto factor = [](Factor field) { return same<BlendFactor>(field); };
  return {.blend = e.color_buffer_blend_enable,
          .source_factor = factor(e.source_blend_factor),
          .destination_factor = factor(e.destination_blend_factor),
          .source_alpha_factor = factor(e.source_alpha_blend_factor),
          .destination_alpha_factor = factor(e.destination_alpha_blend_factor),
          .function = same<BlendFunction>(e.color_blend_function),
          .alpha_function = same<BlendFunction>(e.alpha_blend_function),
          .disabled = static_cast<uint8_t>(e.write_disable_red | e.write_disable_green << 1 | e.write_disable_blue << 2 |
                                           e.write_disable_alpha << 3),
          .logic_op = e.logic_op_enable,
          .logic_table = static_cast<uint8_t>(e.logic_op_function),
          .clamp = e.color_clamp_range == Clamp::COLORCLAMP_SNORM      ? ColorClamp::snorm
                   : e.color_clamp_range == Clamp::COLORCLAMP_RTFORMAT ? ColorClamp::format
                                                                       : ColorClamp::unorm,
          .clamp_before = e.pre_blend_color_clamp_enable,
          .clamp_source_only = e.pre_blend_source_only_clamp_enable,
          .clamp_after = e.post_blend_color_clamp_enable};
}

template struct Structures<defs::Gen9>;
template struct Structures<defs::Gen11>;
template struct Structures<defs::Gen12>;

}  // namespace softgen::render::decode
