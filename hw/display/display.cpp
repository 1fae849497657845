// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/display.h"

#include <algorithm>
#include <cstring>

#include "hw/base/bits.h"
#include "hw/display/infoframe.h"

namespace softgen::display {

/// What draw() remembers of a pipe between calls.
struct Display::Canvas {
  uint64_t generation = ~uint64_t{0};
  uint32_t unchanged = 0;  ///< draws in a row that found nothing new
  uint32_t skip = 0;       ///< draws to leave out
  std::vector<uint32_t> row;
};

Display::Display(mmio::RegisterFile& registers, mmio::InterruptTree& interrupts, Host& host, HostMemory& memory, const memory::Ggtt& ggtt,
                 uint32_t connected)
    : registers_(registers),
      host_(host),
      view_(memory, nullptr),
      power_(registers, [this] { pipes_update_rasters(); }),
      ports_(registers, interrupts, host, connected),
      services_{registers, interrupts, host, power_, view_, {}} {
  view_.set_space(memory::AddressSpace::ggtt(ggtt));
  for (unsigned i = 0; i < pipe_count; i++) {
    pipes_[i] = std::make_unique<Pipe>(i, services_);
    pipes_[i]->attach();
    canvases_[i] = std::make_unique<Canvas>();
  }
  attach_misc();
}

Display::~Display() = default;

void Display::pipes_update_rasters() {
  PipesLock lock(services_);
  for (auto& pipe : pipes_) pipe->update_raster();
}

void Display::attach_misc() {
  registers_.on_read(reg::TIMESTAMP_CTR, [this](uint32_t) { return static_cast<uint32_t>(static_cast<uint64_t>(host_.clock_ns()) / 1000); });
  registers_.on_write(reg::VGA_CONTROL, [this](uint32_t, uint32_t) { host_.display_changed(0); });
  // The compressor works on pipe A's first plane, 4 lines a segment, and is always done (i915 intel_fbc_is_compressing).
  registers_.on_read(reg::FBC_STATUS2, [this](uint32_t) {
    PipesLock lock(services_);
    const bool works = bit(registers_.peek(reg::FBC_CTL), 31) && pipes_[0]->running();
    return works ? std::min(pipes_[0]->timing().vactive / 4, 0xfffu) : 0u;
  });
}

void Display::mode(unsigned pipe, sg_pipe_mode* mode) {
  *mode = {};
  mode->connector = -1;
  if (pipe >= pipe_count) return;
  PipesLock lock(services_);
  const Pipe& p = *pipes_[pipe];
  if (!p.running()) return;
  const unsigned port = p.driven_port();
  mode->active = port != 0;
  mode->connector = static_cast<int>(port) - 1;
  mode->width = p.timing().hactive;
  mode->height = p.timing().vactive;
  mode->refresh_mhz = p.timing().refresh_mhz();
}

void Display::draw(unsigned pipe, void* pixels, size_t stride, bool full, sg_dirty_rect* dirty) {
  *dirty = {};
  if (pipe >= pipe_count) return;
  PipesLock lock(services_);
  Pipe& p = *pipes_[pipe];
  Canvas& canvas = *canvases_[pipe];
  p.sync();
  if (!p.running()) return;
  if (!full && canvas.generation == p.generation() && canvas.skip) {
    canvas.skip--;
    return;
  }
  canvas.generation = p.generation();
  p.load_palettes();
  const Frame frame = p.frame();
  Composer composer(frame, view_, p.palettes().legacy);
  const SinkRange sink = sink_range(registers_, pipe);
  canvas.row.resize(frame.width);
  uint32_t left = frame.width, right = 0, top = frame.height, bottom = 0;
  for (uint32_t y = 0; y < frame.height; y++) {
    composer.row(y, canvas.row.data());
    expand_range(sink, canvas.row);
    auto* out = reinterpret_cast<uint32_t*>(static_cast<std::byte*>(pixels) + y * stride);
    if (!full && std::memcmp(out, canvas.row.data(), frame.width * sizeof out[0]) == 0) continue;
    uint32_t first = 0, last = frame.width;
    if (!full) {
      while (out[first] == canvas.row[first]) first++;
      while (out[last - 1] == canvas.row[last - 1]) last--;
    }
    std::copy(canvas.row.begin() + first, canvas.row.begin() + last, out + first);
    left = std::min(left, first);
    right = std::max(right, last);
    top = std::min(top, y);
    bottom = y + 1;
  }
  if (bottom) *dirty = {left, top, right - left, bottom - top};
  // A picture that stands still is looked at less often, down to every fourth time: what a guest's CPU writes to the frame buffer
  // leaves no trace but the pixels.
  canvas.unchanged = bottom ? 0 : canvas.unchanged + 1;
  canvas.skip = std::min(canvas.unchanged / 8, 3u);
}

bool Display::is_vga() {
  PipesLock lock(services_);
  if (bit(registers_.peek(reg::VGA_CONTROL), 31)) return false;
  return std::none_of(pipes_.begin(), pipes_.end(), [](const auto& pipe) { return pipe->running(); });
}

bool Display::timer_expired(unsigned timer) {
  if (timer >= SG_TIMER_PIPE_A + pipe_count) return false;
  PipesLock lock(services_);
  pipes_[timer - SG_TIMER_PIPE_A]->timer_expired();
  return true;
}

void Display::reset() {
  ports_.reset();
  PipesLock lock(services_);
  for (auto& pipe : pipes_) pipe->reset();
  for (auto& canvas : canvases_) *canvas = Canvas{};
}

void Display::state(Archive& ar) {
  ar.section("display", 1);
  ports_.state(ar);
  PipesLock lock(services_);
  for (auto& pipe : pipes_) pipe->state(ar);
  if (ar.reading()) {
    for (auto& canvas : canvases_) *canvas = Canvas{};
  }
}

}  // namespace softgen::display
