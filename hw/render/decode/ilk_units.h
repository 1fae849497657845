// SPDX-License-Identifier: GPL-2.0-or-later
// The unit states of Ironlake, read from memory.
#pragma once

#include "hw/memory/structure.h"
#include "hw/memory/view.h"
#include "hw/render/ilk/state.h"

namespace softgen::render::decode {

/// Memory behind General State Base Address, from which pointers to unit states and viewports count.
struct GeneralState {
  memory::View& view;
  uint32_t base;

  template <typename Structure>
  Structure load(uint32_t offset) const {
    return memory::load_structure<Structure>(view, base + offset);
  }
};

// Each reads the state at `offset`, and sets its part of `state`. What depends on the depth buffer or on CC state comes last: read_wm().
void read_vs(const GeneralState& memory, uint32_t offset, ilk::State& state);
void read_gs(const GeneralState& memory, uint32_t offset, bool enable, ilk::State& state);
void read_clip(const GeneralState& memory, uint32_t offset, bool enable, ilk::State& state);
void read_sf(const GeneralState& memory, uint32_t offset, ilk::State& state);
void read_cc(const GeneralState& memory, uint32_t offset, ilk::State& state);
void read_wm(const GeneralState& memory, uint32_t offset, ilk::State& state);

}  // namespace softgen::render::decode
