/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HW_QEMU_PROPERTIES_H
#define HW_QEMU_PROPERTIES_H

#include "qom/object.h"

/* Adds the properties of intel-gpu, each with its description, to the class. */
void intel_gpu_add_properties(ObjectClass* klass);
/* faults.c: those of fault plans, without descriptions. */
void intel_gpu_faults_properties(ObjectClass* klass);
/* Those of the checker (check.c). */
void intel_gpu_add_check_properties(ObjectClass* klass);

#endif
