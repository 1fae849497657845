// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/mmio/interrupts/gen8.h"

#include "hw/base/bits.h"

namespace softgen::mmio {

namespace field = reg::field;

/// `base`: ISR; IMR, IIR, IER follow. `low`, `high`: the bits of MASTER_INT_CTL for the low and the high half of the block.
struct Gen8Interrupts::BlockRow {
  uint32_t base;
  uint8_t low, high;
  constexpr BlockRow(uint32_t isr, reg::Bits low_half, reg::Bits high_half) : base(isr), low(low_half.low), high(high_half.low) {}
  constexpr BlockRow(uint32_t isr, reg::Bits both) : BlockRow(isr, both, both) {}
};

constexpr std::array<Gen8Interrupts::BlockRow, Gen8Interrupts::block_count> Gen8Interrupts::block_rows = {{
    {reg::GT_ISR(0), field::MASTER_INT_CTL_RENDER_PENDING, field::MASTER_INT_CTL_BLITTER_PENDING},
    {reg::GT_ISR(1), field::MASTER_INT_CTL_VCS1_PENDING, field::MASTER_INT_CTL_VCS2_PENDING},
    {reg::GT_ISR(2), field::MASTER_INT_CTL_PM_PENDING, field::MASTER_INT_CTL_GUC_PENDING},
    {reg::GT_ISR(3), field::MASTER_INT_CTL_VEBOX_PENDING, field::MASTER_INT_CTL_WDBOX_OACS_PENDING},
    {reg::DE_PIPE_ISR(0), field::MASTER_INT_CTL_DE_PIPE_A_PENDING},
    {reg::DE_PIPE_ISR(1), field::MASTER_INT_CTL_DE_PIPE_B_PENDING},
    {reg::DE_PIPE_ISR(2), field::MASTER_INT_CTL_DE_PIPE_C_PENDING},
    {reg::DE_PORT_ISR, field::MASTER_INT_CTL_DE_PORT_PENDING},
    {reg::DE_MISC_ISR, field::MASTER_INT_CTL_DE_MISC_PENDING},
    {reg::PCU_ISR, field::MASTER_INT_CTL_PCU_PENDING},
    {reg::SDEISR, field::MASTER_INT_CTL_PCH_PENDING},
}};

namespace {

constexpr uint32_t master_enable = field::MASTER_INT_CTL_MASTER_INTERRUPT_ENABLE.mask();
/// Bits of GT_ISR's half for each of engine_event.
constexpr std::array<uint32_t, engine_event::count> engine_rows = {
    field::GT_ISR_USER_INTERRUPT.mask(),           field::GT_ISR_MASTER_ERROR.mask(),      field::GT_ISR_FLUSH_NOTIFY.mask(),
    field::GT_ISR_CONTEXT_SWITCH_INTERRUPT.mask(), field::GT_ISR_WAIT_ON_SEMAPHORE.mask(), field::GT_ISR_TIMEOUT_COUNTER_EXPIRED.mask()};
/// Bits of DE_PIPE_ISR for each of pipe_event.
constexpr std::array<uint32_t, pipe_event::count> pipe_rows = {field::DE_PIPE_ISR_VERTICAL_BLANK.mask(),
                                                               field::DE_PIPE_ISR_VERTICAL_SYNC.mask(),
                                                               field::DE_PIPE_ISR_CRC_DONE.mask(),
                                                               field::DE_PIPE_ISR_PLANE_1_FLIP_DONE.mask(),
                                                               field::DE_PIPE_ISR_PLANE_2_FLIP_DONE.mask(),
                                                               field::DE_PIPE_ISR_PLANE_3_FLIP_DONE.mask(),
                                                               field::DE_PIPE_ISR_PLANE_4_FLIP_DONE.mask(),
                                                               0,
                                                               0,
                                                               0,
                                                               0,
                                                               0,
                                                               0,
                                                               field::DE_PIPE_ISR_FIFO_UNDERRUN.mask()};
// DDI A to D; DDI E has no AUX channel of its own (SKL PRM vol 12, "AUX").
constexpr std::array<uint32_t, 4> aux_rows = {field::DE_PORT_ISR_AUX_CHANNEL_A.mask(), field::DE_PORT_ISR_AUX_CHANNEL_B.mask(),
                                              field::DE_PORT_ISR_AUX_CHANNEL_C.mask(), field::DE_PORT_ISR_AUX_CHANNEL_D.mask()};
// i915 hpd_spt
constexpr std::array<uint32_t, 3> hot_plug_rows = {reg::gen9::field::SDEISR_HOTPLUG_DDI_B.mask(), field::SDEISR_HOTPLUG_DDI_C.mask(),
                                                   field::SDEISR_HOTPLUG_DDI_D.mask()};

/// Of a GT word.
constexpr unsigned high_half = 16;

constexpr size_t at(auto block) { return static_cast<size_t>(block); }

}  // namespace

Gen8Interrupts::Gen8Interrupts(RegisterFile& registers, Host& host) : registers_(registers), line_(host, mutex_) {
  for (unsigned i = 0; i < block_count; ++i) attach(static_cast<Block>(i));
  registers_.on_read(reg::MASTER_INT_CTL, [this](uint32_t) {
    MutexLock lock(mutex_);
    return master();
  });
  registers_.on_write(reg::MASTER_INT_CTL, [this](uint32_t, uint32_t value) {
    MutexLock lock(mutex_);
    enabled_ = value & master_enable;
    update();
    line_.deliver(lock);
  });
}

void Gen8Interrupts::attach(Block block) {
  const uint32_t base = block_rows[at(block)].base;
  registers_.on_read(base, InterruptBlock::size, [this, block, base](uint32_t offset) { return read(block, offset - base); });
  registers_.on_write(base, InterruptBlock::size,
                      [this, block, base](uint32_t offset, uint32_t value) { write(block, offset - base, value); });
}

uint32_t Gen8Interrupts::read(Block block, uint32_t offset) const {
  MutexLock lock(mutex_);
  return blocks_[at(block)].read(offset);
}

void Gen8Interrupts::write(Block block, uint32_t offset, uint32_t value) {
  MutexLock lock(mutex_);
  update(blocks_[at(block)].write(offset, value));
  line_.deliver(lock);
}

void Gen8Interrupts::raise(Block block, uint32_t bits) {
  post(block, bits);
  deliver();
}

void Gen8Interrupts::post(Block block, uint32_t bits) {
  MutexLock lock(mutex_);
  blocks_[at(block)].post(bits);
  update();
}

uint32_t Gen8Interrupts::engine_bits(EngineId engine, EngineEvents events) const {
  return bits_of(engine_rows, events) << registers_.set().engine(engine)->interrupt_shift;
}

void Gen8Interrupts::raise(EngineId engine, EngineEvents events) {
  static_assert(static_cast<unsigned>(Block::gt3) == 3);
  const auto block = static_cast<Block>(registers_.set().engine(engine)->interrupt_word);
  raise(block, engine_bits(engine, events) & ~registers_.peek(engine, reg::RING_IMR));
}

void Gen8Interrupts::post(unsigned pipe, PipeEvents events) { post(pipe_block(pipe), bits_of(pipe_rows, events)); }

PipeEvents Gen8Interrupts::unmasked(unsigned pipe) const {
  MutexLock lock(mutex_);
  return events_with(pipe_rows, ~blocks_[at(pipe_block(pipe))].imr);
}

void Gen8Interrupts::raise_aux_done(unsigned port) {
  if (port < aux_rows.size()) raise(Block::port, aux_rows[port]);
}

void Gen8Interrupts::raise_gmbus() { raise(Block::pch, reg::gen9::field::SDEISR_GMBUS.mask()); }

// i915 gt/uc/intel_guc.c, gen9_enable_guc_interrupts(); gt/intel_gt_irq.c, gen8_gt_irq_handler().
void Gen8Interrupts::raise_guc() { raise(Block::gt2, field::GT_ISR_GUC_TO_HOST.mask() << high_half); }

void Gen8Interrupts::raise_observation() { raise(Block::gt3, field::GT_ISR_PERFORMANCE_BUFFER_HALF_FULL.mask() << high_half); }

void Gen8Interrupts::raise_hot_plug(unsigned connector) { raise(Block::pch, hot_plug_rows.at(connector)); }

void Gen8Interrupts::show_connected(unsigned connector, bool connected) {
  MutexLock lock(mutex_);
  blocks_[at(Block::pch)].show(hot_plug_rows.at(connector), connected);
}

uint32_t Gen8Interrupts::master() const {
  uint32_t value = enabled_ ? master_enable : 0;
  for (unsigned i = 0; i < block_count; ++i) {
    const uint32_t pending = blocks_[i].pending();
    if (pending & 0xffff) value |= 1u << block_rows[i].low;
    if (pending >> 16) value |= 1u << block_rows[i].high;
  }
  return value;
}

void Gen8Interrupts::update(bool edge) { line_.set(enabled_ && (master() & ~master_enable), edge); }

void Gen8Interrupts::reset() {
  MutexLock lock(mutex_);
  blocks_.fill({});
  enabled_ = false;
  update();
  line_.deliver(lock);
}

void Gen8Interrupts::reset_engines(uint32_t engines) {
  MutexLock lock(mutex_);
  for (const defs::EngineRow& row : registers_.set().engines) {
    if (!bit(engines, static_cast<unsigned>(row.id))) continue;
    blocks_[row.interrupt_word].drop(0xffffu << row.interrupt_shift);
  }
  update();
  line_.deliver(lock);
}

void Gen8Interrupts::state(Archive& archive) {
  MutexLock lock(mutex_);
  archive.section("interrupts", 1);
  for (InterruptBlock& regs : blocks_) archive.value(regs);
  archive.value(enabled_);
  if (!archive.reading() || archive.failed()) return;
  update();
  line_.deliver(lock);
}

bool Gen8Interrupts::level() const {
  MutexLock lock(mutex_);
  return line_.level();
}

std::unique_ptr<Interrupts> gen8_interrupts(RegisterFile& registers, Host& host) {
  return std::make_unique<Gen8Interrupts>(registers, host);
}

}  // namespace softgen::mmio
