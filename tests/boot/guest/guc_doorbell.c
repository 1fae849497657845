// SPDX-License-Identifier: GPL-2.0-or-later
// guc_doorbell [ROUNDS]: a small driver of Kaby Lake's GuC with firmware 9's interface, for a guest without i915. It starts a firmware that is a header over nothing
// (the device executes none), makes a client with a doorbell and a work queue, and rings for batches that store a dword (Linux 4.19 i915 intel_guc*.c; TGL
// PRM vol 13, "GPU Doorbells"). Runs as root.
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define DEVICE "/sys/bus/pci/devices/0000:00:02.0/"
#define PAGE 4096u
#define GGTT_AT 0x2000000u  // graphics address of our pages
#define ALL_PAGES 90u
#define STAGE_BYTES 274u

enum { FIRMWARE, ADS, LOG, SHARED, CLIENT, QUEUE, IMAGE = QUEUE + 2, RING = IMAGE + 2, BATCH, RESULT, STATUS, POOL };

static volatile uint8_t* registers;
static uint8_t* memory;
static uint64_t physical[ALL_PAGES];

static void check(int ok, const char* what) {
  if (ok) return;
  fprintf(stderr, "%s (%s)\n", what, strerror(errno));
  exit(1);
}

static uint32_t get(uint32_t offset) { return *(volatile uint32_t*)(registers + offset); }
static void set(uint32_t offset, uint32_t value) { *(volatile uint32_t*)(registers + offset) = value; }
static volatile uint32_t* page(unsigned number) { return (volatile uint32_t*)(memory + number * PAGE); }
static uint32_t address(unsigned number) { return GGTT_AT + number * PAGE; }

static void open_device(void) {
  int enable = open(DEVICE "enable", O_WRONLY);
  check(enable >= 0 && write(enable, "1", 1) == 1, "enable");
  int config = open(DEVICE "config", O_RDWR);
  uint16_t command = 0;
  check(config >= 0 && pread(config, &command, 2, 4) == 2, "config");
  command |= 1 << 1 | 1 << 2;  // memory, bus master
  check(pwrite(config, &command, 2, 4) == 2, "config");
  int bar = open(DEVICE "resource0", O_RDWR | O_SYNC);
  registers = mmap(0, 16 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, bar, 0);
  check(registers != MAP_FAILED, "resource0");
}

// Pages of our own that stay where they are, and their places in the GGTT (8 bytes an entry, in the upper half of the BAR).
static void map_memory(void) {
  memory = mmap(0, ALL_PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_LOCKED | MAP_POPULATE, -1, 0);
  check(memory != MAP_FAILED, "memory");
  memset(memory, 0, ALL_PAGES * PAGE);
  int map = open("/proc/self/pagemap", O_RDONLY);
  for (unsigned i = 0; i < ALL_PAGES; i++) {
    uint64_t entry = 0;
    check(pread(map, &entry, 8, (off_t)(((uintptr_t)memory / PAGE + i) * 8)) == 8, "pagemap");
    physical[i] = (entry & ((1ull << 55) - 1)) * PAGE;
    check(physical[i] != 0, "no frame numbers");
    *(volatile uint64_t*)(registers + (8 << 20) + 8ull * (GGTT_AT / PAGE + i)) = physical[i] | 1;
  }
}

