// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/render_engine.h"

#include <algorithm>

#include "hw/base/log.h"
#include "hw/defs/command.h"
#include "hw/mmio/register_file.h"
#include "hw/render/stream_out.h"

namespace softgen::render {

ExecResult RenderEngine::primitive(const Packet& packet, EngineEnv& env) {
  const DrawCommand p = decoder_->draw_command(packet.dwords);
  if (p.predicated && !env.predicate) return ExecResult::done;
  decoder_->refresh(store_, state_);
  decoder_->read(store_, env.view, state_);
  decoder_->read_registers(env.registers, state_);
  DrawCall call{.topology = state_.vertex.topology,
                .indexed = p.indexed,
                .vertex_count = p.vertex_count,
                .start_vertex = p.start_vertex,
                .instance_count = p.instance_count,
                .start_instance = p.start_instance,
                .base_vertex = p.base_vertex,
                .extended = p.parameters};
  if (p.indirect) {
    call.start_vertex = env.registers.peek(reg::PRIM_START_VERTEX);
    call.vertex_count = env.registers.peek(reg::PRIM_VERTEX_COUNT);
    call.instance_count = env.registers.peek(reg::PRIM_INSTANCE_COUNT);
    call.start_instance = env.registers.peek(reg::PRIM_START_INSTANCE);
    call.base_vertex = static_cast<int32_t>(env.registers.peek(reg::PRIM_BASE_VERTEX));
    for (uint32_t i = 0; p.extended && i < call.extended.size(); ++i)
      call.extended[i] = env.registers.peek(reg::PRIM_EXTENDED_PARAMETER(i));
  }
  if (p.end_offset) {
    // As many vertices as the stream output buffer, bound as vertex buffer 0, holds up to the end offset (SKL PRM vol 2a, 3DPRIMITIVE).
    const uint32_t pitch = state_.vertex.buffers[0].pitch;
    call.vertex_count = pitch ? env.registers.peek(reg::PRIM_END_OFFSET) / pitch : 0;
  }
  DrawProgress progress;
  if (store_.resumes(packet)) progress = {store_.progress()[0], store_.progress()[1]};
  const ExecResult result = drawer_.draw(state_, *decoder_, call, env, progress);
  store_.progress()[0] = progress.batches;
  store_.progress()[1] = progress.tiles;
  store_.keep_progress(packet, result == ExecResult::preempted);
  return result;
}

ExecResult RenderEngine::execute(const Packet& packet, EngineEnv& env) {
  using defs::CommandId;
  if (store_.accept(packet)) {
    if (packet.command->id == CommandId::_3DSTATE_WM_HZ_OP && decoder_) {
      if (const ExecResult finished = drawer_.finish(env); finished != ExecResult::done) return finished;
      decoder_->refresh(store_, state_);
      return drawer_.depth_operation(state_, decoder_->depth_operation(store_), env);
    }
    if (packet.command->id == CommandId::_3DSTATE_SAMPLER_PALETTE_LOAD0 ||
        packet.command->id == CommandId::_3DSTATE_SAMPLER_PALETTE_LOAD1) {
      if (const ExecResult finished = drawer_.finish(env); finished != ExecResult::done) return finished;
      give_palettes();
    }
    if (packet.command->id == CommandId::_3DSTATE_SO_BUFFER && decoder_)
      load_stream_offset(decoder_->stream_offset(packet.dwords), env.registers, env.view);
    return ExecResult::done;
  }
  if (packet.command->draws && decoder_) return primitive(packet, env);
  if (const ExecResult finished = drawer_.finish(env); finished != ExecResult::done) return finished;
  if (gpgpu_ && packet.command->dispatches) return gpgpu_->execute(packet, store_, env);
  switch (packet.command->id) {
    case CommandId::STATE_PREFETCH:                              // a hint
    case CommandId::MEDIA_STATE_FLUSH: return ExecResult::done;  // walkers and media objects are never deferred, draws are finished above
    default: unimplemented(packet.command->name, "at {:#x}: parsed, not executed", packet.address); return ExecResult::done;
  }
}

ExecResult RenderEngine::flush(const FlushRequest& request, EngineEnv& env) {
  const ExecResult result = drawer_.finish(env);
  if (request.texture || request.state) invalidate_textures();
  return result;
}

void RenderEngine::invalidate_textures() {
  if (shared_) shared_->invalidate_textures();
}

void RenderEngine::give_palettes() {
  using defs::CommandId;
  if (!shared_) return;
  TexturePalettes palettes{};
  for (const auto& [id, palette] :
       {std::pair{CommandId::_3DSTATE_SAMPLER_PALETTE_LOAD0, &palettes[0]}, {CommandId::_3DSTATE_SAMPLER_PALETTE_LOAD1, &palettes[1]}})
    if (const auto packet = store_.packet(id); packet.size() > 1)
      std::copy_n(packet.begin() + 1, std::min(packet.size() - 1, palette->size()), palette->begin());
  shared_->set_palettes(palettes);
}

}  // namespace softgen::render
