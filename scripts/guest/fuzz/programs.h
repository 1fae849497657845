// SPDX-License-Identifier: GPL-2.0-or-later
// Programs of system calls (scripts/lib/fuzz_calls.py).
#pragma once

#include <stddef.h>
#include <stdint.h>

void run_program(const uint8_t* bytes, size_t size);
