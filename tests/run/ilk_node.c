// SPDX-License-Identifier: GPL-2.0-or-later
// ilk_node WHAT: Ironlake's DRM node by its ioctls alone. WHAT: params, store, evict, tiling, hang, wedge. 1, with one line: it is not as i915 has it.
#include <errno.h>
#include <fcntl.h>
#include <i915_drm.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#define BATCH_BUFFER_END (0x0au << 23)
#define BATCH_BUFFER_START (0x31u << 23 | 2u << 6 | 1u << 8)
#define STORE_DATA_IMM (0x20u << 23 | 1u << 22 | 2)
#define GUARD 0xdeadbeefu

static int card;

static void check(int right, const char* what) {
  if (right) return;
  fprintf(stderr, "%s (errno %d)\n", what, errno);
  exit(1);
}

static uint32_t create(uint64_t size) {
  struct drm_i915_gem_create create = {.size = size};
  check(ioctl(card, DRM_IOCTL_I915_GEM_CREATE, &create) == 0, "GEM_CREATE");
  return create.handle;
}

static void put(uint32_t handle, const void* data, uint64_t size) {
  struct drm_i915_gem_pwrite write = {.handle = handle, .size = size, .data_ptr = (uintptr_t)data};
  check(ioctl(card, DRM_IOCTL_I915_GEM_PWRITE, &write) == 0, "GEM_PWRITE");
}

static void get(uint32_t handle, void* data, uint64_t size) {
  struct drm_i915_gem_pread read = {.handle = handle, .size = size, .data_ptr = (uintptr_t)data};
  check(ioctl(card, DRM_IOCTL_I915_GEM_PREAD, &read) == 0, "GEM_PREAD");
}

static uint32_t new_context(void) {
  struct drm_i915_gem_context_create create = {0};
  check(ioctl(card, DRM_IOCTL_I915_GEM_CONTEXT_CREATE, &create) == 0, "GEM_CONTEXT_CREATE");
  return create.ctx_id;
}

static int param(int number) {
  int value = -1;
  struct drm_i915_getparam get = {.param = number, .value = &value};
  return ioctl(card, DRM_IOCTL_I915_GETPARAM, &get) ? -errno : value;
}

// The objects are the target and the batch, whose relocation is at byte `at`.
static int execute(uint32_t context, uint32_t batch, uint32_t target, uint32_t at, uint32_t delta, uint64_t flags,
                   uint64_t* target_offset) {
  struct drm_i915_gem_relocation_entry relocation = {
      .target_handle = target, .offset = at, .delta = delta, .presumed_offset = ~0ull, .write_domain = I915_GEM_DOMAIN_RENDER};
  struct drm_i915_gem_exec_object2 objects[2] = {{.handle = target},
                                                 {.handle = batch, .relocs_ptr = (uintptr_t)&relocation, .relocation_count = 1}};
  const int own = batch == target;
  struct drm_i915_gem_execbuffer2 run = {
      .buffers_ptr = (uintptr_t)(objects + own), .buffer_count = own ? 1 : 2, .batch_len = 64, .flags = flags, .rsvd1 = context};
  if (ioctl(card, DRM_IOCTL_I915_GEM_EXECBUFFER2, &run)) return -errno;
  if (target_offset) *target_offset = objects[own].offset;
  check(relocation.presumed_offset == objects[own].offset, "the address is not reported in presumed_offset");
  return 0;
}

static void wait_for(uint32_t handle) {
  struct drm_i915_gem_wait wait = {.bo_handle = handle, .timeout_ns = -1};
  check(ioctl(card, DRM_IOCTL_I915_GEM_WAIT, &wait) == 0, "GEM_WAIT");
}

// A batch with a dword behind its relocated address that must stay.
static uint32_t store_batch(uint32_t value) {
  const uint32_t commands[] = {STORE_DATA_IMM, 0, GUARD, value, BATCH_BUFFER_END, 0};
  const uint32_t batch = create(4096);
  put(batch, commands, sizeof commands);
  return batch;
}

