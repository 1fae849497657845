// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/draw.h"

#include <algorithm>
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

constexpr int32_t tile_size = 64;
/// Pixels of an object's bounds in a tile from which on the wider of two kernels is worth its idle channels.
constexpr int64_t wide_pixels = 64;
constexpr uint32_t constant_buffer_address_offset_disable = 1u << 4;  // CS_DEBUG_MODE2

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
      : drawer_(drawer), state_(state), env_(env), last_(last_geometry_stage(state)), raster_(load_raster()), setup_(state, raster_, last_),
        pixels_{state, raster_, {}, 8, DepthStencil(state, store, raster_.samples), OutputMerger(state, env.view), {}, drawer.shared_, env.stop, pixel_counts_},
        worker_{env.view, state, env.stop, drawer.shared_, drawer.kernels_, drawer.urb_, drawer.thread_, absolute()},
        geometry_(worker_, call), stream_out_(state, env.registers, env.view), earlier_(earlier),
        stops_within_batches_(worker_.repeatable && !stream_out_.enabled()),
        stops_between_batches_(stops_within_batches_ || (last_ == Stage::vs && !stream_out_.enabled())) {
    pixels_.early = tests_are_early(state);
    pixels_.depth_by_blocks = pixels_.depth_stencil.tests_blocks();
    pixels_.topology = static_cast<uint32_t>(drawn_topology(state, call.topology)) & 0x1f;
    load_pixel_shader();
    geometry_.skip(earlier.batches);
    if (!stream_out_.enabled() && ChunkedGeometry::takes(state, call, worker_)) {
      chunked_.emplace(drawer.pool_, worker_, geometry_, setup_, drawer.geometry_slots_);
      geometry_.leave_unshaded();
    }
  }

  ExecResult run();
  const DrawProgress& progress() const { return progress_; }

 private:
  RasterState load_raster() {
    RasterState raster;
    raster.load(state_, env_.view, last_);
    return raster;
  }
  bool absolute() const { return env_.registers.peek(reg::CS_DEBUG_MODE2) & constant_buffer_address_offset_disable; }
  using Objects = std::span<const PreparedObject* const>;

  void load_pixel_shader();
  void load_program(Kernel& kernel, uint64_t start, uint32_t grf_start);
  void bind_targets();
  void prepare(const Batch& batch);
  void draw_objects(const Batch& batch);
  bool draw_pixels(Objects objects, uint64_t& tile);
  static std::pair<std::vector<uint32_t>, std::vector<const PreparedObject*>> bins(Objects objects, std::span<const PixelRect> tiles);
  bool draw_tiles(Objects objects, std::span<const PixelRect> tiles, uint64_t& tile);
  void draw_object(PixelWorker& worker, const PreparedObject& object, const PixelRect& tile);
  bool must_stop() const;
  uint64_t vertices_shaded() const { return chunked_ ? chunked_->invocations() : geometry_.counts().vs; }
  uint64_t primitives() const { return chunked_ ? chunked_->primitives() : setup_.primitives(); }
  void fast_clear(const PreparedObject& object);
  void count_statistics();
  using Clock = std::chrono::steady_clock;
  void note_times(Clock::time_point began, Clock::time_point prepared);

  Drawer& drawer_;
  const State& state_;
  EngineEnv& env_;
  const Stage last_;
  const RasterState raster_;
  Setup setup_;
  PixelCounts pixel_counts_;
  PixelDraw pixels_;
  std::unique_ptr<PixelDraw> wide_;         ///< the same with the kernel of more channels, where the draw has two
  GeometryWorker worker_;
  GeometryPipeline geometry_;
  std::optional<ChunkedGeometry> chunked_;  ///< shades and sets up what geometry_ assembles
  StreamOut stream_out_;
  uint64_t clipped_ = 0;
  const DrawProgress earlier_;
  DrawProgress progress_;
  /// A vertex that wrote memory or was streamed out must not be shaded again, and behind other stages all batches come again.
  const bool stops_within_batches_, stops_between_batches_;
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
  if (!(env_.stop.reasons() & (StopFlag::preempt | StopFlag::pause))) return false;
  if (!drawer_.minimum_run.count()) return true;
  return Clock::now() - started_ >= std::max<Clock::duration>(drawer_.minimum_run, 2 * catching_up_);
}

void Drawer::Draw::load_program(Kernel& kernel, uint64_t start, uint32_t grf_start) {
  kernel.grf_start = grf_start;
  kernel.program = drawer_.kernels_.load(env_.view, kernel.bases, start);
}

