// SPDX-License-Identifier: GPL-2.0-or-later
// What a program of one client must never change: another client's object, though both use the same GPU address, and memory of the process.
#define _GNU_SOURCE
#include <fcntl.h>
#include <i915_drm.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent.h"
#include "programs.h"

#define SIZE 0x2000
// Far below where the kernel puts programs' mappings, so that only a kernel's fault reaches them.
#define OBJECT_PLACE ((void*)0x2d7a0000)
#define MEMORY_PLACE ((void*)0x36e50000)
#define ADDRESS 0x200000  // one of those that programs use (scripts/lib/fuzz_packets.py)
#define FILE_NUMBER 900   // above those that a program closes

static uint32_t *object, *memory;

static uint32_t pattern(uint32_t index) { return index * 0x9e3779b1u ^ 0x5a5a5a5a; }

static uint32_t* fill(void* at) {
  uint32_t* const words = at;
  for (uint32_t i = 0; at != MAP_FAILED && i < SIZE / 4; i++) words[i] = pattern(i);
  return at == MAP_FAILED ? 0 : words;
}

static int holds(const uint32_t* words) {
  for (uint32_t i = 0; words && i < SIZE / 4; i++)
    if (words[i] != pattern(i)) {
      tell("dword %#x is %#x, not %#x\n", i, words[i], pattern(i));
      return 0;
    }
  return 1;
}

// Makes an object and binds it at ADDRESS by a batch that does nothing. Null when the device does not let us.
static uint32_t* bound_object(int file) {
  struct drm_i915_gem_create create = {.size = SIZE}, batch = {.size = 4096};
  if (ioctl(file, DRM_IOCTL_I915_GEM_CREATE, &create) || ioctl(file, DRM_IOCTL_I915_GEM_CREATE, &batch)) return 0;
  const uint32_t end[2] = {MI_BATCH_BUFFER_END, 0};
  struct drm_i915_gem_pwrite write = {.handle = batch.handle, .size = sizeof end, .data_ptr = (uintptr_t)end};
  struct drm_i915_gem_exec_object2 objects[2] = {
      {.handle = create.handle, .offset = ADDRESS, .flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS},
      {.handle = batch.handle, .offset = ADDRESS + SIZE, .flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS}};
  struct drm_i915_gem_execbuffer2 execute = {.buffers_ptr = (uintptr_t)objects, .buffer_count = 2, .flags = I915_EXEC_RENDER | I915_EXEC_NO_RELOC};
  struct drm_i915_gem_wait wait = {.bo_handle = create.handle, .timeout_ns = -1};
  if (ioctl(file, DRM_IOCTL_I915_GEM_PWRITE, &write)) return 0;
  uint32_t* const words = fill(map_object(file, create.handle, SIZE, OBJECT_PLACE));
  if (ioctl(file, DRM_IOCTL_I915_GEM_EXECBUFFER2, &execute) || ioctl(file, DRM_IOCTL_I915_GEM_WAIT, &wait)) return 0;
  return words;
}

void prepare_isolation(void) {
  memory = fill(mmap(MEMORY_PLACE, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0));
  const int first = open_render();
  const int file = first < 0 ? first : dup2(first, FILE_NUMBER);
  close(first);
  object = file < 0 ? 0 : bound_object(file);
  if (!object) tell("there is no other client\n");
}

int isolation_holds(void) { return holds(object) && holds(memory); }
