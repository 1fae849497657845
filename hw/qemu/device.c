/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The QOM types "intel-gpu" (abstract) and "intel-gpu-PLATFORM" of each platform: realize, reset, run and stop, snapshot. */
#include "qemu/osdep.h"

#include "hw/acpi/acpi_aml_interface.h"
#include "hw/pci/pci_bus.h"
#include "hw/qdev-properties.h"
#include "intel_gpu.h"
#include "migration/vmstate.h"
#include "properties.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "qemu/main-loop.h"
#include "qemu/module.h"
#include "qemu/units.h"
#include "system/runstate.h"

/* ---- run and stop ---- */
static void set_paused(IntelGpuState* s, bool paused) {
  if (s->paused == paused) return;
  s->paused = paused;
  if (paused) {
    sg_pause(s->core);
  } else {
    sg_resume(s->core);
  }
}

static void vm_state_changed(void* opaque, bool running, RunState state) { set_paused(opaque, !running); }

/* ---- realize ---- */
static bool check_properties(IntelGpuState* s, Error** errp) {
  if (s->property.connectors < 1 || s->property.connectors > SG_MAX_CONNECTORS) {
    error_setg(errp, "connectors=%u is outside 1 to %d", s->property.connectors, SG_MAX_CONNECTORS);
  } else if (!is_power_of_2(s->property.aperture_size) || s->property.aperture_size < 128 * MiB || s->property.aperture_size > 4 * GiB) {
    error_setg(errp, "aperture=%" PRIu64 " is not a power of two from 128M to 4G", s->property.aperture_size);
  } else if (s->property.threads < -1 || s->property.threads > 256) {
    error_setg(errp, "threads=%d is outside 0 to 256 (-1: as many as the host has cores)", s->property.threads);
  } else if (PCI_FUNC(PCI_DEVICE(s)->devfn) != 0) {
    error_setg(errp, "intel-gpu has to be function 0 of its slot: its driver ignores the others");
  } else {
    return intel_gpu_check_stolen_size(s->platform, s->property.stolen_size, errp);
  }
  return false;
}

/* Takes the malloc'ed sentence of a core function. */
static void set_core_error(Error** errp, char* sentence) {
  error_setg(errp, "%s", sentence ? sentence : "the GPU core gave no reason");
  sg_free(sentence);
}

static bool create_core(IntelGpuState* s, Error** errp) {
  sg_config config = {
      .platform = s->platform->name,
      .threads = s->property.threads < 0 ? g_get_num_processors() : s->property.threads,
      .poll_commands = s->property.poll_commands,
      .aperture_size = s->property.aperture_size,
  };
  for (unsigned i = 0; i < s->property.connectors; i++) config.connected |= (uint32_t)s->monitors[i].plugged << i;
  sg_host_ops ops;
  intel_gpu_host_ops(s, &ops);
  char* sentence = NULL;
  s->core = sg_device_new(&config, &ops, &sentence);
  if (!s->core) {
    set_core_error(errp, sentence);
    return false;
  }
  if (s->property.record_path && !sg_record_start(s->core, s->property.record_path, s->property.record_check, &sentence)) {
    set_core_error(errp, sentence);
    return false;
  }
  return intel_gpu_check_start(s, errp) && intel_gpu_faults_load(s, errp);
}

/* Undoes what realize did, whole or in part. */
static void tear_down(IntelGpuState* s) {
  if (s->vm_change) qemu_del_vm_change_state_handler(s->vm_change);
  s->vm_change = NULL;
  intel_gpu_consoles_exit(s);
  intel_gpu_vga_exit(s);
  if (s->core) {
    intel_gpu_memory_exit(s);
    set_paused(s, false);
    sg_device_free(s->core);
    s->core = NULL;
  }
  intel_gpu_monitors_exit(s);
  intel_gpu_host_exit(s);
}

static void intel_gpu_exit(PCIDevice* pci) {
  IntelGpuState* s = INTEL_GPU(pci);
  intel_gpu_config_exit(s);
  tear_down(s);
}

