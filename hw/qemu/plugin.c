/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Entry of softgen.so: `-plugin softgen.so[,help=on]` registers the device types with the QEMU that loads it.
 */
#include "qemu/osdep.h"

#include "abi_guard.h"
#include "coverage.h"
#include "harness.h"
#include "intel_gpu.h"
#include "qemu/error-report.h"
#include "qemu/qemu-plugin.h"
#include "snapshot.h"

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static gint compare_names(gconstpointer a, gconstpointer b) {
  return strcmp(((const ObjectProperty*)a)->name, ((const ObjectProperty*)b)->name);
}

static void print_properties(void) {
  ObjectClass* klass = object_class_by_name(TYPE_INTEL_GPU);
  ObjectClass* pci = object_class_by_name(TYPE_PCI_DEVICE);
  ObjectPropertyIterator iterator;
  ObjectProperty* property;
  g_autoptr(GSList) ours = NULL;

  object_class_property_iter_init(&iterator, klass);
  while ((property = object_property_iter_next(&iterator))) {
    /* Those of PCI devices in general are in QEMU's manual. */
    if (!object_class_property_find(pci, property->name)) ours = g_slist_insert_sorted(ours, property, compare_names);
  }
  printf("options of all devices (-device " TYPE_INTEL_GPU "-PLATFORM,NAME=VALUE,...):\n");
  for (GSList* item = ours; item; item = item->next) {
    property = item->data;
    printf("  %-14s %s\n", property->name, property->description ? property->description : "");
  }
  printf("devices:\n");
  for (unsigned i = 0; sg_platform_at(i); i++)
    printf("  " TYPE_INTEL_GPU "-%-8s %s\n", sg_platform_at(i)->name, sg_platform_at(i)->description);
}

/* One sentence on standard error; QEMU would add a second one if qemu_plugin_install() returned non-zero. */
static G_NORETURN void refuse(const char* sentence) {
  error_report("%s", sentence);
  exit(1);
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t* info, int argc, char** argv) {
  if (!info->system_emulation) refuse("softgen.so is a device and needs a system emulator, such as qemu-system-x86_64");
  g_autofree char* mismatch = softgen_abi_mismatch();
  if (mismatch) refuse(mismatch);
  intel_gpu_register_types();
  intel_gpu_coverage_init(id);
  intel_gpu_snapshot_init();
  softgen_harness_register_types();
  for (int i = 0; i < argc; i++) {
    if (g_str_equal(argv[i], "help=on")) {
      print_properties();
      exit(0);
    }
    g_autofree char* sentence =
        g_strdup_printf("softgen.so has no option '%s' (only help=on; the device's go to -device " TYPE_INTEL_GPU "-PLATFORM)", argv[i]);
    refuse(sentence);
  }
  return 0;
}
