// SPDX-License-Identifier: GPL-2.0-or-later
// fuzz_draw on Tiger Lake's captures.
#define FUZZ_PLATFORM "tgl"
#define FUZZ_FOLDER "/tgl"
#include "tests/fuzz/fuzz_draw.cpp"
