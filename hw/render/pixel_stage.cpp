// SPDX-License-Identifier: GPL-2.0-or-later
// SKL PRM vol 7, "Windower": coverage, stipples, early tests, dispatch.
#include "hw/render/pixel_stage.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "hw/base/work.h"
#include "hw/eu/interp/run.h"
#include "hw/render/raster.h"

namespace softgen::render {
namespace {

/// A block's pixels (bit 8 y + x) by squares of 4x4, 16 bits each, and in those by quads, four bits each; all of them row after row.
uint64_t by_squares(uint64_t block) {
  const auto exchange = [&block](unsigned distance, uint64_t moved) {
    const uint64_t swapped = (block ^ block >> distance) & moved;
    block ^= swapped ^ swapped << distance;
  };
  exchange(4, 0x00f000f000f000f0);
  exchange(2, 0x0c0c0c0c0c0c0c0c);
  exchange(8, 0x0000ff000000ff00);
  return block;
}

/// Whole blocks and threads are most of them, and without POPCNT counting is a call.
uint64_t count_of(uint64_t mask, uint64_t whole) {
  return static_cast<uint64_t>(mask == whole ? (whole == ~uint64_t{0} ? 64 : 16) : std::popcount(mask));
}
constexpr uint64_t whole_block = ~uint64_t{0}, whole_thread = 0xffff;

}  // namespace

bool tests_are_early(const DrawState& state) {
  const PixelState& pixel = state.pixel;
  if (pixel.early != EarlyTests::normal) return pixel.early == EarlyTests::before_shader;
  return !pixel.computes_depth && !pixel.kills && !pixel.computes_stencil && !pixel.sample_mask && !pixel.alpha_test &&
         !pixel.alpha_to_coverage && !pixel.uav;
}

double PixelWorker::depth_at(uint32_t x, uint32_t y, unsigned sample) const {
  const auto& position = draw_->raster.sample_positions[sample];
  const double z = object_->z.at(x + position[0] / double{subpixels}, y + position[1] / double{subpixels}) + object_->depth_bias;
  const Viewport& viewport = draw_->raster.viewports[object_->viewport];
  return std::min(std::max(z, double{viewport.min_depth}), double{viewport.max_depth});
}

uint32_t PixelWorker::test(uint32_t x, uint32_t y, uint32_t samples, std::optional<float> z, std::optional<uint8_t> stencil) {
  const DepthStencil& tests = draw_->depth_stencil;
  uint32_t passed = samples;
  if (tests.any_test() || tests.any_write()) {
    passed = 0;
    ++tested_singly_;
    for (uint32_t left = samples; left; left &= left - 1) {
      const auto s = static_cast<unsigned>(std::countr_zero(left));
      const DepthStencil::Sample sample{x, y, object_->layer, s, z ? *z : depth_at(x, y, s), object_->front};
      if (tests.test_and_write(view_, sample, stencil)) passed |= 1u << s;
    }
  }
  depth_count_ += static_cast<uint64_t>(std::popcount(passed));
  return passed;
}

bool PixelWorker::stippled_out(uint32_t x, uint32_t y) const {
  const DrawState& state = draw_->state;
  if (object_->stipple) {
    const auto number = static_cast<int64_t>(std::floor(object_->stipple->at(x + 0.5, y + 0.5)));
    const int64_t repeat = std::max<int64_t>(state.stipple.line_repeat, 1);
    if (!(state.stipple.line_pattern >> (std::max<int64_t>(number, 0) / repeat & 15) & 1)) return true;
  }
  if (object_->filled && state.raster.polygon_stipple) {
    const StippleState& stipple = state.stipple;
    const uint32_t row = stipple.polygon_rows[(y + stipple.polygon_y) & 31];
    if (!(row >> (31 - ((x + stipple.polygon_x) & 31)) & 1)) return true;
  }
  return object_->fade && object_->fade->at(x + 0.5, y + 0.5) <= 0;
}

uint64_t PixelWorker::test_block(uint32_t x, uint32_t y, uint64_t covered) {
  const DepthStencil& tests = draw_->depth_stencil;
  if (!tests.any_test() && !tests.any_write()) {
    depth_count_ += count_of(covered, whole_block);
    return covered;
  }
  if (draw_->depth_by_blocks && tests.holds_block(x, y, object_->layer)) {
    const auto& position = draw_->raster.sample_positions[0];
    const DepthStencil::Block block{
        x, y, object_->layer, x + position[0] / double{subpixels}, y + position[1] / double{subpixels}, object_->front};
    const uint64_t passed = tests.test_block(view_, depth_, block, covered);
    depth_count_ += count_of(passed, whole_block);
    return passed;
  }
  uint64_t passed = 0;
  for (uint64_t left = covered; left; left &= left - 1) {
    const auto at = static_cast<uint32_t>(std::countr_zero(left));
    if (test(x + at % 8, y + at / 8, 1, std::nullopt, std::nullopt)) passed |= left & -left;
  }
  return passed;
}

/// Coverage of one sample a pixel.
bool PixelWorker::draw_block(uint32_t x, uint32_t y, uint64_t covered) {
  if (draw_->stop.aborting()) return false;
  control_->restore();
  const uint64_t left = draw_->early ? test_block(x, y, covered) : covered;
  if (!left) return true;
  if (draw_->unseen) {
    invocations_ += static_cast<uint64_t>(std::popcount(left));
    return true;
  }
  const uint64_t told = told_after_tests_ ? left : covered;
  const TargetBlock block = squares_ ? placed_block(x, y) : TargetBlock{};
  const auto place = [&](uint32_t square) { return (x + 4 * (square & 1)) | (y + 4 * (square >> 1)) << 16; };
  if (left == whole_block && squares_) {
    for (uint32_t square = 0; square < 4; ++square) add_square(place(square), whole_thread, block);
    return true;
  }
  const uint64_t lit = by_squares(left), shown = told == left ? lit : by_squares(told);
  for (uint32_t square = 0; square < 4; ++square) {
    const auto lit_here = static_cast<uint32_t>(lit >> 16 * square & 0xffff),
               told_here = static_cast<uint32_t>(shown >> 16 * square & 0xffff);
    const uint32_t at = place(square);
    if (lit_here == whole_thread && squares_) {
      add_square(at, told_here, block);
      continue;
    }
    for (uint32_t quad = 0; quad < 4; ++quad)
      if (const uint32_t pixels = lit_here >> 4 * quad & 15; pixels)
        put_quad((at & 0xffff) + 2 * (quad & 1), (at >> 16) + 2 * (quad >> 1), pixels, told_here >> 4 * quad & 15);
  }
  return true;
}

void PixelWorker::draw(PixelDraw& draw, const PreparedObject& object, const PixelRect& tile, HeldControlWord& control) {
  if (draw_ != &draw) run_threads();
  put_payloads();
  control_ = &control;
  if (counting_ != &draw.counts) settle(), counting_ = &draw.counts;
  if (serial_ != draw.serial.value) serial_ = draw.serial.value, answers_ = &direct_[serial_], block_.target = nullptr;
  draw_ = &draw;
  object_ = &object;
  batch_.pixels = 0;
  batch_.lit = batch_.told = 0;
  const Viewport& viewport = draw.raster.viewports[object.viewport];
  batch_.by_sample = false;
  const PixelState& pixel = draw.state.pixel;
  per_sample_ = pixel.per_sample;
  squares_ = draw.simd == 16 && !per_sample_;
  told_after_tests_ = pixel.coverage == InputCoverage::after_depth;
  places_squares_ =
      draw.early && draw.color[0] && draw.color[0]->plain() && !object.fade && object.layer < draw.targets[0].surface.view_extent;
  depth_ = draw.depth_stencil.kernel({object.z.a, object.z.b, object.z.c, object.depth_bias, viewport.min_depth, viewport.max_depth});
  if (draw.kernel) put_object_header();
  if (draw.uniform && fill_object(tile)) return;
  const bool stippled = object.stipple || object.fade || (object.filled && draw.state.raster.polygon_stipple);
  const bool inner = pixel.coverage == InputCoverage::inner_conservative;
  for (const Coverage& part : object.parts) {
    PartRaster raster(part, draw.raster);
    const bool by_blocks = !stippled && !inner && raster.by_blocks();
    if (batch_.by_sample == by_blocks) flush();
    batch_.by_sample = !by_blocks;
    if (by_blocks) {
      if (!raster.each_block(tile, [&](uint32_t x, uint32_t y, uint64_t covered) { return draw_block(x, y, covered); })) break;
      continue;
    }
    const bool finished = raster.each_quad(tile, [&](uint32_t x, uint32_t y, QuadCoverage& samples) {
      if (draw.stop.aborting()) return false;
      QuadCoverage told = samples;
      for (uint32_t i = 0; i < 4; ++i) {
        const uint32_t px = x + (i & 1), py = y + (i >> 1);
        if (stippled && samples[i] && stippled_out(px, py)) samples[i] = told[i] = 0;
        if (inner) told[i] = raster.inner(static_cast<int32_t>(px), static_cast<int32_t>(py)) ? samples[i] : 0;
      }
      add_quad(x, y, samples, told);
      return true;
    });
    if (!finished) break;
  }
  if (!draw.stop.aborting()) flush();
}

void PixelWorker::settle() {
  run_threads();
  if (!counting_) return;
  count_path(Path::pixels_filled, std::exchange(filled_, 0));
  count_path(Path::pixels_tested_singly, std::exchange(tested_singly_, 0));
  count_path(Path::pixels_written_singly, std::exchange(written_singly_, 0));
  counting_->depth.fetch_add(std::exchange(depth_count_, 0), std::memory_order_relaxed);
  counting_->invocations.fetch_add(std::exchange(invocations_, 0), std::memory_order_relaxed);
  counting_ = nullptr;
}

void PixelWorker::add_quad(uint32_t x, uint32_t y, const std::array<uint32_t, 4>& samples, const std::array<uint32_t, 4>& coverage) {
  std::array<uint32_t, 4> left = samples;
  control_->restore();
  if (draw_->early) {
    for (uint32_t i = 0; i < 4; ++i)
      if (left[i]) left[i] = test(x + (i & 1), y + (i >> 1), left[i], std::nullopt, std::nullopt);
  }
  if (!(left[0] | left[1] | left[2] | left[3])) return;
  const std::array<uint32_t, 4>& told = told_after_tests_ ? left : coverage;
  const auto pixels = [](const std::array<uint32_t, 4>& of) {
    return (of[0] ? 1u : 0u) | (of[1] ? 2u : 0u) | (of[2] ? 4u : 0u) | (of[3] ? 8u : 0u);
  };
  for (uint32_t i = 0; i < 4; ++i) batch_.samples[batch_.pixels + i] = left[i], batch_.coverage[batch_.pixels + i] = told[i];
  put_quad(x, y, pixels(left), pixels(told));
}

void PixelWorker::put_quad(uint32_t x, uint32_t y, uint32_t lit, uint32_t told) {
  if (draw_->unseen) {
    invocations_ += static_cast<uint64_t>(std::popcount(lit));
    return;
  }
  batch_.quads[batch_.pixels / 4] = x | y << 16;
  batch_.lit |= lit << batch_.pixels;
  batch_.told |= told << batch_.pixels;
  batch_.pixels += 4;
  if (batch_.pixels == draw_->simd) flush();
}

void PixelWorker::flush() {
  if (batch_.pixels == 0) return;
  PixelBatch& batch = batch_;
  for (unsigned i = batch.pixels; i < draw_->simd; i += 4) batch.quads[i / 4] = batch.quads[0];
  if (batch.by_sample)
    for (unsigned i = batch.pixels; i < draw_->simd; ++i) batch.samples[i] = batch.coverage[i] = 0;
  batch.sample_id = 0;
  if (!draw_->kernel) {
    // Depth and stencil only: there is nobody to ask for the late tests.
    control_->restore();
    if (!draw_->early)
      for (unsigned i = 0; i < batch.pixels; ++i)
        if (batch.samples_of(i)) test(batch.x(i), batch.y(i), batch.samples_of(i), std::nullopt, std::nullopt);
  } else if (!per_sample_) {
    put_thread(batch);
  } else {
    for (unsigned s = 0; s < draw_->raster.samples; ++s) {
      PixelBatch one = batch;
      one.by_sample = true;
      one.sample_id = s;
      one.lit = one.told = 0;
      for (unsigned i = 0; i < draw_->simd; ++i) {
        one.samples[i] = batch.samples_of(i) & 1u << s;
        one.coverage[i] = batch.coverage_of(i);
        one.lit |= (one.samples[i] ? 1u : 0u) << i;
        one.told |= (one.coverage[i] ? 1u : 0u) << i;
      }
      if (one.lit) put_thread(one);
    }
  }
  batch_.pixels = 0;
  batch_.lit = batch_.told = 0;
}

void PixelWorker::finish() {
  for (auto& one : direct_) one.second.clear(count_direct_messages);
  direct_.clear();
  serial_ = 0;
}

// -- threads

/// A place for one more, of object_.
PixelBatch& PixelWorker::new_thread() {
  if (waiting_ == most_threads) run_threads();
  PixelBatch& thread = threads_[waiting_];
  thread.by_sample = thread.square = false;
  thread.target = nullptr;
  thread.sample_id = 0;
  return thread;
}

/// A thread of 4x4 pixels that are all lit. `block`: where they are in the first target, so that nobody has to ask.
void PixelWorker::add_square(uint32_t at, uint32_t told, const TargetBlock& block) {
  constexpr uint32_t right = 2, below = 2 << 16, all = whole_thread;
  if (waiting_ && (waiting_ == most_threads || channels_ != all)) run_threads();
  PixelBatch& thread = threads_[waiting_];
  thread.quads = {at, at + right, at + below, at + right + below};
  thread.by_sample = false, thread.square = true;
  thread.sample_id = 0;
  thread.lit = all, thread.told = told;
  thread.pixels = 16;
  thread.object = object_;
  thread.tested = 0;
  thread.channels = thread.dispatch_mask = thread.vector_mask = all;
  thread.target = nullptr;
  if (block.at) {
    // What an older one says is not looked at any more.
    if (waiting_ == 0 || !(block.stamp == placed_)) {
      for (unsigned i = 0; i < waiting_; ++i) threads_[i].target = nullptr;
      placed_ = block.stamp;
    }
    thread.target = block.square(at & 0xffff, at >> 16);
    thread.row = block.row;
  }
  invocations_ += 16;
  channels_ = all;
  ++waiting_;
}

/// The block that holds (x, y), where its squares can be placed; else it is nowhere. A copy: threads that run look for blocks of their own.
PixelWorker::TargetBlock PixelWorker::placed_block(uint32_t x, uint32_t y) {
  const TargetBlock* const block = places_squares_ ? target_block(draw_->targets[0], x, y) : nullptr;
  return block ? *block : TargetBlock{};
}

void PixelWorker::put_thread(const PixelBatch& batch) {
  PixelBatch& thread = new_thread();
  thread.pixels = batch.pixels;
  thread.lit = batch.lit, thread.told = batch.told;
  thread.quads = batch.quads;
  thread.sample_id = batch.sample_id;
  thread.by_sample = batch.by_sample;
  if (batch.by_sample) thread.samples = batch.samples, thread.coverage = batch.coverage;
  add_thread();
}

/// The thread that new_thread() gave is complete.
void PixelWorker::add_thread() {
  PixelBatch& thread = threads_[waiting_];
  // Whole quads: where any of four bits is set.
  uint32_t any = thread.lit | thread.lit >> 1;
  any = (any | any >> 2) & 0x11111111;
  thread.object = object_;
  thread.tested = 0;
  thread.dispatch_mask = thread.lit;
  thread.vector_mask = any * 15;
  thread.channels = draw_->kernel.start.run_vector_mask ? thread.vector_mask : thread.lit;
  invocations_ += count_of(thread.lit, whole_thread);
  const uint32_t all = static_cast<uint32_t>((uint64_t{1} << draw_->simd) - 1), channels = thread.channels == all ? all : 0;
  if (waiting_ && channels != channels_) {
    if (channels_ == 0) {
      ++waiting_;
      return;
    }
    PixelBatch* const place = &thread;
    run_threads();
    if (place != threads_.data()) threads_[0] = *place;
  }
  channels_ = channels;
  ++waiting_;
}

/// The thread that a message comes from.
PixelBatch& PixelWorker::running() {
  auto& thread = *static_cast<PixelBatch*>(running_);
  object_ = thread.object;
  return thread;
}

void PixelWorker::run_threads() {
  if (waiting_ == 0) return;
  const PreparedObject* const object = object_;
  put_payloads();
  for (unsigned i = 0; i < waiting_; ++i) threads_[i].next = i + 1 < waiting_ ? &threads_[i + 1] : nullptr;
  const Kernel& kernel = draw_->kernel;
  eu::ThreadStart start = kernel.start;
  start.program = kernel.program.get();
  ThreadOwner owner{nullptr, this, draw_->shared_functions};
  ThreadEnv env{
      view_, kernel.bases, draw_->stop, {}, slot_, kernel.scratch_base, kernel.scratch_size, &owner, capturing_ ? nullptr : answers_};
  env.control = control_;
  RenderMessages messages;
  eu::ThreadSeries series{layout_, threads_.data(), waiting_, channels_, kernel.constants.data(), &running_};
  // The numbers first: what changes behind them is seen.
  series.epoch = view_.clock().epoch->load(std::memory_order_acquire),
  series.generation = view_.clock().generation->load(std::memory_order_acquire);
  if (!(view_.stamp() == placed_))
    for (unsigned i = 0; i < waiting_; ++i) threads_[i].target = nullptr;
  eu::run_series(thread_, start, series, env, messages);
  waiting_ = made_ = 0;
  object_ = object;
}

}  // namespace softgen::render
