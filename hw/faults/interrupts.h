// SPDX-License-Identifier: GPL-2.0-or-later
// A platform's interrupt tree as units see it while there is a plan: what they raise may be lost, late, doubled, or the plan raises it.
#pragma once

#include <memory>
#include <utility>

#include "hw/faults/points.h"
#include "hw/iface/host.h"
#include "hw/mmio/interrupts.h"
#include "hw/mmio/register_file.h"

namespace softgen::faults {

class Interrupts final : public mmio::Interrupts {
 public:
  Interrupts(std::unique_ptr<mmio::Interrupts> tree, const mmio::RegisterFile& registers, Host& host)
      : tree_(std::move(tree)), registers_(registers), host_(host) {}

  void raise(EngineId engine, mmio::EngineEvents events) override;
  uint32_t engine_bits(EngineId engine, mmio::EngineEvents events) const override { return tree_->engine_bits(engine, events); }
  void post(unsigned pipe, mmio::PipeEvents events) override;
  mmio::PipeEvents unmasked(unsigned pipe) const override { return tree_->unmasked(pipe); }
  void raise_aux_done(unsigned port) override;
  void raise_gmbus() override;
  void raise_guc() override;
  /// No plan names it.
  void raise_observation() override { tree_->raise_observation(); }
  void raise_hot_plug(unsigned connector) override;
  void show_connected(unsigned connector, bool connected) override { tree_->show_connected(connector, connected); }
  void deliver() override { tree_->deliver(); }
  void reset() override { tree_->reset(); }
  void reset_engines(uint32_t engines) override { tree_->reset_engines(engines); }
  void state(Archive& archive) override { tree_->state(archive); }
  bool level() const override { return tree_->level(); }

  /// A line with `every` fires: FaultSite::unit and what of its source.
  void pulse(const FaultAnswer& answer, uint32_t unit, uint32_t what);

 private:
  Faults* asked() const {
    Faults* const faults = registers_.faults();
    return faults && faults->wants(FaultPoint::interrupt) ? faults : nullptr;
  }
  /// Calls `raise` as the plan answers for one event.
  template <typename F>
  void raise_as_planned(Faults& faults, uint32_t unit, uint32_t what, F raise);
  /// The same for each event of `events`.
  template <typename F>
  void each_as_planned(Faults& faults, Source kind, uint32_t unit, uint32_t events, F raise);
  /// An edge of the line with nothing pending.
  void spurious();

  const std::unique_ptr<mmio::Interrupts> tree_;
  const mmio::RegisterFile& registers_;
  Host& host_;
};

}  // namespace softgen::faults
