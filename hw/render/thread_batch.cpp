// SPDX-License-Identifier: GPL-2.0-or-later
// SKL PRM vol 7, "Pixel Shader Dispatch": quads of one object are threads' pixels in the order in which they come.
#include "hw/render/thread_batch.h"

#include <algorithm>
#include <bit>

#include "hw/eu/interp/run.h"
#include "hw/eu/program/work_counts.h"

namespace softgen::render {
namespace {

constexpr uint32_t whole_square = 0xffff;

uint32_t all_channels(unsigned simd) { return static_cast<uint32_t>((uint64_t{1} << simd) - 1); }

}  // namespace

ThreadBatch::ThreadBatch(PixelContext& context, TargetWriter& targets) : context_(context), targets_(targets), payloads_(context.slot) {
  for (unsigned n = 0; n < max_threads; ++n) link(n);
}

void ThreadBatch::begin(PixelDraw& draw) {
  draw_ = &draw;
  answers_ = &direct_[draw.serial.value];
  per_sample_ = draw.state.pixel.per_sample;
  payloads_.begin(draw);
  if (draw.coarse || quads_.coarse) prepare_coarse(draw.coarse);
}

/// Threads are of coarse pixels from here on, or no longer.
void ThreadBatch::prepare_coarse(bool coarse) {
  if (coarse && !coarse_) coarse_ = std::make_unique<CoarseThreads>();
  quads_.coarse = coarse ? &coarse_->gathered : nullptr;
  for (size_t i = 0; i < threads_.size(); ++i) {
    threads_[i].coarse = coarse ? &coarse_->of[i] : nullptr;
    threads_[i].log2_width = threads_[i].log2_height = 0;
  }
  quads_.log2_width = quads_.log2_height = 0;
}

void ThreadBatch::begin(const PreparedObject& object) {
  object_ = &object;
  prepared_ = 0;
  quads_.pixels = 0;
  quads_.live = quads_.covered = 0;
  quads_.by_sample = false;
  const eu::SeriesLayout layout = payloads_.begin(object);
  if (layout == layout_ && count_) return;
  run();
  layout_ = layout;
  payloads_.reserve(layout_, max_threads);
}

void ThreadBatch::list_samples(bool listed) {
  if (quads_.by_sample != listed) flush();
  quads_.by_sample = listed;
}

void ThreadBatch::add_quad(uint32_t x, uint32_t y, uint32_t live, uint32_t covered) {
  quads_.quads[quads_.pixels / 4] = x | y << 16;
  quads_.live |= live << quads_.pixels;
  quads_.covered |= covered << quads_.pixels;
  quads_.pixels += 4;
  if (quads_.pixels == draw_->simd) flush();
}

void ThreadBatch::add_sampled_quad(uint32_t x, uint32_t y, const std::array<uint32_t, 4>& samples,
                                   const std::array<uint32_t, 4>& coverage) {
  const auto pixels = [](const std::array<uint32_t, 4>& of) {
    return (of[0] ? 1u : 0u) | (of[1] ? 2u : 0u) | (of[2] ? 4u : 0u) | (of[3] ? 8u : 0u);
  };
  for (uint32_t i = 0; i < 4; ++i) quads_.samples[quads_.pixels + i] = samples[i], quads_.coverage[quads_.pixels + i] = coverage[i];
  add_quad(x, y, pixels(samples), pixels(coverage));
}

void ThreadBatch::add_coarse_quad(uint32_t x, uint32_t y, const CoarseSize& size, const CoarseQuad& quad) {
  if (quads_.log2_width != size.log2_width || quads_.log2_height != size.log2_height) {
    flush();
    quads_.log2_width = size.log2_width, quads_.log2_height = size.log2_height;
  }
  CoarseThread& all = coarse_->gathered;
  const auto any = [](const CoarseMask& mask) { return mask != CoarseMask{}; };
  uint32_t live = 0, covered = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    all.samples[quads_.pixels + i] = quad.samples[i], all.coverage[quads_.pixels + i] = quad.coverage[i];
    live |= (any(quad.samples[i]) ? 1u : 0u) << i, covered |= (any(quad.coverage[i]) ? 1u : 0u) << i;
  }
  all.requested[quads_.pixels / 4] = size.requested;
  add_quad(x, y, live, covered);
}

