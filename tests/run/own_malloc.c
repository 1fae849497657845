// SPDX-License-Identifier: GPL-2.0-or-later
// An allocator that asks the system as it starts (jemalloc reads the link /etc/malloc.conf) and is not ready meanwhile:
// what softgen-run puts between a program and libc must not allocate for a file that is not the GPU's.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static _Alignas(64) char memory[64 << 20];
static size_t used;
static int starting, started;

static void start(void) {
  char text[PATH_MAX];
  struct stat st;
  starting = 1;
  if (readlink("/etc/softgen-no-such-file", text, sizeof text) >= 0) { _exit(2); }
  int fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
  int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (fd < 0 || copy < 0 || fstat(fd, &st) != 0 || stat("/etc/passwd", &st) != 0 || read(fd, text, 1) != 1 || close(copy) != 0 ||
      close(fd) != 0) {
    _exit(3);
  }
  void* pages = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED || munmap(pages, 4096) != 0) { _exit(4); }
  starting = 0;
  started = 1;
}

void* aligned_alloc(size_t alignment, size_t size) {
  if (starting) {
    static const char text[] = "allocates while the allocator starts\n";
    _exit(write(STDOUT_FILENO, text, sizeof text - 1) < 0 ? 5 : 1);
  }
  if (!started) { start(); }
  const size_t header = 64;  // holds the size
  size_t at = (used + header + alignment - 1) & ~(alignment - 1);
  if (size > sizeof memory - at) {
    errno = ENOMEM;
    return NULL;
  }
  used = at + size;
  memcpy(memory + at - sizeof size, &size, sizeof size);
  return memory + at;
}

void* malloc(size_t size) { return aligned_alloc(64, size); }

void free(void* pointer) { (void)pointer; }

void* calloc(size_t count, size_t size) {
  return malloc(count * size);  // fresh memory is zero
}

void* realloc(void* old, size_t size) {
  void* fresh = malloc(size);
  if (fresh && old) {
    size_t before;
    memcpy(&before, (char*)old - sizeof before, sizeof before);
    memcpy(fresh, old, before < size ? before : size);
  }
  return fresh;
}

int posix_memalign(void** result, size_t alignment, size_t size) {
  *result = aligned_alloc(alignment, size);
  return *result ? 0 : ENOMEM;
}

int main(void) {
  free(malloc(1));
  puts("runs");
  return 0;
}
