// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness.h"
#include "programs.h"

#define OVERRIDE "/sys/bus/pci/devices/0000:00:02.0/driver_override"

void tell(const char* format, ...) {
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  if (length > (int)sizeof line - 1) length = sizeof line - 1;
  outsb(HARNESS_BASE + HARNESS_DATA, line, (size_t)length);
}

static void done(int status) {
  outl((uint32_t)status, HARNESS_BASE + HARNESS_STATUS);
  outl(HARNESS_DONE, HARNESS_BASE + HARNESS_COMMAND);
  // A restored machine never comes here.
  for (;;) pause();
}

// The next input. The machine stops here, is snapshot, and goes on with an input each time that it is restored.
static size_t take_input(uint8_t* bytes) {
  outl(HARNESS_READY, HARNESS_BASE + HARNESS_COMMAND);
  uint32_t length;
  while ((length = inl(HARNESS_BASE + HARNESS_LENGTH)) == 0) usleep(1000);
  if (length > HARNESS_MAX_BYTES) length = HARNESS_MAX_BYTES;
  insl(HARNESS_BASE + HARNESS_DATA, bytes, (length + 3) / 4);
  return length;
}

static int load_file(const char* path, const char* parameters) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno;
  int failed = syscall(SYS_finit_module, file, parameters, 0) ? errno : 0;
  close(file);
  return failed;
}

int load_i915(void) {
  const char* parameters = getenv("FUZZ_I915");
  return load_file("/modules/i915.ko", parameters ? parameters : "");
}

static void load_modules(void) {
  FILE* list = fopen("/modules.load", "r");
  char name[128], path[160];
  while (list && fscanf(list, "%127s", name) == 1) {
    snprintf(path, sizeof path, "/modules/%s", name);
    int failed = load_file(path, "");
    if (failed) tell("%s: %s\n", name, strerror(failed));
  }
  if (list) fclose(list);
}

static int open_device(const char* prefix, int first) {
  char path[64];
  for (int i = first; i < first + 4; i++) {
    snprintf(path, sizeof path, "/dev/dri/%s%d", prefix, i);
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file >= 0) return file;
  }
  return -1;
}

int open_card(void) { return open_device("card", 0); }
int open_render(void) { return open_device("renderD", 128); }

long read_all(const char* path) {
  static char piece[65536];
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return -errno;
  long total = 0, count;
  while ((count = read(file, piece, sizeof piece)) > 0 && (total += count) < 16 << 20) continue;
  int failed = errno;
  close(file);
  return count < 0 ? -failed : total;
}

int write_text(const char* path, const char* text) {
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return errno;
  int failed = write(file, text, strlen(text)) < 0 ? errno : 0;
  close(file);
  return failed;
}

static void mount_all(void) {
  const char* const kinds[][2] = {{"proc", "/proc"}, {"sysfs", "/sys"}, {"devtmpfs", "/dev"}, {"debugfs", "/sys/kernel/debug"}, {"tmpfs", "/tmp"}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    mkdir(kinds[i][1], 0755);
    if (mount(kinds[i][0], kinds[i][1], kinds[i][0], 0, "")) perror(kinds[i][1]);
  }
}

// Inputs are a letter and what it announces: w: a workload's name; p: a program; s: where to begin in the symbols. A zero byte follows them.
static int run_input(const uint8_t* bytes, size_t size) {
  if (size > 1 && bytes[0] == 's') return tell_symbols((const char*)bytes + 1);
  if (size > 1 && bytes[0] == 'p') return run_program(bytes + 1, size - 1);
  for (const Workload* workload = workloads; size > 1 && bytes[0] == 'w' && workload->name; workload++)
    if (strlen(workload->name) == size - 1 && memcmp(workload->name, bytes + 1, size - 1) == 0) return workload->run();
  tell("the agent knows no such input\n");
  return -1;
}

// Does the agent only what a node needs: the environment variable FUZZ_NODE, from the kernel's command line.
static void reach(const char* node) {
  load_modules();
  // The module is loaded without its device: to load it takes a hundred times as long as to probe the device.
  const int only_load = strcmp(node, "probe") == 0;
  if (only_load) write_text(OVERRIDE, "none");
  int failed = load_i915();
  if (failed) tell("i915: %s\n", strerror(failed));
  if (only_load || strcmp(node, "modeset") == 0) return;
  // Once, so that what is made at the first use is there.
  run_submit();
  prepare_programs();
}

int main(void) {
  static uint8_t input[HARNESS_MAX_BYTES + 4];
  mount_all();
  if (iopl(3)) perror("iopl");
  // The console's warnings are what the fuzzer looks for.
  write_text("/proc/sys/kernel/printk_ratelimit", "0");
  write_text("/proc/sys/kernel/hung_task_timeout_secs", "30");
  const char* node = getenv("FUZZ_NODE");
  reach(node ? node : "submit");
  // The fuzzer sends an NMI when the work does not end: the panic tells where the kernel is.
  write_text("/proc/sys/kernel/unknown_nmi_panic", "1");
  // Loops without end are seen in 10 s of guest time; i915 has some of 3 s.
  write_text("/proc/sys/kernel/watchdog_thresh", "5");
  size_t size = take_input(input);
  done(run_input(input, size));
}
