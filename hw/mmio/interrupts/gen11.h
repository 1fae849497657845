// SPDX-License-Identifier: GPL-2.0-or-later
// The interrupt tree from Gen11 on (TGL PRM vol 13, "Interrupts Overview"; i915 i915_irq.c, gt/intel_gt_irq.c, display/intel_display_irq.c, gen11_*).
//
//   engines   two banks (bank.h), one per dword of GT_INTR_DW. What an event has to pass is its class's enable register, where it is dropped, then
//             the engine's mask register, where it waits
//   display   blocks of ISR, IMR, IIR, IER under DISPLAY_INT_CTL; GU_MISC and PCU beside it
//   the level is: GFX_MSTR_IRQ's enable and anything pending; MSI is sent when it rises
#pragma once

#include <array>
#include <memory>
#include <span>

#include "hw/base/mutex.h"
#include "hw/mmio/interrupt_line.h"
#include "hw/mmio/interrupts.h"
#include "hw/mmio/interrupts/bank.h"
#include "hw/mmio/interrupts/block.h"
#include "hw/mmio/register_file.h"

namespace softgen::mmio {

/// Where platforms with this tree differ: bits of the display's blocks.
struct DisplayInterruptRows {
  std::span<const uint32_t> aux;       ///< of DE_PORT_ISR, by port of raise_aux_done()
  std::span<const uint32_t> hot_plug;  ///< of SDEISR, by connector
};

class Gen11Interrupts final : public Interrupts {
 public:
  /// Registers its hooks with `registers`. `rows` outlives this.
  Gen11Interrupts(RegisterFile& registers, Host& host, const DisplayInterruptRows& rows);

  void raise(EngineId engine, EngineEvents events) override;
  uint32_t engine_bits(EngineId engine, EngineEvents events) const override;
  void post(unsigned pipe, PipeEvents events) override;
  PipeEvents unmasked(unsigned pipe) const override;
  void raise_aux_done(unsigned port) override;
  void raise_gmbus() override;
  void raise_guc() override;
  void raise_observation() override;
  void raise_hot_plug(unsigned connector) override;
  void show_connected(unsigned connector, bool connected) override;
  void deliver() override { line_.deliver(); }
  void reset() override;
  /// Nothing: shared IIRs stand outside the engines, and software serves their bits of GT_INTR_DW whatever happened meanwhile.
  void reset_engines(uint32_t engines) override {}
  void state(Archive& archive) override;
  bool level() const override;

 private:
  /// In the order of saved states.
  enum class Block : uint8_t { pipe_a, pipe_b, pipe_c, port, misc, hot_plug, pch, gu_misc, pcu, pipe_d };
  static constexpr unsigned block_count = 10, words = 2;
  struct BlockRow;
  struct OtherRow;
  static const std::array<BlockRow, block_count> block_rows;
  static const OtherRow guc_row, observation_row;

  static unsigned block_of(unsigned pipe);
  /// What the masks let through now.
  void read_masks() SG_REQUIRES(mutex_);
  void raise(Block block, uint32_t bits);
  void attach_word(unsigned word);
  void attach_masks();
  void attach_display();
  void select(unsigned word, uint32_t selector) SG_REQUIRES(mutex_);
  /// Raises the event of a unit that is no engine.
  void raise(const OtherRow& unit);
  /// Posts events of a source; `enabled`: those that pass its class's enable register.
  void post(unsigned word, unsigned source, uint32_t enabled) SG_REQUIRES(mutex_);
  /// INTR_IDENTITY_REG of a source, without its events; 0: there is no such source.
  uint32_t identity_of(unsigned word, uint32_t selector) const;
  /// Bits of GT_INTR_DW(word) that belong to an engine or another unit.
  uint32_t sources(unsigned word) const;
  /// Shared IIRs by engine, as before there were banks.
  void load_shared(Archive& archive, unsigned engines) SG_REQUIRES(mutex_);
  void check_loaded(Archive& archive) SG_REQUIRES(mutex_);
  uint32_t display() const SG_REQUIRES(mutex_);
  uint32_t master() const SG_REQUIRES(mutex_);
  void update(bool edge = false) SG_REQUIRES(mutex_);

  RegisterFile& registers_;
  const DisplayInterruptRows& rows_;
  mutable Mutex mutex_;
  std::array<InterruptBlock, block_count> blocks_ SG_GUARDED_BY(mutex_);
  std::array<InterruptBank, words> banks_ SG_GUARDED_BY(mutex_);
  std::array<uint32_t, words> identities_ SG_GUARDED_BY(mutex_){};  ///< INTR_IDENTITY_REG
  bool enabled_ SG_GUARDED_BY(mutex_) = false;                      ///< GFX_MSTR_IRQ's enable
  bool display_enabled_ SG_GUARDED_BY(mutex_) = false;              ///< DISPLAY_INT_CTL's
  InterruptLine line_;
};

/// The tree of a device, as part of a platform: Ice Lake's, and Tiger Lake's.
std::unique_ptr<Interrupts> gen11_interrupts(RegisterFile& registers, Host& host);
std::unique_ptr<Interrupts> gen12_interrupts(RegisterFile& registers, Host& host);

}  // namespace softgen::mmio
