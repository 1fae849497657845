// SPDX-License-Identifier: GPL-2.0-or-later
// The interrupt tree of Ironlake (i915 i915_irq.c, ilk_irq_handler; ILK PRM vol 1 part 2, 5.4 to 5.6): blocks of ISR, IMR, IIR, IER of the display
// engine, the GT and the PCH.
//
//   anything pending (IIR & IER) in the PCH's block is the display block's PCH Event: its ISR shows it, its rise is an event
//   the level is: DEIER's master bit, and anything pending in the display's or the GT's block
//
// RING_IMR has no part in it: i915 never opens it. The manual's interrupts of the video streamer (part 4, table 1-4) that i915 has no name for stand in
// the GT's block at the same bits (chosen).
#pragma once

#include <array>
#include <memory>

#include "hw/base/mutex.h"
#include "hw/mmio/interrupt_line.h"
#include "hw/mmio/interrupts.h"
#include "hw/mmio/interrupts/block.h"
#include "hw/mmio/register_file.h"

namespace softgen::mmio {

class Gen5Interrupts final : public Interrupts {
 public:
  /// Registers its hooks with `registers`.
  Gen5Interrupts(RegisterFile& registers, Host& host);

  void raise(EngineId engine, EngineEvents events) override;
  void show(EngineId engine, EngineEvents events, bool on) override;
  uint32_t engine_bits(EngineId engine, EngineEvents events) const override;
  void post(unsigned pipe, PipeEvents events) override;
  PipeEvents unmasked(unsigned pipe) const override;
  void raise_aux_done(unsigned port) override;
  void raise_gmbus() override;
  /// There is no GuC.
  void raise_guc() override {}
  /// Its observation unit is not public.
  void raise_observation() override {}
  void raise_hot_plug(unsigned connector) override;
  void show_connected(unsigned connector, bool connected) override;
  void deliver() override { line_.deliver(); }
  void reset() override;
  void reset_engines(uint32_t engines) override;
  void state(Archive& archive) override;
  bool level() const override;

 private:
  enum class Block : uint8_t { display, gt, pch };
  static constexpr unsigned block_count = 3;

  InterruptBlock& at(Block block) SG_REQUIRES(mutex_) { return blocks_[static_cast<size_t>(block)]; }
  const InterruptBlock& at(Block block) const SG_REQUIRES(mutex_) { return blocks_[static_cast<size_t>(block)]; }
  void attach(Block block, uint32_t base);
  void raise(Block block, uint32_t bits);
  void post(Block block, uint32_t bits);
  void follow_pch() SG_REQUIRES(mutex_);
  void update(bool edge = false) SG_REQUIRES(mutex_);

  RegisterFile& registers_;
  mutable Mutex mutex_;
  std::array<InterruptBlock, block_count> blocks_ SG_GUARDED_BY(mutex_);
  InterruptLine line_;
};

/// The tree of a device, as part of a platform.
std::unique_ptr<Interrupts> gen5_interrupts(RegisterFile& registers, Host& host);

}  // namespace softgen::mmio
