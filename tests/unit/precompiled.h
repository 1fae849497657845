// SPDX-License-Identifier: GPL-2.0-or-later
// As hw/base/standard.h, for the tests.
#ifndef SOFTGEN_TESTS_PRECOMPILED_H
#define SOFTGEN_TESTS_PRECOMPILED_H

#include <random>

#include "../../hw/base/standard.h"
#include "../catch.h"

#endif
