/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HW_QEMU_SNAPSHOT_H
#define HW_QEMU_SNAPSHOT_H

/* Adds the properties snapshot-take, snapshot-restore, snapshot-state and snapshot-hash to intel-gpu. They are of the whole machine. */
void intel_gpu_snapshot_init(void);

#endif
