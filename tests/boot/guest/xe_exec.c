// SPDX-License-Identifier: GPL-2.0-or-later
// xe_exec: batches through xe's own interface on each engine, checked by what they leave in memory: what IGT's xe_exec_basic does (bind, exec with a user
// fence, rebind, userptr). The structures are those of Linux 6.12's include/uapi/drm/xe_drm.h; libdrm of Debian 12 has none.
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

struct query {
  uint64_t extensions;
  uint32_t query, size;
  uint64_t data, reserved[2];
};
struct create {
  uint64_t extensions, size;
  uint32_t placement, flags, vm, handle;
  uint16_t caching, pad[3];
  uint64_t reserved[2];
};
struct mmap_offset {
  uint64_t extensions;
  uint32_t handle, flags;
  uint64_t offset, reserved[2];
};
struct vm_create {
  uint64_t extensions;
  uint32_t flags, vm;
  uint64_t reserved[2];
};
struct vm_destroy {
  uint32_t vm, pad;
  uint64_t reserved[2];
};
struct bind_op {
  uint64_t extensions;
  uint32_t handle;
  uint16_t pat, pad;
  uint64_t offset, range, address;
  uint32_t op, flags, region, pad2;
  uint64_t reserved[3];
};
struct bind {
  uint64_t extensions;
  uint32_t vm, queue, pad, count;
  struct bind_op op;
  uint32_t pad2, syncs_count;
  uint64_t syncs, reserved[2];
};
struct engine {
  uint16_t class, instance, gt, pad;
  uint64_t reserved[3];
};
struct instance {
  uint16_t class, instance, gt, pad;
};
struct queue_create {
  uint64_t extensions;
  uint16_t width, placements;
  uint32_t vm, flags, queue;
  uint64_t instances, reserved[2];
};
struct queue_destroy {
  uint32_t queue, pad;
  uint64_t reserved[2];
};
struct sync {
  uint64_t extensions;
  uint32_t type, flags;
  uint64_t address, value, reserved[2];
};
struct exec {
  uint64_t extensions;
  uint32_t queue, syncs_count;
  uint64_t syncs, address;
  uint16_t batches, pad[3];
  uint64_t reserved[2];
};
struct wait_fence {
  uint64_t extensions, address;
  uint16_t op, flags;
  uint32_t pad;
  uint64_t value, mask;
  int64_t timeout;
  uint32_t queue, pad2;
  uint64_t reserved[2];
};

#define XE(direction, number, type) _IOC(direction, 'd', 0x40 + (number), sizeof(type))
#define QUERY XE(_IOC_READ | _IOC_WRITE, 0, struct query)
#define GEM_CREATE XE(_IOC_READ | _IOC_WRITE, 1, struct create)
#define MMAP_OFFSET XE(_IOC_READ | _IOC_WRITE, 2, struct mmap_offset)
#define VM_CREATE XE(_IOC_READ | _IOC_WRITE, 3, struct vm_create)
#define VM_DESTROY XE(_IOC_WRITE, 4, struct vm_destroy)
#define VM_BIND XE(_IOC_WRITE, 5, struct bind)
#define QUEUE_CREATE XE(_IOC_READ | _IOC_WRITE, 6, struct queue_create)
#define QUEUE_DESTROY XE(_IOC_WRITE, 7, struct queue_destroy)
#define EXEC XE(_IOC_WRITE, 9, struct exec)
#define WAIT_FENCE XE(_IOC_READ | _IOC_WRITE, 10, struct wait_fence)

enum { query_engines = 0, system_memory = 1, caching_wb = 1, pat_wb = 0, user_fence = 2, signals = 1 };
enum { op_map = 0, op_unmap = 1, op_map_userptr = 2 };

// SKL PRM vol 2a: MI_STORE_DATA_IMM (one dword), MI_BATCH_BUFFER_START (PPGTT), MI_BATCH_BUFFER_END.
#define MI_STORE_DATA_IMM (0x20u << 23 | 2)
#define MI_BATCH_BUFFER_START (0x31u << 23 | 1 << 8 | 1)
#define MI_BATCH_BUFFER_END (0x0au << 23)
#define ADDRESS 0x1a0000ull
#define FENCE 0xdeadbeefdeadbeefull
#define WAIT_NS (60ll * 1000 * 1000 * 1000)
#define BYTES (64 << 10)
#define BATCHES 8

