// SPDX-License-Identifier: GPL-2.0-or-later
// SKL PRM vol 7, "Setup Backend (SBE)": which dwords of the vertices become which attribute, and how they vary over the object.
#include <algorithm>
#include <bit>
#include <cstring>

#include "hw/render/setup.h"

namespace softgen::render {
namespace {

float as_float(uint32_t dword) { return std::bit_cast<float>(dword); }
uint32_t as_dword(float value) { return std::bit_cast<uint32_t>(value); }

uint32_t constant_of(AttributeConstant source, unsigned component, uint32_t primitive_id) {
  switch (source) {
    case AttributeConstant::zeros_and_one: return component == 3 ? as_dword(1) : 0;
    case AttributeConstant::ones: return as_dword(1);
    case AttributeConstant::primitive_id: return primitive_id;
    default: return 0;
  }
}

}  // namespace

std::array<uint32_t, 4> Setup::attribute(const Vue& vertex, unsigned index, const PreparedObject& object, uint32_t primitive_id) const {
  const SetupState& sbe = state_.setup;
  unsigned source = index;
  const AttributeOverride* change = nullptr;
  if (sbe.swizzle && index < sbe.overrides.size()) {
    change = &sbe.overrides[index];
    source = change->source;
    if (change->by_facing && !object.front) ++source;  // two-sided lighting: the back colour follows the front colour
  }
  std::array<uint32_t, 4> value = {};
  if (source < attribute_limit_)
    for (unsigned c = 0; c < 4; ++c) value[c] = vertex.dword(attribute_offset_ + 4 * source + c);
  for (unsigned c = 0; c < 4; ++c) {
    if (change && (change->components >> c & 1)) value[c] = constant_of(change->constant, c, primitive_id);
    if (index == sbe.primitive_id_attribute && (sbe.primitive_id_components >> c & 1)) value[c] = primitive_id;
  }
  return value;
}

/// Attributes that are four dwords of the vertex, whatever the primitive.
void Setup::find_attributes() {
  const SetupState& sbe = state_.setup;
  for (unsigned i = 0; i < attribute_count_; ++i) {
    AttributeSource& source = sources_[i];
    unsigned front = i, back = i;
    source.constant = sbe.constant_attributes >> i & 1;
    source.general = sbe.primitive_id_components && i == sbe.primitive_id_attribute;
    if (sbe.swizzle && i < sbe.overrides.size()) {
      const AttributeOverride& change = sbe.overrides[i];
      front = back = change.source;
      if (change.by_facing) ++back;
      source.general = source.general || change.components;
    }
    source.general = source.general || front >= attribute_limit_ || back >= attribute_limit_;
    source.at = {attribute_offset_ + 4 * back, attribute_offset_ + 4 * front};
  }
}

/// Over a triangle.
void Setup::varying_attribute(const AttributeSource& source, std::span<const Vue> vertices, bool front, AttributeSetup& out) const {
  typedef float Four __attribute__((vector_size(16)));
  std::array<Four, 3> value;
  for (size_t i = 0; i < 3; ++i) std::memcpy(&value[i], vertices[i].dwords().data() + source.at[front], sizeof(Four));
  const Four along1 = value[1] - value[0], along2 = value[2] - value[0];
  for (unsigned c = 0; c < 4; ++c) {
    const Four column{along1[c], along2[c], 0, value[0][c]};
    std::memcpy(&out.registers[c / 2].dw[4 * (c % 2)], &column, sizeof column);
  }
}

namespace {

/// The same everywhere: as the vertex has it from dword `at` on.
void constant_attribute(const Vue& provoking, uint32_t at, AttributeSetup& out) {
  for (unsigned c = 0; c < 4; ++c) {
    uint32_t* const dw = &out.registers[c / 2].dw[4 * (c % 2)];
    dw[0] = dw[1] = dw[2] = 0;
    dw[3] = provoking.dwords()[at + c];
  }
}

}  // namespace

void Setup::setup_attributes(const Vue& provoking, uint32_t primitive_id, std::span<const Vue> vertices, PreparedObject& out) const {
  const SetupState& sbe = state_.setup;
  out.attributes = arena_->slice<AttributeSetup>(attribute_count_);
  size_t least = vertices[0].dwords().size();
  for (const Vue& v : vertices) least = std::min(least, v.dwords().size());
  for (unsigned i = 0; i < attribute_count_; ++i) {
    AttributeSetup& attribute_setup = out.attributes.add();
    const AttributeSource& source = sources_[i];
    if (!source.general && vertices.size() == 3 && std::max(source.at[0], source.at[1]) + 4 <= least) {
      if (source.constant) constant_attribute(provoking, source.at[out.front], attribute_setup);
      else varying_attribute(source, vertices, out.front, attribute_setup);
      continue;
    }
    const bool constant = sbe.constant_attributes >> i & 1;
    const auto a0 = attribute(constant ? provoking : vertices[0], i, out, primitive_id);
    auto a1 = a0, a2 = a0;
    if (!constant && vertices.size() > 1) {
      a1 = attribute(vertices[1], i, out, primitive_id);
      if (vertices.size() > 2) a2 = attribute(vertices[2], i, out, primitive_id);
    }
    for (unsigned c = 0; c < 4; ++c) {
      uint32_t* dw = &attribute_setup.registers[c / 2].dw[4 * (c % 2)];
      dw[0] = constant || vertices.size() < 2 ? 0 : as_dword(as_float(a1[c]) - as_float(a0[c]));
      dw[1] = constant || vertices.size() < 3 ? 0 : as_dword(as_float(a2[c]) - as_float(a0[c]));
      dw[2] = 0;
      dw[3] = a0[c];
    }
    if (vertices.size() == 1 && (sbe.sprite_attributes >> i & 1)) {
      const bool lower_left = sbe.sprite_lower_left;
      Grf& xy = attribute_setup.registers[0];
      Grf& zw = attribute_setup.registers[1];
      xy = {{as_dword(1), 0, 0, 0, 0, as_dword(lower_left ? -1.0f : 1.0f), 0, as_dword(lower_left ? 1.0f : 0.0f)}};
      zw = {{0, 0, 0, 0, 0, 0, 0, as_dword(1)}};
    }
  }
}

}  // namespace softgen::render