static void store_on(uint64_t ring, uint32_t context, uint32_t value) {
  const uint32_t target = create(4096), batch = store_batch(value);
  uint64_t offset = 0;
  check(execute(context, batch, target, 8, 20, ring, &offset) == 0, "EXECBUFFER2");
  wait_for(target);
  uint32_t words[8], commands[6];
  get(target, words, sizeof words);
  get(batch, commands, sizeof commands);
  check(offset && offset < 1ull << 31, "an object is not in the 2 GiB of the global table");
  check(commands[2] == (uint32_t)offset + 20 && commands[3] == value, "a relocation is not of 4 bytes");
  check(words[5] == value && words[4] == 0 && words[6] == 0, "the batch has not stored its word");
}

static void store(void) {
  store_on(I915_EXEC_RENDER, 0, 0x1234);
  store_on(I915_EXEC_BSD, 0, 0x5678);
  store_on(I915_EXEC_RENDER, new_context(), 0x9abc);
  const uint32_t end = BATCH_BUFFER_END, target = create(4096), batch = create(4096);
  put(batch, &end, sizeof end);
  check(execute(0, batch, target, 8, 0, I915_EXEC_BLT, NULL) == -EINVAL, "a ring for blits");
  check(execute(0, batch, target, 8, 0, I915_EXEC_VEBOX, NULL) == -EINVAL, "a ring for video enhancement");
  // The last dword of a buffer can be relocated.
  check(execute(0, batch, target, 4092, 0, I915_EXEC_RENDER, NULL) == 0, "a relocation in the last dword");
  check(execute(0, batch, target, 4096, 0, I915_EXEC_RENDER, NULL) == -EINVAL, "a relocation behind the end");
}

static void params(void) {
  static const struct {
    int number, value;
    const char* name;
  } rows[] = {{I915_PARAM_CHIPSET_ID, 0x42, "CHIPSET_ID"},
              {I915_PARAM_HAS_BSD, 1, "HAS_BSD"},
              {I915_PARAM_HAS_BLT, 0, "HAS_BLT"},
              {I915_PARAM_HAS_VEBOX, 0, "HAS_VEBOX"},
              {I915_PARAM_HAS_LLC, 0, "HAS_LLC"},
              {I915_PARAM_HAS_ALIASING_PPGTT, 0, "HAS_ALIASING_PPGTT"},
              {I915_PARAM_MMAP_GTT_VERSION, 4, "MMAP_GTT_VERSION"},
              {I915_PARAM_NUM_FENCES_AVAIL, 16, "NUM_FENCES_AVAIL"},
              {I915_PARAM_HAS_GPU_RESET, 1, "HAS_GPU_RESET"},
              {I915_PARAM_HAS_SCHEDULER, 0, "HAS_SCHEDULER"},
              {I915_PARAM_HAS_EXEC_FENCE_ARRAY, 1, "HAS_EXEC_FENCE_ARRAY"},
              {I915_PARAM_CS_TIMESTAMP_FREQUENCY, 12500000, "CS_TIMESTAMP_FREQUENCY"},
              {I915_PARAM_EU_TOTAL, -ENODEV, "EU_TOTAL"}};
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; ++i) check(param(rows[i].number) == rows[i].value, rows[i].name);
  struct drm_i915_gem_get_aperture aperture = {0};
  check(ioctl(card, DRM_IOCTL_I915_GEM_GET_APERTURE, &aperture) == 0 && aperture.aper_size == 2ull << 30, "GET_APERTURE");
  struct drm_i915_gem_context_param size = {.param = I915_CONTEXT_PARAM_GTT_SIZE};
  check(ioctl(card, DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM, &size) == 0 && size.value == 2ull << 30, "CONTEXT_PARAM_GTT_SIZE");
  struct drm_i915_gem_vm_control vm = {0};
  check(ioctl(card, DRM_IOCTL_I915_GEM_VM_CREATE, &vm) == -1 && errno == ENODEV, "VM_CREATE");
  struct drm_i915_reg_read first = {.offset = 0x2358}, second = first;
  check(ioctl(card, DRM_IOCTL_I915_REG_READ, &first) == 0, "REG_READ");
  do check(ioctl(card, DRM_IOCTL_I915_REG_READ, &second) == 0, "REG_READ");
  while (second.val == first.val);
}

