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

/// What a write of GDRST does.
struct ResetControl {
  RegisterFile& registers;
  Interrupts& interrupts;
  StopEngines stop;
  RestartEngines restart;

  void reset(uint32_t request) const;
  void written(uint32_t request) const;
};

void ResetControl::reset(uint32_t request) const {
  uint32_t engines = 0, domains = request & full ? domain_bit(ResetDomain::gt) : 0;
  for (const defs::EngineRow& engine : registers.set().engines) {
    if (!(request & (full | engine.reset))) continue;
    engines |= 1u << static_cast<unsigned>(engine.id);
    domains |= domain_bit(engine.domain);
  }
  note("GDRST", "0x{:x}", request);
  if (engines) {
    stop(engines);
    registers.reset(domains);
    for (const defs::EngineRow& engine : registers.set().engines)
      if (bit(engines, static_cast<unsigned>(engine.id))) reset_engine_block(registers, engine.id);
    interrupts.reset_engines(engines);
    restart(engines);
  }
  registers.poke(reg::GDRST, 0);
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
  const auto control = std::make_shared<const ResetControl>(ResetControl{registers, interrupts, std::move(stop), std::move(restart)});
  registers.on_write(reg::GDRST, [control](uint32_t, uint32_t request) { control->written(request); });
}

}  // namespace softgen::mmio
