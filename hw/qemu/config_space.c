/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Configuration space as the integrated graphics of Kaby Lake has it, and what differs on the other platforms: BARs, PCI Express (on a PCI Express
 * bus) or Advanced Features (elsewhere) with function-level reset, MSI, power management, and the graphics
 * registers GGC, BDSM, SWSCI, ASLE and ASLS. Sources: SKL PRM vol 2c and vol 4 "Configurations", i915
 * display/intel_pci_config.h, arch/x86/kernel/early-quirks.c.
 */
#include "qemu/osdep.h"

#include "hw/pci/msi.h"
#include "hw/pci/pcie.h"
#include "intel_gpu.h"
#include "qapi/error.h"
#include "qemu/log.h"
#include "qemu/units.h"

enum {
  REG_GGC = 0x50,           /* u16: GTT size [7:6], stolen memory size [15:8] */
  REG_FIRMWARE_BDSM = 0x5c, /* u32: base of stolen memory [31:20], where SeaBIOS writes it on every platform */
  CAP_EXPRESS = 0x70,
  CAP_AF = 0xa4,
  CAP_MSI = 0xac,
  CAP_PM = 0xd0,
  REG_ASLE = 0xe4,  /* u32: scratch between firmware and driver */
  REG_SWSCI = 0xe8, /* u16 */
  REG_ASLS = 0xfc,  /* u32: address of the OpRegion, chosen by firmware */

  BDSM_HIGH_MASK = 0x7f, /* addresses have 39 bits */

  GGC_LOCK = 1 << 0,
  GGC_GTT_8M = 3 << 6,
  GMCH_VGA_DISABLE = 1 << 1, /* GMCH_CTRL: stolen memory size [7:4], GTT size [11:8] */
  GMCH_GTT_2M = 3 << 8,
  SWSCI_TRIGGER = 1 << 0,
  SWSCI_IS_SCI = 1 << 15,
  AF_SIZE = 6,
  IO_BAR_SIZE = 64,
};

static const uint32_t BDSM_MASK = 0xfff00000;

/* GMS field of GGC (i915's gen9_stolen_size): n * 32 MiB, or from 0xf0 on 4 MiB steps. */
static uint8_t stolen_to_gms(uint64_t bytes) {
  if (bytes % (32 * MiB) == 0) return bytes / (32 * MiB);
  return 0xf0 + bytes / (4 * MiB) - 1;
}

/* GMS field of GMCH_CTRL is an index (early-quirks.c, gen3_stolen_size; char/agp/intel-gtt.c, intel_gtt_stolen_size). */
static const unsigned bridge_stolen_mib[] = {0, 1, 4, 8, 16, 32, 48, 64, 128, 256, 96, 160, 224, 352};

/* Where there is none: the number of sizes. */
static unsigned bridge_gms(uint64_t bytes) {
  unsigned gms = 0;
  while (gms < ARRAY_SIZE(bridge_stolen_mib) && bytes != bridge_stolen_mib[gms] * MiB) gms++;
  return gms;
}

bool intel_gpu_check_stolen_size(const sg_platform_info* platform, uint64_t bytes, Error** errp) {
  if (platform->bridge_gmch_offset) {
    if (bridge_gms(bytes) < ARRAY_SIZE(bridge_stolen_mib)) return true;
    error_setg(errp, "stolen=%" PRIu64 " is none of 0, 1, 4, 8, 16, 32, 48, 64, 96, 128, 160, 224, 256 and 352 MiB", bytes);
    return false;
  }
  if (bytes < 64 * MiB ? bytes % (4 * MiB) == 0 : bytes % (32 * MiB) == 0 && bytes <= 2016 * MiB) return true;
  error_setg(errp, "stolen=%" PRIu64 " is neither a multiple of 4M below 64M nor a multiple of 32M up to 2016M", bytes);
  return false;
}

/* ---- BARs ---- */
static uint64_t bar0_read(void* opaque, hwaddr offset, unsigned size) { return sg_bar0_read(INTEL_GPU(opaque)->core, offset, size); }

static void write_bar0(IntelGpuState* s, uint64_t offset, uint64_t value, unsigned size) {
  intel_gpu_aperture_bar0_write(s, offset, size);
  sg_bar0_write(s->core, offset, value, size);
}

