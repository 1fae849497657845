// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/sfc/decoded.h"

#include <algorithm>
#include <cstring>

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/media/sfc/scaler.h"

namespace softgen::media::sfc {
namespace {

constexpr uint32_t band_rows = 64;

/// Whether the picture has all samples of the job's input.
bool fits(const HostPicture& from, const Job& job) {
  const auto step_x = static_cast<unsigned>(chroma_step_x(job.input)), step_y = static_cast<unsigned>(chroma_step_y(job.input));
  const bool same_chroma = from.is_grey() || (!job.grey && from.chroma_step_x == step_x && from.chroma_step_y == step_y);
  if (same_chroma && job.width <= from.width && job.height <= from.height) return true;
  guest_error("SFC_STATE", "input of {}x{}, chroma by {} and {}; the picture is {}x{}, chroma by {} and {}", job.width, job.height, step_x,
              step_y, from.width, from.height, from.chroma_step_x, from.chroma_step_y);
  return false;
}

/// Rows below the picture are its last one.
void load(const HostPlane& from, uint32_t rows, vebox::SamplePlane& to) {
  for (int y = to.first; y < to.first + to.rows; ++y) {
    const uint8_t* at = from.samples + std::min(static_cast<uint32_t>(y), rows - 1) * from.stride;
    uint16_t* const out = to.row(y);
    if (from.bytes == 1) {
      for (int x = 0; x < to.columns; ++x, at += from.step) out[x] = static_cast<uint16_t>(*at << 8);
      continue;
    }
    for (int x = 0; x < to.columns; ++x, at += from.step) {
      uint16_t sample;
      std::memcpy(&sample, at, sizeof sample);
      out[x] = static_cast<uint16_t>(sample << (16 - from.bits));
    }
  }
}

void load(const HostPicture& from, const Job& job, vebox::Band& band) {
  load(from.planes[0], from.height, band.planes[0]);
  for (size_t c = 1; c < 3; ++c) {
    if (from.is_grey()) std::ranges::fill(band.planes[c].samples, job.grey ? (*job.grey)[c - 1] : uint16_t{0x8000});
    else load(from.planes[c], (from.height + from.chroma_step_y - 1) / from.chroma_step_y, band.planes[c]);
  }
}

}  // namespace

void DecodedFrame::take(const HostPicture& from, EngineEnv& env) {
  if (!job_) return;
  const Job job = *std::exchange(job_, std::nullopt);
  if (!fits(from, job)) return;
  Picture picture(job);
  std::vector<vebox::Band> bands(slots_of(pool_));
  for_each(pool_, (job.height + band_rows - 1) / band_rows, [&](size_t i, unsigned slot) {
    if (env.stop.aborting()) return;
    const uint32_t first = static_cast<uint32_t>(i) * band_rows, count = std::min(band_rows, align_up(job.height - first, 2u));
    vebox::Band& band = bands[slot];
    band.resize(job.input, static_cast<int>(first), static_cast<int>(count), static_cast<int>(job.width), 0);
    load(from, job, band);
    picture.take(band);
  });
  if (!env.stop.aborting()) Scaler(job, picture, env.view, env.stop).run(pool_);
}

}  // namespace softgen::media::sfc