void Drawer::Draw::load_pixel_shader() {
  const auto& ps = state_.get<gen9::_3DSTATE_PS>();
  if (!state_.get<gen9::_3DSTATE_PS_EXTRA>().pixel_shader_valid) return;
  // Which of the three kernel pointers is which width: SKL PRM vol 2a, 3DSTATE_PS, "Kernel Start Pointer" table.
  const bool narrow = ps._8_pixel_dispatch_enable, middle = ps._16_pixel_dispatch_enable, wide = ps._32_pixel_dispatch_enable;
  if (!narrow && !middle && !wide) return guest_error("3DSTATE_PS without a dispatch width", "no pixel is shaded");
  pixels_.simd = narrow ? 8 : middle ? 16 : 32;
  Kernel& kernel = pixels_.kernel;
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
  pixels_.uniform = sends_one_color(*kernel.program, kernel.grf_start);
  bind_targets();
  if (!narrow || !middle || pixels_.uniform) return;
  wide_ = std::make_unique<PixelDraw>(pixels_);
  wide_->simd = 16;
  second(wide_->kernel);
}

void Drawer::Draw::bind_targets() {
  // Drivers put render targets first in the table: at most eight. What no message names may be anything. Fast clears are of the first.
  const ShaderBases bases = state_.bases(Stage::ps);
  const uint32_t named = pixels_.kernel.program->render_targets() | (state_.get<gen9::_3DSTATE_PS>().render_target_fast_clear_enable ? 1u : 0u);
  for (uint32_t i = 0; i < 8; ++i) {
    if (!bit(named, i)) {
      pixels_.targets.emplace_back();
      continue;
    }
    pixels_.targets.emplace_back(surface::cached_surface(env_.view, bases, i));
    pixels_.merger.load_target(env_.view, i);
    if (raster_.samples == 1) pixels_.color[i] = pixels_.merger.color_kernel(pixels_.targets[i], i);
  }
}

/// The batch's objects, into prepared_.
void Drawer::Draw::prepare(const Batch& batch) {
  auto& lists = drawer_.prepared_;
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
  if (preempted_) return;
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
  std::vector<const PreparedObject*> objects;
  for (const auto& list : drawer_.prepared_)
    for (const PreparedObject& object : list->objects) objects.push_back(&object);
  const auto prepared_at = Clock::now();
  if (!catching_up_.count()) catching_up_ = prepared_at - started_;
  const bool drawn = draw_pixels(objects, progress_.tiles);
  note_times(began, prepared_at);
  if (drawn) {
    ++progress_.batches;
    progress_.tiles = 0;
    settled_ = {vertices_shaded(), clipped_, primitives()};
    preempted_ = stops_between_batches_ && must_stop();
  } else {
    preempted_ = true;
  }
  if (preempted_) geometry_.halt();
}

void Drawer::Draw::fast_clear(const PreparedObject& object) {
  // The rectangle counts in blocks (Mesa blorp_clear.c, get_fast_clear_rect): of the CCS 8 elements of 8x4, 4x4 or 2x4 pixels each way, of
  // the MCS 16 by 2 bytes.
  const RenderTarget& rt = pixels_.targets[0];
  if (!rt.level) return;
  const unsigned samples = rt.surface.samples;
  const int32_t ccs_x = rt.surface.format->block_bits == 32 ? 64 : rt.surface.format->block_bits == 64 ? 32 : 16;
  const int32_t scale_x = samples == 1 ? ccs_x : samples <= 4 ? 8 : samples == 8 ? 2 : 1, scale_y = samples == 1 ? 32 : 2;
  PixelRect rect{object.bounds.x0 * scale_x, object.bounds.y0 * scale_y, object.bounds.x1 * scale_x, object.bounds.y1 * scale_y};
  rect.clip({0, 0, static_cast<int32_t>(rt.level->extent().width), static_cast<int32_t>(rt.level->extent().height)});
  if (object.layer >= rt.surface.view_extent) return;
  const uint32_t slice = object.layer + rt.surface.min_array_element;
  std::array<std::byte, 16> texel{};
  surface::encode(*rt.surface.format, rt.surface.clear_color, texel.data());
  if (rt.mcs) {
    for (int32_t y = rect.y0; y < rect.y1; ++y)
      for (int32_t x = rect.x0; x < rect.x1; ++x) rt.mcs.write(env_.view, static_cast<uint32_t>(x), static_cast<uint32_t>(y), slice, rt.mcs.clear());
    return;
  }
  drawer_.in_bands(env_, rect, [&](memory::View& view, const PixelRect& band) {
    for (unsigned s = 0; s < samples; ++s) fill(view, rt.surface, *rt.level, band, slice, s, texel.data());
  });
}

