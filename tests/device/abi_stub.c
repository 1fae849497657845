/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In place of the device in the plugins that the ABI guard has to refuse before they register anything. */
#include "qemu/osdep.h"

#include "intel_gpu.h"

void intel_gpu_register_types(void) { abort(); }

uint32_t intel_gpu_opregion_address(IntelGpuState* s) { abort(); }
