/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HW_QEMU_HARNESS_H
#define HW_QEMU_HARNESS_H

/* Registers the device softgen-harness: the port between a fuzzer and its agent in the guest (docs/fuzzing.md). */
void softgen_harness_register_types(void);

#endif
