// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/mmio/forcewake.h"

namespace softgen::mmio {

void attach_forcewake(RegisterFile& registers) {
  for (const defs::WakeRow& domain : registers.set().forcewake) {
    registers.on_write(domain.request, [&registers, domain](uint32_t, uint32_t) {
      if (ask(registers.faults(), {.point = FaultPoint::forcewake, .what = domain.request})) return;  // the acknowledge stays as it is
      registers.poke(domain.acknowledge, registers.peek(domain.request));
    });
  }
}

bool forcewake_held(const RegisterFile& registers) {
  for (const defs::WakeRow& domain : registers.set().forcewake)
    if (registers.peek(domain.request)) return true;
  return false;
}

}  // namespace softgen::mmio
