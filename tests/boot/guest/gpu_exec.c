// SPDX-License-Identifier: GPL-2.0-or-later
// gpu_exec store | busy SECONDS | hang | userptr | huc: batches through i915's own interface, checked by what they leave in memory.
#include <errno.h>
#include <fcntl.h>
#include <i915_drm.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>

// SKL PRM vol 2a: MI_STORE_DATA_IMM (one dword), MI_BATCH_BUFFER_START (PPGTT), MI_BATCH_BUFFER_END.
#define MI_STORE_DATA_IMM (0x20u << 23 | 2)
#define MI_BATCH_BUFFER_START (0x31u << 23 | 1 << 8 | 1)
#define MI_BATCH_BUFFER_START_GEN5 (0x31u << 23 | 1 << 8 | 2 << 6)  // two dwords, not secure, in graphics memory
#define MI_BATCH_BUFFER_END (0x0au << 23)
#define MI_COPY_MEM_MEM (0x2eu << 23 | 3)
#define BATCH_ADDRESS 0x200000ull
#define TARGET_ADDRESS 0x400000ull
#define WAIT_NS (60ll * 1000 * 1000 * 1000)

static const struct {
  const char* name;
  uint64_t flag;
  int parameter;  // whether there is one; 0: on every chip
} engines[] = {{"rcs0", I915_EXEC_RENDER, 0},
               {"bcs0", I915_EXEC_BLT, I915_PARAM_HAS_BLT},
               {"vcs0", I915_EXEC_BSD, I915_PARAM_HAS_BSD},
               {"vecs0", I915_EXEC_VEBOX, I915_PARAM_HAS_VEBOX}};
#define ENGINES (sizeof engines / sizeof *engines)

static int card;

static void check(int ok, const char* what) {
  if (ok) return;
  fprintf(stderr, "%s: %s\n", what, strerror(errno));
  exit(1);
}

static int parameter(int number) {
  int value = 0;
  struct drm_i915_getparam get = {.param = number, .value = &value};
  return ioctl(card, DRM_IOCTL_I915_GETPARAM, &get) == 0 ? value : 0;
}

static uint32_t new_buffer(void) {
  struct drm_i915_gem_create create = {.size = 4096};
  check(ioctl(card, DRM_IOCTL_I915_GEM_CREATE, &create) == 0, "GEM_CREATE");
  return create.handle;
}

static volatile uint32_t* map(uint32_t handle) {
  struct drm_i915_gem_mmap_offset offset = {.handle = handle, .flags = I915_MMAP_OFFSET_WB};
  check(ioctl(card, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &offset) == 0, "GEM_MMAP_OFFSET");
  void* memory = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, card, (off_t)offset.offset);
  check(memory != MAP_FAILED, "mmap");
  return memory;
}

static void submit(uint32_t target, uint32_t batch, uint64_t engine, uint32_t context) {
  struct drm_i915_gem_exec_object2 objects[2] = {
      {.handle = target, .offset = TARGET_ADDRESS, .flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_WRITE},
      {.handle = batch, .offset = BATCH_ADDRESS, .flags = EXEC_OBJECT_PINNED}};
  struct drm_i915_gem_execbuffer2 execute = {
      .buffers_ptr = (uintptr_t)objects, .buffer_count = 2, .batch_len = 4096, .flags = engine | I915_EXEC_NO_RELOC, .rsvd1 = context};
  check(ioctl(card, DRM_IOCTL_I915_GEM_EXECBUFFER2, &execute) == 0, "GEM_EXECBUFFER2");
}

// Ironlake: one table for all, whose addresses the kernel gives out and relocates, and commands of their own (ILK PRM vol 1 part 2, 5.3).
static int relocates(void) {
  const int id = parameter(I915_PARAM_CHIPSET_ID);
  return id == 0x0042 || id == 0x0046;
}

// As submit(), but dword `at` of the batch becomes the address of `named` plus `delta`.
static void submit_relocated(uint32_t target, uint32_t batch, uint64_t engine, uint32_t context, unsigned at, uint32_t named,
                             uint32_t delta) {
  struct drm_i915_gem_relocation_entry relocation = {.target_handle = named,
                                                     .delta = delta,
                                                     .offset = at * 4,
                                                     .presumed_offset = ~0ull,
                                                     .read_domains = I915_GEM_DOMAIN_RENDER,
                                                     .write_domain = named == target ? I915_GEM_DOMAIN_RENDER : 0};
  struct drm_i915_gem_exec_object2 objects[2] = {{.handle = target},
                                                 {.handle = batch, .relocation_count = 1, .relocs_ptr = (uintptr_t)&relocation}};
  struct drm_i915_gem_execbuffer2 execute = {
      .buffers_ptr = (uintptr_t)objects, .buffer_count = 2, .batch_len = 4096, .flags = engine, .rsvd1 = context};
  check(ioctl(card, DRM_IOCTL_I915_GEM_EXECBUFFER2, &execute) == 0, "GEM_EXECBUFFER2");
}

