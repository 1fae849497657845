// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/position/position_engine.h"

#include "hw/base/log.h"
#include "hw/base/work.h"
#include "hw/defs/command.h"
#include "hw/mmio/register_file.h"
#include "hw/render/draw_call.h"
#include "hw/render/draw_clock.h"
#include "hw/render/geometry_pipeline.h"
#include "hw/render/setup.h"

namespace softgen::render {

/// One 3DPRIMITIVE.
class PositionEngine::Draw {
 public:
  Draw(PositionEngine& engine, const DrawCall& call, EngineEnv& env)
      : writer_(engine.writer_),
        pages_(engine.pages(env)),
        state_(engine.state_),
        env_(env),
        raster_(state_, Stage::vs),
        setup_(state_, raster_, Stage::vs),
        worker_{env.view,    state_,         env.stop,         engine.shared_,          engine.kernels_,
                engine.urb_, engine.thread_, engine.vertices_, absolute_constants(env), engine.slot_},
        geometry_(worker_, call),
        clock_(env.stop, engine.minimum_run_) {}

  /// The first `batches` are recorded already; then it says how many there are now.
  ExecResult run(uint64_t& batches);

 private:
  void record(const Batch& batch);
  void count(bool preempted);

  VisibilityWriter& writer_;
  RecordPages pages_;
  const DrawState& state_;
  EngineEnv& env_;
  const RasterState raster_;
  Setup setup_;
  GeometryWorker worker_;
  GeometryPipeline geometry_;
  DrawClock clock_;
  PreparedObjects prepared_;
  uint64_t clipped_ = 0, culled_ = 0;
};

void PositionEngine::Draw::record(const Batch& batch) {
  const ObjectType type = without_adjacency(batch.type);
  for (const Object& whole : batch.objects) {
    const Object object = primary_vertices(whole, batch.type);
    std::array<Vue, 3> vues;
    for (unsigned i = 0; i < object.count; ++i) vues[i] = batch.vertices[object.vertices[i]].vue;
    prepared_.clear();
    setup_.prepare(type, object, std::span(vues).first(object.count), prepared_);
    bool seen = false;
    for (const PreparedObject& part : prepared_.objects) seen |= writer_.see(pages_, part.bounds);
    writer_.next_object();
    if (!seen) ++culled_;
  }
  clipped_ += batch.size();
}

/// What was recorded by this run of the draw; vertices are counted when it ends.
void PositionEngine::Draw::count(bool preempted) {
  const uint32_t base = pipeline_registers(env_);
  const auto add = [&](uint32_t offset, uint64_t n) { env_.registers.add64(base + offset, n); };
  const GeometryCounts counts = geometry_.counts();
  count_work(Work::objects_recorded, clipped_);
  count_work(Work::objects_culled, culled_);
  if (state_.vertex.statistics && !preempted) {
    add(reg::IA_VERTICES_COUNT(0), counts.ia_vertices);
    add(reg::IA_PRIMITIVES_COUNT(0), counts.ia_primitives);
  }
  if (state_.stage(Stage::vs).statistics) add(reg::VS_INVOCATION_COUNT(0), counts.vs);
  if (!state_.clip.statistics) return;
  add(reg::CL_INVOCATION_COUNT(0), clipped_);
  add(reg::CL_PRIMITIVES_COUNT(0), setup_.primitives());
}

ExecResult PositionEngine::Draw::run(uint64_t& batches) {
  const StageClock time(TimedStage::geometry);
  const uint64_t earlier = batches;
  geometry_.skip(earlier);
  if (earlier) writer_.resume_draw();
  else writer_.begin_draw(pages_);
  bool preempted = false;
  for (uint64_t number = 0; !preempted; ++number) {
    const std::optional<Batch> batch = geometry_.next();
    if (!batch) break;
    if (number < earlier) continue;
    clock_.note_caught_up(DrawClock::Clock::now());
    record(*batch);
    batches = number + 1;
    preempted = clock_.must_stop();
  }
  if (env_.stop.aborting()) return ExecResult::aborted;
  if (preempted) writer_.flush(pages_);
  else writer_.end_draw(pages_);
  count(preempted);
  return preempted ? ExecResult::preempted : ExecResult::done;
}

RecordPages PositionEngine::pages(EngineEnv& env) const {
  const VisibilityState visibility = decoder_->visibility(store_);
  return {env.view, env.registers, visibility.page_pool, visibility.free_list};
}

/// The state without what the pipe does not have.
void PositionEngine::decode(EngineEnv& env) {
  decoder_->refresh(store_, state_);
  for (const Stage stage : {Stage::hs, Stage::ds, Stage::gs}) state_.stages[static_cast<size_t>(stage)].enable = false;
  state_.tessellation.enable = state_.stream_out.enable = false;
  state_.setup.attributes = 0;
  decoder_->read_places(store_, env.view, state_);
  decoder_->read_registers(env.registers, state_);
}

ExecResult PositionEngine::primitive(const Packet& packet, EngineEnv& env) {
  const DrawCommand command = decoder_->draw_command(packet.dwords);
  if (!command.visibility) return ExecResult::done;
  if (command.predicated && !env.predicate) {
    writer_.skip_draw();
    return ExecResult::done;
  }
  decode(env);
  const DrawCall call = draw_call(command, state_, env);
  if (object_type(call.topology) == ObjectType::patch) {
    guest_error("3DPRIMITIVE of POCS", "patches: not recorded");
    writer_.skip_draw();
    return ExecResult::done;
  }
  uint64_t batches = store_.resumes(packet) ? store_.progress()[0] : 0;
  const ExecResult result = Draw(*this, call, env).run(batches);
  store_.progress()[0] = batches;
  store_.keep_progress(packet, result == ExecResult::preempted);
  return result;
}

/// What packets do besides being kept.
void PositionEngine::changed(defs::CommandId id, EngineEnv& env) {
  using defs::CommandId;
  switch (id) {
    case CommandId::_3DSTATE_PTBR_FREE_LIST_BASE_ADDRESS: return env.registers.poke(reg::PTBR_NUM_PAGES_RECORDED, 0);
    case CommandId::_3DSTATE_PTBR_TILE_PASS_INFO: return writer_.set_tiles(env.view, decoder_->visibility(store_).tiles);
    case CommandId::_3DSTATE_PTBR_RENDER_LIST_BASE_ADDRESS: {
      const VisibilityState visibility = decoder_->visibility(store_);
      return writer_.begin(env.view, visibility.render_list, visibility.tiles);
    }
    default: return;
  }
}

ExecResult PositionEngine::execute(const Packet& packet, EngineEnv& env) {
  const bool kept = store_.accept(packet);
  if (!decoder_) {
    if (packet.command->draws) unimplemented(packet.command->name, "at {:#x}: parsed, not executed", packet.address);
    return ExecResult::done;
  }
  if (kept) changed(packet.command->id, env);
  else if (packet.command->draws) return primitive(packet, env);
  else if (packet.command->id == defs::CommandId::_3DSTATE_PTBR_MARKER) {
    RecordPages from = pages(env);
    writer_.marker(from, decoder_->marker(packet.dwords));
  }
  return ExecResult::done;
}

ExecResult PositionEngine::flush(const FlushRequest& request, EngineEnv&) {
  if (request.texture || request.state) invalidate_textures();
  return ExecResult::done;
}

void PositionEngine::invalidate_textures() {
  if (shared_) shared_->invalidate_textures();
}

void PositionEngine::save_context(std::span<std::byte> image) {
  store_.save(image);
  writer_.save(image.subspan(store_.saved_size()));
}

void PositionEngine::restore_context(std::span<const std::byte> image) {
  store_.restore(image);
  writer_.restore(image.subspan(store_.saved_size()));
  invalidate_textures();
}

void PositionEngine::reset_context() {
  store_.reset();
  writer_.reset();
  invalidate_textures();
}

}  // namespace softgen::render
