/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * i915's performance interface through descriptors and files: adds a metric set, finds its id in sysfs, opens a stream, polls and reads it, also through
 * duplicates of its descriptor. A failed step ends the program.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <i915_drm.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char uuid[] = "cd4b577b-073a-423f-a948-e198dd818c71";
static char* const volatile nowhere = (char*)16; /* volatile: so that the compiler does not know it */
enum { report_bytes = 256, record_bytes = 8 + report_bytes };

static void require(int good, const char* what) {
  if (good) { return; }
  fprintf(stderr, "perf_stream: %s: %s\n", what, strerror(errno));
  exit(1);
}

static long number_in(const char* path) {
  char text[32] = "";
  int file = open(path, O_RDONLY);
  if (file < 0) { return -1; }
  ssize_t bytes = read(file, text, sizeof text - 1);
  close(file);
  return bytes > 0 ? atol(text) : -1;
}

static int open_stream(int gpu, uint64_t set) {
  uint64_t properties[] = {DRM_I915_PERF_PROP_SAMPLE_OA,      1,
                           DRM_I915_PERF_PROP_OA_METRICS_SET, set,
                           DRM_I915_PERF_PROP_OA_FORMAT,      I915_OA_FORMAT_A32u40_A4u32_B8_C8,
                           DRM_I915_PERF_PROP_OA_EXPONENT,    10};
  struct drm_i915_perf_open_param param = {
      .flags = I915_PERF_FLAG_FD_CLOEXEC, .num_properties = 4, .properties_ptr = (uintptr_t)properties};
  return ioctl(gpu, DRM_IOCTL_I915_PERF_OPEN, &param);
}

static void read_some(int stream) {
  static char records[16 * record_bytes + 8];
  struct pollfd readable = {.fd = stream, .events = POLLIN};
  require(poll(&readable, 1, -1) == 1, "poll()");
  ssize_t bytes = read(stream, records, sizeof records);
  require(bytes > 0 && bytes % record_bytes == 0, "read()");
  struct drm_i915_perf_record_header header;
  memcpy(&header, records, sizeof header);
  require(header.type == DRM_I915_PERF_RECORD_SAMPLE && header.size == record_bytes, "a record");
  require(read(stream, nowhere, record_bytes) == -1 && errno == EFAULT, "a wrong address is refused");
}

int main(void) {
  char path[256];
  uint32_t flex[] = {0xe458, 5};
  struct drm_i915_perf_oa_config config = {.n_flex_regs = 1, .flex_regs_ptr = (uintptr_t)flex};
  memcpy(config.uuid, uuid, sizeof config.uuid);
  int gpu = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
  require(gpu >= 0, "the node");
  require(number_in("/proc/sys/dev/i915/perf_stream_paranoid") >= 0, "perf_stream_paranoid");
  require(number_in("/proc/sys/dev/i915/oa_max_sample_rate") > 0, "oa_max_sample_rate");
  snprintf(path, sizeof path, "/sys/dev/char/226:128/device/drm/card0/metrics/%s/id", uuid);
  require(number_in(path) == -1, "there is no such set");
  int set = ioctl(gpu, DRM_IOCTL_I915_PERF_ADD_CONFIG, &config);
  require(set > 1 && number_in(path) == set, "a new set");
  struct stat status;
  require(stat(path, &status) == 0, "stat() of its file");

  int stream = open_stream(gpu, (uint64_t)set);
  require(stream >= 0, "DRM_IOCTL_I915_PERF_OPEN");
  require(open_stream(gpu, (uint64_t)set) == -1 && errno == EBUSY, "only one stream");
  read_some(stream);
  int copy = dup(stream);
  close(stream);
  read_some(copy);
  require(ioctl(copy, I915_PERF_IOCTL_DISABLE, 0) == 0, "I915_PERF_IOCTL_DISABLE");
  char byte;
  require(read(copy, &byte, 1) == -1 && errno == EIO, "a disabled stream");
  require(ioctl(copy, I915_PERF_IOCTL_CONFIG, set) == set, "I915_PERF_IOCTL_CONFIG");
  require(ioctl(copy, I915_PERF_IOCTL_ENABLE, 0) == 0, "I915_PERF_IOCTL_ENABLE");
  read_some(copy);
  close(copy);
  require(read(copy, &byte, 1) == -1 && errno == EBADF, "a closed stream");
  stream = open_stream(gpu, (uint64_t)set);
  require(stream >= 0, "the next stream");
  uint64_t id = (uint64_t)set;
  require(ioctl(gpu, DRM_IOCTL_I915_PERF_REMOVE_CONFIG, &id) == 0 && number_in(path) == -1, "the set is removed");
  read_some(stream);
  int child = fork();
  if (child == 0) { exit(0); } /* by its exit handlers, as any program */
  int how = 1;
  require(waitpid(child, &how, 0) == child && how == 0, "a child ends");
  puts("done");
  return 0; /* with a stream that runs */
}
