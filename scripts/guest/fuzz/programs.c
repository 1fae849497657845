// SPDX-License-Identifier: GPL-2.0-or-later
// The interpreter of programs. It knows no call by name: a call is its number, arguments, bytes of memory, and patches that carry results on.
#define _GNU_SOURCE
#include "programs.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "agent.h"

#define MAX_CALLS 64
#define SLOTS 256
#define NO_SLOT 255
#define UNSET UINT64_MAX
#define MAX_ARGUMENTS 6
// Memory of all calls of a program; each has its own piece, since the kernel may write to it later.
#define ARENA_SIZE (1u << 20)
// Far below where the kernel puts mappings: a program that goes beyond one of its own does not reach it.
#define ARENA_PLACE ((void*)0x1c350000)
// The lowest descriptor that a program's calls can get, and the first that they cannot.
#define FIRST_FILE 3
#define LAST_FILE 799
// A program that waits for longer is interrupted, again and again until it ends.
#define BUDGET_SECONDS 2
#define INTERRUPT_US 200000
// What is still to be done by the kernel's workers when the files are closed.
#define SETTLE_US 1000

enum { OPERATION_CALL = 1, OPERATION_STORE, OPERATION_LOAD };
enum { ARGUMENT_NUMBER, ARGUMENT_SLOT, ARGUMENT_POINTER, ARGUMENT_SLOT_SIZE };
enum { PATCH_IN, PATCH_OUT, PATCH_ADDRESS };

typedef struct {
  const uint8_t *at, *end;
  int bad;
} Reader;

static uint64_t slots[SLOTS];
static uint32_t sizes[SLOTS];  // of the mapping that a slot has
static uint8_t* arena;
static size_t arena_used;
static volatile sig_atomic_t late;
static sigjmp_buf fault_return;
static volatile sig_atomic_t fault_expected;

static uint64_t take(Reader* reader, size_t bytes) {
  uint64_t value = 0;
  if ((size_t)(reader->end - reader->at) < bytes) {
    reader->bad = 1;
    reader->at = reader->end;
    return 0;
  }
  memcpy(&value, reader->at, bytes);
  reader->at += bytes;
  return value;
}

static const uint8_t* take_bytes(Reader* reader, size_t bytes) {
  const uint8_t* at = reader->at;
  if ((size_t)(reader->end - at) < bytes) {
    reader->bad = 1;
    return 0;
  }
  reader->at += bytes;
  return at;
}

static void on_fault(int number) {
  if (fault_expected) siglongjmp(fault_return, number);
  tell("the agent itself faults\n");
  signal(number, SIG_DFL);
}

static void on_alarm(int number) {
  (void)number;
  late = 1;
}

typedef struct {
  uint32_t kind, width, offset, target, number;
} Patch;

static Patch take_patch(Reader* reader) {
  Patch patch = {0};
  const uint32_t head = take(reader, 1);
  patch.kind = head & 15;
  patch.width = 1u << (head >> 4 & 3);
  patch.offset = take(reader, 2);
  patch.target = take(reader, 2);
  if (patch.kind != PATCH_ADDRESS) patch.number = take(reader, 4);
  return patch;
}

static void write_patch(const Patch* patch, uint8_t* memory) {
  uint64_t value = (uintptr_t)memory + patch->target;
  if (patch->kind == PATCH_OUT) return;
  if (patch->kind == PATCH_IN) {
    value = slots[patch->target % SLOTS];
    if (value != UNSET) value += patch->number;
  }
  memcpy(memory + patch->offset, &value, patch->width);
}

static void read_patch(const Patch* patch, const uint8_t* memory) {
  if (patch->kind != PATCH_OUT) return;
  uint64_t value = 0;
  memcpy(&value, memory + patch->offset, patch->width);
  slots[patch->target % SLOTS] = value;
  sizes[patch->target % SLOTS] = patch->number;
}

static uint64_t take_argument(Reader* reader, const uint8_t* memory) {
  const uint32_t kind = take(reader, 1);
  switch (kind) {
    case ARGUMENT_NUMBER: return take(reader, 8);
    case ARGUMENT_SLOT: return slots[take(reader, 1)];
    case ARGUMENT_POINTER: return (uintptr_t)memory + take(reader, 2);
    case ARGUMENT_SLOT_SIZE: return sizes[take(reader, 1)];
  }
  reader->bad = 1;
  return 0;
}