// Buffers of more than the global table holds together; each is stored to, and keeps what it has.
static void evict(void) {
  enum { buffers = 6 };
  const uint64_t size = 512ull << 20;
  uint32_t handles[buffers];
  for (unsigned i = 0; i < buffers; ++i) handles[i] = create(size);
  for (unsigned round = 0; round < 2; ++round)
    for (unsigned i = 0; i < buffers; ++i) {
      const uint32_t batch = store_batch(16 * i + round);
      check(execute(0, batch, handles[i], 8, 4 * round, I915_EXEC_RENDER, NULL) == 0, "EXECBUFFER2 beyond 2 GiB");
    }
  for (unsigned i = 0; i < buffers; ++i) {
    uint32_t words[2];
    get(handles[i], words, sizeof words);
    check(words[0] == 16 * i && words[1] == 16 * i + 1, "a buffer has lost its words");
  }
  const uint32_t large = create(2ull << 30);
  check(execute(0, store_batch(1), large, 8, 0, I915_EXEC_RENDER, NULL) == -ENOSPC, "a buffer as large as the table");
}

static uint32_t swizzled(uint32_t at, int y) { return at ^ ((at >> 9 ^ (y ? 0 : at >> 10)) & 1) << 6; }

static void tiling_of(uint32_t mode, uint32_t swizzle) {
  enum { pitch = 1024, size = 64 * 1024 };
  static uint8_t tiled[size];
  const uint32_t handle = create(size), y = mode == I915_TILING_Y;
  for (unsigned i = 0; i < size; ++i) tiled[i] = (uint8_t)(i * 2654435761u >> 13);
  put(handle, tiled, size);
  struct drm_i915_gem_set_tiling set = {.handle = handle, .tiling_mode = mode, .stride = pitch};
  check(ioctl(card, DRM_IOCTL_I915_GEM_SET_TILING, &set) == 0 && set.swizzle_mode == swizzle, "SET_TILING");
  struct drm_i915_gem_get_tiling get_tiling = {.handle = handle};
  check(ioctl(card, DRM_IOCTL_I915_GEM_GET_TILING, &get_tiling) == 0, "GET_TILING");
  check(get_tiling.tiling_mode == mode && get_tiling.swizzle_mode == swizzle && get_tiling.phys_swizzle_mode == swizzle,
        "GET_TILING's answer");
  struct drm_i915_gem_mmap_gtt map = {.handle = handle};
  check(ioctl(card, DRM_IOCTL_I915_GEM_MMAP_GTT, &map) == 0, "MMAP_GTT");
  uint8_t* const linear = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, card, (off_t)map.offset);
  check(linear != MAP_FAILED, "mmap");
  struct drm_i915_gem_set_domain domain = {.handle = handle, .read_domains = I915_GEM_DOMAIN_GTT, .write_domain = I915_GEM_DOMAIN_GTT};
  check(ioctl(card, DRM_IOCTL_I915_GEM_SET_DOMAIN, &domain) == 0, "SET_DOMAIN");
  for (uint32_t row = 0; row < size / pitch; ++row)
    for (uint32_t x = 0; x < pitch; ++x) {
      const uint32_t at = y ? row / 32 * 32 * pitch + x / 128 * 4096 + x / 16 % 8 * 512 + row % 32 * 16 + x % 16
                            : row / 8 * 8 * pitch + x / 512 * 4096 + row % 8 * 512 + x % 512;
      check(linear[row * pitch + x] == tiled[swizzled(at, (int)y)], "a byte of the GTT mapping is another's");
    }
  linear[3 * pitch + 70] ^= 0xff;
  const uint32_t place = swizzled(y ? 4 * 512 + 3 * 16 + 6 : 3 * 512 + 70, (int)y);
  tiled[place] ^= 0xff;
  static uint8_t now[size];
  get(handle, now, size);
  check(memcmp(now, tiled, size) == 0, "a write to the GTT mapping has another place");
}

