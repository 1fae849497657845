// SPDX-License-Identifier: GPL-2.0-or-later
// The unit states of Ironlake, read from memory.
#pragma once

#include "hw/memory/view.h"
#include "hw/render/ilk/state.h"

namespace softgen::render::decode {

// Each reads the state at `address`, and sets its part of `state`. What depends on the depth buffer or on CC state comes last: read_wm().
void read_vs(memory::View& view, uint32_t address, ilk::State& state);
void read_gs(memory::View& view, uint32_t address, bool enable, ilk::State& state);
void read_clip(memory::View& view, uint32_t address, bool enable, ilk::State& state);
void read_sf(memory::View& view, uint32_t address, ilk::State& state);
void read_cc(memory::View& view, uint32_t address, ilk::State& state);
void read_wm(memory::View& view, uint32_t address, ilk::State& state);

}  // namespace softgen::render::decode
