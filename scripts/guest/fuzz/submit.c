// SPDX-License-Identifier: GPL-2.0-or-later
// Batches on all engines, and one that does not end.
#define _GNU_SOURCE
#include <errno.h>
#include <i915_drm.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent.h"

// SKL PRM vol 2a: MI_STORE_DATA_IMM (one dword), MI_BATCH_BUFFER_START (PPGTT), MI_ARB_ON_OFF.
#define MI_STORE_DATA_IMM (0x20u << 23 | 2)
#define MI_BATCH_BUFFER_START (0x31u << 23 | 1 << 8 | 1)
#define MI_ARB_ON_OFF (0x08u << 23)
// Of the first pair of buffers. Each pair has its own addresses: at shared ones i915 would wait for the other pair's work and unbind it.
#define BATCH_ADDRESS 0x200000u
#define TARGET_ADDRESS 0x400000u
#define SECOND_NS 1000000000ll
// i915 gives a context up after four heartbeats of 2.5 s, and a preemption timeout; with hasten_hangs() after half a second.
#define WAIT_NS (10 * SECOND_NS)
#define HASTENED_WAIT_NS (2 * SECOND_NS)
#define HANG_WAIT_NS (40 * SECOND_NS)

static const uint64_t engines[] = {I915_EXEC_RENDER, I915_EXEC_BLT, I915_EXEC_BSD, I915_EXEC_VEBOX};
#define STORES (2 * sizeof engines / sizeof *engines)
#define STORED 0xc0deu

typedef struct {
  int card;
  uint32_t target, batch;
  uint32_t target_address, batch_address;
  volatile uint32_t *result, *commands;
} Buffers;

void* map_object(int card, uint32_t handle, size_t size, void* place) {
  struct drm_i915_gem_mmap_offset offset = {.handle = handle, .flags = I915_MMAP_OFFSET_WB};
  if (ioctl(card, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &offset)) return MAP_FAILED;
  return mmap(place, size, PROT_READ | PROT_WRITE, MAP_SHARED | (place ? MAP_FIXED_NOREPLACE : 0), card, (off_t)offset.offset);
}

static void close_buffers(Buffers* buffers) {
  const uint32_t handles[] = {buffers->target, buffers->batch};
  if (buffers->result != MAP_FAILED) munmap((void*)buffers->result, 4096);
  if (buffers->commands != MAP_FAILED) munmap((void*)buffers->commands, 4096);
  for (int i = 0; i < 2; i++) {
    struct drm_gem_close gone = {.handle = handles[i]};
    if (handles[i]) ioctl(buffers->card, DRM_IOCTL_GEM_CLOSE, &gone);
  }
}

static int open_buffers(int card, Buffers* buffers, unsigned pair) {
  *buffers = (Buffers){.card = card,
                       .target_address = TARGET_ADDRESS + pair * 4096,
                       .batch_address = BATCH_ADDRESS + pair * 4096,
                       .result = MAP_FAILED,
                       .commands = MAP_FAILED};
  struct drm_i915_gem_create create = {.size = 4096};
  if (ioctl(card, DRM_IOCTL_I915_GEM_CREATE, &create) == 0) buffers->target = create.handle;
  create.size = 4096;
  if (ioctl(card, DRM_IOCTL_I915_GEM_CREATE, &create) == 0) buffers->batch = create.handle;
  if (buffers->target) buffers->result = map_object(card, buffers->target, 4096, NULL);
  if (buffers->batch) buffers->commands = map_object(card, buffers->batch, 4096, NULL);
  return buffers->result != MAP_FAILED && buffers->commands != MAP_FAILED;
}

static int submit(const Buffers* buffers, uint64_t engine, uint32_t context) {
  struct drm_i915_gem_exec_object2 objects[2] = {
      {.handle = buffers->target, .offset = buffers->target_address, .flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_WRITE},
      {.handle = buffers->batch, .offset = buffers->batch_address, .flags = EXEC_OBJECT_PINNED}};
  struct drm_i915_gem_execbuffer2 execute = {
      .buffers_ptr = (uintptr_t)objects, .buffer_count = 2, .batch_len = 4096, .flags = engine | I915_EXEC_NO_RELOC, .rsvd1 = context};
  return ioctl(buffers->card, DRM_IOCTL_I915_GEM_EXECBUFFER2, &execute) ? errno : 0;
}

