// SPDX-License-Identifier: GPL-2.0-or-later
// The agent of fuzzers: init of a small guest (docs/fuzzing.md). It brings the machine to a node, takes an input and runs it.
#pragma once

#include <stddef.h>
#include <stdint.h>

// A line of output text for the fuzzer; printf's format.
void tell(const char* format, ...) __attribute__((format(printf, 1, 2)));
// Loads i915 with its parameters. 0, or an errno.
int load_i915(void);
// Opens the first card or render node; a negative number when there is none.
int open_card(void);
int open_render(void);
// Reads a whole file, at most 16 MiB, and drops what it read. The number of bytes, or a negative errno.
long read_all(const char* path);
// Tells a part of /proc/kallsyms: whole lines of modules' symbols, from byte `from` (a decimal number) of all of them on. 0, or 1: there is no such file.
int tell_symbols(const char* from);
// Writes a text to a file. 0, or an errno.
int write_text(const char* path, const char* text);

// A workload: what the guest does while the device fails by plan. It returns a status for the fuzzer, 0 when all it asked for was done; it must
// bear that any call fails.
typedef struct {
  const char* name;
  int (*run)(void);
} Workload;
extern const Workload workloads[];  // the last one has no name

#define MI_BATCH_BUFFER_END (0x0au << 23)  // SKL PRM vol 2a
// Maps an object of i915 for reading and writing, at `place` or, NULL, anywhere. MAP_FAILED when it does not work.
void* map_object(int card, uint32_t handle, size_t size, void* place);

// Whether the render engine has the short time-outs that prepare_programs() sets.
int hangs_are_hastened(void);
int prepare_submit(void);
int run_submit(void);
int run_modeset(void);
int run_hotplug(void);
int submit_spinning(void);
