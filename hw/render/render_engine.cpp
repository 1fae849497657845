// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/render_engine.h"

#include <algorithm>
#include <optional>

#include "hw/base/log.h"
#include "hw/base/work.h"
#include "hw/defs/command.h"
#include "hw/mmio/register_file.h"
#include "hw/render/draw_call.h"
#include "hw/render/position/visibility_reader.h"
#include "hw/render/stream_out.h"

namespace softgen::render {
namespace {

/// Counts a draw whose record is not read.
void pass_draw(mmio::RegisterFile& registers) {
  registers.poke(reg::TOKPROC_STG0_INSTANCE_COUNT, registers.peek(reg::TOKPROC_STG0_INSTANCE_COUNT) + 1);
}

/// Whether an object that is not visible has no effect at all (docs/posh.md).
bool may_leave_out(const DrawState& state) {
  return last_geometry_stage(state) == Stage::vs && !state.tessellation.enable && !state.stream_out.enable && !state.raster.line_stipple;
}

/// Of a draw with POSH Enable; null where none is read.
std::optional<VisibilityReader> find_record(const DrawCommand& command, EngineEnv& env) {
  if (!command.visibility) return std::nullopt;
  const RecordPlace place = RecordPlace::load(env.registers);
  if (!place.enabled) return std::nullopt;
  return std::optional<VisibilityReader>(std::in_place, env.view, env.stop, place);
}

}  // namespace

ExecResult RenderEngine::primitive(const Packet& packet, EngineEnv& env) {
  const DrawCommand p = decoder_->draw_command(packet.dwords);
  if (p.predicated && !env.predicate) {
    if (p.visibility) pass_draw(env.registers);
    return ExecResult::done;
  }
  decoder_->refresh(store_, state_);
  decoder_->read(store_, env.view, state_);
  decoder_->read_registers(env.registers, state_);
  DrawCall call = draw_call(p, state_, env);
  std::optional<VisibilityReader> record = find_record(p, env);
  if (record && may_leave_out(state_)) call.visibility = &*record;
  DrawProgress progress;
  if (store_.resumes(packet)) progress = {store_.progress()[0], store_.progress()[1]};
  const ExecResult result = drawer_.draw(state_, *decoder_, call, env, progress);
  store_.progress()[0] = progress.batches;
  store_.progress()[1] = progress.tiles;
  store_.keep_progress(packet, result == ExecResult::preempted);
  // One that was preempted reads the same tokens again.
  if (result == ExecResult::done && p.visibility) {
    if (record) record->end().store(env.registers);
    else pass_draw(env.registers);
    if (call.visibility) count_work(Work::objects_skipped, record->skipped());
  }
  return result;
}

/// What packets do besides being kept.
ExecResult RenderEngine::changed(const Packet& packet, EngineEnv& env) {
  using defs::CommandId;
  switch (packet.command->id) {
    case CommandId::_3DSTATE_SAMPLER_PALETTE_LOAD0:
    case CommandId::_3DSTATE_SAMPLER_PALETTE_LOAD1:
      if (const ExecResult finished = drawer_.finish(env); finished != ExecResult::done) return finished;
      give_palettes();
      return ExecResult::done;
    case CommandId::_3DSTATE_WM_HZ_OP:
      if (!decoder_) return ExecResult::done;
      if (const ExecResult finished = drawer_.finish(env); finished != ExecResult::done) return finished;
      decoder_->refresh(store_, state_);
      return drawer_.depth_operation(state_, decoder_->depth_operation(store_), env);
    case CommandId::_3DSTATE_SO_BUFFER:
    case CommandId::_3DSTATE_SO_BUFFER_INDEX_0:
    case CommandId::_3DSTATE_SO_BUFFER_INDEX_1:
    case CommandId::_3DSTATE_SO_BUFFER_INDEX_2:
    case CommandId::_3DSTATE_SO_BUFFER_INDEX_3:
      if (decoder_) load_stream_offset(decoder_->stream_offset(packet), env.registers, env.view);
      return ExecResult::done;
    case CommandId::_3DSTATE_PTBR_TILE_SELECT:
      if (decoder_) select_tile_pass(env);
      return ExecResult::done;
    default: return ExecResult::done;
  }
}

ExecResult RenderEngine::execute(const Packet& packet, EngineEnv& env) {
  using defs::CommandId;
  if (store_.accept(packet)) return changed(packet, env);
  if (packet.command->draws && decoder_) return primitive(packet, env);
  if (const ExecResult finished = drawer_.finish(env); finished != ExecResult::done) return finished;
  if (gpgpu_ && packet.command->dispatches) return gpgpu_->execute(packet, store_, env);
  switch (packet.command->id) {
    case CommandId::_3DSTATE_PTBR_MARKER: return decoder_ ? pass_marker(packet, env) : ExecResult::done;
    case CommandId::STATE_PREFETCH:                              // a hint
    case CommandId::MEDIA_STATE_FLUSH: return ExecResult::done;  // walkers and media objects are never deferred, draws are finished above
    default: unimplemented(packet.command->name, "at {:#x}: parsed, not executed", packet.address); return ExecResult::done;
  }
}

/// Reading begins, draw 0 next.
void RenderEngine::select_tile_pass(EngineEnv& env) {
  const VisibilityState state = decoder_->visibility(store_);
  const unsigned passes = state.tiles.columns * state.tiles.rows;
  const bool there = state.pass < passes;
  if (!there) guest_error("3DSTATE_PTBR_TILE_SELECT", "pass {} of {}", state.pass, passes);
  RecordPlace::of_pass(env.view, state.rendered_list, state.pass, state.enabled && there).store(env.registers);
}

ExecResult RenderEngine::pass_marker(const Packet& packet, EngineEnv& env) {
  const RecordPlace place = RecordPlace::load(env.registers);
  if (place.enabled) behind_marker(env.view, env.stop, place, decoder_->marker(packet.dwords)).store(env.registers);
  return env.stop.aborting() ? ExecResult::aborted : ExecResult::done;
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
  // They are zeros to begin with, and in all contexts but few.
  const bool any = !store_.packet(CommandId::_3DSTATE_SAMPLER_PALETTE_LOAD0).empty() ||
                   !store_.packet(CommandId::_3DSTATE_SAMPLER_PALETTE_LOAD1).empty();
  if (!any && !palettes_given_) return;
  palettes_given_ = any;
  TexturePalettes palettes{};
  for (const auto& [id, palette] :
       {std::pair{CommandId::_3DSTATE_SAMPLER_PALETTE_LOAD0, &palettes[0]}, {CommandId::_3DSTATE_SAMPLER_PALETTE_LOAD1, &palettes[1]}})
    if (const auto packet = store_.packet(id); packet.size() > 1)
      std::copy_n(packet.begin() + 1, std::min(packet.size() - 1, palette->size()), palette->begin());
  shared_->set_palettes(palettes);
}

}  // namespace softgen::render
