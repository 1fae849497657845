// SPDX-License-Identifier: GPL-2.0-or-later
// The pipe's CRC. It is taken when the frame ends, from memory at that time, before the driver gets the blank's interrupt and draws into what
// was shown. With a compositor thread the blank therefore waits for the CRC: the raster's time stops just before it, and the thread lets
// it through. i915 display/intel_pipe_crc.c.
#include <algorithm>
#include <span>

#include "hw/display/pipe.h"

namespace softgen::display {

namespace {

constexpr int64_t crc_naming_ns = 1'000'000;
constexpr size_t max_tears = 16;  // of a frame: rows behind further flips are taken as after the last one

}  // namespace

bool Pipe::crc_enabled() const { return at_.crc.enable.of(services_.registers.peek(at_.crc.control)) != 0; }

// Drivers read the result in their interrupt handler, and then the frame counter to name its frame (i915 hsw_pipe_crc_irq_handler).
void Pipe::crc_read() {
  crc_.unread = false;
  crc_.named = now() + crc_naming_ns;
  schedule(now());
}

void Pipe::forget_crc() {
  crc_.state = Crc::none;
  crc_.number.fetch_add(1, std::memory_order_relaxed);
  crc_.torn.clear();
}

std::shared_ptr<const Scene> Pipe::crc_scene() const {
  auto scene = std::make_shared<Scene>();
  show(*scene, services_.model.crc_taps[at_.crc.source.of(services_.registers.peek(at_.crc.control))]);
  return scene;
}

// An asynchronous flip comes: rows that are scanned out already have shown the surface before it. IGT's kms_big_fb (async-flip) asks for a
// frame's CRC to be neither surface's. Fields of interlaced modes are not divided.
void Pipe::tear() {
  if (!crc_enabled() || raster_.timing().interlaced || crc_.torn.size() == max_tears) return;
  const uint32_t row = raster_.line(raster_time(now()));
  const uint32_t begin = crc_.torn.empty() ? 0 : crc_.torn.back().end;
  if (row > begin && row < raster_.timing().blank_line()) crc_.torn.push_back({crc_scene(), std::min(row, raster_.timing().vactive)});
}

/// Whether the CRC of the frame that ends is there; else it will be.
bool Pipe::crc_taken() {
  if (crc_.state == Crc::none) take_crc();
  return crc_.state == Crc::taken;
}

void Pipe::take_crc() {
  std::vector<FramePart> parts = std::move(crc_.torn);
  crc_.torn.clear();
  parts.push_back({crc_scene(), raster_.timing().vactive});
  if (!services_.compositor.threaded()) {
    crc_.value = hash_frame(parts, services_.compositor.own_turn(), [] { return true; }).value_or(0);
    crc_.state = Crc::taken;
    return;
  }
  crc_.state = Crc::under_way;
  const uint64_t number = crc_.number.fetch_add(1, std::memory_order_relaxed) + 1;
  services_.compositor.post(index_, [this, parts = std::move(parts), number](Compositor::Turn& turn) {
    const auto value = hash_frame(parts, turn, [&] { return crc_.number.load(std::memory_order_relaxed) == number; });
    if (!value) return;
    PipesLock lock(services_);
    if (crc_.state != Crc::under_way || crc_.number.load(std::memory_order_relaxed) != number) return;
    crc_.value = *value;
    crc_.state = Crc::taken;
    sync();
  });
}

/// One word that differs for all frames that differ; the driver reads the first result register only (i915 hsw_pipe_crc_irq_handler).
/// Nothing: the display ends, or the CRC is no longer wanted().
template <typename F>
std::optional<uint32_t> Pipe::hash_frame(const std::vector<FramePart>& parts, Compositor::Turn& turn, F wanted) {
  FrameHash hash;
  std::vector<uint32_t> row;
  std::vector<Pixel> deep;
  uint32_t y = 0;
  for (const auto& [scene, end] : parts) {
    const Frame& frame = scene->frame;
    Composer composer(frame, turn.view(), scene->palettes.legacy);
    row.resize(frame.width), deep.resize(frame.width);
    for (; y < end; y++) {
      if (!turn.next_row() || !wanted()) return {};
      if (frame.bits_per_channel == 8) {
        composer.row(y, row.data());
        hash.add(std::as_bytes(std::span(row)));
      } else {
        composer.deep_row(y, deep.data());
        hash.add(std::as_bytes(std::span(deep)));
      }
    }
  }
  return hash.value();
}

}  // namespace softgen::display
