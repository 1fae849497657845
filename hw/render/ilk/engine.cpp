// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/ilk/engine.h"

#include <algorithm>
#include <array>

#include "hw/base/log.h"
#include "hw/base/work.h"
#include "hw/defs/command.h"
#include "hw/mmio/register_file.h"
#include "hw/render/ilk/front_end.h"
#include "hw/render/ilk/pixel_stage.h"
#include "hw/render/ilk/setup_stage.h"
#include "hw/render/ilk/state_reader.h"
#include "hw/render/pixel_draw.h"

namespace softgen::render::ilk {
namespace {

/// What a draw that goes on assembles again: when it is done.
void count_vertices(mmio::RegisterFile& registers, const State& state, const FrontCounts& counts) {
  if (state.draw.vertex.statistics) {
    registers.add64(reg::IA_VERTICES_COUNT(0), counts.vertices);
    registers.add64(reg::IA_PRIMITIVES_COUNT(0), counts.primitives);
  }
  count_work(Work::draws, 1);
  count_work(Work::vertices, counts.vertices);
}

/// What this part of a draw has done.
void count(mmio::RegisterFile& registers, const State& state, const FrontCounts& counts, const PixelTally& pixels) {
  if (state.vs.statistics) registers.add64(reg::VS_INVOCATION_COUNT(0), counts.vs);
  if (state.gs.enable && state.gs.statistics) {
    registers.add64(reg::GS_INVOCATION_COUNT(0), counts.gs);
    registers.add64(reg::GS_PRIMITIVES_COUNT(0), counts.gs_primitives);
  }
  if (state.wm.statistics) registers.add64(reg::PS_INVOCATION_COUNT(0), pixels.invocations);
  if (state.wm.counts_pixels) registers.add64(reg::PS_DEPTH_COUNT(0), pixels.passed);
  count_work({{Work::primitives, counts.clip_primitives},
              {Work::pixels, pixels.invocations},
              {Work::ps_threads, pixels.replaced_threads},
              {Work::samples_rasterized, pixels.rasterized},
              {Work::samples_failed_early, pixels.failed_early},
              {Work::samples_failed_late, pixels.failed_late},
              {Work::samples_written, pixels.written},
              {Work::samples_blended, pixels.blended}});
  count_path(Path::pixels_tested_singly, pixels.tested_singly);
  count_path(Path::pixels_written_singly, pixels.written_singly);
  count_path(Path::pixels_filled, pixels.filled);
}

}  // namespace

ExecResult RenderEngine::execute(const Packet& packet, EngineEnv& env) {
  if (store_.accept(packet)) return accepted(packet, env), ExecResult::done;
  const bool draws = packet.command->draws;
  if (draws || (media_ && packet.command->dispatches)) {
    if (draws != is_media(store_)) return draws ? draw(packet, env) : media(packet, env);
    guest_error("a packet of the pipeline that is not selected", "{} at {:#x}", packet.command->name, packet.address);
    return ExecResult::done;
  }
  unimplemented(packet.command->name, "at {:#x}: parsed, not executed", packet.address);
  return ExecResult::done;
}

void RenderEngine::accepted(const Packet& packet, EngineEnv& env) {
  using Id = defs::CommandId;
  const Id id = packet.command->id;
  if (id == Id::CONSTANT_BUFFER) read_constants(packet.dwords, env);
  if (media_ && (id == Id::URB_FENCE || id == Id::MEDIA_STATE_POINTERS)) media_->reset();
}

ExecResult RenderEngine::media(const Packet& packet, EngineEnv& env) {
  refresh_constants(env);
  const ShaderBases bases = read_bases(store_);
  return media_->execute(packet, {store_, bases, constants_, read_urb(store_).vfe, urb_}, env);
}

/// Into the CS unit's entry: as many registers as it and its region of the URB have.
void RenderEngine::read_constants(std::span<const uint32_t> packet, EngineEnv& env) {
  const ConstantBuffer buffer = constant_buffer(packet);
  const UrbRegions urb = read_urb(store_);
  const unsigned rows = urb.constant_entries ? std::min(urb.constant_rows, urb.cs.rows) : 0;
  constants_.assign(buffer.valid ? std::min(buffer.registers, 2 * rows) : 0, Grf{});
  if (buffer.valid && buffer.registers > 2 * rows)
    guest_error("CONSTANT_BUFFER", "{} registers, the CS unit's entry has {}", buffer.registers, 2 * rows);
  env.constant_view().read(buffer.address, constants_.data(), constants_.size() * sizeof(Grf));
  constants_missing_ = false;
}

void RenderEngine::refresh_constants(EngineEnv& env) {
  if (const auto kept = store_.packet(defs::CommandId::CONSTANT_BUFFER); constants_missing_ && !kept.empty()) read_constants(kept, env);
}

ExecResult RenderEngine::draw(const Packet& packet, EngineEnv& env) {
  const Primitive p = primitive(packet.dwords);
  if (p.indirect) {
    unimplemented("Ironlake: Indirect Vertex Count");
    return ExecResult::done;
  }
  refresh_constants(env);
  read_state(store_, env.state_view(), state_);
  state_.draw.vertex.topology = p.topology;
  DrawProgress progress;
  if (const auto kept = store_.progress(); store_.resumes(packet)) progress = {.batches = kept[0], .objects = kept[1], .tiles = kept[2]};
  bool preempted = false;
  const Serial number;
  hosts_.follow(env);
  const DrawContext context{state_, env, runner_, urb_, constants_, progress, preempted, number.value, hosts_};
  const RasterState raster = placed_raster(state_.draw);
  PixelStage pixels(context, raster);
  SetupStage setup(context, raster, pixels.list());
  FrontEnd front(context, [&](const StageObject& object) { setup.prepare(object); }, [&] { pixels.draw_list(); });
  const bool done = front.draw(p);
  count(env.registers, state_, front.counts(), pixels.tally());
  preempted = preempted && !env.stop.aborting();
  if (preempted) std::ranges::copy(std::array{progress.batches, progress.objects, progress.tiles}, store_.progress().begin());
  store_.keep_progress(packet, preempted);
  if (done) return count_vertices(env.registers, state_, front.counts()), ExecResult::done;
  return preempted ? ExecResult::preempted : ExecResult::aborted;
}

ExecResult RenderEngine::flush(const FlushRequest& request, EngineEnv&) {
  if (shared_ && (request.texture || request.state)) shared_->invalidate_textures();
  return ExecResult::done;
}

void RenderEngine::restore_context(std::span<const std::byte> image) {
  store_.restore(image);
  forget();
  constants_missing_ = true;
}

void RenderEngine::reset_context() {
  store_.reset();
  urb_.clear();
  forget();
}

/// What is of one context alone, but not in its image.
void RenderEngine::forget() {
  constants_.clear(), constants_missing_ = false;
  if (shared_) shared_->invalidate_textures();
  if (media_) media_->reset();
}

}  // namespace softgen::render::ilk
