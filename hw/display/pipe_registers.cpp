// SPDX-License-Identifier: GPL-2.0-or-later
// The pipe's registers: which writes arm what, and what reads give.
#include "hw/display/pipe.h"

namespace softgen::display {

namespace field = reg::field;

namespace {

constexpr uint32_t plane_stride = reg::PLANE_CTL(0, 1) - reg::PLANE_CTL(0, 0);

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
  for (unsigned i = 0; i < services_.model.planes; i++) {
    on_write(reg::PLANE_CTL(index_, i), reg::PLANE_OFFSET(index_, i) + 4 - reg::PLANE_CTL(index_, i),
             [this](uint32_t at, uint32_t) { plane_written(at); });
    on_write(reg::PLANE_AUX_DIST(index_, i), 8, [this](uint32_t at, uint32_t) { plane_written(at); });
    on_read(reg::PLANE_SURFLIVE(index_, i), [this, i](uint32_t) {
      sync();
      return live_.planes[i].surf;
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
  pending_.planes[plane] = plane_registers(plane);
  if (services_.model.read_plane_color) services_.model.read_plane_color(services_.registers, index_, plane, pending_.plane_colors[plane]);
  if (services_.model.read_clear_color) pending_.clear_colors[plane] = services_.model.read_clear_color(services_.registers, index_, plane);
  armed_ |= armed_plane(plane);
  const bool immediate = field::PLANE_CTL_ASYNC_ADDRESS_UPDATE_ENABLE.of(pending_.planes[plane].ctl) &&
                         field::PLANE_CTL_PLANE_ENABLE.of(live_.planes[plane].ctl);
  if (!running()) {
    latch();
  } else if (immediate) {
    live_.planes[plane] = pending_.planes[plane];
    live_.plane_colors[plane] = pending_.plane_colors[plane];
    live_.clear_colors[plane] = pending_.clear_colors[plane];
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
    return live_.cursor.base;
  });
}

void Pipe::cursor_armed() {
  if (running()) hold_.plane_written(now(), raster_.blank_time(counters_.blanks_done));
  const auto& r = services_.registers;
  pending_.cursor = {r.peek(reg::CUR_CTL(index_)), r.peek(reg::CUR_BASE(index_)), r.peek(reg::CUR_POS(index_)),
                     r.peek(reg::CUR_FBC_CTL(index_))};
  if (!(armed_ & armed_cursor) && pending_.cursor == live_.cursor) return;
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
  pending_.scalers[scaler] = {r.peek(reg::PS_CTRL(index_, scaler)), r.peek(reg::PS_WIN_POS(index_, scaler)),
                              r.peek(reg::PS_WIN_SZ(index_, scaler))};
  if (!(armed_ & armed_scaler(scaler)) && pending_.scalers[scaler] == live_.scalers[scaler]) return;
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
    if (services_.model.read_output_csc) services_.model.read_output_csc(r, index_, output_csc_armed_);
  }
  pending_.regs = pipe_registers();
  pending_.output_csc = output_csc_armed_;
  if (!(armed_ & armed_pipe) && pending_.regs == live_.regs && pending_.output_csc == live_.output_csc) return;
  armed_ |= armed_pipe;
  if (!running()) latch();
}

void Pipe::attach_color() {
  on_write(reg::CSC_MODE(index_), 4, [this](uint32_t at, uint32_t) { pipe_regs_written(at); });
  on_write(reg::LGC_PALETTE(index_, 0), 1024, [this](uint32_t, uint32_t) { changed(); });
  on_write(reg::PAL_GC_MAX(index_, 0), 12, [this](uint32_t, uint32_t) { changed(); });
  for (unsigned i = 0; i < services_.model.tables.size(); i++) attach_table(i);
}

void Pipe::attach_table(unsigned table) {
  const TableRow& row = services_.model.tables[table];
  const auto entry = [this, table, &row]() -> uint32_t* {
    const std::span<uint32_t> entries = row.entries(palettes_);
    const uint32_t at = row.value.of(table_index_[table]);
    return at < entries.size() ? &entries[at] : nullptr;
  };
  on_write(row.index(index_), 4, [this, table](uint32_t, uint32_t value) { table_index_[table] = value; });
  on_read(row.index(index_), [this, table](uint32_t) { return table_index_[table]; });
  on_write(row.data(index_), 4, [this, table, &row, entry](uint32_t, uint32_t value) {
    if (uint32_t* at = entry()) *at = value & row.mask;
    advance_index(table);
    changed();
  });
  on_read(row.data(index_), [this, table, entry](uint32_t) {
    const uint32_t* at = entry();
    const uint32_t value = at ? *at : 0;
    advance_index(table);
    return value;
  });
}

void Pipe::advance_index(unsigned table) {
  const TableRow& row = services_.model.tables[table];
  uint32_t& index = table_index_[table];
  if (row.increment.of(index)) index = row.value.with(index, row.value.of(index) + 1);
}

void Pipe::attach_counters() {
  for (uint32_t offset : {reg::PIPE_SCANLINE(index_), reg::PIPE_FRMCNT(index_), reg::PIPE_FLIPCNT(index_), reg::PIPE_FRMTMSTMP(index_),
                          reg::PIPE_FLIPTMSTMP(index_)}) {
    on_read(offset, [this](uint32_t at) { return read_counter(at); });
  }
}

}  // namespace softgen::display
