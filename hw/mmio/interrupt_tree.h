// SPDX-License-Identifier: GPL-2.0-or-later
// The Gen8+ interrupt tree (SKL PRM vol 2c, "Interrupt Registers"; i915 i915_irq.c gen8_*): blocks of ISR, IMR, IIR, IER, a master
// control register over them, and one level towards the host.
//
//   event & ~IMR sets IIR; one more event of a bit that is set already is remembered, and sets it again once it is cleared
//   (IIR & IER) of a block makes its bits of MASTER_INT_CTL pending
//   the level is: master enable and anything pending; MSI is sent when it rises, so enabling with something pending sends one
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>

#include "hw/base/archive.h"
#include "hw/iface/engine.h"
#include "hw/iface/host.h"
#include "hw/mmio/register_file.h"

namespace softgen::mmio {

class InterruptTree {
 public:
  enum class Block : uint8_t { gt0, gt1, gt2, gt3, pipe_a, pipe_b, pipe_c, port, misc, pcu, pch };
  static constexpr unsigned block_count = 11;

  /// Registers its hooks with `registers`.
  InterruptTree(RegisterFile& registers, Host& host);

  // All of these: any thread. They call Host::interrupt on the way out, with no lock of ours held: it may come back into the registers
  // (an MSI aimed at our own BAR). A caller that holds a lock which a register's hook takes uses post() and, after unlocking, deliver().

  /// Events of an engine in its own numbering, that of GT_ISR's low half (reg::field::GT_ISR_*; before the shift into GTn). Events that the
  /// engine's RING_IMR masks do not get here.
  void raise(EngineId engine, uint32_t bits);
  /// Where the engine's events begin in its interrupt registers (GTn, RING_IMR, HWSTAM).
  unsigned shift_of(EngineId engine) const;
  /// DE pipe events (0 vblank, 1 vsync, 3..6 plane flip done, 31 underrun, …). pipe < 3.
  void raise_pipe(unsigned pipe, uint32_t bits) { raise(static_cast<Block>(static_cast<unsigned>(Block::pipe_a) + pipe), bits); }
  /// DE port events (0, 25..27 AUX done).
  void raise_port(uint32_t bits) { raise(Block::port, bits); }
  void raise_misc(uint32_t bits) { raise(Block::misc, bits); }
  /// South display events (17 GMBUS, 21..25 hot plug).
  void raise_pch(uint32_t bits) { raise(Block::pch, bits); }
  void raise(Block block, uint32_t bits);

  /// raise() but for the call of the host.
  void post(Block block, uint32_t bits);
  void post_pipe(unsigned pipe, uint32_t bits) { post(static_cast<Block>(static_cast<unsigned>(Block::pipe_a) + pipe), bits); }
  /// Brings the host's line up to date. One thread at a time calls the host; concurrent and nested calls leave
  /// the delivery to that thread. A level that falls and rises again before it is reported is a separate edge.
  void deliver();

  /// The lines as ISR shows them, where they last (hot-plug live state in SDEISR). Raises nothing.
  void set_live(Block block, uint32_t mask, bool on);
  /// Bits of a block that can reach IIR now (~IMR): who makes periodic events may rest while nobody listens.
  uint32_t unmasked(Block block) const;

  /// Reset of the whole device.
  void reset();
  /// Reset of engines (GDRST): what they had pending. bit i: EngineId i.
  void reset_engines(uint32_t engines);
  void state(Archive& archive);
  bool level() const;

 private:
  struct Registers {
    uint32_t isr = 0, imr = ~0u, iir = 0, ier = 0;
    uint32_t again = 0;  ///< the second event that IIR holds back
  };
  uint32_t read(Block block, uint32_t offset) const;
  void write(Block block, uint32_t offset, uint32_t value);
  uint32_t master() const;
  void update(bool edge = false);
  void deliver(std::unique_lock<std::mutex>& lock);
  void attach(Block block);

  RegisterFile& registers_;
  Host& host_;
  mutable std::mutex mutex_;
  std::array<Registers, block_count> blocks_;
  bool enabled_ = false;
  bool level_ = false;
  // The host's side: the level reported last, whether it has to see the line fall before it is high (again), whether a thread is reporting.
  bool reported_ = false, fall_ = false, reporting_ = false;
  std::atomic<bool> unreported_ = false;  ///< deliver() has something to do
};

}  // namespace softgen::mmio