// intel_uc_init_hw(), intel_guc_init_params(), guc_xfer_ucode()
static void start_firmware(void) {
  static const uint32_t header[] = {6, 161, 0x10000, 0, 0x8086, 0, 161 + 256, 64, 64, 1, 0, 0, 0, 0, 0, 0, 0, 9 << 16 | 39};
  for (unsigned i = 0; i < sizeof header / 4; i++) page(FIRMWARE)[i] = header[i];
  set(0xc050, 0x80000);  // GUC_WOPCM_SIZE
  set(0xc340, 0x60000);  // DMA_GUC_WOPCM_OFFSET
  set(0x941c, 1 << 5);   // GDRST
  const uint32_t parameters[14] = {address(POOL) | 1024 / 16,         0, 100000000, 12 << 7, address(LOG) | 1, 0, 1 << 3, 1 << 1,
                                   address(ADS) / PAGE << 11 | 1 << 9};
  set(0xc180, 0);
  for (unsigned i = 0; i < 14; i++) set(0xc184 + 4 * i, parameters[i]);
  for (unsigned i = 0; i < 64; i++) set(0xc200 + 4 * i, 0x1234);
  set(0xc300, address(FIRMWARE));
  set(0xc304, 0);
  set(0xc308, 0x2000);
  set(0xc30c, 7 << 16);
  set(0xc310, 128 + 256 * 4);
  set(0xc314, (1 << 4 | 1) << 16 | 1 << 4 | 1);
  check((get(0xc000) >> 8 & 0xff) == 0xf0, "the firmware does not start");
}

// intel_guc_send_mmio()
static int send_message(uint32_t action, uint32_t argument) {
  set(0xc180, action);
  set(0xc184, argument);
  set(0xc4c8, 1);
  for (unsigned tries = 0; tries < 10000; tries++) {
    uint32_t answer = get(0xc180);
    if (answer >> 28 == 0xf) return answer == 0xf0000000;
    usleep(10);
  }
  return 0;
}

// A context of the copy engine's: gen9_xcs_offsets of intel_lrc.c. Its ring and its batches are in the GGTT.
static void make_context(void) {
  static const uint16_t first[] = {0x244, 0x34, 0x30, 0x38, 0x3c, 0x168, 0x140, 0x110, 0x11c, 0x114, 0x118, 0x1c0, 0x1c4, 0x1c8};
  static const uint16_t second[] = {0x3a8, 0x28c, 0x288, 0x284, 0x280, 0x27c, 0x278, 0x274, 0x270};
  volatile uint32_t* state = page(IMAGE + 1);
  state[1] = 0x22 << 23 | 1 << 12 | 27;
  for (unsigned i = 0; i < 14; i++) state[2 + 2 * i] = 0x22000 + first[i];
  state[0x21] = 0x22 << 23 | 1 << 12 | 17;
  for (unsigned i = 0; i < 9; i++) state[0x22 + 2 * i] = 0x22000 + second[i];
  state[0x41] = 0x22 << 23 | 1;
  state[0x42] = 0x22200;
  state[3] = 0x90009;  // restore inhibit
  state[9] = address(RING);
  state[11] = 1;  // one page, valid
  set(0x22080, address(STATUS));
  set(0x2229c, 0x80008000);  // execlists
  set(0x2209c, 1 << 8 << 16);
}

struct client {
  uint32_t id, bell, line;  // the line's offset in the client's page
  uint32_t queue_tail, ring_tail;
};

static void put(uint32_t offset, uint64_t value, unsigned bytes) { memcpy(memory + POOL * PAGE + offset, &value, bytes); }

// guc_stage_desc_init(), guc_proc_desc_init(), create_doorbell()
static void make_client(struct client* client) {
  const uint32_t at = client->id * STAGE_BYTES, process = client->line < PAGE / 2 ? PAGE / 2 : 0;
  memset((void*)page(CLIENT), 0, PAGE);
  put(at + 4, client->id, 4);
  put(at + 12, 0x1f, 1);
  put(at + 25, physical[CLIENT] + client->line, 8);
  put(at + 33, client->bell, 2);
  put(at + 225, 1 | 1 << 2, 1);
  put(at + 226, 2, 4);
  put(at + 238, address(CLIENT) + process, 4);
  put(at + 242, address(QUEUE), 4);
  put(at + 246, 2 * PAGE, 4);
  page(CLIENT)[process / 4] = client->id;
  page(CLIENT)[process / 4 + 8] = 2 * PAGE;
  page(CLIENT)[process / 4 + 9] = 1;  // active
  page(CLIENT)[process / 4 + 11] = 2;
  client->queue_tail = 0;
  page(CLIENT)[client->line / 4 + 1] = 0;
  page(CLIENT)[client->line / 4] = 1;
  check(send_message(0x10, client->id), "no doorbell");
  for (unsigned bell = 0; bell < 256; bell++) check((get(0x1000 + 8 * bell) & 1) == (bell == client->bell), "wrong doorbells are valid");
}

