// SPDX-License-Identifier: GPL-2.0-or-later
// Multi-threaded forcewake: a request register a power domain (RegisterSet::forcewake), 16 requesters each, and an acknowledge that mirrors it at
// once. Wells are always on, so accesses without it work; whether one should have held it is the checker's business.
// SKL PRM vol 2c, FORCEWAKE_*; i915 intel_uncore.c:intel_uncore_fw_domains_init.
#pragma once

#include "hw/mmio/register_file.h"

namespace softgen::mmio {

void attach_forcewake(RegisterFile& registers);
/// Some requester holds some domain awake.
bool forcewake_held(const RegisterFile& registers);

}  // namespace softgen::mmio
