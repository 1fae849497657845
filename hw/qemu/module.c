/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In place of plugin.c where QEMU itself builds the device, as its module hw-display-intel-gpu (patches/). */
#include "qemu/osdep.h"

#include "intel_gpu.h"
#include "qemu/module.h"

type_init(intel_gpu_register_types);

module_obj(TYPE_INTEL_GPU);
/* One line per platform: QEMU's scripts read them from this text. */
module_obj("intel-gpu-kbl");
module_kconfig(INTEL_GPU);
