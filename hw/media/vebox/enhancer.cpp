// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vebox/enhancer.h"

#include <algorithm>

#include "hw/base/bits.h"
#include "hw/media/vebox/colour.h"
#include "hw/media/vebox/deinterlace.h"
#include "hw/media/vebox/denoise.h"

namespace softgen::media::vebox {

namespace {
constexpr uint32_t wide = 4096, rows_of_narrow = 64, rows_of_wide = 16;
}

struct Enhancer::Scratch {
  Band current, previous, result, a, b, stored;
  History history;
  MotionMap before, motion;
  Bytes bytes;
};

Enhancer::Enhancer(const Enhancement& what, memory::View& view, const StopFlag& stop, Sink* sink)
    : what_(what), stop_(stop), sink_(sink), rows_(what.width > wide ? rows_of_wide : rows_of_narrow) {
  const uint32_t bands = (what.height + rows_ - 1) / rows_;
  const auto& denoise = what.denoise;
  const auto& di = what.deinterlace;
  const bool temporal = !what.first_frame;
  filtered_ = denoise ? bands : 0;
  stored_ = what.store_output || sink ? bands : 0;
  current_.open(view, stop, what.current, Access::read);
  if (temporal && (denoise || di)) previous_.open(view, stop, what.previous, Access::read);
  if (denoise) denoised_.open(view, stop, what.denoised, Access::write);
  const auto is_stored = [&](const Surface& surface) { return what.store_output && surface.planes[0].base; };
  if (is_stored(what.output_current) && (!di || di->current)) output_current_.open(view, stop, what.output_current, Access::write);
  if (is_stored(what.output_previous) && di && di->previous) output_previous_.open(view, stop, what.output_previous, Access::write);
  if (what.motion_in && temporal) motion_in_.open(view, stop, *what.motion_in, Access::read);
  if (what.motion_out) motion_out_.open(view, stop, *what.motion_out, Access::write);
}

Enhancer::Range Enhancer::rows_of(uint32_t band) const {
  const uint32_t first = band * rows_;
  return {static_cast<int>(first), static_cast<int>(std::min(rows_, align_up(what_.height - first, 2u)))};
}

uint32_t Enhancer::run(uint32_t first, WorkerPool* pool) {
  std::vector<Scratch> scratch(slots_of(pool));
  const auto body = [&](size_t band, unsigned slot) {
    if (stop_.aborting()) return;
    if (band < filtered_) filter(rows_of(static_cast<uint32_t>(band)), scratch[slot]);
    else output(rows_of(static_cast<uint32_t>(band) - filtered_), scratch[slot]);
  };
  const auto enough = [&] { return sink_ ? stop_.aborting() : stop_.reasons() != 0; };
  for (const uint32_t end : {filtered_, bands()}) {
    if (first >= end) continue;
    first = static_cast<uint32_t>(for_each_until(pool, first, end, body, enough));
    if (first < end || enough()) break;
  }
  return first;
}

void Enhancer::filter(Range rows, Scratch& scratch) {
  const auto& [first, count] = rows;
  const bool temporal = previous_.planes[0].is_open();
  load(current_, what_.x, what_.width, first, count, scratch.current, scratch.bytes);
  if (temporal) load(previous_, what_.x, what_.width, first, count, scratch.previous, scratch.bytes);
  History& history = scratch.history;
  history.resize(static_cast<int>(what_.width), count);
  const auto columns = static_cast<unsigned>(history.columns);
  const size_t block_rows = history.values.size() / columns;
  // A block's history is on its first row.
  const auto column = what_.history_column + what_.x / block_size;
  std::fill(history.values.begin(), history.values.end(), what_.denoise->history_start);
  for (size_t i = 0; motion_in_.is_open() && i < block_rows; ++i)
    motion_in_.fetch(static_cast<int>(column), first + static_cast<int>(i) * block_size, columns, 1,
                     reinterpret_cast<std::byte*>(history.values.data() + i * columns), columns);
  denoise(*what_.denoise, scratch.current, temporal ? &scratch.previous : nullptr, history, scratch.result);
  for (size_t i = 0; motion_out_.is_open() && i < block_rows; ++i)
    motion_out_.store(column, static_cast<uint32_t>(first) + static_cast<uint32_t>(i) * block_size, columns, 1,
                      reinterpret_cast<const std::byte*>(history.values.data() + i * columns), columns);
  store(scratch.result, what_.x, what_.width, 0xff, denoised_, scratch.bytes);
}

void Enhancer::finish(Band& band, SurfaceMap& to, bool to_sink, Scratch& scratch) {
  const bool stores = to.planes[0].is_open();
  if (!to_sink && !stores) return;
  const Colour& colour = what_.colour;
  const auto width = static_cast<int>(what_.width);
  const Sampling sampling = to_sink ? what_.sink_sampling : to.format.sampling;
  const Band* done = changes(colour, band.sampling, sampling) ? &recolour(colour, band, width, sampling, scratch.a, scratch.b) : &band;
  if (to_sink) sink_->take(*done);
  if (!stores) return;
  if (done->sampling != to.format.sampling) {
    resample(*done, to.format.sampling, width, colour, scratch.stored);
    done = &scratch.stored;
  }
  store(*done, what_.x, what_.width, colour.alpha, to, scratch.bytes);
}

void Enhancer::output(Range rows, Scratch& scratch) {
  const auto& [first, count] = rows;
  load(what_.denoise ? denoised_ : current_, what_.x, what_.width, first, count, scratch.current, scratch.bytes);
  if (what_.deinterlace) return deinterlace(*what_.deinterlace, rows, scratch);
  finish(scratch.current, output_current_, sink_ != nullptr, scratch);
}

void Enhancer::deinterlace(const Deinterlace& di, Range rows, Scratch& scratch) {
  const auto height = static_cast<int>(what_.height), columns = static_cast<int>(what_.width + 1) / 2;
  const bool temporal = previous_.planes[0].is_open();
  MotionMap& motion = scratch.motion;
  if (temporal) {
    load(previous_, what_.x, what_.width, rows.first, rows.count, scratch.previous, scratch.bytes);
    MotionMap& before = scratch.before;
    before.resize(rows.first - motion_margin, rows.count + 2 * motion_margin, columns);
    if (motion_in_.is_open())
      motion_in_.fetch(static_cast<int>(what_.x / 2), before.first, static_cast<unsigned>(columns), static_cast<unsigned>(before.rows),
                       reinterpret_cast<std::byte*>(before.values.data()), static_cast<size_t>(columns));
    measure_motion(di, scratch.current, scratch.previous, motion_in_.is_open() ? &before : nullptr, motion);
  } else {
    motion.resize(rows.first - motion_margin, rows.count + 2 * motion_margin, columns);
    std::fill(motion.values.begin(), motion.values.end(), uint8_t{0});
  }
  if (motion_out_.is_open())
    motion_out_.store(what_.x / 2, static_cast<uint32_t>(rows.first), static_cast<unsigned>(columns), static_cast<unsigned>(rows.count),
                      reinterpret_cast<const std::byte*>(motion.row(rows.first)), static_cast<size_t>(columns));
  const bool first_field_odd = !di.top_first;
  if (di.current) {
    if (temporal) adapt(di, scratch.current, scratch.previous, first_field_odd, height, motion, scratch.result);
    else interpolate(scratch.current, first_field_odd, height, scratch.result);
    finish(scratch.result, output_current_, sink_ != nullptr, scratch);
  }
  if (di.previous) {
    adapt(di, scratch.previous, scratch.current, !first_field_odd, height, motion, scratch.result);
    // SFC takes one of the two.
    finish(scratch.result, output_previous_, sink_ && !di.current, scratch);
  }
}

}  // namespace softgen::media::vebox