static void intel_gpu_realize(PCIDevice* pci, Error** errp) {
  IntelGpuState* s = INTEL_GPU(pci);
  bool ambiguous = false;

  s->platform = INTEL_GPU_GET_CLASS(s)->platform;
  if (!object_resolve_path_type("", TYPE_INTEL_GPU, &ambiguous) && ambiguous) {
    error_setg(errp, "a machine has at most one intel-gpu");
    return;
  }
  if (!check_properties(s, errp)) return;
  intel_gpu_host_init(s);
  if (!intel_gpu_monitors_init(s, errp) || !create_core(s, errp) || !intel_gpu_config_init(s, errp) || !intel_gpu_vga_init(s, errp)) {
    tear_down(s);
    return;
  }
  intel_gpu_consoles_init(s);
  intel_gpu_firmware_init(s);
  set_paused(s, !runstate_is_running());
  s->vm_change = qdev_add_vm_change_state_handler(DEVICE(s), vm_state_changed, s);
  intel_gpu_memory_init(s);
  intel_gpu_config_publish_stolen(s);
}

/* On a PCI Express bus the device has the capability and 4 KiB of configuration space; this must be said
 * before PCI's own realize. */
static void intel_gpu_early_realize(DeviceState* dev, Error** errp) {
  if (pci_bus_is_express(PCI_BUS(qdev_get_parent_bus(dev)))) PCI_DEVICE(dev)->cap_present |= QEMU_PCI_CAP_EXPRESS;
  INTEL_GPU_GET_CLASS(dev)->parent_realize(dev, errp);
}

static void intel_gpu_reset_hold(Object* object, ResetType type) {
  IntelGpuState* s = INTEL_GPU(object);
  if (!s->core) return;
  intel_gpu_aperture_unmap_all(s);
  sg_reset(s->core, s->flr ? SG_RESET_FLR : type == RESET_TYPE_WAKEUP ? SG_RESET_WAKEUP : SG_RESET_POWER);
  /* What firmware set up outlives a function-level reset (BDSM is locked on hardware) and, SeaBIOS not
   * restoring it, suspend to RAM. */
  if (!s->flr && type != RESET_TYPE_WAKEUP) intel_gpu_config_reset(s);
  intel_gpu_config_publish_stolen(s);
  vga_common_reset(&s->vga);
  intel_gpu_consoles_reset(s);
}

/* ---- snapshot ---- */
static void drop_blob(IntelGpuState* s) {
  g_clear_pointer(&s->blob, g_free);
  s->blob_size = 0;
}

static int intel_gpu_pre_save(void* opaque) {
  IntelGpuState* s = opaque;
  void* data = NULL;
  size_t size = 0;
  char* sentence = NULL;
  drop_blob(s);
  sg_pause(s->core);
  bool done = sg_save(s->core, &data, &size, &sentence) && size <= INTEL_GPU_MAX_BLOB;
  sg_resume(s->core);
  if (!done) {
    error_report("intel-gpu: %s", sentence ? sentence : "the state is too large to save");
    sg_free(sentence);
    sg_free(data);
    return -EINVAL;
  }
  s->blob = g_memdup2(data, size);
  s->blob_size = size;
  sg_free(data);
  return 0;
}

static int intel_gpu_post_save(void* opaque) {
  drop_blob(opaque);
  return 0;
}

static int intel_gpu_post_load(void* opaque, int version) {
  IntelGpuState* s = opaque;
  char* sentence = NULL;
  intel_gpu_aperture_unmap_all(s);
  s->aperture.touches = 0;
  sg_pause(s->core);
  bool done = sg_load(s->core, s->blob, s->blob_size, &sentence);
  sg_resume(s->core);
  drop_blob(s);
  if (!done) {
    error_report("intel-gpu: %s", sentence ? sentence : "the saved state does not fit");
    sg_free(sentence);
    return -EINVAL;
  }
  intel_gpu_config_publish_stolen(s);
  intel_gpu_consoles_reset(s);
  qemu_bh_schedule(s->irq.bh);
  return 0;
}

/* A stream is not trusted: what it says is allocated before anything else is known of it. */
static bool blob_size_is_sane(void* opaque, int version) { return INTEL_GPU(opaque)->blob_size <= INTEL_GPU_MAX_BLOB; }

static const VMStateDescription vmstate_monitor = {
    .name = "intel-gpu/monitor",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]){VMSTATE_BOOL(plugged, IntelGpuMonitor), VMSTATE_END_OF_LIST()}};

