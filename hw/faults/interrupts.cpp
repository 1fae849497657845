// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/faults/interrupts.h"

namespace softgen::faults {

template <typename F>
void Interrupts::raise_as_planned(Faults& faults, uint32_t unit, uint32_t what, F raise) {
  const FaultAnswer answer = faults.ask({.point = FaultPoint::interrupt, .unit = unit, .what = what});
  switch (answer.action) {
    case FaultAction::drop: return;
    case FaultAction::late:
      if (faults.later(answer.time_ns, raise)) return;
      break;
    case FaultAction::twice: raise(); break;
    case FaultAction::spurious: spurious(); break;
    default: break;
  }
  raise();
}

template <typename F>
void Interrupts::each_as_planned(Faults& faults, Source kind, uint32_t unit, uint32_t events, F raise) {
  for (uint32_t left = events; left; left &= left - 1) {
    const uint32_t event = left & -left;
    raise_as_planned(faults, unit, source(kind, event), [raise, event] { raise(event); });
  }
}

void Interrupts::raise(EngineId engine, mmio::EngineEvents events) {
  Faults* const faults = asked();
  if (!faults) return tree_->raise(engine, events);
  each_as_planned(*faults, Source::engine, static_cast<uint32_t>(engine), events,
                  [this, engine](uint32_t event) { tree_->raise(engine, event); });
}

// The caller delivers; what comes late does so itself.
void Interrupts::post(unsigned pipe, mmio::PipeEvents events) {
  Faults* const faults = asked();
  if (!faults) return tree_->post(pipe, events);
  for (uint32_t left = events; left; left &= left - 1) {
    const uint32_t event = left & -left;
    const FaultAnswer answer = faults->ask({.point = FaultPoint::interrupt, .unit = pipe, .what = source(Source::pipe, event)});
    const auto late = [this, pipe, event] {
      tree_->post(pipe, event);
      tree_->deliver();
    };
    if (answer.action == FaultAction::drop) continue;
    if (answer.action == FaultAction::late && faults->later(answer.time_ns, late)) continue;
    if (answer.action == FaultAction::twice) tree_->post(pipe, event);
    tree_->post(pipe, event);
  }
}

void Interrupts::raise_aux_done(unsigned port) {
  Faults* const faults = asked();
  if (!faults) return tree_->raise_aux_done(port);
  raise_as_planned(*faults, port, source(Source::aux), [this, port] { tree_->raise_aux_done(port); });
}

void Interrupts::raise_gmbus() {
  Faults* const faults = asked();
  if (!faults) return tree_->raise_gmbus();
  raise_as_planned(*faults, 0, source(Source::gmbus), [this] { tree_->raise_gmbus(); });
}

void Interrupts::raise_guc() {
  Faults* const faults = asked();
  if (!faults) return tree_->raise_guc();
  raise_as_planned(*faults, 0, source(Source::guc), [this] { tree_->raise_guc(); });
}

void Interrupts::raise_hot_plug(unsigned connector) {
  Faults* const faults = asked();
  if (!faults) return tree_->raise_hot_plug(connector);
  raise_as_planned(*faults, connector, source(Source::hot_plug), [this, connector] { tree_->raise_hot_plug(connector); });
}

// A line that is high already has its message.
void Interrupts::spurious() {
  if (tree_->level()) return;
  host_.interrupt(true);
  host_.interrupt(false);
}

void Interrupts::pulse(const FaultAnswer& answer, uint32_t unit, uint32_t what) {
  if (answer.action == FaultAction::spurious) return spurious();
  const uint32_t event = what & source_events;
  switch (static_cast<Source>(what >> source_shift)) {
    case Source::engine: return tree_->raise(static_cast<EngineId>(unit), event);
    case Source::pipe: tree_->post(unit, event); return tree_->deliver();
    case Source::aux: return tree_->raise_aux_done(unit);
    case Source::gmbus: return tree_->raise_gmbus();
    case Source::guc: return tree_->raise_guc();
    case Source::hot_plug: return tree_->raise_hot_plug(unit);
  }
}

}  // namespace softgen::faults
