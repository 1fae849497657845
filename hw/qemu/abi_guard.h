/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HW_QEMU_ABI_GUARD_H
#define HW_QEMU_ABI_GUARD_H

/* NULL when this object fits the QEMU it was loaded into; else the reason, one sentence (g_free). */
char* softgen_abi_mismatch(void);

#endif