static const VMStateDescription vmstate_intel_gpu = {
    .name = TYPE_INTEL_GPU,
    .version_id = 1,
    .minimum_version_id = 1,
    .pre_save = intel_gpu_pre_save,
    .post_save = intel_gpu_post_save,
    .post_load = intel_gpu_post_load,
    .fields = (const VMStateField[]){
        VMSTATE_PCI_DEVICE(parent_obj, IntelGpuState), VMSTATE_STRUCT(vga, IntelGpuState, 0, vmstate_vga_common, VGACommonState),
        VMSTATE_UINT32_EQUAL(property.connectors, IntelGpuState, "the property connectors has to be the same on both sides"),
        VMSTATE_UINT64_EQUAL(property.stolen_size, IntelGpuState, "the property stolen has to be the same on both sides"),
        VMSTATE_STRUCT_ARRAY(monitors, IntelGpuState, SG_MAX_CONNECTORS, 1, vmstate_monitor, IntelGpuMonitor),
        VMSTATE_UINT32(mmio_index, IntelGpuState), VMSTATE_BOOL(irq.level, IntelGpuState),
        VMSTATE_TIMER_PTR_ARRAY(timers, IntelGpuState, SG_TIMER_COUNT), VMSTATE_UINT32(blob_size, IntelGpuState),
        VMSTATE_VALIDATE("the GPU core's state is at most 64 MiB", blob_size_is_sane),
        VMSTATE_VBUFFER_ALLOC_UINT32(blob, IntelGpuState, 1, NULL, blob_size), VMSTATE_END_OF_LIST()}};

/* ---- types ---- */
static void intel_gpu_instance_init(Object* object) {
  IntelGpuState* s = INTEL_GPU(object);
  for (unsigned i = 0; i < SG_MAX_CONNECTORS; i++) {
    s->monitors[i].gpu = s;
    s->monitors[i].index = i;
    s->monitors[i].plugged = true;
  }
}

static void intel_gpu_instance_finalize(Object* object) {
  IntelGpuState* s = INTEL_GPU(object);
  g_free(s->property.record_path);
  g_free(s->property.faults_path);
  g_free(s->property.check);
}

static void intel_gpu_class_init(ObjectClass* klass, void* data) {
  DeviceClass* device = DEVICE_CLASS(klass);
  PCIDeviceClass* pci = PCI_DEVICE_CLASS(klass);

  device_class_set_parent_realize(device, intel_gpu_early_realize, &INTEL_GPU_CLASS(klass)->parent_realize);
  device->vmsd = &vmstate_intel_gpu;
  set_bit(DEVICE_CATEGORY_DISPLAY, device->categories);
  RESETTABLE_CLASS(klass)->phases.hold = intel_gpu_reset_hold;
  pci->realize = intel_gpu_realize;
  pci->exit = intel_gpu_exit;
  pci->config_read = intel_gpu_config_read;
  pci->config_write = intel_gpu_config_write;
  pci->vendor_id = PCI_VENDOR_ID_INTEL;
  pci->class_id = PCI_CLASS_DISPLAY_VGA;
  pci->romfile = "vgabios-stdvga.bin";
  ACPI_DEV_AML_IF_CLASS(klass)->build_dev_aml = build_vga_aml;
  intel_gpu_add_properties(klass);
}

static void intel_gpu_platform_class_init(ObjectClass* klass, void* data) {
  const sg_platform_info* platform = data;
  INTEL_GPU_CLASS(klass)->platform = platform;
  DEVICE_CLASS(klass)->desc = platform->description;
}

static const TypeInfo intel_gpu_type = {
    .name = TYPE_INTEL_GPU,
    .parent = TYPE_PCI_DEVICE,
    .abstract = true,
    .instance_size = sizeof(IntelGpuState),
    .instance_init = intel_gpu_instance_init,
    .instance_finalize = intel_gpu_instance_finalize,
    .class_size = sizeof(IntelGpuClass),
    .class_init = intel_gpu_class_init,
    .interfaces = (InterfaceInfo[]){{INTERFACE_CONVENTIONAL_PCI_DEVICE}, {INTERFACE_PCIE_DEVICE}, {TYPE_ACPI_DEV_AML_IF}, {}},
};

void intel_gpu_register_types(void) {
  static TypeInfo* types; /* QEMU keeps pointers to them */

  intel_gpu_ddc_register_types();
  type_register_static(&intel_gpu_type);
  unsigned count = 0;
  while (sg_platform_at(count)) count++;
  types = g_new0(TypeInfo, count);
  for (unsigned i = 0; i < count; i++) {
    types[i] = (TypeInfo){
        .name = g_strconcat(TYPE_INTEL_GPU "-", sg_platform_at(i)->name, NULL),
        .parent = TYPE_INTEL_GPU,
        .class_init = intel_gpu_platform_class_init,
        .class_data = (void*)sg_platform_at(i),
    };
    type_register_static(&types[i]);
  }
}
