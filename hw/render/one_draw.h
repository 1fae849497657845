// SPDX-License-Identifier: GPL-2.0-or-later
// One draw, as Drawer runs it: draw.cpp has its course, draw_shader.cpp its pixel shader and targets, draw_clears.cpp what clears and
// resolves.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "hw/render/chunked_geometry.h"
#include "hw/render/draw.h"
#include "hw/render/draw_clock.h"
#include "hw/render/geometry_pipeline.h"
#include "hw/render/state_decoder.h"
#include "hw/render/stream_out.h"

namespace softgen::render {

/// One draw: geometry's objects through stream output and setup to their pixels.
class Drawer::Draw {
 public:
  Draw(Drawer& drawer, const DrawState& state, const StateDecoder& decoder, const DrawCall& call, EngineEnv& env,
       const DrawProgress& earlier);
  Draw(const Draw&) = delete;
  Draw& operator=(const Draw&) = delete;
  ~Draw();

  /// Before run(): the depth buffer's clear state follows the bound clear value, and ends where depth will be written. Other than done: the
  /// draw has not begun.
  ExecResult update_clears();
  ExecResult run();
  const DrawProgress& progress() const { return progress_; }

 private:
  bool may_defer(const DrawCall& call) const;
  void load_pixel_shader();
  void load_program(Kernel& kernel, const PixelKernel& from);
  void bind_targets();
  bool runs_for_coarse_pixels() const;
  bool may_copy(const PixelDraw& pixels) const;
  bool is_unobservable(const eu::Program& program) const;
  void prepare(const Batch& batch);
  void draw_batch(const Batch& batch);
  bool draw_pixels(uint64_t& tile);
  uint64_t vertices_shaded() const { return chunked_ ? chunked_->invocations() : geometry_.counts().vs; }
  uint64_t primitives() const { return chunked_ ? chunked_->primitives() : setup_.primitives(); }
  const RenderTarget* blocks_target(const PreparedObject& object) const;
  PixelRect blocks_rect(const PreparedObject& object) const;
  /// Where a clear or resolve may stop within an object: it is done again from the object's start, which gives the same.
  StopReasons stops() const { return {env_.stop, StopFlag::dropping | (stops_within_batches_ ? StopFlag::pause : 0u)}; }
  void fast_clear(const PreparedObject& object);
  void resolve(const PreparedObject& object, ResolveType type);
  bool each_object(uint64_t& done, const std::function<void(const PreparedObject&)>& body);
  void count_statistics();
  using Clock = DrawClock::Clock;
  void note_times(Clock::time_point began, Clock::time_point prepared);

  Drawer& drawer_;
  const StateDecoder& decoder_;
  EngineEnv& env_;
  std::unique_ptr<PixelWork> work_;
  const DrawState& state_;  ///< the work's
  Setup setup_;
  GeometryWorker worker_;
  GeometryPipeline geometry_;
  std::optional<ChunkedGeometry> chunked_;  ///< shades and sets up what geometry_ assembles
  StreamOut stream_out_;
  uint64_t clipped_ = 0;
  const DrawProgress earlier_;
  DrawProgress progress_;
  /// A vertex that wrote memory or was streamed out must not be shaded again, and after other stages all batches are repeated.
  const bool stops_within_batches_, stops_between_batches_;
  bool defers_ = false;  ///< its pixels are left to the queue, if they are not too many
  bool preempted_ = false;
  struct {
    uint64_t vs, clipped, primitives;
  } completed_{};  ///< of whole batches
  DrawClock clock_;
  Clock::duration after_geometry_{};  ///< time in setup and pixels
};

}  // namespace softgen::render