static void bar0_write(void* opaque, hwaddr offset, uint64_t value, unsigned size) { write_bar0(INTEL_GPU(opaque), offset, value, size); }

static const MemoryRegionOps bar0_ops = {
    .read = bar0_read,
    .write = bar0_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = {.min_access_size = 1, .max_access_size = 8},
    .impl = {.min_access_size = 1, .max_access_size = 8},
};

static uint64_t aperture_read(void* opaque, hwaddr offset, unsigned size) {
  IntelGpuState* s = opaque;
  uint64_t value = sg_aperture_read(s->core, offset, size);
  intel_gpu_aperture_touched(s, offset);
  return value;
}

static void aperture_write(void* opaque, hwaddr offset, uint64_t value, unsigned size) {
  IntelGpuState* s = opaque;
  sg_aperture_write(s->core, offset, value, size);
  intel_gpu_aperture_touched(s, offset);
}

static const MemoryRegionOps aperture_ops = {
    .read = aperture_read,
    .write = aperture_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = {.min_access_size = 1, .max_access_size = 8, .unaligned = true},
    .impl = {.min_access_size = 1, .max_access_size = 8},
};

/* MMIO_INDEX (offset 0) selects a dword by [31:2], registers or GTT by [1:0]; MMIO_DATA (offset 4) is that
 * dword. */
static bool indexed_offset(IntelGpuState* s, uint64_t* offset) {
  uint32_t target = s->mmio_index & 3;
  *offset = (s->mmio_index & ~3u) + (target == 1 ? s->platform->gtt_offset : 0);
  return target <= 1 && *offset + 4 <= s->platform->bar0_size;
}

static uint64_t io_bar_read(void* opaque, hwaddr address, unsigned size) {
  IntelGpuState* s = opaque;
  uint64_t offset;
  if (address == 0) return s->mmio_index;
  if (address == 4 && indexed_offset(s, &offset)) return sg_bar0_read(s->core, offset, 4);
  return 0;
}

static void io_bar_write(void* opaque, hwaddr address, uint64_t value, unsigned size) {
  IntelGpuState* s = opaque;
  uint64_t offset;
  if (address == 0) s->mmio_index = value;
  if (address == 4 && indexed_offset(s, &offset)) write_bar0(s, offset, value, 4);
}

static const MemoryRegionOps io_bar_ops = {
    .read = io_bar_read,
    .write = io_bar_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = {.min_access_size = 1, .max_access_size = 4},
    .impl = {.min_access_size = 4, .max_access_size = 4},
};

static void init_bars(IntelGpuState* s) {
  PCIDevice* pci = PCI_DEVICE(s);
  memory_region_init_io(&s->bar0, OBJECT(s), &bar0_ops, s, "intel-gpu-gttmmadr", s->platform->bar0_size);
  memory_region_init_io(&s->aperture.region, OBJECT(s), &aperture_ops, s, "intel-gpu-gmadr", s->property.aperture_size);
  memory_region_init_io(&s->io_bar, OBJECT(s), &io_bar_ops, s, "intel-gpu-io", IO_BAR_SIZE);
  pci_register_bar(pci, 0, PCI_BASE_ADDRESS_SPACE_MEMORY | PCI_BASE_ADDRESS_MEM_TYPE_64, &s->bar0);
  pci_register_bar(pci, 2, PCI_BASE_ADDRESS_SPACE_MEMORY | PCI_BASE_ADDRESS_MEM_TYPE_64 | PCI_BASE_ADDRESS_MEM_PREFETCH,
                   &s->aperture.region);
  pci_register_bar(pci, 4, PCI_BASE_ADDRESS_SPACE_IO, &s->io_bar);
}

/* ---- capabilities ---- */
static bool init_reset_capability(PCIDevice* pci, Error** errp) {
  if (pci_is_express(pci)) {
    /* On the root bus this makes a root-complex integrated endpoint, as on the real part. */
    if (pcie_endpoint_cap_init(pci, CAP_EXPRESS) < 0) {
      error_setg(errp, "intel-gpu cannot set up its PCI Express capability");
      return false;
    }
    pcie_cap_flr_init(pci);
    return true;
  }
  if (pci_add_capability(pci, PCI_CAP_ID_AF, CAP_AF, AF_SIZE, errp) < 0) return false;
  pci->config[CAP_AF + PCI_AF_LENGTH] = AF_SIZE;
  pci->config[CAP_AF + PCI_AF_CAP] = PCI_AF_CAP_TP | PCI_AF_CAP_FLR;
  return true;
}

