// SPDX-License-Identifier: GPL-2.0-or-later
// The pipe's registers: which writes arm what, and what reads give.
#include "hw/display/pipe.h"

namespace softgen::display {

namespace field = reg::field;

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
  const auto write = [](uint32_t, uint32_t) {};
  on_write(at_.enable.offset, 4, raster);
  for (const RegisterSpan& span : at_.raster) on_write(span.offset, span.bytes, raster);
  on_write(at_.crc.control, 4, write);
  on_read(at_.crc.result, [this](uint32_t at) {
    crc_read();
    return services_.registers.peek(at);
  });
  // The interrupt tree's own hook runs first: sync() sees the new mask, and events before now were raised under the old one.
  on_write(at_.interrupt_mask, 4, write);
  for (const RegisterSpan& span : at_.shown) on_write(span.offset, span.bytes, [this](uint32_t, uint32_t) { changed(); });
  for (const RegisterSpan& span : at_.own) on_write(span.offset, span.bytes, [this](uint32_t, uint32_t) { pipe_regs_written(); });
}

void Pipe::attach_planes() {
  for (unsigned i = 0; i < at_.planes.size(); i++) {
    for (const RegisterSpan& span : at_.planes[i].registers)
      on_write(span.offset, span.bytes, [this, i](uint32_t at, uint32_t) { plane_written(i, at); });
    on_read(at_.planes[i].live, [this, i](uint32_t) {
      sync();
      return live_.planes[i].surf;
    });
  }
}

void Pipe::plane_written(unsigned plane, uint32_t offset) {
  if (running()) hold_.plane_written(now(), raster_.blank_time(counters_.blanks_done));
  if (offset == at_.planes[plane].arm) plane_armed(plane);
}

// All registers of a plane take effect together.
void Pipe::plane_armed(unsigned plane) {
  pending_.planes[plane] = layout_.read_plane(services_.registers, index_, plane);
  if (services_.model.read_plane_color) services_.model.read_plane_color(services_.registers, index_, plane, pending_.plane_colors[plane]);
  if (services_.model.read_clear_color) pending_.clear_colors[plane] = services_.model.read_clear_color(services_.registers, index_, plane);
  armed_ |= armed_plane(plane);
  const bool immediate = layout_.flips_at_once(pending_.planes[plane]) && layout_.plane_on(live_.planes[plane]);
  if (!running()) {
    latch();
  } else if (immediate) {
    hash_scanned_rows();
    live_.planes[plane] = pending_.planes[plane];
    live_.plane_colors[plane] = pending_.plane_colors[plane];
    live_.clear_colors[plane] = pending_.clear_colors[plane];
    armed_ &= ~armed_plane(plane);
    if (plane == 0) counters_.flips++;
    changed();
    post_flip_done(plane);
  }
}

void Pipe::attach_cursor() {
  on_write(at_.cursor_arm, 4, [this](uint32_t, uint32_t) { cursor_armed(); });
  on_read(at_.cursor_live, [this](uint32_t) {
    sync();
    return live_.cursor.base;
  });
}

void Pipe::cursor_armed() {
  if (running()) hold_.plane_written(now(), raster_.blank_time(counters_.blanks_done));
  pending_.cursor = layout_.read_cursor(services_.registers, index_);
  if (!(armed_ & armed_cursor) && pending_.cursor == live_.cursor) return;
  armed_ |= armed_cursor;
  if (!running()) latch();
}

void Pipe::attach_scalers() {
  for (unsigned i = 0; i < at_.scaler_arms.size(); i++) {
    on_write(at_.scaler_arms[i], 4, [this, i](uint32_t, uint32_t) { scaler_armed(i); });
  }
}

void Pipe::scaler_armed(unsigned scaler) {
  pending_.scalers[scaler] = layout_.read_scaler(services_.registers, index_, scaler);
  if (!(armed_ & armed_scaler(scaler)) && pending_.scalers[scaler] == live_.scalers[scaler]) return;
  armed_ |= armed_scaler(scaler);
  if (!running()) latch();
}

// CSC_MODE arms the conversion's coefficients and offsets (SKL PRM vol 2c, CSC_MODE).
void Pipe::csc_armed() {
  const auto& r = services_.registers;
  for (unsigned i = 0; i < 6; i++) csc_armed_.coefficients[i] = r.peek(reg::CSC_COEFF(index_, i));
  for (unsigned i = 0; i < 3; i++) {
    csc_armed_.pre[i] = r.peek(reg::CSC_PREOFF(index_, i));
    csc_armed_.post[i] = r.peek(reg::CSC_POSTOFF(index_, i));
  }
  csc_armed_.mode = r.peek(at_.csc_mode);
  if (services_.model.read_output_csc) services_.model.read_output_csc(r, index_, output_csc_armed_);
  pipe_regs_written();
}

void Pipe::pipe_regs_written() {
  pending_.regs = layout_.read_own(services_.registers, index_);
  pending_.regs.csc = csc_armed_;
  pending_.output_csc = output_csc_armed_;
  if (!(armed_ & armed_pipe) && pending_.regs == live_.regs && pending_.output_csc == live_.output_csc) return;
  armed_ |= armed_pipe;
  if (!running()) latch();
}

void Pipe::attach_color() {
  on_write(at_.csc_mode, 4, [this](uint32_t, uint32_t) { csc_armed(); });
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
  for (const uint32_t offset : at_.counters) on_read(offset, [this](uint32_t at) { return read_counter(at); });
}

}  // namespace softgen::display
