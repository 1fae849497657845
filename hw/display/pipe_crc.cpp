// SPDX-License-Identifier: GPL-2.0-or-later
// The pipe's CRC. It is taken when the frame ends, from memory at that time, before the driver gets the blank's interrupt and draws into what
// was shown. With a compositor thread the blank therefore waits for the CRC: the raster's time stops just before it, and the thread lets
// it through. i915 display/intel_pipe_crc.c.
#include <span>

#include "hw/display/pipe.h"

namespace softgen::display {

namespace {

constexpr int64_t crc_naming_ns = 1'000'000;

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
}

/// Whether the CRC of the frame that ends is there; else it will be.
bool Pipe::crc_taken() {
  if (crc_.state == Crc::none) take_crc();
  return crc_.state == Crc::taken;
}

void Pipe::take_crc() {
  auto scene = std::make_shared<Scene>();
  show(*scene, services_.model.crc_taps[at_.crc.source.of(services_.registers.peek(at_.crc.control))]);
  if (!services_.compositor.threaded()) {
    crc_.value = hash_frame(*scene, services_.compositor.own_turn(), [] { return true; }).value_or(0);
    crc_.state = Crc::taken;
    return;
  }
  crc_.state = Crc::under_way;
  const uint64_t number = crc_.number.fetch_add(1, std::memory_order_relaxed) + 1;
  services_.compositor.post(index_, [this, scene, number](Compositor::Turn& turn) {
    const auto value = hash_frame(*scene, turn, [&] { return crc_.number.load(std::memory_order_relaxed) == number; });
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
std::optional<uint32_t> Pipe::hash_frame(const Scene& scene, Compositor::Turn& turn, F wanted) {
  const Frame& frame = scene.frame;
  Composer composer(frame, turn.view(), scene.palettes.legacy);
  FrameHash hash;
  std::vector<uint32_t> row(frame.width);
  std::vector<Pixel> deep(frame.width);
  for (uint32_t y = 0; y < frame.height; y++) {
    if (!turn.next_row() || !wanted()) return {};
    if (frame.bits_per_channel == 8) {
      composer.row(y, row.data());
      hash.add(std::as_bytes(std::span(row)));
    } else {
      composer.deep_row(y, deep.data());
      hash.add(std::as_bytes(std::span(deep)));
    }
  }
  return hash.value();
}

}  // namespace softgen::display
