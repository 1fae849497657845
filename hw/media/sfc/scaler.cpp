// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/sfc/scaler.h"

#include <algorithm>
#include <utility>

#include "hw/media/sfc/sharpen.h"
#include "hw/media/vebox/colour.h"

namespace softgen::media::sfc {
namespace {

using vebox::Sampling;

constexpr uint32_t rows_of_chunk = 16, rows_of_fill = 64;

/// Matrices and rotation of single pixels need all components at each.
Sampling sampling_of(const Job& job) {
  const Sampling target = job.target();
  return job.matrix || (job.orientation.transposed && target == Sampling::s422) ? Sampling::s444 : target;
}

}  // namespace

struct Scaler::Scratch {
  vebox::Band rows, a, b;
  vebox::SamplePlane luma, smooth;
  vebox::Bytes bytes;
  FilterMemory memory;
};

Scaler::Scaler(const Job& job, const Picture& picture, memory::View& view, const StopFlag& stop)
    : job_(job),
      source_(picture.samples()),
      stop_(stop),
      sampling_(sampling_of(job)),
      luma_(component(false)),
      chroma_(component(true)),
      output_(job, view, stop) {}

Scaler::Component Scaler::component(bool chroma) const {
  Component out;
  struct Direction {
    const Axis& axis;
    int from, into;
    int &first, &size;
    Windows &windows, &smooth;
    bool vertical;
  };
  const Direction directions[] = {
      {job_.x, chroma_step_x(job_.source()), chroma_step_x(sampling_), out.left, out.width, out.columns, out.smooth_columns, false},
      {job_.y, chroma_step_y(job_.source()), chroma_step_y(sampling_), out.top, out.height, out.rows, out.smooth_rows, true}};
  const bool resampled = chroma && (directions[0].from != directions[0].into || directions[1].from != directions[1].into);
  const bool by_taps =
      job_.scaling.polyphase && job_.scaling.sharpness && (job_.scaling.enabled || (resampled && job_.scaling.filters_chroma));
  for (const Direction& d : directions) {
    const int from = chroma ? d.from : 1, into = chroma ? d.into : 1;
    const Axis& axis = d.axis;
    const auto reduction = static_cast<uint32_t>(from), enlargement = static_cast<uint32_t>(into);
    d.first = static_cast<int>(axis.first / reduction);
    d.size = static_cast<int>((axis.first + axis.count + reduction - 1) / reduction) - d.first;
    Line line{.region = axis.first,
              .step = job_.scaling.enabled ? axis.step : whole_step,
              .start = job_.scaling.enabled ? axis.start : 0,
              .into = into,
              .from = from,
              .into_site = into == 2 ? axis.siting : 0,
              .size = static_cast<uint32_t>(d.size),
              .count = (axis.scaled + enlargement - 1) / enlargement};
    // Where Gen9's packets do not say where chroma is in the input, taps have it in them. Else it is where MPEG-2 has it.
    const unsigned usual = d.vertical && from == 2 ? siting_parts / 2 : 0;
    const bool as_output = axis.reduced || (!job_.scaling.enabled && from == into);
    const auto site = [&](bool in_taps) {
      return from != 2 ? 0 : as_output ? axis.siting : axis.input_siting ? *axis.input_siting : in_taps ? 0 : usual;
    };
    line.from_site = site(by_taps);
    const bool narrow = chroma && !job_.scaling.wide_chroma;
    d.windows = windows_of(line, !by_taps ? nullptr : narrow ? &axis.chroma : &axis.luma, narrow ? 2 : 0, narrow ? 4 : max_taps);
    if (!by_taps || job_.scaling.sharpness == polyphase::all_sharp) continue;
    line.from_site = site(false);
    d.smooth = windows_of(line, nullptr, 0, 2);
  }
  return out;
}

void Scaler::run(WorkerPool* pool) {
  std::vector<Scratch> scratch(slots_of(pool));
  const auto in_chunks = [&](uint32_t rows, uint32_t of_chunk, auto&& body) {
    for_each(pool, (rows + of_chunk - 1) / of_chunk, [&](size_t chunk, unsigned slot) {
      if (stop_.aborting()) return;
      const uint32_t first = static_cast<uint32_t>(chunk) * of_chunk;
      body(static_cast<int>(first), static_cast<int>(std::min(of_chunk, rows - first)), scratch[slot]);
    });
  };
  if (job_.fill)
    in_chunks(job_.output.planes[0].height, rows_of_fill,
              [&](int first, int count, Scratch& s) { output_.fill(first, count, s.rows, s.bytes); });
  in_chunks(job_.y.scaled, rows_of_chunk, [&](int first, int count, Scratch& s) { scale(first, count, s); });
}

void Scaler::filter_plane(const Component& component, const vebox::SamplePlane& from, vebox::SamplePlane& to, Scratch& scratch) const {
  const Region region{from, component.left, component.top, component.width, component.height};
  filter(region, component.columns, component.rows, to, scratch.memory);
  if (!component.smooth_columns.size()) return;
  scratch.smooth.resize(to.first, to.rows, to.columns);
  filter(region, component.smooth_columns, component.smooth_rows, scratch.smooth, scratch.memory);
  for (int y = to.first; y < to.first + to.rows; ++y) {
    const uint16_t* const smooth = scratch.smooth.row(y);
    uint16_t* const out = to.row(y);
    for (int x = 0; x < to.columns; ++x) out[x] = polyphase::mix(smooth[x], out[x], job_.scaling.sharpness);
  }
}

void Scaler::scale(int first, int count, Scratch& scratch) {
  vebox::Band& rows = scratch.rows;
  const auto width = static_cast<int>(job_.x.scaled);
  rows.resize(sampling_, first, count, width, 0);
  if (job_.sharpening) {
    scratch.luma.resize(first - sharpening_reach, count + 2 * sharpening_reach, width);
    filter_plane(luma_, source_.planes[0], scratch.luma, scratch);
    sharpen(*job_.sharpening, scratch.luma, rows.planes[0]);
  } else {
    filter_plane(luma_, source_.planes[0], rows.planes[0], scratch);
  }
  for (size_t c = 1; c < 3; ++c) filter_plane(chroma_, source_.planes[c], rows.planes[c], scratch);
  if (job_.matrix) vebox::transform(*job_.matrix, rows);
  if (job_.swap) std::swap(rows.planes[0], rows.planes[2]);
  output_.put(rows, scratch.a, scratch.b, scratch.bytes);
}

}  // namespace softgen::media::sfc
