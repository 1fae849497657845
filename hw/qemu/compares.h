/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HW_QEMU_COMPARES_H
#define HW_QEMU_COMPARES_H

#include "qemu/qemu-plugin.h"
#include "softgen/coverage.h"

/* What compare instructions have as operands at run time. `blocks`: NULL: coverage was never used. All but intel_gpu_compares_block() with the big lock. */

/* Traces executions from now on, for these values; empty: ends it. False: the values are wrong, or the machine runs. */
bool intel_gpu_compares_trace(sg_coverage* blocks, const char* values, Error** errp);
/* A watched block is translated. */
void intel_gpu_compares_block(struct qemu_plugin_tb* block);

#endif
