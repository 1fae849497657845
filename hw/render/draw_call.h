// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "hw/render/state_decoder.h"
#include "hw/render/vertex_fetch.h"

namespace softgen::render {

/// The offset of a register of the pipeline (reg::PRIM_*, reg::*_COUNT) on another engine than RCS that has it, less that on RCS.
uint32_t pipeline_registers(const EngineEnv& env);

/// CS_DEBUG_MODE2: whether 3DSTATE_CONSTANT_* hold graphics addresses.
bool absolute_constants(const EngineEnv& env);

/// The numbers of the draw, which stand in the command or in the engine's registers.
DrawCall draw_call(const DrawCommand& command, const DrawState& state, const EngineEnv& env);

}  // namespace softgen::render