// In the buffer: a batch, what it stores and its fence, BATCHES times; then the fence of bindings.
struct slot {
  uint32_t batch[16], stored, pad;
  uint64_t fence;
};
struct data {
  struct slot slots[BATCHES];
  uint64_t bound;
};

static const char* const class_names[] = {"rcs", "bcs", "vcs", "vecs", "ccs"};
static int card;

static void check(int ok, const char* what) {
  if (ok) return;
  fprintf(stderr, "%s: %s\n", what, strerror(errno));
  exit(1);
}

static void wait_for(volatile uint64_t* fence, uint32_t queue, const char* what) {
  struct wait_fence wait = {.address = (uintptr_t)fence, .value = FENCE, .mask = ~0ull, .timeout = WAIT_NS, .queue = queue};
  check(ioctl(card, WAIT_FENCE, &wait) == 0, what);
}

static void bind(uint32_t vm, uint32_t op, uint32_t handle, uint64_t memory, volatile uint64_t* bound) {
  struct sync sync = {.type = user_fence, .flags = signals, .address = (uintptr_t)bound, .value = FENCE};
  struct bind request = {.vm = vm, .count = 1, .syncs_count = 1, .syncs = (uintptr_t)&sync};
  request.op = (struct bind_op){.handle = handle, .pat = pat_wb, .offset = memory, .range = BYTES, .address = ADDRESS, .op = op};
  *bound = 0;
  check(ioctl(card, VM_BIND, &request) == 0, "VM_BIND");
  wait_for(bound, 0, "the fence of a binding");
}

// Batches that store, all submitted before the first is waited for. Returns how many did.
static int run(uint32_t queue, volatile struct data* data) {
  int stored = 0;
  for (int i = 0; i < BATCHES; i++) {
    volatile struct slot* slot = &data->slots[i];
    const uint64_t at = ADDRESS + i * sizeof *slot;
    const uint32_t text[] = {MI_STORE_DATA_IMM, (uint32_t)(at + offsetof(struct slot, stored)), 0, 0xc0ffee00u + i, MI_BATCH_BUFFER_END};
    for (unsigned j = 0; j < sizeof text / sizeof *text; j++) slot->batch[j] = text[j];
    slot->stored = 0;
    slot->fence = 0;
    struct sync sync = {.type = user_fence, .flags = signals, .address = at + offsetof(struct slot, fence), .value = FENCE};
    struct exec exec = {.queue = queue, .syncs_count = 1, .syncs = (uintptr_t)&sync, .address = at, .batches = 1};
    check(ioctl(card, EXEC, &exec) == 0, "EXEC");
  }
  for (int i = 0; i < BATCHES; i++) {
    wait_for((volatile uint64_t*)&data->slots[i].fence, queue, "the fence of a batch");
    stored += data->slots[i].stored == 0xc0ffee00u + i;
  }
  return stored;
}

// An engine's queue in an address space of its own, and a buffer that is bound nowhere yet.
struct client {
  uint32_t vm, queue, handle;
  struct data* data;
};

static struct client client_of(const struct engine* engine) {
  struct vm_create vm = {0};
  check(ioctl(card, VM_CREATE, &vm) == 0, "VM_CREATE");
  struct instance instance = {engine->class, engine->instance, engine->gt, 0};
  struct queue_create queue = {.width = 1, .placements = 1, .vm = vm.vm, .instances = (uintptr_t)&instance};
  check(ioctl(card, QUEUE_CREATE, &queue) == 0, "QUEUE_CREATE");
  struct create create = {.size = BYTES, .placement = system_memory, .caching = caching_wb};
  check(ioctl(card, GEM_CREATE, &create) == 0, "GEM_CREATE");
  struct mmap_offset offset = {.handle = create.handle};
  check(ioctl(card, MMAP_OFFSET, &offset) == 0, "MMAP_OFFSET");
  struct data* data = mmap(0, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, card, (off_t)offset.offset);
  check(data != MAP_FAILED, "mmap");
  return (struct client){vm.vm, queue.queue, create.handle, data};
}