static void wait_for(uint32_t handle) {
  struct drm_i915_gem_wait wait = {.bo_handle = handle, .timeout_ns = WAIT_NS};
  check(ioctl(card, DRM_IOCTL_I915_GEM_WAIT, &wait) == 0, "GEM_WAIT");
}

// Stores `value` at the end of a page by a batch on `engine`, and reads it back.
static int stores(uint64_t engine, uint32_t value) {
  uint32_t target = new_buffer(), batch = new_buffer();
  volatile uint32_t *result = map(target), *commands = map(batch);
  commands[3] = value;
  commands[4] = MI_BATCH_BUFFER_END;
  if (relocates()) {
    commands[0] = MI_STORE_DATA_IMM | 1 << 22;
    commands[1] = 0;
    submit_relocated(target, batch, engine, 0, 2, target, 4092);
  } else {
    commands[0] = MI_STORE_DATA_IMM;
    commands[1] = TARGET_ADDRESS + 4092;
    commands[2] = 0;
    submit(target, batch, engine, 0);
  }
  wait_for(target);
  int ok = result[1023] == value;
  if (!ok) fprintf(stderr, "read %#x instead of %#x\n", result[1023], value);
  munmap((void*)result, 4096);
  munmap((void*)commands, 4096);
  struct drm_gem_close close_target = {.handle = target}, close_batch = {.handle = batch};
  ioctl(card, DRM_IOCTL_GEM_CLOSE, &close_target);
  ioctl(card, DRM_IOCTL_GEM_CLOSE, &close_batch);
  return ok;
}

static int has(unsigned engine) { return !engines[engine].parameter || parameter(engines[engine].parameter); }

static int store(void) {
  int failed = 0;
  for (unsigned i = 0; i < ENGINES; i++) {
    if (!has(i)) continue;
    int ok = stores(engines[i].flag, 0xc0ffee00u + i);
    printf("%s %s\n", engines[i].name, ok ? "ok" : "FAILED");
    failed |= !ok;
  }
  return failed;
}

static int busy(int seconds) {
  time_t end = time(0) + seconds;
  uint32_t n = 0;
  for (; time(0) < end; n++) {
    if (has(n % ENGINES) && !stores(engines[n % ENGINES].flag, n)) return 1;
    if (n == 0) puts("busy"), fflush(stdout);
  }
  printf("ok: %u batches\n", n);
  return 0;
}

#define PAGE 4096
#define SEEN_ADDRESS 0x500000ull

// A buffer over memory of this program.
static uint32_t over(void* memory, uint64_t size) {
  struct drm_i915_gem_userptr userptr = {.user_ptr = (uintptr_t)memory, .user_size = size};
  check(ioctl(card, DRM_IOCTL_I915_GEM_USERPTR, &userptr) == 0, "GEM_USERPTR");
  return userptr.handle;
}

// The GPU stores `value` at `write_offset` of one buffer and copies the dword at `read_offset` of the other; returns what it has copied.
static uint32_t store_and_see(uint32_t written, uint32_t write_offset, uint32_t read, uint32_t read_offset, uint32_t value) {
  uint32_t seen = new_buffer(), batch = new_buffer();
  volatile uint32_t *result = map(seen), *commands = map(batch);
  const uint64_t read_address = 2 * TARGET_ADDRESS;
  const uint32_t text[] = {MI_STORE_DATA_IMM,
                           (uint32_t)TARGET_ADDRESS + write_offset,
                           0,
                           value,
                           MI_COPY_MEM_MEM,
                           (uint32_t)SEEN_ADDRESS,
                           0,
                           (uint32_t)read_address + read_offset,
                           0,
                           MI_BATCH_BUFFER_END};
  for (unsigned i = 0; i < sizeof text / sizeof *text; i++) commands[i] = text[i];
  struct drm_i915_gem_exec_object2 objects[] = {
      {.handle = written, .offset = TARGET_ADDRESS, .flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_WRITE},
      {.handle = read, .offset = read_address, .flags = EXEC_OBJECT_PINNED},
      {.handle = seen, .offset = SEEN_ADDRESS, .flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_WRITE},
      {.handle = batch, .offset = BATCH_ADDRESS, .flags = EXEC_OBJECT_PINNED}};
  struct drm_i915_gem_execbuffer2 execute = {.buffers_ptr = (uintptr_t)objects,
                                             .buffer_count = sizeof objects / sizeof *objects,
                                             .batch_len = PAGE,
                                             .flags = I915_EXEC_RENDER | I915_EXEC_NO_RELOC};
  check(ioctl(card, DRM_IOCTL_I915_GEM_EXECBUFFER2, &execute) == 0, "GEM_EXECBUFFER2");
  wait_for(seen);
  return *result;
}

