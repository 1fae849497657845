// SPDX-License-Identifier: GPL-2.0-or-later
// Kernels that paint an object with one colour, as drivers clear with: they run once an object.
#pragma once

#include "hw/eu/interp/program.h"

namespace softgen::render {

/// The kernel moves constants and attributes (registers from `first` on) about and ends with one write without a header.
/// Nothing that differs from pixel to pixel is read.
bool sends_one_color(const eu::Program& program, unsigned first);

}  // namespace softgen::render
