// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/pipe.h"

#include <algorithm>

#include "hw/base/log.h"

namespace softgen::display {

namespace pipe_event = mmio::pipe_event;

namespace field = reg::field;

namespace {

// How far frames may fall behind the clock while software takes their CRCs one by one.
constexpr int64_t crc_patience_ns = 1'000'000'000;
// A deadline that has passed is set to this long after now: a host that runs its timers in a loop terminates.
constexpr int64_t soon_ns = 1'000;

uint32_t microseconds(int64_t ns) { return static_cast<uint32_t>(static_cast<uint64_t>(ns) / 1000); }

}  // namespace

Pipe::Pipe(unsigned index, PipeServices& services)
    : index_(index), services_(services), layout_(services.model.layout), at_(layout_.offsets(index)) {}

// ---- time ---------------------------------------------------------------------------------------------------------------------

// The time of the raster: the clock's, unless the next blank has to wait.
int64_t Pipe::raster_time(int64_t now) const {
  if (crc_.state != Crc::under_way && now >= blocked_until()) return now;
  return std::min(now, raster_.blank_time(counters_.blanks_done) - 1);
}

int64_t Pipe::blocked_until() const {
  const int64_t crc = crc_.unread ? raster_.blank_time(counters_.blanks_done) + crc_patience_ns : crc_.named;
  return std::max(hold_.until(), crc);
}

void Pipe::sync() {
  const int64_t time = now();
  if (raster_.running()) {
    if (!crc_enabled()) forget_crc();
    uint64_t blanks = raster_.blanks(raster_time(time));
    if (crc_enabled()) {
      // Every frame has its CRC, also those that a late host would skip.
      if (time < raster_.blank_time(counters_.blanks_done) + crc_patience_ns) blanks = std::min(blanks, counters_.blanks_done + 1);
      if (blanks > counters_.blanks_done && !crc_taken()) blanks = counters_.blanks_done;
    }
    if (blanks > counters_.blanks_done) blank(counters_.blanks_done, blanks - counters_.blanks_done);
  }
  unmasked_ = services_.interrupts.unmasked(index_);
  schedule(time);
}

// A wait for lines ends at once on one of them, and where there is none.
std::optional<int64_t> Pipe::next_event(const PipeWait& what) {
  sync();
  if (!raster_.running()) return std::nullopt;
  const int64_t time = raster_time(now()), blank = raster_.blank_time(counters_.blanks_done);
  switch (what.kind) {
    case PipeWait::Kind::vertical_blank: return blank;
    case PipeWait::Kind::horizontal_blank: return raster_.hblank_time(time);
    case PipeWait::Kind::flip: return armed_ & armed_plane(what.plane) ? std::optional(blank) : std::nullopt;
    case PipeWait::Kind::scan_line: break;
  }
  const auto& [first, last, outside] = what.lines;
  const uint32_t line = raster_.line(time), lines = raster_.timing().lines();
  if (first > last || last >= lines || (outside && last - first + 1 == lines)) return std::nullopt;
  if ((line >= first && line <= last) != outside) return std::nullopt;
  return raster_.line_time(time, outside ? (last + 1) % lines : first);
}

void Pipe::blank(uint64_t first, uint64_t count) {
  counters_.blanks_done = first + count;
  hold_.clear();
  // Time goes on; nothing is latched, counted or raised.
  if (ask(services_.registers.faults(), {.point = FaultPoint::blank, .unit = index_})) return;
  mmio::PipeEvents events = pipe_event::vertical_blank | pipe_event::vertical_sync;
  // The CRC is of the frame that ends here: what was latched before, as memory stood then.
  if (crc_enabled()) {
    services_.registers.poke(at_.crc.result, crc_.value);
    crc_.state = Crc::none;
    events |= pipe_event::crc_done;
    crc_.unread = unmasked_ & pipe_event::crc_done;
  }
  counters_.frames += static_cast<uint32_t>(count);
  counters_.frame_time_us = microseconds(raster_.blank_time(counters_.blanks_done - 1));
  events |= latch();
  post(events);
  if (alarm_.blank) alarm_ = {.time = now()};
}

Pipe::Beam Pipe::beam() {
  sync();
  if (!raster_.running()) return {.frame = counters_.frames};
  const Timing& timing = raster_.timing();
  constexpr uint64_t second_ns = 1'000'000'000;
  return {.running = true,
          .frame = counters_.frames,
          .line = scanline(raster_time(now())),
          .lines = timing.lines(),
          .line_ns = static_cast<int64_t>(timing.htotal * second_ns / timing.pixel_clock_hz)};
}

int64_t Pipe::Beam::until_line(uint32_t wanted) const {
  constexpr int64_t min_ns = 10'000;
  return std::max((wanted % lines + lines - line % lines) % lines * line_ns, min_ns);
}

void Pipe::set_alarm(const Alarm& alarm) {
  alarm_ = alarm;
  schedule(now());
}

mmio::PipeEvents Pipe::latch() {
  if (!armed_) return 0;
  mmio::PipeEvents events = 0;
  for (unsigned i = 0; i < services_.model.planes; i++) {
    if (!(armed_ & armed_plane(i))) continue;
    live_.planes[i] = pending_.planes[i];
    live_.plane_colors[i] = pending_.plane_colors[i];
    live_.clear_colors[i] = pending_.clear_colors[i];
    events |= pipe_event::flip_done(i);
  }
  if (armed_ & armed_cursor) live_.cursor = pending_.cursor;
  for (unsigned i = 0; i < scaler_count; i++) {
    if (armed_ & armed_scaler(i)) live_.scalers[i] = pending_.scalers[i];
  }
  if (armed_ & armed_pipe) live_.regs = pending_.regs, live_.output_csc = pending_.output_csc;
  if (armed_ & armed_plane(0)) {
    counters_.flips++;
    counters_.flip_time_us = counters_.frame_time_us;
  }
  armed_ = 0;
  changed();
  return events;
}

void Pipe::changed() {
  generation_++;
  services_.host.display_changed(index_);
}

void Pipe::post(mmio::PipeEvents events) { services_.interrupts.post(index_, events & unmasked_); }

bool Pipe::wants_timer() const {
  return raster_.running() && (armed_ || alarm_.blank || (unmasked_ & pipe_event::vertical_blank) || crc_enabled());
}

void Pipe::schedule(int64_t now) {
  int64_t deadline = -1;
  if (wants_timer() && crc_.state != Crc::under_way) {
    const int64_t blocked = blocked_until();
    deadline = std::max(raster_.blank_time(counters_.blanks_done), now < blocked ? blocked : 0);
    deadline = std::max(deadline, now + soon_ns);
  }
  if (alarm_.time >= 0) {
    const int64_t time = std::max(alarm_.time, now + soon_ns);
    deadline = deadline < 0 ? time : std::min(deadline, time);
  }
  if (deadline == timer_) return;
  timer_ = deadline;
  services_.host.timer_set(SG_TIMER_PIPE_A + index_, deadline);
}

void Pipe::timer_expired() {
  timer_ = -1;
  if (alarm_.time >= 0 && alarm_.time <= now()) alarm_.time = -1;  // who set it looks now
  sync();
}

Timing Pipe::programmed_timing() const {
  const auto& r = services_.registers;
  return decode_timing(r.peek(reg::TRANS_HTOTAL(index_)), r.peek(reg::TRANS_VTOTAL(index_)), r.peek(reg::TRANS_VBLANK(index_)),
                       layout_.interlaced(r, index_), layout_.pixel_clock(r, services_.clocks, index_));
}

void Pipe::update_raster() {
  sync();
  auto& r = services_.registers;
  const bool enable = at_.enable.enable.of(r.peek(at_.enable.offset)) != 0;
  if (enable) {
    r.set_bits(at_.enable.offset, at_.enable.state.mask());
  } else {
    r.clear_bits(at_.enable.offset, at_.enable.state.mask());
  }
  const Timing timing = enable ? programmed_timing() : Timing{};
  if (!timing.valid() || !timing.fits(services_.model.limits)) {
    if (!raster_.running()) return;
    raster_.stop();
    latch();
  } else {
    if (raster_.running() && timing == raster_.timing()) return;
    raster_.start(timing, now());
  }
  counters_.blanks_done = 0;
  hold_.clear();
  forget_crc();
  crc_.unread = false, crc_.named = 0;
  if (alarm_.blank || alarm_.time >= 0) alarm_.time = now();
  changed();
  schedule(now());
}

int Pipe::driven_connector() const {
  const std::optional<unsigned> port = layout_.shown_port(services_.registers, index_);
  if (!raster_.running() || !port) return -1;
  const auto& connectors = services_.model.connectors;
  const auto found = std::ranges::find(connectors, *port);
  return found == connectors.end() ? -1 : static_cast<int>(found - connectors.begin());
}

// Drivers count lines from the start of hsync and one more on HDMI and DVI (i915 update_scanline_offset).
uint32_t Pipe::scanline(int64_t time) const {
  if (!raster_.running()) return 0;
  const uint32_t lines = raster_.timing().lines();
  return (raster_.line(time) + lines - layout_.scanline_lag(services_.registers, index_) % lines) % lines;
}

uint32_t Pipe::read_counter(uint32_t offset) {
  sync();
  const int64_t time = now();
  if (offset == reg::PIPE_SCANLINE(index_)) {
    hold_.line_read();
    const bool second_field = raster_.running() && raster_.timing().interlaced && (counters_.blanks_done & 1);
    return scanline(raster_time(time)) | field::PIPE_SCANLINE_CURRENT_FIELD.with(0, second_field);
  }
  if (offset == reg::PIPE_FRMCNT(index_)) {
    if (raster_.running()) hold_.counter_read(time, raster_.blank_time(counters_.blanks_done));
    schedule(time);
    return counters_.frames;
  }
  if (offset == reg::PIPE_FLIPCNT(index_)) return counters_.flips;
  return offset == reg::PIPE_FRMTMSTMP(index_) ? counters_.frame_time_us : counters_.flip_time_us;
}

// ---- what is shown ------------------------------------------------------------------------------------------------------------

/// Whether `scaler` is for `user` (0: the pipe, i + 1: plane i) and can do what it is asked for, from width x height to its window.
bool Pipe::scaler_window(unsigned scaler, uint32_t user, uint32_t width, uint32_t height, bool planar, Window& out) const {
  const std::optional<ScalerUse> use = layout_.decode_scaler(live_.scalers[scaler]);
  if (!use || use->user != user) return false;
  const Window& window = use->window;
  if (window.width == 0 || window.height == 0) return false;
  if (!services_.model.limits.can_scale(width, height, window.width, window.height, planar)) {
    guest_error("a pipe scaler beyond its range", "{}x{} to {}x{}", width, height, window.width, window.height);
    return false;
  }
  out = window;
  return true;
}

void Pipe::add_planes(Frame& frame, uint32_t what) const {
  const PipeModel& model = services_.model;
  for (unsigned i = 0; i < model.planes; i++) {
    Layer layer;
    layer.id = i;
    if (!(what & show_plane(i)) || !model.decode_plane(live_, i, layer.plane)) continue;
    const PlaneView& plane = layer.plane;
    layer.scaled = plane.shown_width != 0;
    layer.window = {plane.x, plane.y, layer.scaled ? plane.shown_width : plane.width, layer.scaled ? plane.shown_height : plane.height};
    for (unsigned scaler = 0; scaler < model.scalers(index_); scaler++) {
      if (!scaler_window(scaler, i + 1, plane.width, plane.height, plane.planar(), layer.window)) continue;
      layer.scaled = layer.window.width != plane.width || layer.window.height != plane.height;
    }
    frame.layers.push_back(layer);
  }
}

void Pipe::add_cursor(Frame& frame) const {
  Layer layer;
  layer.id = max_planes;
  if (!decode_cursor(live_.cursor, layout_.read_cursor_palette(services_.registers, index_), layer.plane)) return;
  layer.window = {layer.plane.x, layer.plane.y, layer.plane.width, layer.plane.height};
  frame.layers.push_back(layer);
}

void Pipe::show(Scene& scene, uint32_t what) const {
  const PipeModel& model = services_.model;
  scene.palettes = palettes_;
  for (unsigned i = 0; i < 256; i++) scene.palettes.legacy[i] = services_.registers.peek(reg::LGC_PALETTE(index_, i)) & 0xffffff;
  layout_.read_palettes(services_.registers, index_, scene.palettes);
  const PipeRegs& regs = live_.regs;
  Frame& frame = scene.frame;
  frame.width = raster_.timing().hactive;
  frame.height = raster_.timing().vactive;
  frame.source_width = std::min(field::PIPE_SRCSZ_HORIZONTAL_SOURCE_SIZE.of(regs.source_size) + 1, model.limits.pipe_width);
  frame.source_height = std::min(field::PIPE_SRCSZ_VERTICAL_SOURCE_SIZE.of(regs.source_size) + 1, model.limits.pipe_height);
  layout_.decode_output(regs, frame);
  for (unsigned scaler = 0; scaler < model.scalers(index_); scaler++) {
    Window window;
    if (scaler_window(scaler, 0, frame.source_width, frame.source_height, false, window)) frame.fitter = window;
  }
  add_planes(frame, what);
  if (what & show_cursor) add_cursor(frame);
  model.decode_color(live_, scene);
}

// ---- life ---------------------------------------------------------------------------------------------------------------------

void Pipe::reset() {
  raster_ = Raster{};
  hold_.clear();
  counters_.blanks_done = 0;
  counters_.frames = counters_.flips = counters_.frame_time_us = counters_.flip_time_us = 0;
  live_ = pending_ = {};
  csc_armed_ = output_csc_armed_ = {};
  armed_ = unmasked_ = 0;
  alarm_ = {};
  table_index_ = {};
  forget_crc();
  crc_.unread = false, crc_.named = 0;
  palettes_ = {};
  changed();
  schedule(0);
}

// What not all chips have follows what all have.
void Pipe::state_of_registers(Archive& ar) {
  const PipeModel& model = services_.model;
  const auto each_plane = [&](auto& values) {
    for (unsigned i = 0; i < model.planes; i++) ar.value(values[i]);
  };
  each_plane(live_.planes);
  each_plane(pending_.planes);
  ar.value(live_.cursor);
  ar.value(pending_.cursor);
  ar.value(live_.scalers);
  ar.value(pending_.scalers);
  ar.value(live_.regs);
  ar.value(pending_.regs);
  ar.value(csc_armed_);
  ar.value(palettes_.precise);
  for (unsigned i = 1; i < model.tables.size(); i++) {
    ar.value(table_index_[i]);
    ar.bytes(std::as_writable_bytes(model.tables[i].entries(palettes_)));
  }
  if (model.read_plane_color) {
    each_plane(live_.plane_colors);
    each_plane(pending_.plane_colors);
  }
  if (model.read_clear_color) {
    each_plane(live_.clear_colors);
    each_plane(pending_.clear_colors);
  }
  if (model.read_output_csc) {
    ar.value(live_.output_csc);
    ar.value(pending_.output_csc);
    ar.value(output_csc_armed_);
  }
}

void Pipe::state(Archive& ar) {
  const uint32_t version = ar.section("display.pipe", 2);  // version 1 is from before flips waited for the CRC
  Timing timing = raster_.timing();
  int64_t start = raster_.start_time();
  bool running = raster_.running();
  ar.value(running);
  ar.value(timing.hactive);
  ar.value(timing.htotal);
  ar.value(timing.vactive);
  ar.value(timing.vtotal);
  ar.value(timing.vblank_start);
  ar.value(timing.pixel_clock_hz);
  ar.value(timing.interlaced);
  ar.value(start);
  ar.value(counters_.blanks_done);
  for (uint32_t* v : {&counters_.frames, &counters_.flips, &counters_.frame_time_us, &counters_.flip_time_us, &armed_, &table_index_[0]})
    ar.value(*v);
  state_of_registers(ar);
  mmio::PipeEvents deferred_flips = ar.reading() ? 0 : crc_.deferred_flips;
  if (version >= 2) ar.value(deferred_flips);
  if (!ar.reading() || ar.failed()) return;
  hold_.clear();
  crc_.deferred_flips = 0;
  forget_crc();
  crc_.unread = false, crc_.named = 0;
  raster_ = Raster{};
  timer_ = -1;
  if (running) {
    if (!timing.valid() || !timing.fits(services_.model.limits))
      return ar.fail("a pipe of the saved state has a timing beyond the platform's limits");
    if (start < 0 || start > now()) return ar.fail("a pipe of the saved state starts in the future");
    raster_.start(timing, start);
    if (counters_.blanks_done > raster_.blanks(now())) {
      raster_.stop();
      return ar.fail("a pipe of the saved state has seen vertical blanks of the future");
    }
  }
  changed();
  sync();
  post(deferred_flips);
}

}  // namespace softgen::display
