/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HW_QEMU_COVERAGE_H
#define HW_QEMU_COVERAGE_H

#include "qemu/qemu-plugin.h"

/* Adds the properties coverage, coverage-blocks, coverage-compares, coverage-constants, coverage-fresh and coverage-state to intel-gpu. They need a plugin's id, so that the device built inside
 * QEMU's tree has none of them. */
void intel_gpu_coverage_init(qemu_plugin_id_t id);

#endif
