// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/draw_call.h"

#include "hw/mmio/register_file.h"

namespace softgen::render {

uint32_t pipeline_registers(const EngineEnv& env) {
  return env.registers.engine_register(env.engine, 0) - env.registers.engine_register(EngineId::rcs, 0);
}

bool absolute_constants(const EngineEnv& env) {
  return reg::field::CS_DEBUG_MODE2_3DSTATE_CONSTANT_BUFFER_ADDRESS_OFFSET_DISABLE.of(env.registers.peek(reg::CS_DEBUG_MODE2));
}

DrawCall draw_call(const DrawCommand& command, const DrawState& state, const EngineEnv& env) {
  const auto peek = [&env, base = pipeline_registers(env)](uint32_t offset) { return env.registers.peek(base + offset); };
  DrawCall call{.topology = state.vertex.topology,
                .indexed = command.indexed,
                .vertex_count = command.vertex_count,
                .start_vertex = command.start_vertex,
                .instance_count = command.instance_count,
                .start_instance = command.start_instance,
                .base_vertex = command.base_vertex,
                .extended = command.parameters};
  if (command.indirect) {
    call.start_vertex = peek(reg::PRIM_START_VERTEX);
    call.vertex_count = peek(reg::PRIM_VERTEX_COUNT);
    call.instance_count = peek(reg::PRIM_INSTANCE_COUNT);
    call.start_instance = peek(reg::PRIM_START_INSTANCE);
    call.base_vertex = static_cast<int32_t>(peek(reg::PRIM_BASE_VERTEX));
    for (uint32_t i = 0; command.extended && i < call.extended.size(); ++i) call.extended[i] = peek(reg::PRIM_EXTENDED_PARAMETER(i));
  }
  if (command.end_offset) {
    // As many vertices as the stream output buffer, bound as vertex buffer 0, holds up to the end offset (SKL PRM vol 2a, 3DPRIMITIVE).
    const uint32_t pitch = state.vertex.buffers[0].pitch;
    call.vertex_count = pitch ? peek(reg::PRIM_END_OFFSET) / pitch : 0;
  }
  return call;
}

}  // namespace softgen::render
