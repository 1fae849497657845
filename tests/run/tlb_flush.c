// SPDX-License-Identifier: GPL-2.0-or-later
// tlb_flush [stall]: a batch with one PIPE_CONTROL that invalidates the TLB, with a stall or, against the manual, without.
#include <fcntl.h>
#include <i915_drm.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#define PIPE_CONTROL (0x7a00u << 16 | 4)
#define TLB_INVALIDATE (1u << 18)
#define STALL (1u << 20)
#define BATCH_BUFFER_END (0x0au << 23)

int main(int argc, char** argv) {
  const int stall = argc > 1 && strcmp(argv[1], "stall") == 0;
  const int card = open("/dev/dri/renderD128", O_RDWR);
  if (card < 0) return perror("/dev/dri/renderD128"), 1;
  uint32_t commands[8] = {PIPE_CONTROL, TLB_INVALIDATE | (stall ? STALL : 0), 0, 0, 0, 0, BATCH_BUFFER_END, 0};
  struct drm_i915_gem_create create = {.size = 4096};
  if (ioctl(card, DRM_IOCTL_I915_GEM_CREATE, &create)) return perror("GEM_CREATE"), 1;
  struct drm_i915_gem_pwrite write = {.handle = create.handle, .size = sizeof commands, .data_ptr = (uintptr_t)commands};
  if (ioctl(card, DRM_IOCTL_I915_GEM_PWRITE, &write)) return perror("GEM_PWRITE"), 1;
  struct drm_i915_gem_exec_object2 object = {.handle = create.handle, .offset = 0x200000, .flags = EXEC_OBJECT_PINNED};
  struct drm_i915_gem_execbuffer2 run = {
      .buffers_ptr = (uintptr_t)&object, .buffer_count = 1, .batch_len = sizeof commands, .flags = I915_EXEC_RENDER | I915_EXEC_NO_RELOC};
  if (ioctl(card, DRM_IOCTL_I915_GEM_EXECBUFFER2, &run)) return perror("EXECBUFFER2"), 1;
  struct drm_i915_gem_wait wait = {.bo_handle = create.handle, .timeout_ns = -1};
  if (ioctl(card, DRM_IOCTL_I915_GEM_WAIT, &wait)) return perror("GEM_WAIT"), 1;
  return 0;
}
