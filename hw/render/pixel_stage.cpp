// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/pixel_stage.h"

#include <utility>

#include "hw/base/work.h"

namespace softgen::render {

void PixelWorker::begin(PixelDraw& draw) {
  if (counting_ != &draw.counts) end_tile();
  else threads_.run();
  serial_ = draw.serial.value;
  tests_early_ = draw.early || !draw.kernel;
  targets_.begin(draw);
  threads_.begin(draw);
  windower_.begin(draw);
}

void PixelWorker::draw(PixelDraw& draw, const PreparedObject& object, const PixelRect& tile, HeldControlWord& control) {
  context_.control = &control;
  if (serial_ != draw.serial.value) begin(draw);
  else threads_.complete();
  counting_ = &draw.counts;
  windower_.draw(object, tile);
}

void PixelWorker::end_tile() {
  threads_.run();
  if (!counting_) return;
  const PixelTally tally = std::exchange(context_.tally, {});
  count_work({{Work::ps_threads, tally.threads},
              {Work::alu_instructions, tally.alu},
              {Work::math_instructions, tally.math},
              {Work::samples_rasterized, tally.rasterized},
              {Work::samples_failed_early, tests_early_ ? tally.rasterized - tally.depth : 0},
              {Work::pixels_killed, tally.killed},
              {Work::samples_failed_late, tally.failed_late},
              {Work::samples_written, tally.written},
              {Work::samples_blended, tally.blended}});
  count_path(Path::pixels_filled, tally.filled);
  count_path(Path::pixels_copied, tally.copied);
  count_path(Path::pixels_tested_singly, tally.tested_one_by_one);
  count_path(Path::pixels_written_singly, tally.written_one_by_one);
  counting_->depth.fetch_add(tally.depth, std::memory_order_relaxed);
  counting_->invocations.fetch_add(tally.invocations, std::memory_order_relaxed);
  counting_ = nullptr;
}

void PixelWorker::finish() {
  threads_.forget_draws();
  serial_ = 0;
}

}  // namespace softgen::render
