// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/mmio/interrupt_tree.h"

#include "hw/base/bits.h"

namespace softgen::mmio {

namespace {

struct BlockRow {
  uint32_t base;  ///< ISR; IMR, IIR, IER follow
  // Bits of MASTER_INT_CTL for the low and the high half of the block.
  uint8_t low, high;
};

constexpr BlockRow block(uint32_t isr, reg::Bits low, reg::Bits high) { return {isr, low.low, high.low}; }
constexpr BlockRow block(uint32_t isr, reg::Bits both) { return block(isr, both, both); }

constexpr std::array<BlockRow, InterruptTree::block_count> block_rows = {{
    block(reg::GT_ISR(0), reg::field::MASTER_INT_CTL_RENDER_PENDING, reg::field::MASTER_INT_CTL_BLITTER_PENDING),
    block(reg::GT_ISR(1), reg::field::MASTER_INT_CTL_VCS1_PENDING, reg::field::MASTER_INT_CTL_VCS2_PENDING),
    block(reg::GT_ISR(2), reg::field::MASTER_INT_CTL_PM_PENDING, reg::field::MASTER_INT_CTL_GUC_PENDING),
    block(reg::GT_ISR(3), reg::field::MASTER_INT_CTL_VEBOX_PENDING),  // OA's events in the high half
    block(reg::DE_PIPE_ISR(0), reg::field::MASTER_INT_CTL_DE_PIPE_A_PENDING),
    block(reg::DE_PIPE_ISR(1), reg::field::MASTER_INT_CTL_DE_PIPE_B_PENDING),
    block(reg::DE_PIPE_ISR(2), reg::field::MASTER_INT_CTL_DE_PIPE_C_PENDING),
    block(reg::DE_PORT_ISR, reg::field::MASTER_INT_CTL_DE_PORT_PENDING),
    block(reg::DE_MISC_ISR, reg::field::MASTER_INT_CTL_DE_MISC_PENDING),
    block(reg::PCU_ISR, reg::field::MASTER_INT_CTL_PCU_PENDING),
    block(reg::SDEISR, reg::field::MASTER_INT_CTL_PCH_PENDING),
}};
constexpr uint32_t master_enable = reg::field::MASTER_INT_CTL_MASTER_INTERRUPT_ENABLE.mask();
/// From a block's ISR.
enum Word : uint32_t { isr = 0, imr = reg::GT_IMR(0) - reg::GT_ISR(0), iir = reg::GT_IIR(0) - reg::GT_ISR(0), ier = reg::GT_IER(0) - reg::GT_ISR(0) };

constexpr InterruptTree::Block block_of(const defs::EngineRow& engine) { return static_cast<InterruptTree::Block>(engine.interrupt_word); }
static_assert(static_cast<unsigned>(InterruptTree::Block::gt3) == 3);

constexpr size_t at(InterruptTree::Block block) { return static_cast<size_t>(block); }

}  // namespace

InterruptTree::InterruptTree(RegisterFile& registers, Host& host) : registers_(registers), host_(host) {
  for (unsigned i = 0; i < block_count; ++i) attach(static_cast<Block>(i));
  registers_.on_read(reg::MASTER_INT_CTL, [this](uint32_t) {
    std::lock_guard lock(mutex_);
    return master();
  });
  registers_.on_write(reg::MASTER_INT_CTL, [this](uint32_t, uint32_t value) {
    std::unique_lock lock(mutex_);
    enabled_ = value & master_enable;
    update();
    deliver(lock);
  });
}

void InterruptTree::attach(Block block) {
  const uint32_t base = block_rows[at(block)].base;
  registers_.on_read(base, 16, [this, block, base](uint32_t offset) { return read(block, offset - base); });
  registers_.on_write(base, 16,
                      [this, block, base](uint32_t offset, uint32_t value) { write(block, offset - base, value); });
}

uint32_t InterruptTree::read(Block block, uint32_t offset) const {
  std::lock_guard lock(mutex_);
  const Registers& regs = blocks_[at(block)];
  switch (offset) {
    case isr: return regs.isr;
    case imr: return regs.imr;
    case iir: return regs.iir;
    default: return regs.ier;
  }
}

void InterruptTree::write(Block block, uint32_t offset, uint32_t value) {
  std::unique_lock lock(mutex_);
  Registers& regs = blocks_[at(block)];
  bool edge = false;
  switch (offset) {
    case isr: return;
    case imr: regs.imr = value; return;
    case iir: {
      const uint32_t back = regs.iir & regs.again & value;
      regs.iir = (regs.iir & ~value) | back;
      regs.again &= ~value;
      edge = back & regs.ier;  // "momentarily goes low, then returns high"
      break;
    }
    default: regs.ier = value;
  }
  update(edge);
  deliver(lock);
}

void InterruptTree::raise(Block block, uint32_t bits) {
  post(block, bits);
  deliver();
}

void InterruptTree::post(Block block, uint32_t bits) {
  std::lock_guard lock(mutex_);
  Registers& regs = blocks_[at(block)];
  bits &= ~regs.imr;
  regs.again |= regs.iir & bits;
  regs.iir |= bits;
  update();
}

unsigned InterruptTree::shift_of(EngineId engine) const { return registers_.set().engine(engine)->interrupt_shift; }

void InterruptTree::raise(EngineId engine, uint32_t bits) {
  const defs::EngineRow& row = *registers_.set().engine(engine);
  const uint32_t shifted = (bits & 0xffff) << row.interrupt_shift;
  raise(block_of(row), shifted & ~registers_.peek(engine, reg::RING_IMR));
}

void InterruptTree::set_live(Block block, uint32_t mask, bool on) {
  std::lock_guard lock(mutex_);
  uint32_t& word = blocks_[at(block)].isr;
  word = on ? word | mask : word & ~mask;
}

uint32_t InterruptTree::unmasked(Block block) const {
  std::lock_guard lock(mutex_);
  return ~blocks_[at(block)].imr;
}

uint32_t InterruptTree::master() const {
  uint32_t value = enabled_ ? master_enable : 0;
  for (unsigned i = 0; i < block_count; ++i) {
    const uint32_t pending = blocks_[i].iir & blocks_[i].ier;
    if (pending & 0xffff) value |= 1u << block_rows[i].low;
    if (pending >> 16) value |= 1u << block_rows[i].high;
  }
  return value;
}

void InterruptTree::update(bool edge) {
  const bool level = enabled_ && (master() & ~master_enable);
  // While the host sees a high line, each further rising edge needs a falling one first: it is another message.
  if (level && reported_ && (!level_ || edge)) fall_ = true;
  level_ = level;
  unreported_.store(level != reported_ || fall_, std::memory_order_release);
}

void InterruptTree::deliver() {
  if (!unreported_.load(std::memory_order_acquire)) return;
  std::unique_lock lock(mutex_);
  deliver(lock);
}

void InterruptTree::deliver(std::unique_lock<std::mutex>& lock) {
  if (reporting_) return;
  reporting_ = true;
  while (reported_ != level_ || fall_) {
    reported_ = !reported_;
    if (!reported_) fall_ = false;
    const bool level = reported_;
    lock.unlock();
    host_.interrupt(level);
    lock.lock();
  }
  reporting_ = false;
  unreported_.store(false, std::memory_order_release);
}

void InterruptTree::reset() {
  std::unique_lock lock(mutex_);
  blocks_.fill({});
  enabled_ = false;
  update();
  deliver(lock);
}

void InterruptTree::reset_engines(uint32_t engines) {
  std::unique_lock lock(mutex_);
  for (const defs::EngineRow& row : registers_.set().engines) {
    if (!bit(engines, static_cast<unsigned>(row.id))) continue;
    Registers& regs = blocks_[at(block_of(row))];
    const uint32_t keep = ~(0xffffu << row.interrupt_shift);
    regs.again &= keep;
    regs.isr &= keep;
  }
  update();
  deliver(lock);
}

void InterruptTree::state(Archive& archive) {
  std::unique_lock lock(mutex_);
  archive.section("interrupts", 1);
  for (Registers& regs : blocks_) archive.value(regs);
  archive.value(enabled_);
  if (!archive.reading() || archive.failed()) return;
  update();
  deliver(lock);
}

bool InterruptTree::level() const {
  std::lock_guard lock(mutex_);
  return level_;
}

}  // namespace softgen::mmio