// Two buffers over three pages, the middle one in both: what the GPU writes through one it reads through the other, and so does the CPU.
static int userptr(void) {
  char* memory = mmap(0, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  check(memory != MAP_FAILED, "mmap");
  volatile uint32_t* const dwords = (volatile uint32_t*)memory;
  for (unsigned i = 0; i < 3 * PAGE / 4; i++) dwords[i] = i;
  const uint32_t first = over(memory, 2 * PAGE), second = over(memory + PAGE, 2 * PAGE);
  int failed = 0;
  const struct {
    const char* who;
    uint32_t written, offset, read, read_offset, value;
  } rows[] = {{"first to second", first, PAGE + 64, second, 64, 0x11110001},
              {"second to first", second, 128, first, PAGE + 128, 0x22220002}};
  for (unsigned i = 0; i < 2; i++) {
    const uint32_t seen = store_and_see(rows[i].written, rows[i].offset, rows[i].read, rows[i].read_offset, rows[i].value);
    const uint32_t here = dwords[(PAGE + rows[i].offset % PAGE) / 4];
    const int ok = seen == rows[i].value && here == rows[i].value;
    printf("%s: GPU reads %#x, CPU %#x of %#x: %s\n", rows[i].who, seen, here, rows[i].value, ok ? "ok" : "FAILED");
    failed |= !ok;
  }
  dwords[PAGE / 4 + 7] = 0x33330003;  // what the CPU writes, both read
  const int ok = store_and_see(first, 0, second, 28, 1) == 0x33330003 && store_and_see(second, PAGE, first, PAGE + 28, 1) == 0x33330003;
  printf("CPU to both: %s\n", ok ? "ok" : "FAILED");
  return failed || !ok;
}

static int hang(void) {
  struct drm_i915_gem_context_create context = {0};
  check(ioctl(card, DRM_IOCTL_I915_GEM_CONTEXT_CREATE, &context) == 0, "GEM_CONTEXT_CREATE");
  uint32_t target = new_buffer(), batch = new_buffer();
  volatile uint32_t* commands = map(batch);
  if (relocates()) {
    commands[0] = MI_BATCH_BUFFER_START_GEN5;
    submit_relocated(target, batch, I915_EXEC_RENDER, context.ctx_id, 1, batch, 0);
  } else {
    commands[0] = MI_BATCH_BUFFER_START;
    commands[1] = BATCH_ADDRESS;
    commands[2] = 0;
    submit(target, batch, I915_EXEC_RENDER, context.ctx_id);
  }
  wait_for(target);
  struct drm_i915_reset_stats stats = {.ctx_id = context.ctx_id};
  check(ioctl(card, DRM_IOCTL_I915_GET_RESET_STATS, &stats) == 0, "GET_RESET_STATS");
  printf("guilty of %u reset, %u in all\n", stats.batch_active, stats.reset_count);
  return 0;
}

// SKL PRM vol 2a, HUC_IMEM_STATE, HUC_VIRTUAL_ADDR_STATE, HUC_START.
#define HUC_IMEM_STATE (0x7581u << 16 | 3)
#define HUC_VIRTUAL_ADDR_STATE (0x7584u << 16 | 47)
#define HUC_START (0x75a1u << 16)

// The copy kernel of HuC's firmware on `engine`, as IGT's gem_huc_copy uses it: the batch's own page, region 0, to the target, region 14.
static int huc_copies(uint64_t engine) {
  uint32_t target = new_buffer(), batch = new_buffer();
  volatile uint32_t *result = map(target), *commands = map(batch);
  for (unsigned i = 0; i < PAGE / 4; i++) commands[i] = i < 64 ? 0 : i * 0x9e3779b1u;
  commands[0] = HUC_IMEM_STATE;
  commands[4] = 3;
  commands[5] = HUC_VIRTUAL_ADDR_STATE;
  commands[6] = BATCH_ADDRESS;
  commands[6 + 14 * 3] = TARGET_ADDRESS;
  commands[54] = HUC_START;
  commands[55] = 1;
  commands[56] = MI_BATCH_BUFFER_END;
  submit(target, batch, engine, 0);
  wait_for(target);
  int ok = 1;
  for (unsigned i = 0; i < PAGE / 4; i++) ok &= result[i] == commands[i];
  return ok;
}

static int huc(void) {
  const int status = parameter(I915_PARAM_HUC_STATUS);
  // Where there is one video engine, both flags mean it.
  const int ok = huc_copies(I915_EXEC_BSD | I915_EXEC_BSD_RING1) && huc_copies(I915_EXEC_BSD | I915_EXEC_BSD_RING2);
  printf("HuC %d, copy %s\n", status, ok ? "ok" : "FAILED");
  return status != 1 || !ok;
}

int main(int count, char** arguments) {
  card = open("/dev/dri/card0", O_RDWR);
  check(card >= 0, "/dev/dri/card0");
  if (count == 2 && !strcmp(arguments[1], "store")) return store();
  if (count == 3 && !strcmp(arguments[1], "busy")) return busy(atoi(arguments[2]));
  if (count == 2 && !strcmp(arguments[1], "hang")) return hang();
  if (count == 2 && !strcmp(arguments[1], "userptr")) return userptr();
  if (count == 2 && !strcmp(arguments[1], "huc")) return huc();
  fprintf(stderr, "usage: gpu_exec store | busy SECONDS | hang | userptr | huc\n");
  return 2;
}