/// Of a batch: stream output and setup from `began` to `prepared`, then its pixels.
void Drawer::Draw::note_times(Clock::time_point began, Clock::time_point prepared) {
  const auto now = Clock::now();
  count_time(chunked_ ? TimedStage::geometry : TimedStage::setup, prepared - began);
  count_time(TimedStage::pixels, now - prepared);
  behind_geometry_ += now - began;
}

/// From tile number `tile` on. False: stopped before the tile that it says now.
bool Drawer::Draw::draw_pixels(Objects objects, uint64_t& tile) {
  const auto& ps = state_.get<gen9::_3DSTATE_PS>();
  if (ps.render_target_fast_clear_enable) {
    for (const PreparedObject* object : objects) fast_clear(*object);
    return true;
  }
  // Nothing is ever left compressed here, so there is nothing to resolve.
  if (ps.render_target_resolve_type != gen9::_3DSTATE_PS::RenderTargetResolveType::RESOLVE_DISABLED) return true;
  PixelRect all{INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN};
  for (const PreparedObject* o : objects)
    all = {std::min(all.x0, o->bounds.x0), std::min(all.y0, o->bounds.y0), std::max(all.x1, o->bounds.x1), std::max(all.y1, o->bounds.y1)};
  if (objects.empty() || all.empty()) return true;
  std::vector<PixelRect> tiles;
  for (int32_t y = all.y0 & ~(tile_size - 1); y < all.y1; y += tile_size)
    for (int32_t x = all.x0 & ~(tile_size - 1); x < all.x1; x += tile_size) tiles.push_back({x, y, x + tile_size, y + tile_size});
  return draw_tiles(objects, tiles, tile);
}

/// The objects that touch each tile, in order: those of tile t are binned[first[t]] to binned[first[t + 1] - 1]. `tiles` are the rows
/// of one rectangle. Both are empty where that would be too much to be remembered.
std::pair<std::vector<uint32_t>, std::vector<const PreparedObject*>> Drawer::Draw::bins(Objects objects, std::span<const PixelRect> tiles) {
  const PixelRect& corner = tiles.front();
  const int32_t columns = (tiles.back().x1 - corner.x0) / tile_size, rows = (tiles.back().y1 - corner.y0) / tile_size;
  const auto each = [&](const PreparedObject& o, auto&& visit) {
    if (o.bounds.empty()) return;
    const int32_t x0 = std::max((o.bounds.x0 - corner.x0) / tile_size, 0), x1 = std::min((o.bounds.x1 - 1 - corner.x0) / tile_size + 1, columns);
    const int32_t y0 = std::max((o.bounds.y0 - corner.y0) / tile_size, 0), y1 = std::min((o.bounds.y1 - 1 - corner.y0) / tile_size + 1, rows);
    for (int32_t y = y0; y < y1; ++y)
      for (int32_t x = x0; x < x1; ++x) visit(static_cast<size_t>(y) * static_cast<size_t>(columns) + static_cast<size_t>(x));
  };
  constexpr uint64_t most = 1 << 22;
  uint64_t all = 0;
  for (const PreparedObject* o : objects)
    all += (static_cast<uint64_t>(std::max(o->bounds.x1 - o->bounds.x0, 0)) / tile_size + 2) * (static_cast<uint64_t>(std::max(o->bounds.y1 - o->bounds.y0, 0)) / tile_size + 2);
  if (all > most) return {};
  std::vector<uint32_t> first(tiles.size() + 1);
  for (const PreparedObject* o : objects) each(*o, [&](size_t tile) { ++first[tile + 1]; });
  for (size_t t = 0; t < tiles.size(); ++t) first[t + 1] += first[t];
  std::vector<const PreparedObject*> binned(first.back());
  std::vector<uint32_t> next(first.begin(), first.end() - 1);
  for (const PreparedObject* o : objects) each(*o, [&](size_t tile) { binned[next[tile]++] = o; });
  return {std::move(first), std::move(binned)};
}