// TGL PRM vol 13, "Application Flow"
static void ring(const struct client* client) {
  uint64_t* line = (uint64_t*)(memory + CLIENT * PAGE + client->line);
  for (;;) {
    uint64_t seen = *(volatile uint64_t*)line;
    check(seen & 1, "the doorbell is lost");
    uint32_t next = (uint32_t)(seen >> 32) + 1;
    if (__sync_bool_compare_and_swap(line, seen, 1 | (uint64_t)(next ? next : 1) << 32)) return;
  }
}

// A batch that stores `value`, by the ring, the queue and the doorbell; nothing of the device is read while we wait.
static void store_by_doorbell(struct client* client, uint32_t value) {
  const uint32_t process = client->line < PAGE / 2 ? PAGE / 2 : 0;
  const uint32_t batch[] = {0x20 << 23 | 1 << 22 | 2, address(RESULT), 0, value, 0x0a << 23, 0};
  for (unsigned i = 0; i < 6; i++) page(BATCH)[i] = batch[i];
  const uint32_t commands[] = {0x31 << 23 | 1, address(BATCH), 0, 0};
  for (unsigned i = 0; i < 4; i++) page(RING)[(client->ring_tail / 4 + i) % (PAGE / 4)] = commands[i];
  client->ring_tail = (client->ring_tail + 16) % PAGE;
  const uint32_t item[] = {3 | 2 << 10 | 3 << 16 | 1 << 27, address(IMAGE) | 1, client->ring_tail / 8 << 20, value};
  for (unsigned i = 0; i < 4; i++) page(QUEUE)[client->queue_tail / 4 + i] = item[i];
  client->queue_tail = (client->queue_tail + 16) % (2 * PAGE);
  __sync_synchronize();
  page(CLIENT)[process / 4 + 4] = client->queue_tail;
  ring(client);
  for (unsigned tries = 0; tries < 100000 && *page(RESULT) != value; tries++) usleep(100);
  check(*page(RESULT) == value, "the batch did not store its value");
  check(page(CLIENT)[process / 4 + 3] == client->queue_tail, "the queue's head did not follow");
  check(page(CLIENT)[process / 4 + 9] == 1, "the queue has an error");
}

// __destroy_doorbell()
static void remove_doorbell(const struct client* client) {
  page(CLIENT)[client->line / 4] = 0;
  check(!(get(0x1000 + 8 * client->bell) & 1), "the doorbell stays valid");
  check(send_message(0x20, client->id), "the doorbell is not freed");
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int count, char** arguments) {
  const unsigned rounds = count > 1 ? (unsigned)atoi(arguments[1]) : 3;
  open_device();
  set(0xa188, 0x10001);  // forcewake: blitter
  map_memory();
  start_firmware();
  make_context();
  unsigned rings = 0;
  struct client client = {.id = 0};
  const double begin = seconds();
  for (unsigned round = 0; round < rounds; round++) {
    client.bell = round * 120 % 256;
    client.line = client.bell % 64 * 64;
    make_client(&client);
    for (unsigned i = 0; i < 300; i++, rings++) {
      if (i == 10) page(CLIENT)[client.line / 4 + 1] = 0xffffffff;  // the next one rolls over; this one rings for nothing
      store_by_doorbell(&client, 0xd00b0000 + rings);
      if (rings == 0) puts("rings"), fflush(stdout);
    }
    remove_doorbell(&client);
  }
  printf("ok: %u rings, %.0f us each\n", rings, (seconds() - begin) / rings * 1e6);
  return 0;
}
