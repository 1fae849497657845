// SPDX-License-Identifier: GPL-2.0-or-later
// Attributes: SKL PRM vol 2a, 3DSTATE_SBE, 3DSTATE_SBE_SWIZ.
#include <algorithm>

#include "hw/render/decode/part.h"

namespace softgen::render::decode {
namespace {

uint8_t mask(bool x, bool y, bool z, bool w) { return static_cast<uint8_t>(x | y << 1 | z << 2 | w << 3); }

template <class G>
void attributes(const StateStore& store, DrawState& state) {
  using Sbe = typename G::_3DSTATE_SBE;
  const auto p = packet<Sbe>(store);
  SetupState& out = state.setup;
  out.attributes = std::min(p.number_of_sf_output_attributes, SetupState::max_attributes);
  out.force_read_offset = p.force_vertex_urb_entry_read_offset, out.force_read_length = p.force_vertex_urb_entry_read_length;
  out.read_offset = p.vertex_urb_entry_read_offset, out.read_length = p.vertex_urb_entry_read_length;
  out.swizzle = p.attribute_swizzle_enable;
  out.primitive_id_attribute = static_cast<uint8_t>(p.primitive_id_override_attribute_select);
  out.primitive_id_components = mask(p.primitive_id_override_component_x, p.primitive_id_override_component_y,
                                     p.primitive_id_override_component_z, p.primitive_id_override_component_w);
  out.constant_attributes = p.constant_interpolation_enable;
  out.sprite_attributes = p.point_sprite_texture_coordinate_enable;
  out.sprite_lower_left = p.point_sprite_texture_coordinate_origin == Sbe::PointSpriteTextureCoordinateOrigin::LOWERLEFT;
}

template <class G>
void overrides(const StateStore& store, DrawState& state) {
  using Detail = typename G::SF_OUTPUT_ATTRIBUTE_DETAIL;
  using Source = typename Detail::ConstantSource;
  using Select = typename Detail::SwizzleSelect;
  static_assert(agree(AttributeConstant::zeros, Source::CONST_0000) && agree(AttributeConstant::zeros_and_one, Source::CONST_0001_FLOAT) &&
                agree(AttributeConstant::ones, Source::CONST_1111_FLOAT) && agree(AttributeConstant::primitive_id, Source::PRIM_ID));
  const auto p = packet<typename G::_3DSTATE_SBE_SWIZ>(store);
  for (unsigned i = 0; i < SetupState::swizzled_attributes; ++i) {
    const Detail& detail = p.attribute[i];
    state.setup.overrides[i] = {
        .source = static_cast<uint8_t>(detail.source_attribute),
        .by_facing = detail.swizzle_select == Select::INPUTATTR_FACING || detail.swizzle_select == Select::INPUTATTR_FACING_W,
        .components =
            mask(detail.component_override_x, detail.component_override_y, detail.component_override_z, detail.component_override_w),
        .constant = same<AttributeConstant>(detail.constant_source)};
  }
}

}  // namespace

template <class G>
std::span<const Part> SetupParts<G>::parts() {
  static constexpr Part all[] = {part<typename G::_3DSTATE_SBE>(attributes<G>), part<typename G::_3DSTATE_SBE_SWIZ>(overrides<G>)};
  return all;
}

template struct SetupParts<defs::Gen9>;
template struct SetupParts<defs::Gen11>;
template struct SetupParts<defs::Gen12>;

}  // namespace softgen::render::decode
