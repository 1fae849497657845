// SPDX-License-Identifier: GPL-2.0-or-later
// The interrupt tree of Gen8 to Gen10 (SKL PRM vol 2c, "Interrupt Registers"; i915 i915_irq.c gen8_*): blocks of ISR, IMR, IIR, IER, a master
// control register over them, and one level towards the host.
//
//   (IIR & IER) of a block makes its bits of MASTER_INT_CTL pending
//   the level is: master enable and anything pending; MSI is sent when it rises, so enabling with something pending sends one
#pragma once

#include <array>
#include <memory>

#include "hw/base/mutex.h"
#include "hw/mmio/interrupt_line.h"
#include "hw/mmio/interrupts.h"
#include "hw/mmio/interrupts/block.h"
#include "hw/mmio/register_file.h"

namespace softgen::mmio {

class Gen8Interrupts final : public Interrupts {
 public:
  /// Registers its hooks with `registers`.
  Gen8Interrupts(RegisterFile& registers, Host& host);

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
  void reset_engines(uint32_t engines) override;
  void state(Archive& archive) override;
  bool level() const override;

 private:
  enum class Block : uint8_t { gt0, gt1, gt2, gt3, pipe_a, pipe_b, pipe_c, port, misc, pcu, pch };
  static constexpr unsigned block_count = 11;
  struct BlockRow;
  static const std::array<BlockRow, block_count> block_rows;

  static constexpr Block pipe_block(unsigned pipe) { return static_cast<Block>(static_cast<unsigned>(Block::pipe_a) + pipe); }
  void raise(Block block, uint32_t bits);
  void post(Block block, uint32_t bits);
  uint32_t read(Block block, uint32_t offset) const;
  void write(Block block, uint32_t offset, uint32_t value);
  uint32_t master() const SG_REQUIRES(mutex_);
  void update(bool edge = false) SG_REQUIRES(mutex_);
  void attach(Block block);

  RegisterFile& registers_;
  mutable Mutex mutex_;
  std::array<InterruptBlock, block_count> blocks_ SG_GUARDED_BY(mutex_);
  bool enabled_ SG_GUARDED_BY(mutex_) = false;
  InterruptLine line_;
};

/// The tree of a device, as part of a platform.
std::unique_ptr<Interrupts> gen8_interrupts(RegisterFile& registers, Host& host);

}  // namespace softgen::mmio