void ThreadBatch::flush() {
  if (quads_.pixels == 0) return;
  for (unsigned i = quads_.pixels; i < draw_->simd; i += 4) quads_.quads[i / 4] = quads_.quads[0];
  if (quads_.by_sample)
    for (unsigned i = quads_.pixels; i < draw_->simd; ++i) quads_.samples[i] = quads_.coverage[i] = 0;
  if (quads_.coarse) {
    for (unsigned i = quads_.pixels; i < draw_->simd; ++i) coarse_->gathered.samples[i] = coarse_->gathered.coverage[i] = {};
    for (unsigned i = quads_.pixels; i < draw_->simd; i += 4) coarse_->gathered.requested[i / 4] = coarse_->gathered.requested[0];
  }
  quads_.sample_id = 0;
  if (per_sample_) dispatch_samples();
  else dispatch(quads_);
  quads_.pixels = 0;
  quads_.live = quads_.covered = 0;
}

/// A thread for each sample of quads_ that is live in one of the pixels.
void ThreadBatch::dispatch_samples() {
  for (unsigned s = 0; s < draw_->raster.samples; ++s) {
    PixelThread one = quads_;
    one.by_sample = true;
    one.sample_id = s;
    one.live = one.covered = 0;
    for (unsigned i = 0; i < draw_->simd; ++i) {
      one.samples[i] = quads_.samples_of(i) & 1u << s;
      one.coverage[i] = quads_.coverage_of(i);
      one.live |= (one.samples[i] ? 1u : 0u) << i;
      one.covered |= (one.coverage[i] ? 1u : 0u) << i;
    }
    if (one.live) dispatch(one);
  }
}

void ThreadBatch::dispatch(const PixelThread& quads) {
  PixelThread& thread = new_thread();
  thread.pixels = quads.pixels;
  thread.live = quads.live, thread.covered = quads.covered;
  // One by one, as they were stored: a wider load would wait for the stores.
  for (unsigned i = 0; i < draw_->simd / 4; ++i) thread.quads[i] = quads.quads[i];
  thread.sample_id = quads.sample_id;
  thread.by_sample = quads.by_sample;
  if (quads.by_sample) thread.samples = quads.samples, thread.coverage = quads.coverage;
  if (quads.coarse) thread.log2_width = quads.log2_width, thread.log2_height = quads.log2_height;
  add_thread();
  if (!quads.coarse) return;
  // add_thread() may have moved it.
  PixelThread& placed = threads_[count_ - 1];
  placed.coarse = &coarse_->of[count_ - 1];
  *placed.coarse = *quads.coarse;
}

/// A place for one more, of object_.
PixelThread& ThreadBatch::new_thread() {
  if (count_ == max_threads) run();
  PixelThread& thread = threads_[count_];
  prepared_ = std::min(prepared_, count_);
  thread.by_sample = thread.square = false;
  thread.target = nullptr;
  thread.sample_id = 0;
  thread.written = 0;
  return thread;
}

/// The thread that new_thread() gave has its pixels.
void ThreadBatch::add_thread() {
  PixelThread& thread = threads_[count_];
  // Whole quads: where any of four bits is set.
  uint32_t any = thread.live | thread.live >> 1;
  any = (any | any >> 2) & 0x11111111;
  thread.object = object_;
  thread.tested = 0;
  thread.dispatch_mask = thread.live;
  thread.vector_mask = any * 15;
  thread.channels = draw_->kernel.start.run_vector_mask ? thread.vector_mask : thread.live;
  const uint32_t all = all_channels(draw_->simd), channels = thread.channels == all ? all : 0;
  if (count_ && channels != channels_) {
    if (channels_ == 0) {
      ++count_;
      return;
    }
    PixelThread* const place = &thread;
    run();
    if (place != threads_.data()) threads_[0] = *place, link(0);
    prepared_ = 0;
  }
  channels_ = channels;
  ++count_;
}

void ThreadBatch::add_square(uint32_t at, uint32_t covered, const TargetBlock& block) {
  if (count_ && (count_ == max_threads || channels_ != whole_square)) run();
  place_squares(block);
  put_square(at, covered, block.at ? block.square(at & 0xffff, at >> 16) : nullptr, block.row);
}

