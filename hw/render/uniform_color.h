// SPDX-License-Identifier: GPL-2.0-or-later
// What is seen of a kernel beforehand: those that paint an object with one colour, as drivers clear with, run once an object.
#pragma once

#include "hw/eu/program/program.h"

namespace softgen::render {

/// The kernel moves constants and attributes (registers from `first` on) about and ends with one write without a header.
/// Nothing that differs from pixel to pixel is read.
bool sends_one_color(const eu::Program& program, unsigned first);

/// No message of the kernel changes anything but render targets.
bool writes_only_targets(const eu::Program& program);

}  // namespace softgen::render
