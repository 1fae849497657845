// SPDX-License-Identifier: GPL-2.0-or-later
// What the pictures that tests encode show.
#pragma once

#include <cstdint>

namespace softgen::media::test {

/// Slopes and a chequered pattern with edges: 40 to 209.
inline unsigned sample_of_shapes(uint32_t x, uint32_t y) { return 40 + (x * 3 + y * 2) % 120 + (x / 12 + y / 20) % 2 * 50; }

}  // namespace softgen::media::test
