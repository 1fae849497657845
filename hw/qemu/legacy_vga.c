/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Legacy VGA, decoded as PCI says (ports and the 0xA0000 window follow the command register). The GPU core gets
 * every access to a port and passes on to QEMU's VGA core what that models. The Bochs VBE ports are left out: the
 * video BIOS would put the linear framebuffer at BAR 0, where this chip has its registers.
 */
#include "qemu/osdep.h"

#include "hw/display/vga_regs.h"
#include "hw/pci/pci.h"
#include "hw/qdev-core.h"
#include "intel_gpu.h"
#include "migration/vmstate.h"

#define VGA_PAGE_SIZE (64 * KiB)

/* ---- what the GPU core asks of QEMU's VGA core ---- */
static uint8_t host_vga_read(void* opaque, uint16_t port) { return vga_ioport_read(&INTEL_GPU(opaque)->vga, port); }

static void host_vga_write(void* opaque, uint16_t port, uint8_t value) { vga_ioport_write(&INTEL_GPU(opaque)->vga, port, value); }

static uint8_t host_vga_latch(void* opaque) {
  const VGACommonState* vga = &INTEL_GPU(opaque)->vga;
  return vga->latch >> 8 * (vga->gr[VGA_GFX_PLANE_READ] & 3);
}

static void host_vga_color(void* opaque, uint8_t index, uint8_t red, uint8_t green, uint8_t blue) {
  uint8_t* color = &INTEL_GPU(opaque)->vga.palette[3 * index];
  color[0] = red;
  color[1] = green;
  color[2] = blue;
}

static void host_vga_page(void* opaque, uint32_t page) {
  VGACommonState* vga = &INTEL_GPU(opaque)->vga;
  if (!vga->vram_ptr) return; /* the GPU core is made first and ends last */
  int32_t offset = page % (vga->vram_size / VGA_PAGE_SIZE) * VGA_PAGE_SIZE;
  if (offset == vga->bank_offset) return;
  vga->bank_offset = offset;
  /* QEMU maps the window anew whenever a graphics register is written. */
  vga_ioport_write(vga, VGA_GFX_D, vga->gr[vga->gr_index]);
}

void intel_gpu_vga_host_ops(sg_host_ops* ops) {
  ops->vga_read = host_vga_read;
  ops->vga_write = host_vga_write;
  ops->vga_latch = host_vga_latch;
  ops->vga_color = host_vga_color;
  ops->vga_page = host_vga_page;
}

/* ---- ports ---- */
static uint64_t vga_io_low_read(void* opaque, hwaddr address, unsigned size) {
  return sg_vga_read(INTEL_GPU(opaque)->core, QEMU_PCI_VGA_IO_LO_BASE + address);
}

static void vga_io_low_write(void* opaque, hwaddr address, uint64_t value, unsigned size) {
  sg_vga_write(INTEL_GPU(opaque)->core, QEMU_PCI_VGA_IO_LO_BASE + address, value);
}

static uint64_t vga_io_high_read(void* opaque, hwaddr address, unsigned size) {
  return sg_vga_read(INTEL_GPU(opaque)->core, QEMU_PCI_VGA_IO_HI_BASE + address);
}

static void vga_io_high_write(void* opaque, hwaddr address, uint64_t value, unsigned size) {
  sg_vga_write(INTEL_GPU(opaque)->core, QEMU_PCI_VGA_IO_HI_BASE + address, value);
}

static const MemoryRegionOps vga_io_low_ops = {
    .read = vga_io_low_read,
    .write = vga_io_low_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = {.min_access_size = 1, .max_access_size = 4, .unaligned = true},
    .impl = {.min_access_size = 1, .max_access_size = 1},
};

static const MemoryRegionOps vga_io_high_ops = {
    .read = vga_io_high_read,
    .write = vga_io_high_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = {.min_access_size = 1, .max_access_size = 4, .unaligned = true},
    .impl = {.min_access_size = 1, .max_access_size = 1},
};

bool intel_gpu_vga_init(IntelGpuState* s, Error** errp) {
  PCIDevice* pci = PCI_DEVICE(s);
  VGACommonState* vga = &s->vga;
  vga->vram_size_mb = 1; /* text and the 256 KiB of planes; there is no VBE */
  if (!vga_common_init(vga, OBJECT(s), errp)) return false;
  vga->legacy_address_space = pci_address_space(pci);
  memory_region_init_io(&s->vga_regions.memory, OBJECT(s), &vga_mem_ops, vga, "intel-gpu-vga-memory", QEMU_PCI_VGA_MEM_SIZE);
  memory_region_set_flush_coalesced(&s->vga_regions.memory);
  memory_region_init_io(&s->vga_regions.io_low, OBJECT(s), &vga_io_low_ops, s, "intel-gpu-vga-3b0", QEMU_PCI_VGA_IO_LO_SIZE);
  memory_region_init_io(&s->vga_regions.io_high, OBJECT(s), &vga_io_high_ops, s, "intel-gpu-vga-3c0", QEMU_PCI_VGA_IO_HI_SIZE);
  memory_region_set_flush_coalesced(&s->vga_regions.io_low);
  memory_region_set_flush_coalesced(&s->vga_regions.io_high);
  pci_register_vga(pci, &s->vga_regions.memory, &s->vga_regions.io_low, &s->vga_regions.io_high);
  memory_region_set_coalescing(&s->vga_regions.memory);
  return true;
}

void intel_gpu_vga_exit(IntelGpuState* s) {
  VGACommonState* vga = &s->vga;
  if (!vga->vram_ptr) return;
  if (vga->has_chain4_alias) {
    memory_region_del_subregion(vga->legacy_address_space, &vga->chain4_alias);
    object_unparent(OBJECT(&vga->chain4_alias));
    vga->has_chain4_alias = false;
  }
  pci_unregister_vga(PCI_DEVICE(s));
  vga_dirty_log_stop(vga);
  vmstate_unregister_ram(&vga->vram, DEVICE(s));
  vga->vram_ptr = NULL;
}
