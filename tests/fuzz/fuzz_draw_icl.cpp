// SPDX-License-Identifier: GPL-2.0-or-later
// fuzz_draw on Ice Lake's captures.
#define FUZZ_PLATFORM "icl"
#define FUZZ_FOLDER "/icl"
#include "tests/fuzz/fuzz_draw.cpp"
