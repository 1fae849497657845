// SPDX-License-Identifier: GPL-2.0-or-later
// Programs of system calls, made by scripts/fuzz guest (scripts/lib/fuzz_program.py has the binary form).
#pragma once

#include <stddef.h>
#include <stdint.h>

// Status of a program, bits: what the fuzzer takes for a finding, or for a fault of its own.
#define PROGRAM_BROKEN_ISOLATION 1  // it changed memory of another client or of this process
#define PROGRAM_MALFORMED 2

// Makes what programs must not change. Once, before the snapshot.
void prepare_programs(void);
// Runs a program, tells the errno of each call (0: none; "-": not made), closes its files and returns its status.
int run_program(const uint8_t* bytes, size_t size);

// Another client's object, bound at an address that programs use too, and memory beside theirs.
void prepare_isolation(void);
// Whether all of it is as it was.
int isolation_holds(void);