void Drawer::Draw::draw_object(PixelWorker& worker, const PreparedObject& object, const PixelRect& tile) {
  PixelRect part = object.bounds;
  part.clip(tile);
  if (part.empty()) return;
  const bool large = int64_t{part.x1 - part.x0} * (part.y1 - part.y0) >= wide_pixels;
  worker.draw(wide_ && large ? *wide_ : pixels_, object, tile);
}

bool Drawer::Draw::draw_tiles(Objects objects, std::span<const PixelRect> tiles, uint64_t& tile) {
  auto& workers = drawer_.workers_;
  const unsigned slots = drawer_.pool_ ? drawer_.pool_->slots() : 1;
  while (workers.size() < slots) workers.push_back(std::make_unique<PixelWorker>(env_.view.memory(), static_cast<unsigned>(workers.size())));
  for (auto& worker : workers) worker->view().set_space(env_.view.space());
  const std::pair sorted = bins(objects, tiles);
  // Not a structured binding, which clang 14 (the fuzz targets' compiler on Debian 12) does not capture.
  const std::vector<uint32_t>& first = sorted.first;
  const std::vector<const PreparedObject*>& binned = sorted.second;
  const auto draw_tile = [&](size_t index, unsigned slot) {
    if (first.empty()) {
      for (const PreparedObject* object : objects) draw_object(*workers[slot], *object, tiles[index]);
    } else {
      for (uint32_t i = first[index]; i < first[index + 1]; ++i) draw_object(*workers[slot], *binned[i], tiles[index]);
    }
  };
  const auto enough = [this] { return stops_within_batches_ ? must_stop() : env_.stop.aborting(); };
  if (drawer_.pool_) tile = drawer_.pool_->for_each_until(tile, tiles.size(), draw_tile, enough);
  else
    while (tile < tiles.size()) {
      draw_tile(tile++, 0);
      if (enough()) break;
    }
  for (auto& worker : workers) worker->finish();
  return tile >= tiles.size();
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
  count_work(Work::pixels, pixel_counts_.invocations);
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
  if (state_.get<gen9::_3DSTATE_WM>().statistics_enable) {
    count(registers, reg::PS_INVOCATION_COUNT(0), pixel_counts_.invocations);
    count(registers, reg::PS_DEPTH_COUNT(0), pixel_counts_.depth);
  }
}

ExecResult Drawer::Draw::run() {
  geometry_.run([this](const Batch& batch) { draw_objects(batch); });
  count_time(TimedStage::geometry, Clock::now() - started_ - behind_geometry_);
  stream_out_.finish();
  count_statistics();
  if (env_.stop.aborting()) return ExecResult::aborted;
  return preempted_ ? ExecResult::preempted : ExecResult::done;
}

ExecResult Drawer::draw(const State& state, const StateStore& store, const DrawCall& call, EngineEnv& env, DrawProgress& progress) {
  Draw draw(*this, state, store, call, env, progress);
  const ExecResult result = draw.run();
  progress = draw.progress();
  return result;
}

/// Bands are of whole tiles' height.
void Drawer::in_bands(EngineEnv& env, const PixelRect& rect, const FillPart& part) {
  constexpr int32_t height = 64, worth_sharing = 128 * 1024;
  if (rect.empty()) return;
  if (!pool_ || int64_t{rect.x1 - rect.x0} * (rect.y1 - rect.y0) < worth_sharing) return part(env.view, rect);
  add_slots(geometry_slots_, pool_->slots(), env.view);
  for (auto& slot : geometry_slots_) slot->view.set_space(env.view.space());
  const int32_t first = rect.y0 & ~(height - 1);
  pool_->for_each(static_cast<size_t>((rect.y1 - first + height - 1) / height), [&](size_t index, unsigned slot) {
    const int32_t top = first + static_cast<int32_t>(index) * height;
    PixelRect band{rect.x0, top, rect.x1, top + height};
    band.clip(rect);
    part(geometry_slots_[slot]->view, band);
  });
}

void Drawer::hz_op(const State& state, const StateStore& store, EngineEnv& env) {
  const auto& op = state.get<gen9::_3DSTATE_WM_HZ_OP>();
  if (!op.depth_buffer_clear_enable && !op.stencil_buffer_clear_enable) return;
  const FillBands bands = [&](const PixelRect& rect, const FillPart& part) { in_bands(env, rect, part); };
  DepthStencil(state, store, 1u << std::min(op.number_of_multisamples, 4u)).clear(bands, state, op);
}

}  // namespace softgen::render
