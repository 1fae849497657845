// SPDX-License-Identifier: GPL-2.0-or-later
// From Ironlake's packets and unit states to a State: hw/render/decode/ilk_*.cpp. Guest values are brought into range here, once.
#pragma once

#include <cstdint>
#include <span>

#include "hw/memory/view.h"
#include "hw/render/ilk/state.h"
#include "hw/render/state_store.h"

namespace softgen::render::ilk {

/// All state of a draw, by the packets that `store` keeps and the memory that they point to.
void read_state(const StateStore& store, memory::View& view, State& state);
/// The bases alone, for what is not a draw.
ShaderBases read_bases(const StateStore& store);
UrbRegions read_urb(const StateStore& store);
/// PIPELINE_SELECT: the media pipeline, not 3D.
bool is_media(const StateStore& store);

/// Of whole packets, header first.
Primitive primitive(std::span<const uint32_t> packet);
ConstantBuffer constant_buffer(std::span<const uint32_t> packet);
TargetControls target_controls(std::span<const uint32_t> surface_state);

}  // namespace softgen::render::ilk
