// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/pipe.h"

#include <algorithm>

#include "hw/base/bits.h"

namespace softgen::display {

namespace {

// DE_PIPE interrupts (i915 GEN8_PIPE_*, GEN9_PIPE_*).
constexpr uint32_t irq_vblank = 1u << 0, irq_vsync = 1u << 1, irq_crc_done = 1u << 28;
constexpr uint32_t irq_flip_done(unsigned plane) { return 1u << (3 + plane); }
// Bits of armed_.
constexpr uint32_t armed_planes = 0xf, armed_cursor = 1u << 4, armed_pipe = 1u << 7;
constexpr uint32_t armed_scaler(unsigned i) { return 1u << (5 + i); }
constexpr unsigned transcoder_enable = 31, transcoder_state = 30;
// How far frames may fall behind the clock while software takes their CRCs one by one.
constexpr int64_t crc_patience_ns = 1'000'000'000, crc_naming_ns = 1'000'000;

uint32_t microseconds(int64_t ns) { return static_cast<uint32_t>(static_cast<uint64_t>(ns) / 1000); }

// PIPE_CRC_CTL[30:28] names the tap: the plane, or 4 for the pipe's output (i915 PIPE_CRC_SOURCE_*_SKL). Masks of armed_'s numbering.
constexpr uint32_t crc_taps[8] = {1u << 0, 0, 1u << 1, 0, ~0u, 0, 1u << 2, 1u << 3};

}  // namespace

Pipe::Pipe(unsigned index, PipeServices& services) : index_(index), services_(services) {}

// ---- time ---------------------------------------------------------------------------------------------------------------------

// The time of the raster: the clock's, unless the next blank has to wait.
int64_t Pipe::raster_time(int64_t now) const {
  if (now >= blocked_until(now)) return now;
  return std::min(now, raster_.blank_time(blanks_done_) - 1);
}

int64_t Pipe::blocked_until(int64_t now) const {
  const int64_t crc = crc_unread_ ? raster_.blank_time(blanks_done_) + crc_patience_ns : crc_named_;
  return std::max(hold_.until(), crc);
}

void Pipe::sync() {
  const int64_t time = now();
  if (raster_.running()) {
    uint64_t blanks = raster_.blanks(raster_time(time));
    // Every frame has its CRC, also those that a late host would skip.
    if (crc_enabled() && time < raster_.blank_time(blanks_done_) + crc_patience_ns) blanks = std::min(blanks, blanks_done_ + 1);
    if (blanks > blanks_done_) blank(blanks_done_, blanks - blanks_done_);
  }
  unmasked_ = services_.interrupts.unmasked(static_cast<mmio::InterruptTree::Block>(
      static_cast<unsigned>(mmio::InterruptTree::Block::pipe_a) + index_));
  schedule(time);
}

void Pipe::blank(uint64_t first, uint64_t count) {
  blanks_done_ = first + count;
  hold_.clear();
  uint32_t events = irq_vblank | irq_vsync;
  // The CRC is of the frame that ends here: what was latched before, as memory stands now.
  if (crc_enabled()) {
    compute_crc();
    events |= irq_crc_done;
    crc_unread_ = unmasked_ & irq_crc_done;
  }
  frame_count_ += static_cast<uint32_t>(count);
  frame_time_us_ = microseconds(raster_.blank_time(blanks_done_ - 1));
  events |= latch();
  post(events);
}

uint32_t Pipe::latch() {
  if (!armed_) return 0;
  uint32_t events = 0;
  for (unsigned i = 0; i < plane_count; i++) {
    if (!bit(armed_, i)) continue;
    planes_live_[i] = planes_pending_[i];
    events |= irq_flip_done(i);
  }
  if (armed_ & armed_cursor) cursor_live_ = cursor_pending_;
  for (unsigned i = 0; i < scaler_count; i++) {
    if (armed_ & armed_scaler(i)) scalers_live_[i] = scalers_pending_[i];
  }
  if (armed_ & armed_pipe) regs_live_ = regs_pending_;
  if (armed_ & 1) {
    flip_count_++;
    flip_time_us_ = frame_time_us_;
  }
  armed_ = 0;
  changed();
  return events;
}

void Pipe::changed() {
  generation_++;
  services_.host.display_changed(index_);
}

void Pipe::post(uint32_t events) { services_.interrupts.post_pipe(index_, events & unmasked_); }

bool Pipe::crc_enabled() const { return bit(services_.registers.peek(reg::PIPE_CRC_CTL(index_)), 31); }

// Drivers read the result in their interrupt handler, and then the frame counter to name its frame (i915 hsw_pipe_crc_irq_handler).
void Pipe::crc_read() {
  crc_unread_ = false;
  crc_named_ = now() + crc_naming_ns;
  schedule(now());
}

bool Pipe::wants_timer() const { return raster_.running() && (armed_ || (unmasked_ & irq_vblank) || crc_enabled()); }

void Pipe::schedule(int64_t now) {
  int64_t deadline = -1;
  if (wants_timer()) {
    const int64_t blocked = blocked_until(now);
    deadline = std::max(raster_.blank_time(blanks_done_), now < blocked ? blocked : 0);
  }
  if (deadline == timer_) return;
  timer_ = deadline;
  services_.host.timer_set(SG_TIMER_PIPE_A + index_, deadline);
}

void Pipe::timer_expired() {
  timer_ = -1;
  sync();
}

uint64_t Pipe::pixel_clock() const {
  const uint32_t function = services_.registers.peek(reg::TRANS_DDI_FUNC_CTL(index_));
  if (!bit(function, 31)) return 0;
  const uint64_t symbol_clock = services_.power.port_clock(bits(function, 30, 28));
  constexpr unsigned depth[8] = {8, 10, 6, 12, 8, 8, 8, 8};
  uint64_t clock = symbol_clock;
  switch (bits(function, 26, 24)) {
    case 0: clock = hdmi_pixel_clock_hz(symbol_clock, depth[bits(function, 22, 20)]); break;
    case 2:
    case 3:
      clock = dp_pixel_clock_hz(symbol_clock, bits(services_.registers.peek(reg::TRANS_LINKM1(index_)), 23, 0),
                                bits(services_.registers.peek(reg::TRANS_LINKN1(index_)), 23, 0));
      break;
    default: break;
  }
  return clock / (bits(services_.registers.peek(reg::TRANS_MULT(index_)), 2, 0) + 1);
}

Timing Pipe::programmed_timing() const {
  const auto& r = services_.registers;
  const bool interlaced = bits(r.peek(reg::TRANS_CONF(index_)), 22, 21) == 3 || bits(r.peek(reg::TRANS_CONF(index_)), 22, 21) == 1;
  return decode_timing(r.peek(reg::TRANS_HTOTAL(index_)), r.peek(reg::TRANS_VTOTAL(index_)), r.peek(reg::TRANS_VBLANK(index_)), interlaced,
                       pixel_clock());
}

void Pipe::update_raster() {
  sync();
  auto& r = services_.registers;
  const bool enable = bit(r.peek(reg::TRANS_CONF(index_)), transcoder_enable);
  if (enable) {
    r.set_bits(reg::TRANS_CONF(index_), 1u << transcoder_state);
  } else {
    r.clear_bits(reg::TRANS_CONF(index_), 1u << transcoder_state);
  }
  const Timing timing = enable ? programmed_timing() : Timing{};
  if (!timing.valid()) {
    if (!raster_.running()) return;
    raster_.stop();
    latch();
  } else {
    if (raster_.running() && timing == raster_.timing()) return;
    raster_.start(timing, now());
  }
  blanks_done_ = 0;
  hold_.clear();
  crc_unread_ = false, crc_named_ = 0;
  changed();
  schedule(now());
}

unsigned Pipe::driven_port() const {
  const uint32_t function = services_.registers.peek(reg::TRANS_DDI_FUNC_CTL(index_));
  const unsigned port = bits(function, 30, 28);
  if (!raster_.running() || !bit(function, 31) || port < 1 || port > 3) return 0;
  return bit(services_.registers.peek(reg::DDI_BUF_CTL(port)), 31) ? port : 0;
}

// Drivers count lines from the start of hsync and one more on HDMI and DVI (i915 update_scanline_offset).
uint32_t Pipe::scanline(int64_t time) const {
  if (!raster_.running()) return 0;
  const uint32_t lines = raster_.timing().lines();
  const bool tmds = bits(services_.registers.peek(reg::TRANS_DDI_FUNC_CTL(index_)), 26, 24) <= 1;
  const uint32_t lead = (tmds ? 2u : 1u) % lines;
  return (raster_.line(time) + lines - lead) % lines;
}

uint32_t Pipe::read_counter(uint32_t offset) {
  sync();
  const int64_t time = now();
  if (offset == reg::PIPE_SCANLINE(index_)) {
    hold_.line_read();
    const bool second_field = raster_.running() && raster_.timing().interlaced && (blanks_done_ & 1);
    return scanline(raster_time(time)) | (second_field ? 1u << 31 : 0);
  }
  if (offset == reg::PIPE_FRMCNT(index_)) {
    if (raster_.running()) hold_.counter_read(time, raster_.blank_time(blanks_done_));
    schedule(time);
    return frame_count_;
  }
  if (offset == reg::PIPE_FLIPCNT(index_)) return flip_count_;
  return offset == reg::PIPE_FRMTMSTMP(index_) ? frame_time_us_ : flip_time_us_;
}

// ---- what is shown ------------------------------------------------------------------------------------------------------------

void Pipe::load_palettes() {
  for (unsigned i = 0; i < 256; i++) palettes_.legacy[i] = services_.registers.peek(reg::LGC_PALETTE(index_, i)) & 0xffffff;
}

void Pipe::add_planes(Frame& frame, uint32_t planes) const {
  for (unsigned i = 0; i <= plane_count; i++) {
    Layer layer;
    layer.id = i;
    const bool shown = i < plane_count ? decode_plane(planes_live_[i], layer.plane) : decode_cursor(cursor_live_, layer.plane);
    if (!shown || !bit(planes, i)) continue;
    layer.window = {layer.plane.x, layer.plane.y, layer.plane.width, layer.plane.height};
    for (const ScalerRegs& scaler : scalers_live_) {
      if (!bit(scaler.ctrl, 31) || bits(scaler.ctrl, 27, 25) != i + 1) continue;
      const Window window = {static_cast<int32_t>(bits(scaler.position, 28, 16)), static_cast<int32_t>(bits(scaler.position, 12, 0)),
                             bits(scaler.size, 28, 16), bits(scaler.size, 12, 0)};
      if (window.width == 0 || window.height == 0) continue;
      layer.scaled = window.width != layer.plane.width || window.height != layer.plane.height;
      layer.window = window;
    }
    frame.layers.push_back(layer);
  }
}

Frame Pipe::compose_frame(uint32_t planes) const {
  Frame frame;
  frame.width = raster_.timing().hactive;
  frame.height = raster_.timing().vactive;
  frame.source_width = bits(regs_live_.source_size, 28, 16) + 1;
  frame.source_height = bits(regs_live_.source_size, 12, 0) + 1;
  frame.bottom = {widen10(bits(regs_live_.bottom, 29, 20)), widen10(bits(regs_live_.bottom, 19, 10)), widen10(bits(regs_live_.bottom, 9, 0)), 0xffff};
  frame.bottom_gamma = bit(regs_live_.bottom, 31);
  frame.bottom_csc = bit(regs_live_.bottom, 30);
  frame.color = ColorPipe(regs_live_.gamma_mode, regs_live_.csc, palettes_);
  constexpr unsigned depth[8] = {8, 10, 6, 12, 8, 8, 8, 8};
  frame.bits_per_channel = depth[bits(regs_live_.misc, 7, 5)];
  for (const ScalerRegs& scaler : scalers_live_) {
    if (!bit(scaler.ctrl, 31) || bits(scaler.ctrl, 27, 25) != 0) continue;
    const Window window = {static_cast<int32_t>(bits(scaler.position, 28, 16)), static_cast<int32_t>(bits(scaler.position, 12, 0)),
                           bits(scaler.size, 28, 16), bits(scaler.size, 12, 0)};
    if (window.width && window.height) frame.fitter = window;
  }
  add_planes(frame, planes);
  return frame;
}

void Pipe::compute_crc() {
  const uint32_t tap = crc_taps[bits(services_.registers.peek(reg::PIPE_CRC_CTL(index_)), 30, 28)];
  load_palettes();
  const Frame frame = compose_frame(tap);
  Composer composer(frame, services_.view, palettes_.legacy);
  FrameHash hash;
  std::vector<uint32_t> row(frame.width);
  std::vector<Pixel> deep(frame.width);
  for (uint32_t y = 0; y < frame.height; y++) {
    if (frame.bits_per_channel == 8) {
      composer.row(y, row.data());
      hash.add(row.data(), row.size() * sizeof row[0]);
    } else {
      composer.deep_row(y, deep.data());
      hash.add(deep.data(), deep.size() * sizeof deep[0]);
    }
  }
  // One word differs for all frames that differ; the driver reads the first only (i915 hsw_pipe_crc_irq_handler).
  services_.registers.poke(reg::PIPE_CRC_RES(index_, 0), hash.value());
}

// ---- life ---------------------------------------------------------------------------------------------------------------------

void Pipe::reset() {
  raster_ = Raster{};
  hold_.clear();
  blanks_done_ = 0;
  frame_count_ = flip_count_ = frame_time_us_ = flip_time_us_ = 0;
  planes_live_ = planes_pending_ = {};
  cursor_live_ = cursor_pending_ = {};
  scalers_live_ = scalers_pending_ = {};
  regs_live_ = regs_pending_ = {};
  csc_armed_ = {};
  armed_ = prec_index_ = unmasked_ = 0;
  crc_unread_ = false, crc_named_ = 0;
  palettes_ = {};
  changed();
  schedule(0);
}

void Pipe::state(Archive& ar) {
  ar.section("display.pipe", 1);
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
  ar.value(blanks_done_);
  for (uint32_t* v : {&frame_count_, &flip_count_, &frame_time_us_, &flip_time_us_, &armed_, &prec_index_}) ar.value(*v);
  ar.value(planes_live_);
  ar.value(planes_pending_);
  ar.value(cursor_live_);
  ar.value(cursor_pending_);
  ar.value(scalers_live_);
  ar.value(scalers_pending_);
  ar.value(regs_live_);
  ar.value(regs_pending_);
  ar.value(csc_armed_);
  ar.value(palettes_.precise);
  if (!ar.reading() || ar.failed()) return;
  hold_.clear();
  crc_unread_ = false, crc_named_ = 0;
  raster_ = Raster{};
  if (running && timing.valid()) raster_.start(timing, start);
  timer_ = -1;
  changed();
  sync();
}

}  // namespace softgen::display
