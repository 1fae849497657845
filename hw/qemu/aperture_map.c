/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Direct mappings of the aperture. A register-like access costs a trip through the memory core (under KVM:
 * out of the guest) for every word; a framebuffer console draws through it. Where the guest keeps accessing
 * one place whose GTT entries are plain and whose pages follow each other in guest RAM (stolen memory, large
 * buffers), an alias of that RAM is laid over the BAR. It goes away before anything that it depends on
 * changes: a GTT entry, a fence, the map of guest memory, reset, load.
 *
 * GTT entries that an engine writes (MI_UPDATE_GTT, which no driver of Gen9 uses) end all mappings a little
 * later, by a bottom half.
 */
#include "qemu/osdep.h"

#include "exec/address-spaces.h"
#include "intel_gpu.h"
#include "qemu/main-loop.h"
#include "qemu/units.h"

enum {
  PAGE = 4096,
  ACCESSES = 256, /* to one place before a mapping is tried */
  PLACE = 1 * MiB,
  MIN_SIZE = 64 * KiB, /* smaller ones are not worth a change of the memory map */
  MAX_SIZE = 64 * MiB,
};

/* Bytes from `offset` on, in direction `step`, whose pages lie in host memory as they do in the aperture. */
static uint64_t run_length(IntelGpuState* s, uint64_t offset, const uint8_t* host, int step) {
  uint64_t length = 0;
  while (length < MAX_SIZE) {
    uint64_t next = offset + step * (int64_t)(length + PAGE);
    if (next >= s->property.aperture_size) break; /* also below zero */
    if (sg_aperture_page(s->core, next) != host + step * (int64_t)(length + PAGE)) break;
    length += PAGE;
  }
  return length;
}

static ApertureMapping* free_mapping(IntelGpuState* s) {
  for (unsigned i = 0; i < ARRAY_SIZE(s->aperture.mappings); i++) {
    if (s->aperture.mappings[i].size == 0) return &s->aperture.mappings[i];
  }
  return NULL;
}

static void drop(IntelGpuState* s, ApertureMapping* mapping) {
  memory_region_del_subregion(&s->aperture.region, &mapping->alias);
  object_unparent(OBJECT(&mapping->alias));
  mapping->size = 0;
  memory_region_unref(mapping->target);
  mapping->target = NULL;
}

static bool try_map(IntelGpuState* s, uint64_t offset) {
  ApertureMapping* mapping = free_mapping(s);
  const uint8_t* host = sg_aperture_page(s->core, offset);
  if (!mapping || !host) return false;

  uint64_t before = run_length(s, offset, host, -1);
  uint64_t size = before + PAGE + run_length(s, offset, host, 1);
  if (size < MIN_SIZE) return false;
  ram_addr_t place, last_place;
  MemoryRegion* region = memory_region_from_host((void*)(host - before), &place);
  MemoryRegion* last = memory_region_from_host((void*)(host - before + size - 1), &last_place);
  if (!region || region != last || last_place - place != size - 1 || !memory_region_is_ram(region) || region->readonly) return false;

  mapping->offset = offset - before;
  mapping->size = size;
  mapping->target = region;
  mapping->place = place;
  /* An alias holds no reference to what it shows, and after an unplug of that RAM it stands until map_bh has
   * run. */
  memory_region_ref(region);
  memory_region_init_alias(&mapping->alias, OBJECT(s), "intel-gpu-gmadr-direct", region, place, size);
  memory_region_add_subregion_overlap(&s->aperture.region, mapping->offset, &mapping->alias, 1);
  return true;
}

void intel_gpu_aperture_touched(IntelGpuState* s, uint64_t offset) {
  uint64_t place = offset / PLACE;
  if (place != s->aperture.touched_place) {
    s->aperture.touched_place = place;
    s->aperture.touches = 0;
  }
  /* Only on this one count: where it fails, it is not tried again before another place was touched. */
  if (++s->aperture.touches == ACCESSES) try_map(s, offset & ~(uint64_t)(PAGE - 1));
}

void intel_gpu_aperture_unmap(IntelGpuState* s, uint64_t offset, uint64_t size) {
  for (unsigned i = 0; i < ARRAY_SIZE(s->aperture.mappings); i++) {
    ApertureMapping* mapping = &s->aperture.mappings[i];
    if (mapping->size && mapping->offset < offset + size && offset < mapping->offset + mapping->size) drop(s, mapping);
  }
}

void intel_gpu_aperture_unmap_all(IntelGpuState* s) { intel_gpu_aperture_unmap(s, 0, s->property.aperture_size); }

void intel_gpu_aperture_bar0_write(IntelGpuState* s, uint64_t offset, unsigned size) {
  const sg_platform_info* platform = s->platform;
  if (offset >= platform->gtt_offset) {
    s->aperture.touches = 0;
    unsigned entry = platform->gtt_entry_size;
    intel_gpu_aperture_unmap(s, (offset - platform->gtt_offset) / entry * PAGE, DIV_ROUND_UP(size, entry) * PAGE);
    return;
  }
  for (unsigned i = 0; i < ARRAY_SIZE(platform->fences); i++) {
    if (offset >= platform->fences[i].offset + platform->fences[i].size || offset + size <= platform->fences[i].offset) continue;
    s->aperture.touches = 0;
    intel_gpu_aperture_unmap_all(s);
  }
}
