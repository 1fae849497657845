// SPDX-License-Identifier: GPL-2.0-or-later
// What is found in a kernel's code before it runs. Kernels that give all pixels of an object one colour, as drivers clear with, run once per
// object.
#pragma once

#include "hw/eu/program/op.h"
#include "hw/eu/program/program.h"

namespace softgen::render {

/// The kernel only moves constants and attributes (registers from `first` on) and ends with one write without a header, so that it reads nothing
/// that differs from pixel to pixel.
bool sends_one_color(const eu::Program& program, unsigned first);

/// The same of instruction sets whose messages are sent from message registers, with a header that begins with r0: only the first two registers of the
/// message, which are the header, and which channels run may differ from thread to thread.
bool sends_one_color_behind_header(const eu::Program& program, unsigned first);

/// The instruction is a final render target write whose payload is one colour per channel, or one that is replicated: it has no header, and no register says
/// what it does.
bool writes_plain_colors(const eu::Op& op);

/// No message of the kernel changes anything but render targets.
bool writes_only_targets(const eu::Program& program);

}  // namespace softgen::render