static bool wide_bdsm(IntelGpuState* s) { return s->platform->stolen_base_size == 8; }

bool intel_gpu_config_init(IntelGpuState* s, Error** errp) {
  PCIDevice* pci = PCI_DEVICE(s);
  pci_set_word(pci->config + PCI_DEVICE_ID, s->platform->pci_device_id);
  pci->config[PCI_REVISION_ID] = s->platform->pci_revision;
  pci->config[PCI_INTERRUPT_PIN] = 1;
  /* PCI's default lets the guest write all of it. */
  memset(pci->wmask + PCI_CONFIG_HEADER_SIZE, 0, pci_config_size(pci) - PCI_CONFIG_HEADER_SIZE);

  if (!init_reset_capability(pci, errp)) return false;
  if (msi_init(pci, CAP_MSI, 1, false, false, errp) < 0) return false;
  if (pci_pm_init(pci, CAP_PM, errp) < 0) return false;
  pci_set_word(pci->config + CAP_PM + PCI_PM_PMC, PCI_PM_CAP_VER_1_1);
  pci_set_word(pci->wmask + CAP_PM + PCI_PM_CTRL, PCI_PM_CTRL_STATE_MASK);

  pci_set_long(pci->wmask + REG_FIRMWARE_BDSM, BDSM_MASK);
  pci_set_long(pci->wmask + s->platform->stolen_base_offset, BDSM_MASK);
  if (wide_bdsm(s)) pci_set_long(pci->wmask + s->platform->stolen_base_offset + 4, BDSM_HIGH_MASK);
  pci_set_long(pci->wmask + REG_ASLE, 0xffffffff);
  pci_set_word(pci->wmask + REG_SWSCI, SWSCI_IS_SCI | SWSCI_TRIGGER);
  pci_set_long(pci->wmask + REG_ASLS, 0xffffffff);
  init_bars(s);
  return true;
}

void intel_gpu_config_exit(IntelGpuState* s) {
  PCIDevice* pci = PCI_DEVICE(s);
  msi_uninit(pci);
  if (pci_is_express(pci)) pcie_cap_exit(pci);
}

/* ---- graphics registers ---- */
static uint64_t stolen_base(IntelGpuState* s) {
  const uint8_t* bdsm = PCI_DEVICE(s)->config + s->platform->stolen_base_offset;
  return wide_bdsm(s) ? pci_get_quad(bdsm) : pci_get_long(bdsm);
}

/* The host bridge is device 0 of the root bus, where Linux looks for it (intel_gmch_probe). */
static void publish_in_bridge(IntelGpuState* s, bool stolen_present) {
  PCIDevice* bridge = pci_find_device(pci_device_root_bus(PCI_DEVICE(s)), 0, PCI_DEVFN(0, 0));
  if (!bridge) return;
  uint8_t* control = bridge->config + s->platform->bridge_gmch_offset;
  uint16_t kept = pci_get_word(control) & GMCH_VGA_DISABLE;
  pci_set_word(control, kept | GMCH_GTT_2M | (stolen_present ? bridge_gms(s->property.stolen_size) << 4 : 0));
}

void intel_gpu_config_publish_stolen(IntelGpuState* s) {
  PCIDevice* pci = PCI_DEVICE(s);
  uint64_t base = stolen_base(s);
  bool present = base != 0 && s->property.stolen_size != 0;
  /* Without firmware that placed it there is no stolen memory: Linux would otherwise reserve RAM from address
   * 0 on. */
  if (s->platform->bridge_gmch_offset) {
    publish_in_bridge(s, present);
  } else {
    pci_set_word(pci->config + REG_GGC, GGC_LOCK | GGC_GTT_8M | (present ? stolen_to_gms(s->property.stolen_size) << 8 : 0));
  }
  sg_set_stolen(s->core, present ? base : 0, present ? s->property.stolen_size : 0);
}

