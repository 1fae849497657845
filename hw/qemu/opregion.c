/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The OpRegion (layout: i915 display/intel_opregion.c; IGD OpRegion Specification) with the VBT in mailbox 4,
 * and the files by which SeaBIOS places it and stolen memory (the protocol of QEMU's hw/vfio/igd.c).
 * Firmware's side of the SWSCI mailbox is answered here.
 */
#include "qemu/osdep.h"

#include "exec/address-spaces.h"
#include "hw/nvram/fw_cfg.h"
#include "intel_gpu.h"
#include "qemu/bswap.h"

enum {
  HEADER_SIZE = 0x10,    /* u32, KiB */
  HEADER_VERSION = 0x14, /* u8 reserved, revision, minor, major */
  HEADER_MAILBOXES = 0x58,
  MAILBOX_ACPI = 1 << 0,
  MAILBOX_SWSCI = 1 << 1,
  MAILBOX_ASLE = 1 << 2,
  MAILBOX_VBT = 1 << 3,
  SWSCI_OFFSET = 0x200, /* scic, parm, dslp */
  VBT_OFFSET = 0x400,
  VBT_ROOM = 0x1800,

  SCIC_INDICATOR = 1 << 0,
  SCIC_SUCCESS = 1 << 5, /* exit status; i915 takes every other value for a failure */
  SCIC_FAILURE = 7 << 5, /* critical failure */
  GET_BIOS_DATA = 4,
  SYSTEM_BIOS_CALLBACKS = 6,
};

void intel_gpu_opregion_build(uint8_t* region, const sg_platform_info* platform, unsigned connectors) {
  memset(region, 0, INTEL_GPU_OPREGION_SIZE);
  memcpy(region, "IntelGraphicsMem", 16);
  stl_le_p(region + HEADER_SIZE, INTEL_GPU_OPREGION_SIZE / 1024);
  region[HEADER_VERSION + 3] = 2;
  stl_le_p(region + HEADER_MAILBOXES, MAILBOX_ACPI | MAILBOX_SWSCI | MAILBOX_ASLE | MAILBOX_VBT);
  intel_gpu_vbt_build(region + VBT_OFFSET, VBT_ROOM, platform, connectors);
}

void intel_gpu_opregion_swsci(uint32_t address) {
  uint8_t mailbox[8];
  hwaddr place = (hwaddr)address + SWSCI_OFFSET;
  if (address == 0 || address_space_read(&address_space_memory, place, MEMTXATTRS_UNSPECIFIED, mailbox, sizeof(mailbox)) != MEMTX_OK) {
    return;
  }
  uint32_t scic = ldl_le_p(mailbox);
  if (!(scic & SCIC_INDICATOR)) return;
  unsigned function = (scic >> 1) & 0xf;
  unsigned subfunction = (scic >> 8) & 0xff;
  /* Subfunction 0 asks which others there are: none, this firmware needs no callbacks and has no data. */
  bool known = (function == GET_BIOS_DATA || function == SYSTEM_BIOS_CALLBACKS) && subfunction == 0;
  stl_le_p(mailbox, known ? SCIC_SUCCESS : SCIC_FAILURE);
  stl_le_p(mailbox + 4, 0);
  address_space_write(&address_space_memory, place, MEMTXATTRS_UNSPECIFIED, mailbox, sizeof(mailbox));
}

void intel_gpu_firmware_init(IntelGpuState* s) {
  FWCfgState* fw_cfg = fw_cfg_find();
  /* Firmware runs once, before a device can be hot-plugged. */
  if (!fw_cfg || DEVICE(s)->hotplugged) return;
  uint8_t* region = g_malloc(INTEL_GPU_OPREGION_SIZE);
  intel_gpu_opregion_build(region, s->platform, s->property.connectors);
  fw_cfg_add_file(fw_cfg, "etc/igd-opregion", region, INTEL_GPU_OPREGION_SIZE); /* fw_cfg keeps the memory */
  if (s->property.stolen_size) {
    uint64_t* size = g_new(uint64_t, 1);
    *size = cpu_to_le64(s->property.stolen_size);
    fw_cfg_add_file(fw_cfg, "etc/igd-bdsm-size", size, sizeof(*size));
  }
}