static void end(const struct client* client) {
  struct queue_destroy end_queue = {.queue = client->queue};
  check(ioctl(card, QUEUE_DESTROY, &end_queue) == 0, "QUEUE_DESTROY");
  struct vm_destroy end_vm = {.vm = client->vm};
  check(ioctl(card, VM_DESTROY, &end_vm) == 0, "VM_DESTROY");
  munmap(client->data, BYTES);
}

static uint64_t bound;

static int engine_stores(const struct engine* engine) {
  const struct client client = client_of(engine);
  struct data* own = mmap(0, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  check(own != MAP_FAILED, "mmap");
  int stored = 0;
  for (int turn = 0; turn < 2; turn++) {  // the same addresses name this buffer, then that one
    bind(client.vm, op_map, client.handle, 0, &bound);
    stored += run(client.queue, client.data);
    bind(client.vm, op_unmap, 0, 0, &bound);
    bind(client.vm, op_map_userptr, 0, (uintptr_t)own, &bound);
    stored += run(client.queue, own);
    bind(client.vm, op_unmap, 0, 0, &bound);
  }
  end(&client);
  munmap(own, BYTES);
  return stored == 4 * BATCHES;
}

// A batch that jumps to itself: xe ends its queue once the job's time is over (job_timeout_ms), and neither its fence nor another batch comes after it.
static int hang_is_ended(const struct engine* engine) {
  const struct client client = client_of(engine);
  bind(client.vm, op_map, client.handle, 0, &bound);
  volatile struct slot* slot = &client.data->slots[0];
  const uint32_t text[] = {MI_BATCH_BUFFER_START, ADDRESS, 0};
  for (unsigned j = 0; j < sizeof text / sizeof *text; j++) slot->batch[j] = text[j];
  struct sync sync = {.type = user_fence, .flags = signals, .address = ADDRESS + offsetof(struct slot, fence), .value = FENCE};
  struct exec exec = {.queue = client.queue, .syncs_count = 1, .syncs = (uintptr_t)&sync, .address = ADDRESS, .batches = 1};
  check(ioctl(card, EXEC, &exec) == 0, "EXEC");
  struct wait_fence wait = {.address = (uintptr_t)&slot->fence, .value = FENCE, .mask = ~0ull, .timeout = WAIT_NS, .queue = client.queue};
  const int waited = ioctl(card, WAIT_FENCE, &wait), why = errno;
  const int again = ioctl(card, EXEC, &exec);
  if (waited == 0 || why != EIO) fprintf(stderr, "the wait ended with %d: %s\n", waited, strerror(why));
  if (again == 0) fprintf(stderr, "another batch is accepted\n");
  end(&client);
  return waited < 0 && why == EIO && again < 0;
}

// xe_exec [hang]
int main(int argc, char** argv) {
  static struct {
    uint32_t count, pad;
    struct engine engines[64];
  } answer;
  int (*const test)(const struct engine*) = argc > 1 && !strcmp(argv[1], "hang") ? hang_is_ended : engine_stores;
  int failed = 0;
  card = open("/dev/dri/renderD128", O_RDWR);
  check(card >= 0, "/dev/dri/renderD128");
  struct query query = {.query = query_engines};
  check(ioctl(card, QUERY, &query) == 0 && query.size <= sizeof answer, "QUERY");
  query.data = (uintptr_t)&answer;
  check(ioctl(card, QUERY, &query) == 0, "QUERY");
  for (uint32_t i = 0; i < answer.count; i++) {
    const struct engine* engine = &answer.engines[i];
    const int ok = engine->class < sizeof class_names / sizeof *class_names && test(engine);
    printf("%s%u %s\n", class_names[engine->class % 5], engine->instance, ok ? "ok" : "FAILED");
    failed |= !ok;
  }
  return failed;
}
