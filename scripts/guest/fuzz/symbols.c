// SPDX-License-Identifier: GPL-2.0-or-later
// Where the modules' functions are, for the fuzzer's table of coverage.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent.h"

#define MAX_OUTPUT 60000  // below what the harness keeps of an output (hw/qemu/harness.h)

int tell_symbols(const char* from) {
  unsigned long skip = strtoul(from, NULL, 10), at = 0, sent = 0;
  FILE* file = fopen("/proc/kallsyms", "re");
  if (!file) return 1;
  char line[512];
  while (fgets(line, sizeof line, file)) {
    if (!strchr(line, '[')) continue;  // of the kernel itself
    if (at >= skip) {
      const unsigned long length = strlen(line);
      if (sent + length > MAX_OUTPUT) break;
      tell("%s", line);
      sent += length;
    }
    at += strlen(line);
  }
  fclose(file);
  return 0;
}