// One system call. Its errno, or -1 when it is malformed.
static int call(Reader* reader) {
  static Patch patches[256];
  uint64_t arguments[MAX_ARGUMENTS] = {0};
  const long number = take(reader, 2);
  const uint32_t result = take(reader, 1), result_size = take(reader, 4), count = take(reader, 1);
  const size_t size = take(reader, 2), stored = take(reader, 2), patch_count = take(reader, 1);
  uint8_t* memory = arena + arena_used;
  if (count > MAX_ARGUMENTS || stored > size || arena_used + size + 8 > ARENA_SIZE) return -1;
  arena_used += (size + 15) & ~15ull;
  for (uint32_t i = 0; i < count; i++) arguments[i] = take_argument(reader, memory);
  for (size_t i = 0; i < patch_count; i++) {
    patches[i] = take_patch(reader);
    if (patches[i].offset + patches[i].width > size || patches[i].target > 0xffff) reader->bad = 1;
  }
  const uint8_t* bytes = take_bytes(reader, stored);
  if (reader->bad) return -1;
  memset(memory, 0, size);
  memcpy(memory, bytes, stored);
  for (size_t i = 0; i < patch_count; i++) write_patch(&patches[i], memory);
  errno = 0;
  const long value = syscall(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
  if (value == -1) return errno;
  for (size_t i = 0; i < patch_count; i++) read_patch(&patches[i], memory);
  if (result != NO_SLOT) {
    slots[result] = (uint64_t)value;
    sizes[result] = result_size;
  }
  return 0;
}

// Writes `bytes`, or reads where there are none. EFAULT where there is no memory.
static int touch(volatile uint8_t* at, const uint8_t* bytes, uint32_t length) {
  fault_expected = 1;
  if (sigsetjmp(fault_return, 1)) {
    fault_expected = 0;
    return EFAULT;
  }
  for (uint32_t i = 0; i < length; i++)
    if (bytes)
      at[i] = bytes[i];
    else
      (void)at[i];
  fault_expected = 0;
  return 0;
}

static int reach(Reader* reader, int store) {
  const uint32_t slot = take(reader, 1), offset = take(reader, 4), length = take(reader, 2);
  const uint8_t* bytes = store ? take_bytes(reader, length) : 0;
  if (reader->bad) return -1;
  if (slots[slot] == UNSET || (uint64_t)offset + length > sizes[slot]) return ENXIO;
  return touch((volatile uint8_t*)(uintptr_t)(slots[slot] + offset), bytes, length);
}

static int step(Reader* reader) {
  const uint32_t operation = take(reader, 1);
  if (operation == OPERATION_CALL) return call(reader);
  if (operation == OPERATION_STORE || operation == OPERATION_LOAD) return reach(reader, operation == OPERATION_STORE);
  return -1;
}

static void set_alarm(unsigned seconds) {
  const struct itimerval time = {{0, seconds ? INTERRUPT_US : 0}, {seconds, 0}};
  setitimer(ITIMER_REAL, &time, 0);
}

#define HASTENED_HEARTBEAT "100"  // ms

// Shorter time-outs than Linux's 2.5 s and 640 ms: a batch without end costs the host time for as long as it runs.
static void hasten_hangs(void) {
  static const char* const engines[] = {"rcs0", "bcs0", "vcs0", "vcs1", "vcs2", "vecs0"};
  static const char* const settings[][2] = {{"heartbeat_interval_ms", HASTENED_HEARTBEAT}, {"preempt_timeout_ms", "20"}, {"stop_timeout_ms", "10"}};
  for (size_t i = 0; i < sizeof engines / sizeof *engines; i++)
    for (size_t j = 0; j < sizeof settings / sizeof *settings; j++) {
      char path[96];
      snprintf(path, sizeof path, "/sys/class/drm/card0/engine/%s/%s", engines[i], settings[j][0]);
      write_text(path, settings[j][1]);
    }
}

int hangs_are_hastened(void) {
  char text[8] = "";
  int file = open("/sys/class/drm/card0/engine/rcs0/heartbeat_interval_ms", O_RDONLY);
  if (file < 0) return 0;
  ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  return length > 0 && atoi(text) == atoi(HASTENED_HEARTBEAT);
}

void prepare_programs(void) {
  hasten_hangs();
  struct sigaction alarm = {.sa_handler = on_alarm}, fault = {.sa_handler = on_fault};
  arena = mmap(ARENA_PLACE, ARENA_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  sigaction(SIGALRM, &alarm, 0);
  sigaction(SIGSEGV, &fault, 0);
  sigaction(SIGBUS, &fault, 0);
  prepare_isolation();
}

int run_program(const uint8_t* bytes, size_t size) {
  Reader reader = {bytes, bytes + size, 0};
  const int head = (int)take(&reader, 2) == ('P' | '1' << 8);
  const uint32_t count = take(&reader, 1);
  take(&reader, 1);
  if (!head || count > MAX_CALLS) return PROGRAM_MALFORMED;
  for (uint32_t i = 0; i < SLOTS; i++) slots[i] = UNSET, sizes[i] = 0;
  arena_used = 0;
  set_alarm(BUDGET_SECONDS);
  int status = 0;
  for (uint32_t i = 0; i < count && !status; i++) {
    if (late) {
      tell("- ");
      continue;
    }
    const int failed = step(&reader);
    if (failed < 0) status = PROGRAM_MALFORMED;
    tell("%d ", failed);
  }
  close_range(FIRST_FILE, LAST_FILE, 0);
  set_alarm(0);
  usleep(SETTLE_US);
  if (!isolation_holds()) status |= PROGRAM_BROKEN_ISOLATION;
  return status;
}