void ThreadBatch::add_blocks(uint32_t x, uint32_t y, uint32_t blocks, bool placed) {
  constexpr uint32_t squares = 4, right = 4, below = 4 << 16;
  static const TargetBlock nowhere{};
  while (blocks) {
    if (count_ && (count_ > max_threads - squares || channels_ != whole_square)) run();
    const TargetBlock* const found = placed ? targets_.placed_block(*object_, x, y) : nullptr;
    const TargetBlock& block = found ? *found : nowhere;
    place_squares(block);
    uint32_t alike = std::min({blocks, found ? block.alike : blocks, (max_threads - count_) / squares});
    blocks -= alike;
    const size_t column = block.column;
    std::byte *upper = block.at, *lower = upper + 4 * size_t{block.row};
    for (; alike; --alike, x += 8, upper += 2 * column, lower += 2 * column) {
      const uint32_t at = x | y << 16;
      put_square(at, whole_square, upper, block.row);
      put_square(at + right, whole_square, upper + column, block.row);
      put_square(at + below, whole_square, lower, block.row);
      put_square(at + below + right, whole_square, lower + column, block.row);
    }
  }
}

/// All places in a series are of one stamp: older ones are forgotten.
void ThreadBatch::place_squares(const TargetBlock& block) {
  channels_ = whole_square;
  if (!block.at || (count_ && block.stamp == placed_)) return;
  forget_places();
  placed_ = block.stamp;
}

/// What all squares of object_ have in common.
inline void ThreadBatch::prepare_square(PixelThread& thread) {
  thread.by_sample = false, thread.square = true;
  thread.sample_id = 0;
  thread.live = whole_square;
  thread.pixels = 16;
  thread.object = object_;
  thread.channels = thread.dispatch_mask = thread.vector_mask = whole_square;
}

/// One more thread, for which there is room.
inline void ThreadBatch::put_square(uint32_t at, uint32_t covered, std::byte* target, uint32_t row) {
  constexpr uint32_t right = 2, below = 2 << 16;
  PixelThread& thread = threads_[count_];
  if (count_ >= prepared_) {
    prepare_square(thread);
    if (count_ == prepared_) ++prepared_;
  }
  ++count_;
  thread.quads = {at, at + right, at + below, at + right + below};
  thread.covered = covered;
  thread.tested = thread.written = 0;
  thread.target = target;
  thread.row = row;
}

void ThreadBatch::forget_places() {
  for (unsigned i = 0; i < count_; ++i) threads_[i].target = nullptr;
}

void ThreadBatch::complete() {
  if (completed_ == count_) return;
  context_.control->restore();
  payloads_.write(std::span(threads_).first(count_), completed_);
  completed_ = count_;
}

void ThreadBatch::write_rest(bool all) {
  context_.control->restore();
  payloads_.write_rest(std::span(threads_).first(count_), all);
}

void ThreadBatch::run() {
  if (count_ == 0) return;
  complete();
  threads_[count_ - 1].next = nullptr;
  const Kernel& kernel = draw_->kernel;
  eu::ThreadStart start = kernel.start;
  start.program = kernel.program.get();
  ThreadEnv env{.view = context_.view,
                .bases = kernel.bases,
                .stop = draw_->stop,
                .slm = {},
                .fftid = context_.slot,
                .scratch_base = kernel.scratch_base,
                .scratch_size = kernel.scratch_size,
                .direct = targets_.capturing() ? nullptr : answers_,
                .control = context_.control};
  if (!targets_.capturing()) context_.tally.add_threads(count_, *kernel.program);
  RenderMessages messages({.pixels = this, .shared = draw_->shared_functions});
  eu::ThreadSeries series{layout_, threads_.data(), count_, channels_, kernel.constants.data(), &context_.running};
  // The clock is read before the stamp is compared, so that a change in between is noticed.
  series.epoch = context_.view.clock().epoch->load(std::memory_order_acquire),
  series.generation = context_.view.clock().generation->load(std::memory_order_acquire);
  if (layout_.has_planes && channels_ == whole_square) series.payloads = this;
  if (!(context_.view.stamp() == placed_)) forget_places();
  eu::run_series(thread_, start, series, env, messages);
  link(count_ - 1);
  count_ = completed_ = 0;
}

CapturedColor ThreadBatch::capture() {
  run();
  PixelThread& thread = new_thread();
  thread.pixels = draw_->simd;
  thread.quads = {};
  thread.live = thread.covered = all_channels(draw_->simd);
  targets_.start_capture();
  add_thread();
  run();
  return targets_.end_capture();
}

void ThreadBatch::forget_draws() {
  for (auto& one : direct_) one.second.clear(eu::count_answers);
  direct_.clear();
}

}  // namespace softgen::render
