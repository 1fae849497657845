// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/engine.h"

#include <algorithm>

#include "hw/defs/registers/registers.h"
#include "hw/display/infoframe.h"

namespace softgen::display {

namespace field = reg::field;

/// The picture of a pipe, and what it was made from.
struct DisplayEngine::Canvas {
  Picture picture;
  // Guarded by the pipes' mutex.
  uint64_t generation = ~uint64_t{0};
  uint32_t unchanged = 0;  ///< consecutive times that no change was found
  uint32_t skip = 0;       ///< times to leave out
};

DisplayEngine::DisplayEngine(const DisplayLinks& links, const DisplayConfig& config, const ChipModel& model)
    : registers_(links.registers),
      host_(links.host),
      clocks_(model.clocks(links.registers, [this] { pipes_update_rasters(); })),
      ports_(links.registers, links.interrupts, links.host, model.ports, config.connected),
      services_{links.registers, links.interrupts, links.host, model.pipes, *clocks_, compositor_, {}},
      compositor_(links.memory, links.ggtt, config.threaded) {
  for (unsigned i = 0; i < std::min(config.pipes, model.pipes.pipes); i++) {
    pipes_.push_back(std::make_unique<Pipe>(i, services_));
    pipes_[i]->attach();
    canvases_.push_back(std::make_unique<Canvas>());
  }
  if (model.state_buffers) state_buffers_ = std::make_unique<StateBuffers>(services_, pipes_, links.memory, links.ggtt);
  attach_misc(model);
}

DisplayEngine::~DisplayEngine() = default;

void DisplayEngine::pipes_update_rasters() {
  PipesLock lock(services_);
  for (auto& pipe : pipes_) pipe->update_raster();
}

void DisplayEngine::attach_misc(const ChipModel& model) {
  if (model.clock_counter)
    registers_.on_read(*model.clock_counter,
                       [this](uint32_t) { return static_cast<uint32_t>(static_cast<uint64_t>(host_.clock_ns()) / 1000); });
  if (model.sleep_counts) {
    count_sleep_states(registers_, *model.sleep_counts, [this] {
      PipesLock lock(services_);
      return is_off();
    });
  }
  registers_.on_write(reg::VGA_CONTROL, [this](uint32_t, uint32_t) { host_.display_changed(0); });
  // The compressor has 4 lines a segment, and is always done (i915 intel_fbc_is_compressing).
  registers_.on_read(model.compressor.status, [this, &compressor = model.compressor](uint32_t) {
    PipesLock lock(services_);
    const bool works = compressor.enable.of(registers_.peek(compressor.control)) && pipes_[0]->running();
    return works ? std::min(pipes_[0]->timing().vactive / 4, compressor.segments.mask()) : 0u;
  });
}

void DisplayEngine::mode(unsigned pipe, sg_pipe_mode* mode) {
  *mode = {};
  mode->connector = -1;
  if (pipe >= pipes_.size()) return;
  PipesLock lock(services_);
  const Pipe& p = *pipes_[pipe];
  if (!p.running()) return;
  mode->connector = p.driven_connector();
  mode->active = mode->connector >= 0;
  mode->width = p.timing().hactive;
  mode->height = p.timing().vactive;
  mode->refresh_mhz = p.timing().refresh_mhz();
}

// A picture that does not change is compared less often, down to every fourth time: what a guest's CPU writes to the frame buffer leaves
// no trace but the pixels.
void DisplayEngine::compose(unsigned pipe, bool look, Compositor::Turn& turn) {
  Canvas& canvas = *canvases_[pipe];
  Scene scene;
  SinkRange sink;
  uint64_t generation;
  {
    PipesLock lock(services_);
    Pipe& p = *pipes_[pipe];
    p.sync();
    if (!p.running()) return canvas.picture.clear();
    if (!look && canvas.generation == p.generation() && canvas.skip) {
      canvas.skip--;
      return;
    }
    generation = canvas.generation = p.generation();
    p.show(scene);
    sink = services_.model.layout.sink_range(registers_, pipe);
  }
  const bool changed = canvas.picture.compose(scene, sink, turn);
  PipesLock lock(services_);
  if (canvas.generation != generation) return;
  canvas.unchanged = changed ? 0 : canvas.unchanged + 1;
  canvas.skip = std::min(canvas.unchanged / 8, 3u);
}

void DisplayEngine::refresh(unsigned pipe, bool look) {
  if (pipe >= pipes_.size()) return;
  if (!compositor_.threaded()) return host_.display_ready(pipe);
  if (!canvases_[pipe]->picture.begin()) return;
  compositor_.post(max_pipes + pipe, [this, pipe, look](Compositor::Turn& turn) {
    struct Done {
      ~Done() {
        display.canvases_[pipe]->picture.end();
        display.host_.display_ready(pipe);
      }
      DisplayEngine& display;
      unsigned pipe;
    } done{*this, pipe};
    compose(pipe, look, turn);
  });
}

void DisplayEngine::picture_size(unsigned pipe, uint32_t* width, uint32_t* height) {
  *width = *height = 0;
  if (pipe >= pipes_.size()) return;
  if (compositor_.threaded()) {
    const Picture::Size size = canvases_[pipe]->picture.size();
    *width = size.width, *height = size.height;
    return;
  }
  sg_pipe_mode shown;
  mode(pipe, &shown);
  *width = shown.width, *height = shown.height;
}

void DisplayEngine::draw(unsigned pipe, void* pixels, Picture::Size size, size_t stride, bool full, sg_dirty_rect* dirty) {
  *dirty = {};
  if (pipe >= pipes_.size()) return;
  if (!compositor_.threaded()) compose(pipe, full, compositor_.own_turn());
  canvases_[pipe]->picture.take(pixels, size, stride, full, dirty);
}

bool DisplayEngine::is_vga() {
  PipesLock lock(services_);
  if (field::VGA_CONTROL_VGA_DISPLAY_DISABLE.of(registers_.peek(reg::VGA_CONTROL))) return false;
  return is_off();
}

bool DisplayEngine::is_off() const {
  return std::ranges::none_of(pipes_, [](const auto& pipe) { return pipe->running(); });
}

std::optional<int64_t> DisplayEngine::next(const PipeWait& what) {
  if (what.pipe >= pipes_.size()) return std::nullopt;
  PipesLock lock(services_);
  return pipes_[what.pipe]->next_event(what);
}

bool DisplayEngine::timer_expired(unsigned timer) {
  if (timer >= SG_TIMER_PIPE_A + pipes_.size()) return false;
  {
    PipesLock lock(services_);
    pipes_[timer - SG_TIMER_PIPE_A]->timer_expired();
  }
  if (state_buffers_) state_buffers_->run();
  return true;
}

void DisplayEngine::reset() {
  ports_.reset();
  clocks_->reset();
  if (state_buffers_) state_buffers_->reset();
  PipesLock lock(services_);
  for (auto& pipe : pipes_) pipe->reset();
  forget_pictures();
}

/// The next comparison is of everything.
void DisplayEngine::forget_pictures() {
  for (auto& canvas : canvases_) {
    canvas->generation = ~uint64_t{0};
    canvas->unchanged = canvas->skip = 0;
  }
}

void DisplayEngine::state(Archive& ar) {
  ar.section("display", 1);
  ports_.state(ar);
  {
    PipesLock lock(services_);
    clocks_->state(ar);
    for (auto& pipe : pipes_) pipe->state(ar);
    if (ar.reading()) forget_pictures();
  }
  if (state_buffers_) state_buffers_->state(ar);
}

}  // namespace softgen::display
