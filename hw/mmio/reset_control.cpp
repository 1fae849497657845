// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/mmio/reset_control.h"

#include <memory>
#include <utility>

#include "hw/base/bits.h"
#include "hw/base/log.h"

namespace softgen::mmio {

namespace {

using defs::ResetDomain;

constexpr uint32_t full = reg::field::GDRST_FULL.mask();

constexpr uint32_t domain_bit(ResetDomain domain) { return 1u << static_cast<unsigned>(domain); }

/// Each engine has its own block of the same rows, whichever domain they are declared in.
void reset_engine_block(RegisterFile& registers, EngineId engine) {
  for (const defs::Register& row : registers.set().rows) {
    if (!row.engine || !row.is_of(engine) || row.domain == ResetDomain::none) continue;
    for (uint32_t outer = 0; outer < row.count[0]; ++outer)
      for (uint32_t inner = 0; inner < row.count[1]; ++inner)
        registers.poke(engine, row.offset + outer * row.stride[0] + inner * row.stride[1], row.reset);
  }
}

/// What a request asks for. bit i: EngineId i, ResetDomain i.
struct Selection {
  uint32_t engines = 0, domains = 0;
  void add(const defs::EngineRow& engine) {
    engines |= 1u << static_cast<unsigned>(engine.id);
    domains |= domain_bit(engine.domain);
  }
};

/// A bit per engine, and one for all.
Selection gdrst_selection(const defs::RegisterSet& set, uint32_t request) {
  Selection selection{.domains = request & full ? domain_bit(ResetDomain::gt) : 0};
  for (const defs::EngineRow& engine : set.engines)
    if (request & (full | engine.reset)) selection.add(engine);
  return selection;
}

/// One domain, or all (i915 gt/intel_reset.c, ilk_do_reset; i915_reg.h, ILK_GRDOM_*).
Selection gdsr_selection(const defs::RegisterSet& set, uint32_t request) {
  using Domain = defs::GdsrDomain;
  if (!reg::field::ILK_GDSR_RESET_ENABLE.of(request)) return {};
  const auto domain = static_cast<Domain>(reg::field::ILK_GDSR_DOMAIN.of(request));
  Selection selection{.domains = domain == Domain::full ? domain_bit(ResetDomain::gt) : 0};
  for (const defs::EngineRow& engine : set.engines)
    if (domain == Domain::full || domain == (engine.domain == ResetDomain::render ? Domain::render : Domain::media)) selection.add(engine);
  return selection;
}

/// What a write of GDRST, or ILK_GDSR, does.
struct ResetControl {
  RegisterFile& registers;
  Interrupts& interrupts;
  StopEngines stop;
  RestartEngines restart;
  uint32_t offset;
  Selection (*select)(const defs::RegisterSet& set, uint32_t request);
  uint32_t requests;  ///< bits that stand until the reset is done

  void reset(uint32_t request) const;
  void written(uint32_t request) const;
};

void ResetControl::reset(uint32_t request) const {
  const Selection selected = select(registers.set(), request);
  note("GDRST", "0x{:x}", request);
  if (selected.engines) {
    stop(selected.engines);
    registers.reset(selected.domains);
    for (const defs::EngineRow& engine : registers.set().engines)
      if (bit(selected.engines, static_cast<unsigned>(engine.id))) reset_engine_block(registers, engine.id);
    interrupts.reset_engines(selected.engines);
    restart(selected.engines);
  }
  registers.poke(offset, request & ~requests);
}

// While the bits stand software waits.
void ResetControl::written(uint32_t request) const {
  Faults* const faults = registers.faults();
  const FaultAnswer answer = ask(faults, {.point = FaultPoint::reset, .what = request});
  if (answer.action == FaultAction::never) return;
  if (answer.action == FaultAction::late && faults->later(answer.time_ns, [this, request] { reset(request); })) return;
  reset(request);
}

}  // namespace

void attach_reset_control(RegisterFile& registers, Interrupts& interrupts, StopEngines stop, RestartEngines restart) {
  ResetControl control{registers, interrupts, std::move(stop), std::move(restart), reg::GDRST, gdrst_selection, ~0u};
  if (const defs::Register* row = registers.set().find(reg::ILK_GDSR); row && row->hook) {
    control.offset = reg::ILK_GDSR;
    control.select = gdsr_selection;
    control.requests = reg::field::ILK_GDSR_RESET_ENABLE.mask();
  }
  const auto shared = std::make_shared<const ResetControl>(std::move(control));
  registers.on_write(shared->offset, [shared](uint32_t, uint32_t request) { shared->written(request); });
}

}  // namespace softgen::mmio
