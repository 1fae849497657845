// SPDX-License-Identifier: GPL-2.0-or-later
// The pipe's CRC. It is taken when the frame ends, from memory at that time, before the driver gets the blank's interrupt and draws into what
// was shown. With a compositor thread the blank therefore waits for the CRC: the raster's time stops just before it, and the thread lets
// it through. i915 display/intel_pipe_crc.c.
#include <algorithm>
#include <span>
#include <utility>

#include "hw/display/pipe.h"

namespace softgen::display {

namespace {

constexpr int64_t crc_naming_ns = 1'000'000;

/// Adds rows [first, end) to `hash`, which becomes one word that differs for all frames that differ: the driver reads the first result
/// register only (i915 hsw_pipe_crc_irq_handler). False: the display ends, or the CRC is no longer wanted().
template <typename F>
bool add_rows(const Scene& scene, uint32_t first, uint32_t end, Compositor::Turn& turn, F wanted, FrameHash& hash) {
  const Frame& frame = scene.frame;
  Composer composer(frame, turn.view(), scene.palettes.legacy);
  std::vector<uint32_t> row(frame.width);
  std::vector<Pixel> deep(frame.width);
  for (uint32_t y = first; y < end; y++) {
    if (!turn.next_row() || !wanted()) return false;
    if (frame.bits_per_channel == 8) {
      composer.row(y, row.data());
      hash.add(std::as_bytes(std::span(row)));
    } else {
      composer.deep_row(y, deep.data());
      hash.add(std::as_bytes(std::span(deep)));
    }
  }
  return true;
}

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
  crc_.hash = {};
  crc_.row = 0;
  crc_.number.fetch_add(1, std::memory_order_relaxed);
  post_deferred_flips();
}

/// Whether the CRC of the frame that ends is there; else it will be.
bool Pipe::crc_taken() {
  if (crc_.state == Crc::none) hash_rows(raster_.timing().vactive, true);
  return crc_.state == Crc::taken;
}

// An asynchronous flip comes: rows that are scanned out have shown the surface before it. IGT's kms_big_fb (async-flip) expects the CRC of such
// a frame to be neither surface's, kms_async_flips (crc) draws into the old surface after the flip's event. Fields of interlaced modes are
// not divided, and rows scanned out while others are being hashed count as the new surface's.
void Pipe::hash_scanned_rows() {
  if (!crc_enabled() || raster_.timing().interlaced || crc_.state != Crc::none) return;
  const uint32_t line = raster_.line(raster_time(now()));
  if (line > crc_.row && line < raster_.timing().blank_line()) hash_rows(std::min(line, raster_.timing().vactive), false);
}

void Pipe::post_flip_done(unsigned plane) {
  crc_.deferred_flips |= mmio::pipe_event::flip_done(plane);
  if (crc_.state != Crc::under_way) post_deferred_flips();
}

void Pipe::post_deferred_flips() {
  if (crc_.deferred_flips) post(std::exchange(crc_.deferred_flips, 0));
}

/// Hashes rows [crc_.row, end) of what is shown now, on the compositor's thread if there is one.
void Pipe::hash_rows(uint32_t end, bool frame_ends) {
  auto scene = std::make_shared<Scene>();
  show(*scene, services_.model.crc_taps[at_.crc.source.of(services_.registers.peek(at_.crc.control))]);
  FrameHash hash = crc_.hash;
  if (!services_.compositor.threaded()) {
    add_rows(*scene, crc_.row, end, services_.compositor.own_turn(), [] { return true; }, hash);
    rows_hashed(end, frame_ends, hash);
    return;
  }
  crc_.state = Crc::under_way;
  const uint64_t number = crc_.number.fetch_add(1, std::memory_order_relaxed) + 1;
  services_.compositor.post(index_, [=, this, first = crc_.row](Compositor::Turn& turn) mutable {
    if (!add_rows(*scene, first, end, turn, [&] { return crc_.number.load(std::memory_order_relaxed) == number; }, hash)) return;
    PipesLock lock(services_);
    if (crc_.state != Crc::under_way || crc_.number.load(std::memory_order_relaxed) != number) return;
    rows_hashed(end, frame_ends, hash);
    sync();
  });
}

void Pipe::rows_hashed(uint32_t end, bool frame_ends, const FrameHash& hash) {
  crc_.hash = frame_ends ? FrameHash{} : hash;
  crc_.row = frame_ends ? 0 : end;
  crc_.state = frame_ends ? Crc::taken : Crc::none;
  if (frame_ends) crc_.value = hash.value();
  post_deferred_flips();
}

}  // namespace softgen::display
