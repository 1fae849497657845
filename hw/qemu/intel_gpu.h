/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The QEMU device: state shared by the files of hw/qemu. Include qemu/osdep.h before this. */
#ifndef HW_QEMU_INTEL_GPU_H
#define HW_QEMU_INTEL_GPU_H

#include "hw/display/vga_int.h"
#include "hw/i2c/i2c.h"
#include "hw/pci/pci_device.h"
#include "qemu/units.h"
#include "qom/object.h"
#include "softgen/softgen.h"
#include "ui/console.h"

#define TYPE_INTEL_GPU "intel-gpu"
/* The type of a platform: TYPE_INTEL_GPU, a hyphen, its name. */
OBJECT_DECLARE_TYPE(IntelGpuState, IntelGpuClass, INTEL_GPU)

#define TYPE_INTEL_GPU_DDC "intel-gpu-ddc"
OBJECT_DECLARE_SIMPLE_TYPE(IntelGpuDdc, INTEL_GPU_DDC)

struct IntelGpuClass {
  PCIDeviceClass parent_class;
  DeviceRealize parent_realize;
  const sg_platform_info* platform;
};

/* DDC side of one monitor: an EDID memory at I2C address 0x50 with its segment register at 0x30 (VESA E-DDC).
 */
struct IntelGpuDdc {
  I2CSlave parent_obj;
  const uint8_t* edid; /* owned by the IntelGpuMonitor */
  uint32_t edid_size;
  uint8_t segment;
  uint8_t offset;
  bool offset_written; /* the next byte written to 0x50 is data, not the offset */
  bool to_segment;     /* the transfer under way is addressed to 0x30 */
};

/* One connector (DDI-B, C or D), the monitor on it and the console that shows it. */
typedef struct IntelGpuMonitor {
  IntelGpuState* gpu;
  unsigned index;
  char* spec;   /* property monitorN */
  bool plugged; /* property connectorN */
  uint8_t* edid;
  uint32_t edid_size;
  I2CBus* bus;
  QemuConsole* console;
  int shown;         /* pipe that the console shows, or one of SHOWN_* */
  bool redraw;       /* the next update draws everything */
  int composing;     /* pipe whose picture the core composes for this console, or SHOWN_NOTHING */
  bool again;        /* asked for once more meanwhile */
  unsigned rounds;   /* pictures since graphic_hw_update_done() */
  int64_t looked_ms; /* when the last one was begun, QEMU_CLOCK_REALTIME */
} IntelGpuMonitor;

/* A part of the aperture that maps guest RAM directly; size 0: unused. */
typedef struct ApertureMapping {
  uint64_t offset, size;
  MemoryRegion alias;
  MemoryRegion* target; /* the RAM that `alias` shows from `place` on; a reference is held */
  ram_addr_t place;
} ApertureMapping;

#define INTEL_GPU_MAX_BLOB (64 * MiB)

enum { SHOWN_NOTHING = -1, SHOWN_VGA = -2, SHOWN_UNDECIDED = -3 };

struct IntelGpuState {
  PCIDevice parent_obj;

  const sg_platform_info* platform;
  sg_device* core;

  struct {
    uint64_t aperture_size;
    uint64_t stolen_size;
    uint32_t connectors;
    uint32_t xres, yres;
    uint32_t refresh_rate; /* milli-Hertz */
    char* edid_file;
    int32_t threads; /* -1: as many as the host has cores */
    uint64_t poll_commands;
    char* check;       /* as sg_check_start() takes it; NULL: no checker */
    char* record_path; /* NULL: not recording */
    bool record_check;
    char* faults_path; /* NULL: no plan was loaded */
  } property;

  MemoryRegion bar0;
  MemoryRegion io_bar;
  uint32_t mmio_index; /* I/O BAR, index register */
  bool flr;            /* the reset under way is a function-level reset */

  struct {
    MemoryRegion region;
    ApertureMapping mappings[16];
    uint64_t touched_place; /* where it was accessed last, and how often in a row */
    uint32_t touches;
    QEMUBH* unmap_bh; /* ends all mappings */
  } aperture;

  VGACommonState vga;
  struct {
    MemoryRegion memory, io_low, io_high;
  } vga_regions;

  IntelGpuMonitor monitors[SG_MAX_CONNECTORS];
  struct {
    QEMUBH* bh;
    uint32_t ready; /* bit a pipe; written by any thread, consumed under the big lock */
  } pictures;

  struct {
    MemoryListener listener;
    GArray* sections; /* of MemorySection (guest_memory.c): what the core's map holds; NULL: not listening */
    bool open;        /* sg_memory_begin() called, commit due */
  } map;

  QEMUTimer* timers[SG_TIMER_COUNT];
  struct {
    QEMUBH* bh;
    bool level, rose; /* written by any thread, consumed under the big lock */
  } irq;

  VMChangeStateEntry* vm_change;
  bool paused;

