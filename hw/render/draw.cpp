// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/draw.h"

#include <algorithm>
#include <utility>

#include "hw/base/log.h"
#include "hw/base/work.h"
#include "hw/mmio/register_file.h"
#include "hw/render/draw_call.h"
#include "hw/render/one_draw.h"

namespace softgen::render {
namespace {

/// The topology that reaches the rasterizer.
Topology drawn_topology(const DrawState& state, Topology assembled) {
  if (state.stage(Stage::gs).enable) return state.geometry.topology;
  if (!state.tessellation.enable) return assembled;
  switch (state.tessellation.output) {
    case TessellationOutput::point: return Topology::point_list;
    case TessellationOutput::line: return Topology::line_list;
    default: return Topology::triangle_list;
  }
}

}  // namespace

Drawer::Draw::Draw(Drawer& drawer, const DrawState& state, const StateDecoder& decoder, const DrawCall& call, EngineEnv& env,
                   const DrawProgress& earlier)
    : drawer_(drawer),
      decoder_(decoder),
      env_(env),
      work_(std::make_unique<PixelWork>(state, env, drawer.shared_)),
      state_(work_->state),
      setup_(state_, work_->raster, last_geometry_stage(state)),
      worker_{env.view,    state_,         env.stop,         drawer.shared_,         drawer.kernels_,
              drawer.urb_, drawer.thread_, drawer.vertices_, absolute_constants(env)},
      geometry_(worker_, call),
      stream_out_(state_, env.registers, env.view),
      earlier_(earlier),
      stops_within_batches_(worker_.repeatable && !stream_out_.enabled()),
      stops_between_batches_(stops_within_batches_ || (last_geometry_stage(state) == Stage::vs && !stream_out_.enabled())),
      clock_(env.stop, drawer.minimum_run) {
  work_->lists = drawer.queue_.spare_lists();
  PixelDraw& pixels = work_->pixels;
  pixels.early = tests_are_early(state_);
  pixels.depth_by_blocks = pixels.depth_stencil.tests_blocks();
  pixels.topology = static_cast<uint32_t>(drawn_topology(state_, call.topology)) & 0x1f;
  load_pixel_shader();
  geometry_.skip(earlier.batches);
  if (!stream_out_.enabled() && ChunkedGeometry::takes(state_, call, worker_)) {
    chunked_.emplace(drawer.pool_, worker_, geometry_, setup_, drawer.geometry_slots_);
    geometry_.leave_unshaded();
  }
  defers_ = may_defer(call);
}

Drawer::Draw::~Draw() {
  if (work_) drawer_.queue_.give_back(std::move(work_->lists));
}

/// Only small draws of one batch are deferred, and those whose pixels write only the targets.
bool Drawer::Draw::may_defer(const DrawCall& call) const {
  const bool pixels = !state_.pixel.fast_clear && state_.pixel.resolve == ResolveType::none;
  return pixels && chunked_ && !earlier_.batches && !earlier_.tiles && drawer_.minimum_run.count() &&
         uint64_t{call.vertex_count} * call.instance_count <= objects_per_chunked_batch && drawer_.queue_.may_defer(*work_);
}

/// The batch's objects, into the lists of work_.
void Drawer::Draw::prepare(const Batch& batch) {
  auto& lists = work_->lists;
  if (chunked_) {
    if (!stream_out_.renders(0)) return lists.clear();
    clipped_ += batch.size();
    return chunked_->run(batch, lists);
  }
  stream_out_.write(batch);
  if (lists.empty()) lists.push_back(std::make_unique<PreparedObjects>());
  for (auto& list : lists) list->clear();
  for (const Object& whole : batch.objects) {
    if (!stream_out_.renders(whole.stream)) continue;
    ++clipped_;
    const Object object = primary_vertices(whole, batch.type);
    std::array<Vue, 3> vues;
    for (unsigned i = 0; i < object.count; ++i) vues[i] = batch.vertices[object.vertices[i]].vue;
    setup_.prepare(without_adjacency(batch.type), object, std::span(vues).first(object.count), *lists[0]);
  }
}

void Drawer::Draw::draw_batch(const Batch& batch) {
  if (progress_.batches < earlier_.batches) {
    ++progress_.batches;
    return;
  }
  if (progress_.batches == earlier_.batches) progress_.tiles = earlier_.tiles;
  const auto began = Clock::now();
  if (batch.type == ObjectType::patch) {
    stream_out_.write(batch);
    return guest_error("topology", "patches reach the clipper: nothing is drawn");
  }
  prepare(batch);
  const auto prepared_at = Clock::now();
  clock_.note_caught_up(prepared_at);
  if (defers_ && !drawer_.queue_.is_short(*work_)) {
    defers_ = false;
    drawer_.queue_.finish(env_);
  }
  const bool drawn = defers_ || draw_pixels(progress_.tiles);
  note_times(began, prepared_at);
  if (drawn) {
    ++progress_.batches;
    progress_.tiles = 0;
    completed_ = {vertices_shaded(), clipped_, primitives()};
    preempted_ = !defers_ && stops_between_batches_ && clock_.must_stop();
  } else {
    preempted_ = true;
  }
}

/// Of a batch: stream output and setup from `began` to `prepared`, then its pixels.
void Drawer::Draw::note_times(Clock::time_point began, Clock::time_point prepared) {
  const auto now = Clock::now();
  count_time(chunked_ ? TimedStage::geometry : TimedStage::setup, prepared - began);
  count_time(TimedStage::pixels, now - prepared);
  after_geometry_ += now - began;
}

/// From tile number `tile` on; of clears and resolves, object number. False: stopped before the one that it says now.
bool Drawer::Draw::draw_pixels(uint64_t& tile) {
  if (state_.pixel.fast_clear) return each_object(tile, [this](const PreparedObject& object) { fast_clear(object); });
  if (const ResolveType type = state_.pixel.resolve; type != ResolveType::none)
    return each_object(tile, [&](const PreparedObject& object) { resolve(object, type); });
  return drawer_.queue_.draw(*work_, env_, tile, stops_within_batches_ ? &clock_ : nullptr);
}

void Drawer::Draw::count_statistics() {
  mmio::RegisterFile& registers = env_.registers;
  GeometryCounts counts = geometry_.counts();
  counts.vs = vertices_shaded();
  if (preempted_) {
    // Batches that are repeated are counted when they are repeated last.
    const uint64_t vertices = last_geometry_stage(state_) == Stage::vs ? completed_.vs : 0;
    counts = {};
    counts.vs = vertices;
  } else {
    completed_.clipped = clipped_, completed_.primitives = primitives();
  }
  count_work(Work::vertices, counts.ia_vertices);
  count_work(Work::primitives, completed_.primitives);
  count_work(Work::draws, preempted_ ? 0 : 1);
  if (!preempted_) count_work(Work::vertex_bytes, geometry_.index_bytes());
  if (state_.vertex.statistics) {
    registers.add64(reg::IA_VERTICES_COUNT(0), counts.ia_vertices);
    registers.add64(reg::IA_PRIMITIVES_COUNT(0), counts.ia_primitives);
  }
  if (state_.stage(Stage::vs).statistics) registers.add64(reg::VS_INVOCATION_COUNT(0), counts.vs);
  if (state_.stage(Stage::hs).statistics) registers.add64(reg::HS_INVOCATION_COUNT(0), counts.hs);
  if (state_.stage(Stage::ds).statistics) registers.add64(reg::DS_INVOCATION_COUNT(0), counts.ds);
  if (state_.stage(Stage::gs).statistics) {
    registers.add64(reg::GS_INVOCATION_COUNT(0), counts.gs);
    registers.add64(reg::GS_PRIMITIVES_COUNT(0), counts.gs_primitives);
  }
  if (state_.clip.statistics) {
    registers.add64(reg::CL_INVOCATION_COUNT(0), completed_.clipped);
    registers.add64(reg::CL_PRIMITIVES_COUNT(0), completed_.primitives);
  }
  if (!defers_) work_->count(registers);
}

ExecResult Drawer::Draw::run() {
  if ((!defers_ || !drawer_.queue_.same_targets(*work_)) && drawer_.queue_.finish(env_) != ExecResult::done) return ExecResult::aborted;
  while (!preempted_ && !env_.stop.aborting()) {
    const std::optional<Batch> batch = geometry_.next();
    if (!batch) break;
    draw_batch(*batch);
  }
  count_time(TimedStage::geometry, Clock::now() - clock_.started() - after_geometry_);
  stream_out_.finish();
  count_statistics();
  if (env_.stop.aborting() || (defers_ && drawer_.queue_.defer(std::move(work_), env_) != ExecResult::done)) return ExecResult::aborted;
  return preempted_ ? ExecResult::preempted : ExecResult::done;
}

ExecResult Drawer::draw(const DrawState& state, const StateDecoder& decoder, const DrawCall& call, EngineEnv& env, DrawProgress& progress) {
  Draw draw(*this, state, decoder, call, env, progress);
  if (const ExecResult updated = draw.update_clears(); updated != ExecResult::done) return updated;
  const ExecResult result = draw.run();
  progress = draw.progress();
  return result;
}

}  // namespace softgen::render
