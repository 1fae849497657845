// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/draw_state.h"

#include <algorithm>

#include "hw/base/bits.h"

namespace softgen::render {

ShaderBases DrawState::bases(Stage stage) const {
  const StageBindings& own = bindings[static_cast<size_t>(stage)];
  ShaderBases result = common_bases;
  result.binding_table = own.binding_table << common_bases.binding_table_shift;
  result.sampler_state = own.samplers;
  return result;
}

PushConstants DrawState::push_constants(Stage stage, bool absolute) const {
  PushConstants result = bindings[static_cast<size_t>(stage)].constants;
  if (!absolute) result.ranges[0].address += common_bases.dynamic_state;
  for (PushConstants::Range& range : result.ranges) range.address = strip_canonical(range.address);
  return result;
}

Stage last_geometry_stage(const DrawState& state) {
  if (state.stage(Stage::gs).enable) return Stage::gs;
  return state.stage(Stage::ds).enable ? Stage::ds : Stage::vs;
}

}  // namespace softgen::render
