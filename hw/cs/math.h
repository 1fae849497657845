// SPDX-License-Identifier: GPL-2.0-or-later
// MI_MATH: the streamer's 64-bit accumulator ALU (SKL PRM vol 2a, "MI_MATH"; Mesa common/mi_builder.h shows what drivers rely on).
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace softgen::cs {

using Gprs = std::array<uint64_t, 16>;

/// Runs the ALU instructions (one a dword, without the command's header) on `gprs`. Returns the index of the first instruction that is
/// none, or program.size(). SRCA, SRCB, ACCU, ZF and CF start as zero: the PRM does not define them across commands.
size_t run_math(std::span<const uint32_t> program, Gprs& gprs);

}  // namespace softgen::cs
