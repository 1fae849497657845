// SPDX-License-Identifier: GPL-2.0-or-later
// The constant that an x86-64 instruction compares with: a fuzzer tries such numbers as values of registers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace softgen::debug {

/// Of CMP and TEST with an immediate operand, which is the last 1, 2 or 4 bytes of the instruction; sign-extended to 32 bits where the CPU does
/// (Intel SDM vol 2, CMP, TEST). `bytes`: one whole instruction.
std::optional<uint32_t> compared_constant(std::span<const uint8_t> bytes);

}  // namespace softgen::debug
