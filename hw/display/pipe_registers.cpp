// SPDX-License-Identifier: GPL-2.0-or-later
// The pipe's registers: which writes arm what, and what reads give.
#include "hw/display/pipe.h"

namespace softgen::display {

namespace field = reg::field;

namespace {

constexpr uint32_t plane_stride = reg::PLANE_CTL(0, 1) - reg::PLANE_CTL(0, 0);
constexpr auto prec_index_value = field::PAL_PREC_INDEX_INDEX_VALUE;
constexpr uint32_t prec_data = field::PAL_PREC_DATA_RED.mask() | field::PAL_PREC_DATA_GREEN.mask() | field::PAL_PREC_DATA_BLUE.mask();

}  // namespace

template <typename F>
void Pipe::on_write(uint32_t offset, uint32_t bytes, F method) {
  services_.registers.on_write(offset, bytes, [this, method](uint32_t at, uint32_t value) {
    PipesLock lock(services_);
    sync();
    method(at, value);
    schedule(now());
  });
}

template <typename F>
void Pipe::on_read(uint32_t offset, F method) {
  services_.registers.on_read(offset, [this, method](uint32_t at) {
    PipesLock lock(services_);
    return method(at);
  });
}

void Pipe::attach() {
  attach_control();
  attach_planes();
  attach_cursor();
  attach_scalers();
  attach_color();
  attach_counters();
}

void Pipe::attach_control() {
  const auto raster = [this](uint32_t, uint32_t) { update_raster(); };
  for (uint32_t offset : {reg::TRANS_HTOTAL(index_), reg::TRANS_VTOTAL(index_), reg::TRANS_VBLANK(index_), reg::TRANS_CONF(index_),
                          reg::TRANS_DDI_FUNC_CTL(index_), reg::TRANS_LINKM1(index_), reg::TRANS_LINKN1(index_)}) {
    on_write(offset, 4, raster);
  }
  on_write(reg::PIPE_CRC_CTL(index_), 4, [](uint32_t, uint32_t) {});
  on_read(reg::PIPE_CRC_RES(index_, 0), [this](uint32_t at) {
    crc_read();
    return services_.registers.peek(at);
  });
  // The interrupt tree's own hook runs first: sync() sees the new mask, and events before now were raised under the old one.
  on_write(reg::DE_PIPE_IMR(index_), 4, [](uint32_t, uint32_t) {});
  on_write(reg::VIDEO_DIP_CTL(index_), 4, [this](uint32_t, uint32_t) { changed(); });
  for (uint32_t offset : {reg::PIPE_SRCSZ(index_), reg::PIPE_MISC(index_), reg::PIPE_BOTTOM_COLOR(index_), reg::GAMMA_MODE(index_)}) {
    on_write(offset, 4, [this](uint32_t at, uint32_t) { pipe_regs_written(at); });
  }
}

void Pipe::attach_planes() {
  for (unsigned i = 0; i < plane_count; i++) {
    on_write(reg::PLANE_CTL(index_, i), reg::PLANE_OFFSET(index_, i) + 4 - reg::PLANE_CTL(index_, i),
             [this](uint32_t at, uint32_t) { plane_written(at); });
    on_write(reg::PLANE_AUX_DIST(index_, i), 8, [this](uint32_t at, uint32_t) { plane_written(at); });
    on_read(reg::PLANE_SURFLIVE(index_, i), [this, i](uint32_t) {
      sync();
      return planes_live_[i].surf;
    });
  }
}

PlaneRegs Pipe::plane_registers(unsigned plane) const {
  const auto get = [&](uint32_t (*offset)(uint32_t, uint32_t)) { return services_.registers.peek(offset(index_, plane)); };
  return {.ctl = get(reg::PLANE_CTL),
          .stride = get(reg::PLANE_STRIDE),
          .pos = get(reg::PLANE_POS),
          .size = get(reg::PLANE_SIZE),
          .keyval = get(reg::PLANE_KEY_VAL),
          .keymsk = get(reg::PLANE_KEY_MSK),
          .surf = get(reg::PLANE_SURF),
          .keymax = get(reg::PLANE_KEY_MAX),
          .offset = get(reg::PLANE_OFFSET),
          .aux_dist = get(reg::PLANE_AUX_DIST),
          .aux_offset = get(reg::PLANE_AUX_OFFSET)};
}

void Pipe::plane_written(uint32_t offset) {
  const unsigned plane = (offset - reg::PLANE_CTL(index_, 0)) / plane_stride;
  if (running()) hold_.plane_written(now(), raster_.blank_time(counters_.blanks_done));
  if (offset == reg::PLANE_SURF(index_, plane)) plane_armed(plane);
}

// PLANE_SURF arms the plane: all its registers take effect together.
void Pipe::plane_armed(unsigned plane) {
  planes_pending_[plane] = plane_registers(plane);
  armed_ |= armed_plane(plane);
  const bool immediate = field::PLANE_CTL_ASYNC_ADDRESS_UPDATE_ENABLE.of(planes_pending_[plane].ctl) &&
                         field::PLANE_CTL_PLANE_ENABLE.of(planes_live_[plane].ctl);
  if (!running()) {
    latch();
  } else if (immediate) {
    planes_live_[plane] = planes_pending_[plane];
    armed_ &= ~armed_plane(plane);
    if (plane == 0) counters_.flips++;
    changed();
    post(mmio::pipe_event::flip_done(plane));
  }
}

void Pipe::attach_cursor() {
  on_write(reg::CUR_BASE(index_), 4, [this](uint32_t, uint32_t) { cursor_armed(); });
  on_write(reg::CUR_PAL(index_, 0), 16, [this](uint32_t, uint32_t) { changed(); });
  on_read(reg::CUR_SURFLIVE(index_), [this](uint32_t) {
    sync();
    return cursor_live_.base;
  });
}

void Pipe::cursor_armed() {
  if (running()) hold_.plane_written(now(), raster_.blank_time(counters_.blanks_done));
  const auto& r = services_.registers;
  cursor_pending_ = {r.peek(reg::CUR_CTL(index_)), r.peek(reg::CUR_BASE(index_)), r.peek(reg::CUR_POS(index_)),
                     r.peek(reg::CUR_FBC_CTL(index_))};
  if (!(armed_ & armed_cursor) && cursor_pending_ == cursor_live_) return;
  armed_ |= armed_cursor;
  if (!running()) latch();
}

void Pipe::attach_scalers() {
  for (unsigned i = 0; i < scaler_count; i++) {
    on_write(reg::PS_WIN_SZ(index_, i), 4, [this, i](uint32_t, uint32_t) { scaler_armed(i); });
  }
}

void Pipe::scaler_armed(unsigned scaler) {
  const auto& r = services_.registers;
  scalers_pending_[scaler] = {r.peek(reg::PS_CTRL(index_, scaler)), r.peek(reg::PS_WIN_POS(index_, scaler)),
                              r.peek(reg::PS_WIN_SZ(index_, scaler))};
  if (!(armed_ & armed_scaler(scaler)) && scalers_pending_[scaler] == scalers_live_[scaler]) return;
  armed_ |= armed_scaler(scaler);
  if (!running()) latch();
}

PipeRegs Pipe::pipe_registers() const {
  const auto& r = services_.registers;
  return {r.peek(reg::PIPE_SRCSZ(index_)), r.peek(reg::GAMMA_MODE(index_)), r.peek(reg::PIPE_MISC(index_)),
          r.peek(reg::PIPE_BOTTOM_COLOR(index_)), csc_armed_};
}

// CSC_MODE arms the conversion's coefficients and offsets (SKL PRM vol 2c, CSC_MODE).
void Pipe::pipe_regs_written(uint32_t offset) {
  const auto& r = services_.registers;
  if (offset == reg::CSC_MODE(index_)) {
    for (unsigned i = 0; i < 6; i++) csc_armed_.coefficients[i] = r.peek(reg::CSC_COEFF(index_, i));
    for (unsigned i = 0; i < 3; i++) {
      csc_armed_.pre[i] = r.peek(reg::CSC_PREOFF(index_, i));
      csc_armed_.post[i] = r.peek(reg::CSC_POSTOFF(index_, i));
    }
    csc_armed_.mode = r.peek(offset);
  }
  regs_pending_ = pipe_registers();
  if (!(armed_ & armed_pipe) && regs_pending_ == regs_live_) return;
  armed_ |= armed_pipe;
  if (!running()) latch();
}

void Pipe::attach_color() {
  on_write(reg::CSC_MODE(index_), 4, [this](uint32_t at, uint32_t) { pipe_regs_written(at); });
  on_write(reg::LGC_PALETTE(index_, 0), 1024, [this](uint32_t, uint32_t) { changed(); });
  on_write(reg::PAL_GC_MAX(index_, 0), 12, [this](uint32_t, uint32_t) { changed(); });
  on_write(reg::PAL_PREC_INDEX(index_), 4, [this](uint32_t, uint32_t value) { precise_palette_.index = value; });
  on_read(reg::PAL_PREC_INDEX(index_), [this](uint32_t) { return precise_palette_.index; });
  on_write(reg::PAL_PREC_DATA(index_), 4, [this](uint32_t, uint32_t value) { prec_palette_write(value); });
  on_read(reg::PAL_PREC_DATA(index_), [this](uint32_t) { return prec_palette_read(); });
}

void Pipe::advance_prec_index() {
  if (field::PAL_PREC_INDEX_INDEX_AUTO_INCREMENT.of(precise_palette_.index))
    precise_palette_.index = prec_index_value.with(precise_palette_.index, precise_palette_.index + 1);
}

uint32_t Pipe::prec_palette_read() {
  const uint32_t value = precise_palette_.entries[prec_index_value.of(precise_palette_.index)];
  advance_prec_index();
  return value;
}

void Pipe::prec_palette_write(uint32_t value) {
  precise_palette_.entries[prec_index_value.of(precise_palette_.index)] = value & prec_data;
  advance_prec_index();
  changed();
}

void Pipe::attach_counters() {
  for (uint32_t offset : {reg::PIPE_SCANLINE(index_), reg::PIPE_FRMCNT(index_), reg::PIPE_FLIPCNT(index_), reg::PIPE_FRMTMSTMP(index_),
                          reg::PIPE_FLIPTMSTMP(index_)}) {
    on_read(offset, [this](uint32_t at) { return read_counter(at); });
  }
}

}  // namespace softgen::display