// 0, or an errno.
static int wait_for(const Buffers* buffers, int64_t timeout_ns) {
  struct drm_i915_gem_wait wait = {.bo_handle = buffers->target, .timeout_ns = timeout_ns};
  return ioctl(buffers->card, DRM_IOCTL_I915_GEM_WAIT, &wait) ? errno : 0;
}

// An engine that was bound again has Linux's time-outs.
static void wait_for_store(const Buffers* buffers) {
  int failed = wait_for(buffers, HASTENED_WAIT_NS);
  if (failed == ETIME && !hangs_are_hastened()) failed = wait_for(buffers, WAIT_NS - HASTENED_WAIT_NS);
  if (failed) tell("wait: %s\n", strerror(failed));
}

static uint32_t new_context(int card, int64_t priority) {
  struct drm_i915_gem_context_create create = {0};
  if (ioctl(card, DRM_IOCTL_I915_GEM_CONTEXT_CREATE, &create)) return 0;
  struct drm_i915_gem_context_param parameter = {.ctx_id = create.ctx_id, .param = I915_CONTEXT_PARAM_PRIORITY, .value = (uint64_t)priority};
  ioctl(card, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &parameter);
  return create.ctx_id;
}

// What run_submit() needs, made before the checkpoint so that executions are short.
static struct {
  int card;
  uint32_t contexts[2];
  Buffers buffers[STORES];
} ready = {.card = -1};

int prepare_submit(void) {
  if (ready.card >= 0) close(ready.card);
  ready.card = open_render();
  if (ready.card < 0) return ENODEV;
  ready.contexts[0] = new_context(ready.card, 0);
  ready.contexts[1] = new_context(ready.card, 512);
  for (unsigned i = 0; i < STORES; i++)
    if (!open_buffers(ready.card, &ready.buffers[i], i)) return ENOMEM;
  return 0;
}

// A store by each engine from each of two contexts, of different priorities.
int run_submit(void) {
  int bad = 0, failed[STORES];
  if (ready.card < 0 && prepare_submit()) return STORES;
  for (unsigned i = 0; i < STORES; i++) {
    const Buffers* buffers = &ready.buffers[i];
    buffers->result[0] = 0;
    buffers->commands[0] = MI_STORE_DATA_IMM;
    buffers->commands[1] = buffers->target_address;
    buffers->commands[2] = 0;
    buffers->commands[3] = STORED + i;
    buffers->commands[4] = MI_BATCH_BUFFER_END;
    failed[i] = submit(buffers, engines[i / 2], ready.contexts[i % 2]);
  }
  for (unsigned i = 0; i < STORES; i++) {
    if (!failed[i]) wait_for_store(&ready.buffers[i]);
    if (!failed[i] && ready.buffers[i].result[0] != STORED + i) failed[i] = EBADMSG;
    if (failed[i]) tell("store %u: %s\n", i, strerror(failed[i]));
    bad += failed[i] != 0;
  }
  return bad;
}

// A batch on the render engine that jumps to its beginning until the driver resets the engine, and stores after it.
int submit_spinning(void) {
  int card = open_render();
  if (card < 0) return 1;
  Buffers buffers;
  if (open_buffers(card, &buffers, 0)) {
    buffers.commands[0] = MI_ARB_ON_OFF;  // off: nothing preempts it
    buffers.commands[1] = MI_BATCH_BUFFER_START;
    buffers.commands[2] = buffers.batch_address;
    buffers.commands[3] = 0;
    int failed = submit(&buffers, I915_EXEC_RENDER, new_context(card, 0));
    tell("spin: %s\n", strerror(failed));
    failed = wait_for(&buffers, HANG_WAIT_NS);
    if (failed) tell("wait: %s\n", strerror(failed));
  }
  close_buffers(&buffers);
  close(card);
  return 0;
}