void intel_gpu_config_reset(IntelGpuState* s) {
  PCIDevice* pci = PCI_DEVICE(s);
  s->mmio_index = 0;
  pci_set_long(pci->config + REG_FIRMWARE_BDSM, 0);
  pci_set_long(pci->config + s->platform->stolen_base_offset, 0);
  if (wide_bdsm(s)) pci_set_long(pci->config + s->platform->stolen_base_offset + 4, 0);
  pci_set_long(pci->config + REG_ASLE, 0);
  pci_set_word(pci->config + REG_SWSCI, 0);
  pci_set_long(pci->config + REG_ASLS, 0);
}

/* Where BDSM has moved, both places are the same register to the firmware. */
static void check_bdsm(IntelGpuState* s, uint32_t address, int length) {
  PCIDevice* pci = PCI_DEVICE(s);
  uint32_t place = s->platform->stolen_base_offset;
  bool by_firmware = ranges_overlap(address, length, REG_FIRMWARE_BDSM, 4);
  if (!by_firmware && !ranges_overlap(address, length, place, s->platform->stolen_base_size)) return;
  if (place != REG_FIRMWARE_BDSM && by_firmware) {
    pci_set_quad(pci->config + place, pci_get_long(pci->config + REG_FIRMWARE_BDSM));
  } else if (place != REG_FIRMWARE_BDSM) {
    pci_set_long(pci->config + REG_FIRMWARE_BDSM, pci_get_long(pci->config + place));
  }
  intel_gpu_config_publish_stolen(s);
}

static void check_swsci(PCIDevice* pci) {
  uint16_t value = pci_get_word(pci->config + REG_SWSCI);
  if (!(value & SWSCI_TRIGGER)) return;
  if (value & SWSCI_IS_SCI) intel_gpu_opregion_swsci(intel_gpu_opregion_address(INTEL_GPU(pci)));
  pci_set_word(pci->config + REG_SWSCI, value & ~SWSCI_TRIGGER);
}

static void check_function_level_reset(IntelGpuState* s, uint32_t address, uint32_t value, int length) {
  PCIDevice* pci = PCI_DEVICE(s);
  if (pci_is_express(pci)) {
    const uint8_t* control = pci->config + pci->exp.exp_cap + PCI_EXP_DEVCTL;
    s->flr = pci_get_word(control) & PCI_EXP_DEVCTL_BCR_FLR;
    pcie_cap_flr_write_config(pci, address, value, length);
  } else if (ranges_overlap(address, length, CAP_AF + PCI_AF_CTRL, 1)) {
    /* Write-only trigger: nothing is stored, so take it from the value (Conventional PCI AF ECN). */
    uint8_t byte = value >> (8 * (CAP_AF + PCI_AF_CTRL - address));
    s->flr = byte & PCI_AF_CTRL_FLR;
    if (s->flr) pci_device_reset(pci);
  }
  s->flr = false;
}

uint32_t intel_gpu_opregion_address(IntelGpuState* s) { return pci_get_long(PCI_DEVICE(s)->config + REG_ASLS); }

uint32_t intel_gpu_config_read(PCIDevice* pci, uint32_t address, int length) {
  IntelGpuState* s = INTEL_GPU(pci);
  uint32_t place = address & ~3u, shift = (address & 3) * 8;
  /* Accesses that cross a dword are QEMU's own. */
  if (!s->core || address % 4 + length > 4) return pci_default_read_config(pci, address, length);
  uint32_t value = sg_faults_config_read(s->core, place, pci_default_read_config(pci, place, 4));
  return extract32(value, shift, length * 8);
}

void intel_gpu_config_write(PCIDevice* pci, uint32_t address, uint32_t value, int length) {
  IntelGpuState* s = INTEL_GPU(pci);
  if (address < PCI_CONFIG_HEADER_SIZE) intel_gpu_aperture_unmap_all(s); /* BARs may move */
  pci_default_write_config(pci, address, value, length);
  check_bdsm(s, address, length);
  if (ranges_overlap(address, length, REG_SWSCI, 2)) check_swsci(pci);
  check_function_level_reset(s, address, value, length);
}
