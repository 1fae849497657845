/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps the core's flat map of guest RAM: what the bus master address space of this device holds, already
 * free of overlaps (and empty while the guest has bus mastering off). Dirty pages are recorded by the core
 * while QEMU logs (migration) and handed over when it syncs.
 */
#include "qemu/osdep.h"

#include "exec/address-spaces.h"
#include "exec/memory.h"
#include "intel_gpu.h"
#include "qemu/error-report.h"
#include "qemu/main-loop.h"

/* What the core's map was given: a section as region_add() had it. Sections of one address space do not overlap. */
typedef struct MemorySection {
  hwaddr address;
  uint64_t size;
  MemoryRegion* region; /* a reference is held */
  bool readonly;
} MemorySection;

/* RAM laid over the aperture (aperture_map.c) is in the map already, at its own place. */
static bool is_own_aperture(IntelGpuState* s, const MemoryRegionSection* section) {
  pcibus_t bar = pci_get_bar_addr(PCI_DEVICE(s), 2);
  if (bar == PCI_BAR_UNMAPPED) return false;
  for (unsigned i = 0; i < ARRAY_SIZE(s->aperture.mappings); i++) {
    const ApertureMapping* mapping = &s->aperture.mappings[i];
    hwaddr into = section->offset_within_address_space - (bar + mapping->offset);
    if (mapping->size && into < mapping->size && section->mr == mapping->target && section->offset_within_region == mapping->place + into)
      return true;
  }
  return false;
}

static bool is_memory(IntelGpuState* s, const MemoryRegionSection* section) {
  MemoryRegion* region = section->mr;
  if (is_own_aperture(s, section)) return false;
  return (memory_region_is_ram(region) && !memory_region_is_ram_device(region)) || memory_region_is_romd(region);
}

static uint64_t size_of(const MemoryRegionSection* section) { return int128_get64(section->size); }

/* Index in s->map.sections of what region_add() stored for this section; -1: none. What the guest's BARs say now is
 * no answer: they may have moved since. */
static int find_section(IntelGpuState* s, const MemoryRegionSection* section) {
  for (guint i = 0; i < s->map.sections->len; i++) {
    const MemorySection* held = &g_array_index(s->map.sections, MemorySection, i);
    if (held->address == section->offset_within_address_space && held->size == size_of(section) && held->region == section->mr) return i;
  }
  return -1;
}

/* Most transactions of QEMU do not touch RAM; the core stops its engines only for those that do. */
static void open_map(IntelGpuState* s) {
  if (s->map.open) return;
  s->map.open = true;
  sg_memory_begin(s->core);
}

static void map_region_add(MemoryListener* listener, MemoryRegionSection* section) {
  IntelGpuState* s = container_of(listener, IntelGpuState, map.listener);
  if (memory_region_is_iommu(section->mr)) {
    error_report_once("intel-gpu does not work behind an IOMMU yet: the GPU reaches no memory through it");
  }
  if (!is_memory(s, section)) return;
  open_map(s);
  MemorySection held = {
      .address = section->offset_within_address_space,
      .size = size_of(section),
      .region = section->mr,
      .readonly = section->readonly || memory_region_is_romd(section->mr),
  };
  memory_region_ref(held.region);
  g_array_append_val(s->map.sections, held);
  void* host = (uint8_t*)memory_region_get_ram_ptr(section->mr) + section->offset_within_region;
  sg_memory_add(s->core, held.address, held.size, host, held.readonly);
}

/* Mapping for write and unmapping marks the pages for every client of the dirty log, and drops code that TCG
 * translated from them. */
static void mark_dirty(void* opaque, uint64_t address, uint64_t size) {
  while (size > 0) {
    hwaddr length = size;
    void* host = address_space_map(&address_space_memory, address, &length, true, MEMTXATTRS_UNSPECIFIED);
    if (!host || length == 0) return;
    address_space_unmap(&address_space_memory, host, length, true, length);
    address += length;
    size -= length;
  }
}

static void sync_section(IntelGpuState* s, const MemorySection* held) {
  if (!held->readonly) sg_dirty_sync(s->core, held->address, held->size, mark_dirty, s);
}

static void map_log_sync(MemoryListener* listener, MemoryRegionSection* section) {
  IntelGpuState* s = container_of(listener, IntelGpuState, map.listener);
  int index = find_section(s, section);
  if (index >= 0) sync_section(s, &g_array_index(s->map.sections, MemorySection, index));
}

static void remove_section(IntelGpuState* s, unsigned index) {
  MemorySection held = g_array_index(s->map.sections, MemorySection, index);
  open_map(s);
  sync_section(s, &held);
  sg_memory_remove(s->core, held.address, held.size);
  g_array_remove_index_fast(s->map.sections, index);
  memory_region_unref(held.region);
}

static void map_region_del(MemoryListener* listener, MemoryRegionSection* section) {
  IntelGpuState* s = container_of(listener, IntelGpuState, map.listener);
  int index = find_section(s, section);
  if (index >= 0) remove_section(s, index);
}

static void map_commit(MemoryListener* listener) {
  IntelGpuState* s = container_of(listener, IntelGpuState, map.listener);
  if (!s->map.open) return;
  s->map.open = false;
  sg_memory_commit(s->core);
  /* Not here: a listener must not change the memory map. */
  qemu_bh_schedule(s->aperture.unmap_bh);
}

static bool map_log_global_start(MemoryListener* listener, Error** errp) {
  sg_dirty_log(container_of(listener, IntelGpuState, map.listener)->core, true);
  return true;
}

static void map_log_global_stop(MemoryListener* listener) {
  sg_dirty_log(container_of(listener, IntelGpuState, map.listener)->core, false);
}

void intel_gpu_memory_init(IntelGpuState* s) {
  s->map.sections = g_array_new(false, false, sizeof(MemorySection));
  s->map.listener = (MemoryListener){
      .name = "intel-gpu",
      .region_add = map_region_add,
      .region_del = map_region_del,
      .commit = map_commit,
      .log_sync = map_log_sync,
      .log_global_start = map_log_global_start,
      .log_global_stop = map_log_global_stop,
      .priority = MEMORY_LISTENER_PRIORITY_DEV_BACKEND,
  };
  memory_listener_register(&s->map.listener, pci_get_address_space(PCI_DEVICE(s)));
}

void intel_gpu_memory_exit(IntelGpuState* s) {
  intel_gpu_aperture_unmap_all(s);
  if (!s->map.sections) return;
  memory_listener_unregister(&s->map.listener);
  while (s->map.sections->len > 0) remove_section(s, s->map.sections->len - 1);
  map_commit(&s->map.listener);
  g_array_free(s->map.sections, true);
  s->map.sections = NULL;
}
