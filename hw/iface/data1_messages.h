// SPDX-License-Identifier: GPL-2.0-or-later
// Messages of data cache port 1, for the data port and for compiled code that does some of them itself.
#pragma once

#include <cstdint>

namespace softgen {

/// Types of data cache port 1's messages, descriptor [18:14] (Mesa brw_eu_defines.h, HSW_DATAPORT_DC_PORT1_*; SKL PRM vol 7).
enum Data1Type : uint32_t {
  d1_untyped_surface_read = 0x01,
  d1_untyped_atomic = 0x02,
  d1_untyped_atomic_simd4x2 = 0x03,
  d1_media_block_read = 0x04,
  d1_typed_surface_read = 0x05,
  d1_typed_atomic = 0x06,
  d1_typed_atomic_simd4x2 = 0x07,
  d1_untyped_surface_write = 0x09,
  d1_media_block_write = 0x0a,
  d1_atomic_counter = 0x0b,
  d1_atomic_counter_simd4x2 = 0x0c,
  d1_typed_surface_write = 0x0d,
  d1_a64_scattered_read = 0x10,
  d1_a64_untyped_surface_read = 0x11,
  d1_a64_untyped_atomic = 0x12,
  d1_a64_oword_block_read = 0x14,
  d1_a64_oword_block_write = 0x15,
  d1_a64_untyped_surface_write = 0x19,
  d1_a64_scattered_write = 0x1a,
  d1_untyped_atomic_float = 0x1b,
  d1_a64_untyped_atomic_float = 0x1d,
};

/// Channels of an untyped surface message of port 1, [13:12]; 0: SIMD4x2 or reserved.
constexpr unsigned untyped_channels(uint32_t descriptor) {
  const uint32_t mode = descriptor >> 12 & 3;
  return mode == 1 ? 16 : mode == 2 ? 8 : 0;
}

}  // namespace softgen