static void tiling(void) {
  tiling_of(I915_TILING_X, I915_BIT_6_SWIZZLE_9_10);
  tiling_of(I915_TILING_Y, I915_BIT_6_SWIZZLE_9);
}

// A batch that begins anew for ever, and behind it in the ring one of another context.
static void hang_on(uint64_t ring) {
  const uint32_t guilty = new_context(), innocent = new_context();
  const uint32_t loop[] = {BATCH_BUFFER_START, 0, BATCH_BUFFER_END, 0};
  const uint32_t batch = create(4096), target = create(4096), other = create(4096);
  put(batch, loop, sizeof loop);
  check(execute(guilty, batch, batch, 4, 0, ring, NULL) == 0, "EXECBUFFER2 of a loop");
  check(execute(innocent, store_batch(7), target, 8, 0, ring, NULL) == 0, "EXECBUFFER2 behind a loop");
  check(execute(innocent, store_batch(9), other, 8, 0, ring == I915_EXEC_BSD ? I915_EXEC_RENDER : I915_EXEC_BSD, NULL) == 0,
        "the other ring");
  wait_for(batch);
  wait_for(target);
  wait_for(other);
  uint32_t word = 0;
  get(target, &word, sizeof word);
  check(word == 7, "a request behind the loop has not run");
  get(other, &word, sizeof word);
  check(word == 9, "a request of the other ring has not run");
  struct drm_i915_reset_stats stats = {.ctx_id = guilty};
  check(ioctl(card, DRM_IOCTL_I915_GET_RESET_STATS, &stats) == 0 && stats.batch_active == 1, "the guilty context's statistics");
  stats = (struct drm_i915_reset_stats){.ctx_id = innocent};
  check(ioctl(card, DRM_IOCTL_I915_GET_RESET_STATS, &stats) == 0 && stats.batch_active == 0, "the innocent context's statistics");
  check(execute(guilty, store_batch(8), target, 8, 0, ring, NULL) == -EIO, "the guilty context is not banned");
  store_on(ring, innocent, 0x77);
}

static void hang(void) {
  hang_on(I915_EXEC_RENDER);
  hang_on(I915_EXEC_BSD);
}

// After a reset that fails: nothing runs, and no wait is endless.
static void wedge(void) {
  const uint32_t loop[] = {BATCH_BUFFER_START, 0, BATCH_BUFFER_END, 0};
  const uint32_t batch = create(4096), target = create(4096), other = create(4096);
  put(batch, loop, sizeof loop);
  check(execute(0, batch, batch, 4, 0, I915_EXEC_RENDER, NULL) == 0, "EXECBUFFER2 of a loop");
  check(execute(new_context(), store_batch(7), target, 8, 0, I915_EXEC_RENDER, NULL) == 0, "EXECBUFFER2 behind a loop");
  wait_for(batch);
  wait_for(target);
  check(execute(new_context(), store_batch(9), other, 8, 0, I915_EXEC_BSD, NULL) == 0, "EXECBUFFER2 after a failed reset");
  wait_for(other);
  uint32_t word = 0;
  get(other, &word, sizeof word);
  check(word == 0, "a request runs after a failed reset");
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(void);
  } all[] = {{"params", params}, {"store", store}, {"evict", evict}, {"tiling", tiling}, {"hang", hang}, {"wedge", wedge}};
  card = open("/dev/dri/renderD128", O_RDWR);
  check(card >= 0, "/dev/dri/renderD128");
  for (unsigned i = 0; argc == 2 && i < sizeof all / sizeof *all; ++i) {
    if (strcmp(argv[1], all[i].name) != 0) continue;
    all[i].run();
    return 0;
  }
  return 2;
}