  /* The core's state while a snapshot is made or loaded: at most INTEL_GPU_MAX_BLOB bytes. */
  void* blob;
  uint32_t blob_size;
};

/* A copy of a text of the core, which it takes; of `otherwise` when there is none. g_free. */
static inline char* intel_gpu_taken(char* text, const char* otherwise) {
  char* copy = g_strdup(text ? text : otherwise);
  sg_free(text);
  return copy;
}

/* device.c */
void intel_gpu_register_types(void);

/* host.c: what the core asks of its host. */
void intel_gpu_host_ops(IntelGpuState* s, sg_host_ops* ops);
void intel_gpu_host_init(IntelGpuState* s);
/* After the core is gone, whose threads call the host until then. */
void intel_gpu_host_exit(IntelGpuState* s);
/* Brings the interrupt pin or MSI up to date; big lock held. */
void intel_gpu_irq_update(IntelGpuState* s);

/* config_space.c: capabilities, BARs, graphics registers of the configuration space. */
bool intel_gpu_config_init(IntelGpuState* s, Error** errp);
void intel_gpu_config_exit(IntelGpuState* s);
void intel_gpu_config_reset(IntelGpuState* s);
uint32_t intel_gpu_config_read(PCIDevice* dev, uint32_t address, int length);
void intel_gpu_config_write(PCIDevice* dev, uint32_t address, uint32_t value, int length);
/* Tells the core where BDSM and GGC say stolen memory is. */
void intel_gpu_config_publish_stolen(IntelGpuState* s);
/* Whether the platform can have so much of it. */
bool intel_gpu_check_stolen_size(const sg_platform_info* platform, uint64_t bytes, Error** errp);
/* Where firmware has put the OpRegion, in the guest's memory; 0: nowhere. */
uint32_t intel_gpu_opregion_address(IntelGpuState* s);

/* aperture_map.c: direct mappings of the aperture. All under the big lock. */
void intel_gpu_aperture_touched(IntelGpuState* s, uint64_t offset);
void intel_gpu_aperture_unmap(IntelGpuState* s, uint64_t offset, uint64_t size);
void intel_gpu_aperture_unmap_all(IntelGpuState* s);
/* Call before the core sees the write: it may end mappings. */
void intel_gpu_aperture_bar0_write(IntelGpuState* s, uint64_t offset, unsigned size);

/* guest_memory.c */
void intel_gpu_memory_init(IntelGpuState* s);
void intel_gpu_memory_exit(IntelGpuState* s);

/* legacy_vga.c */
bool intel_gpu_vga_init(IntelGpuState* s, Error** errp);
void intel_gpu_vga_exit(IntelGpuState* s);
void intel_gpu_vga_host_ops(sg_host_ops* ops);

/* consoles.c */
void intel_gpu_consoles_init(IntelGpuState* s);
void intel_gpu_consoles_exit(IntelGpuState* s);
void intel_gpu_consoles_reset(IntelGpuState* s);
void intel_gpu_picture_ready(IntelGpuState* s, unsigned pipe);

/* monitor.c: EDIDs and DDC. */
bool intel_gpu_monitors_init(IntelGpuState* s, Error** errp);
void intel_gpu_monitors_exit(IntelGpuState* s);
/* The monitor whose DDC pins are GMBUS pin pair `pin`; NULL if none. */
IntelGpuMonitor* intel_gpu_monitor_of_pin(IntelGpuState* s, unsigned pin);
void intel_gpu_ddc_register_types(void);

/* edid.c: a new EDID of *size bytes (g_free), or NULL with `errp` set. */
uint8_t* intel_gpu_edid_generate(uint32_t xres, uint32_t yres, uint32_t refresh_rate, uint32_t* size, Error** errp);
uint8_t* intel_gpu_edid_load(const char* path, uint32_t* size, Error** errp);

/* faults.c */
/* The plan that the property names, if one. */
bool intel_gpu_faults_load(IntelGpuState* s, Error** errp);
void intel_gpu_faults_host_ops(sg_host_ops* ops);

/* opregion.c */
#define INTEL_GPU_OPREGION_SIZE 8192
void intel_gpu_opregion_build(uint8_t* region, const sg_platform_info* platform, unsigned connectors);
/* The guest rang SWSCI: firmware's answer to mailbox 2 of the OpRegion at `address`. */
void intel_gpu_opregion_swsci(uint32_t address);
/* fw_cfg files from which SeaBIOS places OpRegion and stolen memory. */
void intel_gpu_firmware_init(IntelGpuState* s);

/* vbt.c: writes a Video BIOS Table for `connectors` HDMI ports of `platform`; returns its size (<= room). */
size_t intel_gpu_vbt_build(uint8_t* out, size_t room, const sg_platform_info* platform, unsigned connectors);

/* Starts the checker, if the property `check` asks for one. */
bool intel_gpu_check_start(IntelGpuState* s, Error** errp);

#endif
