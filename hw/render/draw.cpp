// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/draw.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <utility>

#include "hw/base/log.h"
#include "hw/base/work.h"
#include "hw/mmio/register_file.h"
#include "hw/render/chunked_geometry.h"
#include "hw/render/fill.h"
#include "hw/render/geometry_pipeline.h"
#include "hw/render/stream_out.h"
#include "hw/render/uniform_color.h"
#include "hw/surface/binding.h"

namespace softgen::render {
namespace {

constexpr uint32_t constant_buffer_address_offset_disable = 1u << 4;  // CS_DEBUG_MODE2

surface::CcsRect ccs_rect(const PixelRect& r) {
  return {static_cast<uint32_t>(r.x0), static_cast<uint32_t>(r.y0), static_cast<uint32_t>(r.x1), static_cast<uint32_t>(r.y1)};
}

void count(mmio::RegisterFile& registers, uint32_t offset, uint64_t n) {
  if (n) registers.poke64(offset, registers.peek64(offset) + n);
}

/// The topology that reaches the rasterizer.
Topology drawn_topology(const State& state, Topology assembled) {
  using Output = gen9::_3DSTATE_TE::OutputTopology;
  if (state.get<gen9::_3DSTATE_GS>().enable) return state.get<gen9::_3DSTATE_GS>().output_topology;
  if (!state.get<gen9::_3DSTATE_TE>().te_enable) return assembled;
  switch (state.get<gen9::_3DSTATE_TE>().output_topology) {
    case Output::OUTPUT_POINT: return Topology::_3DPRIM_POINTLIST;
    case Output::OUTPUT_LINE: return Topology::_3DPRIM_LINELIST;
    default: return Topology::_3DPRIM_TRILIST;
  }
}

}  // namespace

/// One draw: geometry's objects through stream output and setup to their pixels.
class Drawer::Draw {
 public:
  Draw(Drawer& drawer, const State& state, const StateStore& store, const DrawCall& call, EngineEnv& env, const DrawProgress& earlier)
      : drawer_(drawer), env_(env), last_(last_geometry_stage(state)), work_(std::make_unique<PixelWork>(state, store, last_, env, drawer.shared_)),
        state_(work_->state), setup_(state_, work_->raster, last_), worker_{env.view, state_, env.stop, drawer.shared_, drawer.kernels_, drawer.urb_, drawer.thread_, drawer.vertices_, absolute()},
        geometry_(worker_, call), stream_out_(state_, env.registers, env.view), earlier_(earlier),
        stops_within_batches_(worker_.repeatable && !stream_out_.enabled()),
        stops_between_batches_(stops_within_batches_ || (last_ == Stage::vs && !stream_out_.enabled())) {
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
    waits_ = may_wait(call);
  }
  Draw(const Draw&) = delete;
  Draw& operator=(const Draw&) = delete;
  ~Draw() {
    if (work_) drawer_.queue_.give_back(std::move(work_->lists));
  }

  /// Before run(): the depth buffer's clear state follows the bound clear value, and ends where depth will be written. Other than done: the
  /// draw has not begun.
  ExecResult update_clears();
  ExecResult run();
  const DrawProgress& progress() const { return progress_; }

 private:
  bool absolute() const { return env_.registers.peek(reg::CS_DEBUG_MODE2) & constant_buffer_address_offset_disable; }
  bool may_wait(const DrawCall& call) const;
  void load_pixel_shader();
  void load_program(Kernel& kernel, uint64_t start, uint32_t grf_start);
  void bind_targets();
  bool nothing_seen(const eu::Program& program) const;
  void prepare(const Batch& batch);
  void draw_objects(const Batch& batch);
  bool draw_pixels(uint64_t& tile);
  bool must_stop() const;
  uint64_t vertices_shaded() const { return chunked_ ? chunked_->invocations() : geometry_.counts().vs; }
  uint64_t primitives() const { return chunked_ ? chunked_->primitives() : setup_.primitives(); }
  const RenderTarget* blocks_target(const PreparedObject& object) const;
  PixelRect blocks_rect(const PreparedObject& object) const;
  /// Where a clear or resolve may stop within an object: it is done again from the object's start, which gives the same.
  StopReasons stops() const { return {env_.stop, StopFlag::dropping | (stops_within_batches_ ? StopFlag::pause : 0u)}; }
  void fast_clear(const PreparedObject& object);
  void resolve(const PreparedObject& object, bool partial);
  bool each_object(uint64_t& done, const std::function<void(const PreparedObject&)>& body);
  void count_statistics();
  using Clock = std::chrono::steady_clock;
  void note_times(Clock::time_point began, Clock::time_point prepared);

