// SPDX-License-Identifier: GPL-2.0-or-later
// The register files of one EU thread as one block of bytes, so that an operand is an offset (SKL PRM vol 7, "Register Files").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "hw/iface/message_target.h"

namespace softgen::eu {

constexpr unsigned grf_count = 128;
constexpr unsigned grf_bytes = grf_count * 32;

/// Registers after the general ones.
constexpr unsigned guard_count = 16;

/// Architecture registers follow the general ones. Guards absorb accesses beyond an end.
struct alignas(64) Registers {
  Grf grf[grf_count];
  Grf guard[guard_count];  ///< of sets with message registers: these
  uint32_t acc[2][8];      ///< what a source of 32 bits or less sees of acc0, acc1
  uint32_t acc_guard[128];
  uint16_t address[16];        ///< a0
  uint32_t flag[2];            ///< f0, f1
  uint32_t channel_enable[8];  ///< ce0, made when read; with mask stacks: words amask, imask, lmask, cmask
  uint32_t stack_pointer[8];   ///< with mask stacks: words with the depths of both, made when read
  uint32_t state[8];           ///< sr0: ids, -, dispatch mask, vector mask; sr1 from [4]
  uint32_t control[8];         ///< cr0
  uint32_t notification[8];    ///< n0: counts of n0.0, n0.1, n0.2
  uint32_t ip[8];              ///< made when read
  uint32_t dependency[8];      ///< tdr0: always clear here
  uint32_t timestamp[8];       ///< tm0, made when read
  double native[2][8];         ///< acc0, acc1 as NF: apart from what other types see of them
  uint32_t null[128];          ///< reads zero
  uint32_t sink[128];          ///< for writes that are never read

  /// General register n, or one of those after them.
  Grf* at(unsigned n) { return reinterpret_cast<Grf*>(bytes()) + n; }
  std::byte* bytes() { return reinterpret_cast<std::byte*>(this); }
  const std::byte* bytes() const { return reinterpret_cast<const std::byte*>(this); }
};

/// Byte offsets of an operand's elements in Registers, or from its address when that is indirect.
using Offsets = std::array<uint16_t, 32>;

/// cr0.0 (SKL PRM vol 7, "Control Register").
namespace cr0 {
constexpr uint32_t alt_mode = 1u << 0;
constexpr uint32_t single_program_flow = 1u << 2;
constexpr uint32_t rounding_shift = 4;  ///< [5:4]: nearest even, up, down, to zero
constexpr uint32_t rounding_mask = 3u << 4;
constexpr uint32_t denorm_f64 = 1u << 6;  ///< set: keep denormals
constexpr uint32_t denorm_f32 = 1u << 7;
constexpr uint32_t denorm_f16 = 1u << 10;
constexpr uint32_t float_mode_bits = alt_mode | rounding_mask | denorm_f64 | denorm_f32 | denorm_f16;
}  // namespace cr0

/// cr0.0[5:4].
enum class Rounding : uint8_t { nearest_even = 0, up = 1, down = 2, to_zero = 3 };

}  // namespace softgen::eu
