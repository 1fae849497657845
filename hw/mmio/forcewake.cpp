// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/mmio/forcewake.h"

namespace softgen::mmio {

namespace {

struct Domain {
  uint32_t request, acknowledge;
};
constexpr Domain domains[] = {{reg::FORCEWAKE_RENDER, reg::FORCEWAKE_ACK_RENDER},
                              {reg::FORCEWAKE_GT, reg::FORCEWAKE_ACK_GT},
                              {reg::FORCEWAKE_MEDIA, reg::FORCEWAKE_ACK_MEDIA}};

}  // namespace

void attach_forcewake(RegisterFile& registers) {
  for (const Domain& domain : domains) {
    registers.on_write(domain.request,
                       [&registers, domain](uint32_t, uint32_t) { registers.poke(domain.acknowledge, registers.peek(domain.request)); });
  }
}

bool forcewake_held(const RegisterFile& registers) {
  for (const Domain& domain : domains)
    if (registers.peek(domain.request)) return true;
  return false;
}

}  // namespace softgen::mmio
