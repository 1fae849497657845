/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In place of plugin.c where QEMU itself builds the device, as its module hw-display-intel-gpu (patches/). */
#include "qemu/osdep.h"

#include "intel_gpu.h"
#include "qemu/module.h"

type_init(intel_gpu_register_types);

module_obj(TYPE_INTEL_GPU);
module_obj(TYPE_INTEL_GPU_KBL);
module_kconfig(INTEL_GPU);
