/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/* From now on the virtual CPU itself lets time pass when it sleeps (-icount sleep=off). For machines of fuzzers; does nothing under another clock. */
void intel_gpu_virtual_time_begin(void);
