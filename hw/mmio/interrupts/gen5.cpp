// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/mmio/interrupts/gen5.h"

#include "hw/base/bits.h"

namespace softgen::mmio {

namespace {

namespace field = reg::field;

constexpr uint32_t master_enable = field::DEISR_MASTER_INTERRUPT_CONTROL.mask(), pch_event = field::DEISR_PCH_EVENT.mask();

/// Bits for each of engine_event: in the engine's own registers (ILK PRM vol 1 part 4, table 1-4), and of either engine in GTISR.
constexpr std::array<uint32_t, engine_event::with_levels> own_rows = {field::GTISR_RENDER_USER_INTERRUPT.mask(),
                                                                      field::GTISR_MASTER_ERROR.mask(),
                                                                      field::GTISR_PIPE_CONTROL_NOTIFY.mask(),
                                                                      field::GTISR_BSD_CONTEXT_SWITCH.mask(),
                                                                      0,
                                                                      field::GTISR_BSD_WATCHDOG_EXPIRED.mask(),
                                                                      field::GTISR_SYNC_STATUS.mask(),
                                                                      field::GTISR_PAGE_FAULT.mask()};
constexpr std::array<uint32_t, engine_event::with_levels> render_rows = {
    field::GTISR_RENDER_USER_INTERRUPT.mask(), field::GTISR_MASTER_ERROR.mask(), field::GTISR_PIPE_CONTROL_NOTIFY.mask(), 0, 0, 0,
    field::GTISR_SYNC_STATUS.mask(),           field::GTISR_PAGE_FAULT.mask()};
constexpr std::array<uint32_t, engine_event::with_levels> video_rows = {
    field::GTISR_BSD_USER_INTERRUPT.mask(),   field::GTISR_MASTER_ERROR.mask(), 0, field::GTISR_BSD_CONTEXT_SWITCH.mask(), 0,
    field::GTISR_BSD_WATCHDOG_EXPIRED.mask(), field::GTISR_SYNC_STATUS.mask(),  0};
constexpr const auto& rows_of(EngineId engine) { return engine == EngineId::rcs ? render_rows : video_rows; }

/// Bits of DEISR for each of pipe_event. Plane 0 is the primary one, plane 1 the sprite.
using PipeRows = std::array<uint32_t, pipe_event::count>;
constexpr std::array<PipeRows, 2> pipe_rows = {
    PipeRows{field::DEISR_PIPE_A_VERTICAL_BLANK.mask(), field::DEISR_PIPE_A_VERTICAL_SYNC.mask(), field::DEISR_PIPE_A_CRC_DONE.mask(),
             field::DEISR_PLANE_A_FLIP_DONE.mask(), field::DEISR_SPRITE_A_FLIP_DONE.mask(), 0, 0, 0, 0, 0, 0, 0, 0,
             field::DEISR_PIPE_A_FIFO_UNDERRUN.mask()},
    PipeRows{field::DEISR_PIPE_B_VERTICAL_BLANK.mask(), field::DEISR_PIPE_B_VERTICAL_SYNC.mask(), field::DEISR_PIPE_B_CRC_DONE.mask(),
             field::DEISR_PLANE_B_FLIP_DONE.mask(), field::DEISR_SPRITE_B_FLIP_DONE.mask(), 0, 0, 0, 0, 0, 0, 0, 0,
             field::DEISR_PIPE_B_FIFO_UNDERRUN.mask()}};

// Ports B, C, D (i915 hpd_ibx).
constexpr std::array<uint32_t, 3> hot_plug_rows = {field::SDEISR_PORT_B_HOTPLUG.mask(), field::SDEISR_PORT_C_HOTPLUG.mask(),
                                                   field::SDEISR_PORT_D_HOTPLUG.mask()};
constexpr std::array<uint32_t, 3> pch_aux_rows = {field::SDEISR_AUX_CHANNEL_B.mask(), field::SDEISR_AUX_CHANNEL_C.mask(),
                                                  field::SDEISR_AUX_CHANNEL_D.mask()};

}  // namespace

Gen5Interrupts::Gen5Interrupts(RegisterFile& registers, Host& host) : registers_(registers), line_(host, mutex_) {
  attach(Block::display, reg::DEISR);
  attach(Block::gt, reg::GTISR);
  attach(Block::pch, reg::SDEISR);
}

void Gen5Interrupts::attach(Block block, uint32_t base) {
  registers_.on_read(base, InterruptBlock::size, [this, block, base](uint32_t offset) {
    MutexLock lock(mutex_);
    return at(block).read(offset - base);
  });
  registers_.on_write(base, InterruptBlock::size, [this, block, base](uint32_t offset, uint32_t value) {
    MutexLock lock(mutex_);
    const bool edge = at(block).write(offset - base, value);
    update(edge && block != Block::pch);
    line_.deliver(lock);
  });
}

void Gen5Interrupts::raise(Block block, uint32_t bits) {
  post(block, bits);
  deliver();
}

void Gen5Interrupts::post(Block block, uint32_t bits) {
  MutexLock lock(mutex_);
  at(block).post(bits);
  update();
}

void Gen5Interrupts::raise(EngineId engine, EngineEvents events) { raise(Block::gt, bits_of(rows_of(engine), events)); }

void Gen5Interrupts::show(EngineId engine, EngineEvents events, bool on) {
  const uint32_t bits = bits_of(rows_of(engine), events);
  {
    MutexLock lock(mutex_);
    InterruptBlock& gt = at(Block::gt);
    if (on) gt.post(bits & ~gt.isr);
    gt.show(bits, on);
    update();
  }
  deliver();
}

uint32_t Gen5Interrupts::engine_bits(EngineId /*engine*/, EngineEvents events) const { return bits_of(own_rows, events); }

void Gen5Interrupts::post(unsigned pipe, PipeEvents events) { post(Block::display, bits_of(pipe_rows.at(pipe), events)); }

PipeEvents Gen5Interrupts::unmasked(unsigned pipe) const {
  MutexLock lock(mutex_);
  return events_with(pipe_rows.at(pipe), ~at(Block::display).imr);
}

void Gen5Interrupts::raise_aux_done(unsigned port) {
  if (port == 0) raise(Block::display, field::DEISR_AUX_CHANNEL_A.mask());
  else if (port <= pch_aux_rows.size()) raise(Block::pch, pch_aux_rows[port - 1]);
}

void Gen5Interrupts::raise_gmbus() { raise(Block::pch, reg::gen5::field::SDEISR_GMBUS.mask()); }

void Gen5Interrupts::raise_hot_plug(unsigned connector) { raise(Block::pch, hot_plug_rows.at(connector)); }

void Gen5Interrupts::show_connected(unsigned connector, bool connected) {
  MutexLock lock(mutex_);
  at(Block::pch).show(hot_plug_rows.at(connector), connected);
}

void Gen5Interrupts::follow_pch() {
  InterruptBlock& display = at(Block::display);
  const bool was = display.isr & pch_event, is = at(Block::pch).pending();
  display.show(pch_event, is);
  if (is && !was) display.post(pch_event);
}

void Gen5Interrupts::update(bool edge) {
  follow_pch();
  const InterruptBlock& display = at(Block::display);
  const uint32_t pending = (display.pending() & ~master_enable) | at(Block::gt).pending();
  line_.set((display.ier & master_enable) && pending, edge);
}

void Gen5Interrupts::reset() {
  MutexLock lock(mutex_);
  blocks_.fill({});
  update();
  line_.deliver(lock);
}

void Gen5Interrupts::reset_engines(uint32_t engines) {
  MutexLock lock(mutex_);
  for (const defs::EngineRow& row : registers_.set().engines)
    if (bit(engines, static_cast<unsigned>(row.id))) at(Block::gt).drop(bits_of(rows_of(row.id), ~0u));
  update();
  line_.deliver(lock);
}

void Gen5Interrupts::state(Archive& archive) {
  MutexLock lock(mutex_);
  archive.section("interrupts", 1);
  for (InterruptBlock& block : blocks_) archive.value(block);
  if (!archive.reading() || archive.failed()) return;
  update();
  line_.deliver(lock);
}

bool Gen5Interrupts::level() const {
  MutexLock lock(mutex_);
  return line_.level();
}

std::unique_ptr<Interrupts> gen5_interrupts(RegisterFile& registers, Host& host) {
  return std::make_unique<Gen5Interrupts>(registers, host);
}

}  // namespace softgen::mmio