  Drawer& drawer_;
  EngineEnv& env_;
  const Stage last_;
  std::unique_ptr<PixelWork> work_;
  const State& state_;                      ///< the work's
  Setup setup_;
  GeometryWorker worker_;
  GeometryPipeline geometry_;
  std::optional<ChunkedGeometry> chunked_;  ///< shades and sets up what geometry_ assembles
  StreamOut stream_out_;
  uint64_t clipped_ = 0;
  const DrawProgress earlier_;
  DrawProgress progress_;
  /// A vertex that wrote memory or was streamed out must not be shaded again, and behind other stages all batches come again.
  const bool stops_within_batches_, stops_between_batches_;
  bool waits_ = false;                      ///< its pixels are drawn later, if they are not too many
  bool preempted_ = false;
  struct {
    uint64_t vs, clipped, primitives;
  } settled_{};                             ///< of whole batches
  const Clock::time_point started_ = Clock::now();
  Clock::duration behind_geometry_{};  ///< in setup and pixels
  Clock::duration catching_up_{};  ///< the time that it took to get to where the draw had been preempted
};

/// Asked between tiles. Each call gets on for some time, and for longer than it had to catch up: a timeslice of i915's is 1 ms, after which
/// it waits 640 ms for the preemption (Kconfig.profile, DRM_I915_TIMESLICE_DURATION, DRM_I915_PREEMPT_TIMEOUT). What is drawn does not
/// depend on when this happens.
bool Drawer::Draw::must_stop() const {
  if (env_.stop.aborting()) return true;
  const uint32_t reasons = env_.stop.reasons();
  if (reasons & StopFlag::pause) return true;  // what does not stop soon is abandoned
  if (!(reasons & StopFlag::preempt)) return false;
  if (!drawer_.minimum_run.count()) return true;
  return Clock::now() - started_ >= std::max<Clock::duration>(drawer_.minimum_run, 2 * catching_up_);
}

/// Small draws of one batch, whose pixels write nothing but the targets.
bool Drawer::Draw::may_wait(const DrawCall& call) const {
  const auto& ps = state_.get<gen9::_3DSTATE_PS>();
  const bool pixels = !ps.render_target_fast_clear_enable && ps.render_target_resolve_type == gen9::_3DSTATE_PS::RenderTargetResolveType::RESOLVE_DISABLED;
  return pixels && chunked_ && !earlier_.batches && !earlier_.tiles && drawer_.minimum_run.count() &&
         uint64_t{call.vertex_count} * call.instance_count <= objects_a_chunked_batch && drawer_.queue_.takes_any(*work_);
}

void Drawer::Draw::load_program(Kernel& kernel, uint64_t start, uint32_t grf_start) {
  kernel.grf_start = grf_start;
  kernel.program = drawer_.kernels_.load(env_.view, kernel.bases, start, env_.stop);
}

void Drawer::Draw::load_pixel_shader() {
  const auto& ps = state_.get<gen9::_3DSTATE_PS>();
  if (!state_.get<gen9::_3DSTATE_PS_EXTRA>().pixel_shader_valid) return;
  // Which of the three kernel pointers is which width: SKL PRM vol 2a, 3DSTATE_PS, "Kernel Start Pointer" table.
  const bool narrow = ps._8_pixel_dispatch_enable, middle = ps._16_pixel_dispatch_enable, wide = ps._32_pixel_dispatch_enable;
  if (!narrow && !middle && !wide) return guest_error("3DSTATE_PS without a dispatch width", "no pixel is shaded");
  PixelDraw& pixels = work_->pixels;
  pixels.simd = narrow ? 8 : middle ? 16 : 32;
  Kernel& kernel = pixels.kernel;
  kernel.bases = state_.bases(Stage::ps);
  kernel.constants = KernelLoader::read_constants(env_.view, state_.push_constants(Stage::ps, absolute()));
  kernel.scratch_base = ps.scratch_space_base_pointer;
  kernel.scratch_size = scratch_bytes(ps.per_thread_scratch_space);
  kernel.start.alt_mode = static_cast<uint32_t>(ps.floating_point_mode) == 1;
  kernel.start.run_vector_mask = ps.vector_mask_enable;
  kernel.start.rounding = static_cast<uint8_t>(ps.rounding_mode);
  const auto second = [&](Kernel& of) { load_program(of, ps.kernel_start_pointer_2, ps.dispatch_grf_start_register_for_constant_setup_data_2); };
  if (!narrow && middle && wide) second(kernel);
  else load_program(kernel, ps.kernel_start_pointer_0, ps.dispatch_grf_start_register_for_constant_setup_data_0);
  pixels.uniform = sends_one_color(*kernel.program, kernel.grf_start);
  bind_targets();
  pixels.unseen = nothing_seen(*kernel.program);
  for (const RenderTarget& rt : pixels.targets)
    if (rt.ccs) work_->controlled.push_back(&rt);
  if (!narrow || !middle || pixels.uniform) return;
  work_->wide = std::make_unique<PixelDraw>(pixels);
  work_->wide->simd = 16;
  second(work_->wide->kernel);
}

/// Whether all that the pixel shader writes goes nowhere, and nothing waits for what it says: shadow maps are drawn with null surfaces.
bool Drawer::Draw::nothing_seen(const eu::Program& program) const {
  const PixelDraw& pixels = work_->pixels;
  return pixels.early && writes_only_targets(program) && !state_.get<gen9::_3DSTATE_PS_EXTRA>().pixel_shader_is_per_sample &&
         std::none_of(pixels.targets.begin(), pixels.targets.end(), [](const RenderTarget& rt) { return rt.level.has_value(); });
}

void Drawer::Draw::bind_targets() {
  // Drivers put render targets first in the table: at most eight. What no message names may be anything. Fast clears are of the first.
  const ShaderBases bases = state_.bases(Stage::ps);
  PixelDraw& pixels = work_->pixels;
  const uint32_t named = pixels.kernel.program->render_targets() | (state_.get<gen9::_3DSTATE_PS>().render_target_fast_clear_enable ? 1u : 0u);
  pixels.targets.reserve(static_cast<size_t>(std::bit_width(named)));
  for (uint32_t i = 0; i < 8 && named >> i; ++i) {
    if (!bit(named, i)) {
      pixels.targets.emplace_back();
      continue;
    }
    pixels.targets.emplace_back(surface::cached_surface(env_.view, bases, {.index = static_cast<uint8_t>(i)}));
    pixels.merger.load_target(env_.view, i);
    if (work_->raster.samples == 1) pixels.color[i] = pixels.merger.color_kernel(pixels.targets[i], i);
  }
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

void Drawer::Draw::draw_objects(const Batch& batch) {
  if (preempted_ || env_.stop.aborting()) return;
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
  if (!catching_up_.count()) catching_up_ = prepared_at - started_;
  if (waits_ && !drawer_.queue_.takes(*work_)) {
    waits_ = false;
    drawer_.queue_.finish(env_);
  }
  const bool drawn = waits_ || draw_pixels(progress_.tiles);
  note_times(began, prepared_at);
  if (drawn) {
    ++progress_.batches;
    progress_.tiles = 0;
    settled_ = {vertices_shaded(), clipped_, primitives()};
    preempted_ = !waits_ && stops_between_batches_ && must_stop();
  } else {
    preempted_ = true;
  }
  if (preempted_) geometry_.halt();
}

/// The target of a clear or resolve. Null: the object lies in none.
const RenderTarget* Drawer::Draw::blocks_target(const PreparedObject& object) const {
  if (work_->pixels.targets.empty()) return nullptr;
  const RenderTarget& rt = work_->pixels.targets[0];
  return rt.level && object.layer < rt.surface.view_extent ? &rt : nullptr;
}

/// The pixels of blocks_target() that the object of a clear or resolve means, whose rectangle counts in blocks (Mesa blorp_clear.c,
/// get_fast_clear_rect): of the CCS 8 elements of 8x4, 4x4 or 2x4 pixels each way, of the MCS 16 by 2 bytes.
PixelRect Drawer::Draw::blocks_rect(const PreparedObject& object) const {
  const RenderTarget& rt = work_->pixels.targets[0];
  const unsigned samples = rt.surface.samples;
  const int32_t ccs_x = rt.surface.format->block_bits == 32 ? 64 : rt.surface.format->block_bits == 64 ? 32 : 16;
  const int32_t scale_x = samples == 1 ? ccs_x : samples <= 4 ? 8 : samples == 8 ? 2 : 1, scale_y = samples == 1 ? 32 : 2;
  PixelRect rect{object.bounds.x0 * scale_x, object.bounds.y0 * scale_y, object.bounds.x1 * scale_x, object.bounds.y1 * scale_y};
  rect.clip({0, 0, static_cast<int32_t>(rt.level->extent().width), static_cast<int32_t>(rt.level->extent().height)});
  return rect;
}

void Drawer::Draw::fast_clear(const PreparedObject& object) {
  const RenderTarget* const target = blocks_target(object);
  if (!target) return;
  const RenderTarget& rt = *target;
  const unsigned samples = rt.surface.samples;
  const PixelRect rect = blocks_rect(object);
  const uint32_t slice = object.layer + rt.surface.min_array_element;
  if (rect.empty()) return;
  if (rt.ccs) return rt.ccs.fill(env_.view, ccs_rect(rect), slice, surface::CcsCode::clear);
  if (rt.mcs)
    return drawer_.in_bands(env_, rect, stops(), [&](memory::View& view, const PixelRect& band) {
      for (int32_t y = band.y0; y < band.y1; ++y)
        for (int32_t x = band.x0; x < band.x1; ++x) rt.mcs.write(view, static_cast<uint32_t>(x), static_cast<uint32_t>(y), slice, rt.mcs.clear());
    });
  std::array<std::byte, 16> texel{};
  surface::encode(*rt.surface.format, rt.surface.clear_color, texel.data());
  drawer_.in_bands(env_, rect, stops(), [&](memory::View& view, const PixelRect& band) {
    for (unsigned s = 0; s < samples && !stops(); ++s) fill(view, rt.surface, *rt.level, band, slice, s, texel.data(), stops());
  });
}

void Drawer::Draw::resolve(const PreparedObject& object, bool partial) {
  const RenderTarget* const target = blocks_target(object);
  if (!target || !target->ccs) return;
  const RenderTarget& rt = *target;
  const uint32_t slice = object.layer + rt.surface.min_array_element;
  drawer_.in_bands(env_, blocks_rect(object), stops(), [&](memory::View& view, const PixelRect& band) {
    surface::expand_clears(view, rt.ccs, rt.surface, *rt.level, ccs_rect(band), slice);
    rt.ccs.resolve(view, ccs_rect(band), slice, partial);
  });
}

/// Of a batch: stream output and setup from `began` to `prepared`, then its pixels.
void Drawer::Draw::note_times(Clock::time_point began, Clock::time_point prepared) {
  const auto now = Clock::now();
  count_time(chunked_ ? TimedStage::geometry : TimedStage::setup, prepared - began);
  count_time(TimedStage::pixels, now - prepared);
  behind_geometry_ += now - began;
}

/// The batch's objects from number `done` on, which is then the first that is not done. False: stopped there.
bool Drawer::Draw::each_object(uint64_t& done, const std::function<void(const PreparedObject&)>& body) {
  uint64_t number = 0;
  for (const auto& list : work_->lists)
    for (const PreparedObject& object : list->objects) {
      if (number++ < done) continue;
      if (stops()) return false;
      body(object);
      if (stops()) return false;
      done = number;
    }
  return true;
}

/// From tile number `tile` on; of clears and resolves, object number. False: stopped before the one that it says now.
bool Drawer::Draw::draw_pixels(uint64_t& tile) {
  const auto& ps = state_.get<gen9::_3DSTATE_PS>();
  if (ps.render_target_fast_clear_enable) return each_object(tile, [this](const PreparedObject& object) { fast_clear(object); });
  using Resolve = gen9::_3DSTATE_PS::RenderTargetResolveType;
  if (const Resolve type = ps.render_target_resolve_type; type != Resolve::RESOLVE_DISABLED)
    return each_object(tile, [&](const PreparedObject& object) { resolve(object, type == Resolve::RESOLVE_PARTIAL); });
  const std::function<bool()> enough = [this] { return stops_within_batches_ ? must_stop() : env_.stop.aborting(); };
  return drawer_.queue_.draw(*work_, env_, tile, enough);
}

void Drawer::Draw::count_statistics() {
  mmio::RegisterFile& registers = env_.registers;
  GeometryCounts counts = geometry_.counts();
  counts.vs = vertices_shaded();
  if (preempted_) {
    // What comes again is counted when it comes last.
    const uint64_t vertices = last_ == Stage::vs ? settled_.vs : 0;
    counts = {};
    counts.vs = vertices;
  } else {
    settled_.clipped = clipped_, settled_.primitives = primitives();
  }
  count_work(Work::vertices, counts.ia_vertices);
  count_work(Work::primitives, settled_.primitives);
  count_work(Work::draws, preempted_ ? 0 : 1);
  if (state_.get<gen9::_3DSTATE_VF_STATISTICS>().statistics_enable) {
    count(registers, reg::IA_VERTICES_COUNT(0), counts.ia_vertices);
    count(registers, reg::IA_PRIMITIVES_COUNT(0), counts.ia_primitives);
  }
  if (state_.get<gen9::_3DSTATE_VS>().statistics_enable) count(registers, reg::VS_INVOCATION_COUNT(0), counts.vs);
  if (state_.get<gen9::_3DSTATE_HS>().statistics_enable) count(registers, reg::HS_INVOCATION_COUNT(0), counts.hs);
  if (state_.get<gen9::_3DSTATE_DS>().statistics_enable) count(registers, reg::DS_INVOCATION_COUNT(0), counts.ds);
  if (state_.get<gen9::_3DSTATE_GS>().statistics_enable) {
    count(registers, reg::GS_INVOCATION_COUNT(0), counts.gs);
    count(registers, reg::GS_PRIMITIVES_COUNT(0), counts.gs_primitives);
  }
  if (state_.get<gen9::_3DSTATE_CLIP>().statistics_enable) {
    count(registers, reg::CL_INVOCATION_COUNT(0), settled_.clipped);
    count(registers, reg::CL_PRIMITIVES_COUNT(0), settled_.primitives);
  }
  if (!waits_) work_->count(registers);
}

ExecResult Drawer::Draw::run() {
  if ((!waits_ || !drawer_.queue_.follows(*work_)) && !drawer_.queue_.finish(env_)) return ExecResult::aborted;
  geometry_.run([this](const Batch& batch) { draw_objects(batch); });
  count_time(TimedStage::geometry, Clock::now() - started_ - behind_geometry_);
  stream_out_.finish();
  count_statistics();
  if (env_.stop.aborting() || (waits_ && !drawer_.queue_.add(std::move(work_), env_))) return ExecResult::aborted;
  return preempted_ ? ExecResult::preempted : ExecResult::done;
}

ExecResult Drawer::Draw::update_clears() {
  const DepthStencil& depth = work_->pixels.depth_stencil;
  if (depth.uses_depth() && depth.clear_value_changed(env_.view)) {
    // What waits was drawn with the value before.
    if (!drawer_.finish(env_)) return ExecResult::aborted;
    const StopReasons stops{env_.stop, StopFlag::dropping | StopFlag::pause};
    depth.renew(env_.view, [&](const PixelRect& rect, const FillPart& part) { drawer_.in_bands(env_, rect, stops, part); }, stops);
    if (env_.stop.aborting()) return ExecResult::aborted;
    if (stops) return ExecResult::preempted;
  }
  if (depth.writes_depth()) depth.forget_clears(env_.view);
  return ExecResult::done;
}

ExecResult Drawer::draw(const State& state, const StateStore& store, const DrawCall& call, EngineEnv& env, DrawProgress& progress) {
  Draw draw(*this, state, store, call, env, progress);
  if (const ExecResult updated = draw.update_clears(); updated != ExecResult::done) return updated;
  const ExecResult result = draw.run();
  progress = draw.progress();
  return result;
}

/// Bands are of whole tiles' height.
void Drawer::in_bands(EngineEnv& env, const PixelRect& rect, StopReasons stops, const FillPart& part) {
  constexpr int32_t height = 64, worth_sharing = 128 * 1024;
  if (rect.empty()) return;
  const int32_t first = rect.y0 & ~(height - 1);
  const auto count = static_cast<size_t>((rect.y1 - first + height - 1) / height);
  const auto band_part = [&](memory::View& view, size_t index) {
    if (stops) return;
    const int32_t top = first + static_cast<int32_t>(index) * height;
    PixelRect band{rect.x0, top, rect.x1, top + height};
    band.clip(rect);
    part(view, band);
  };
  if (!pool_ || int64_t{rect.x1 - rect.x0} * (rect.y1 - rect.y0) < worth_sharing) {
    for (size_t index = 0; index < count; ++index) band_part(env.view, index);
    return;
  }
  add_slots(geometry_slots_, pool_->slots(), env.view);
  for (auto& slot : geometry_slots_) slot->view.set_space(env.view.space());
  pool_->for_each(count, [&](size_t index, unsigned slot) { band_part(geometry_slots_[slot]->view, index); });
}

ExecResult Drawer::hz_op(const State& state, const StateStore& store, EngineEnv& env) {
  const auto& op = state.get<gen9::_3DSTATE_WM_HZ_OP>();
  const bool resolve = op.depth_buffer_resolve_enable || op.hierarchical_depth_buffer_resolve_enable;
  if (!op.depth_buffer_clear_enable && !op.stencil_buffer_clear_enable && !resolve) return ExecResult::done;
  const StopReasons stops{env.stop, StopFlag::dropping | StopFlag::pause};
  const FillBands bands = [&](const PixelRect& rect, const FillPart& part) { in_bands(env, rect, stops, part); };
  const DepthStencil depth(state, store, 1u << std::min(op.number_of_multisamples, 4u));
  if (resolve) {
    // A depth resolve writes cleared pixels; the other one makes HiZ from the depth buffer.
    if (op.depth_buffer_resolve_enable) depth.renew(env.view, bands, stops);
    if (!stops) depth.forget_clears(env.view);
  } else {
    depth.clear(env.view, bands, stops, state, op);
  }
  if (env.stop.aborting()) return ExecResult::aborted;
  return stops ? ExecResult::preempted : ExecResult::done;
}

}  // namespace softgen::render
