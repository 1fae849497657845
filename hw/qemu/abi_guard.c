/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does the running QEMU have the structures this object was compiled against? QEMU promises no ABI to a
 * plugin that defines devices, so three facts are compared: the version's major and minor, the sizes of the
 * type "pci-device" and its class, and the places of fields inside PCIDevice and VGACommonState, which their
 * exported VMStateDescriptions tell.
 */
#include "qemu/osdep.h"

#include "abi_guard.h"
#include "hw/display/vga_int.h"
#include "hw/pci/pci_device.h"
#include "migration/vmstate.h"
#include "qapi/error.h"
#include "qapi/qapi-commands-control.h"
#include "qom/object.h"

/* Overridden by the tests that make a plugin for another QEMU. */
#ifndef SOFTGEN_QEMU_VERSION
#define SOFTGEN_QEMU_VERSION QEMU_VERSION
#endif
#ifndef SOFTGEN_PCI_DEVICE_SIZE
#define SOFTGEN_PCI_DEVICE_SIZE sizeof(PCIDevice)
#endif

/* First words of the private struct TypeImpl (qom/object.c, QEMU 10.0); proven on a type of known sizes
 * before it is believed. */
typedef struct {
  const char* name;
  size_t class_size;
  size_t instance_size;
} TypeHead;

#define PROBE_EXTRA 4321
static const TypeInfo probe_type = {
    .name = "softgen-abi-probe",
    .parent = TYPE_OBJECT,
    .abstract = true,
    .instance_size = sizeof(Object) + PROBE_EXTRA,
    .class_size = sizeof(ObjectClass) + PROBE_EXTRA,
};

static const TypeHead* type_head(const char* type) {
  ObjectClass* klass = object_class_by_name(type);
  const TypeHead* head = klass ? (const TypeHead*)klass->type : NULL;
  return head && head->name == object_class_get_name(klass) ? head : NULL;
}

static char* version_mismatch(void) {
  int major = 0, minor = 0;
  sscanf(SOFTGEN_QEMU_VERSION, "%d.%d", &major, &minor);
  g_autoptr(VersionInfo) running = qmp_query_version(NULL);
  if (running->qemu->major == major && running->qemu->minor == minor) return NULL;
  return g_strdup_printf(
      "softgen.so was built for QEMU %d.%d and this is QEMU %d.%d.%d: build it again with this QEMU's "
      "headers "
      "(scripts/setup)",
      major, minor, (int)running->qemu->major, (int)running->qemu->minor, (int)running->qemu->micro);
}

static char* size_mismatch(void) {
  type_register_static(&probe_type);
  const TypeHead* probe = type_head(probe_type.name);
  const TypeHead* device = type_head(TYPE_PCI_DEVICE);
  if (!probe || !device || probe->instance_size != probe_type.instance_size || probe->class_size != probe_type.class_size) {
    return g_strdup(
        "softgen.so cannot tell the size of this QEMU's PCIDevice: build it again with this QEMU's headers "
        "(scripts/setup)");
  }
  if (device->instance_size == SOFTGEN_PCI_DEVICE_SIZE && device->class_size == sizeof(PCIDeviceClass)) return NULL;
  return g_strdup_printf(
      "softgen.so was built for a PCIDevice of %zu bytes (class %zu) and this QEMU's has %zu (class %zu): "
      "build it "
      "again with this QEMU's headers (scripts/setup)",
      (size_t)SOFTGEN_PCI_DEVICE_SIZE, sizeof(PCIDeviceClass), device->instance_size, device->class_size);
}

typedef struct {
  const VMStateDescription* description;
  const char* field;
  size_t offset; /* as compiled */
} Place;

static char* layout_mismatch(void) {
  const Place places[] = {
      {&vmstate_pci_device, "version_id", offsetof(PCIDevice, version_id)},
      {&vmstate_pci_device, "config", offsetof(PCIDevice, config)},
      {&vmstate_vga_common, "latch", offsetof(VGACommonState, latch)},
      {&vmstate_vga_common, "palette", offsetof(VGACommonState, palette)},
      {&vmstate_vga_common, "is_vbe_vmstate", offsetof(VGACommonState, is_vbe_vmstate)},
  };
  for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
    const VMStateField* field = places[i].description->fields;
    while (field->name && !g_str_equal(field->name, places[i].field)) field++;
    if (field->name && field->offset == places[i].offset) continue;
    return g_strdup_printf(
        "softgen.so was built for another layout of QEMU's \"%s\" (field %s): build it again with this "
        "QEMU's headers "
        "(scripts/setup)",
        places[i].description->name, places[i].field);
  }
  return NULL;
}

char* softgen_abi_mismatch(void) {
  char* reason = version_mismatch();
  if (!reason) reason = size_mismatch();
  if (!reason) reason = layout_mismatch();
  return reason;
}
