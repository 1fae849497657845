// SPDX-License-Identifier: GPL-2.0-or-later
// What a SEND asks: the function bits of a message descriptor as text and as the few fields every reader needs.
// Sources: SKL PRM vol 7 (shared functions' message descriptors); Mesa brw_eu.h and brw_eu_defines.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace softgen::eu {

/// Fields all descriptors have.
struct MessageFields {
  unsigned function;         ///< [18:0]
  bool header;               ///< [19]
  unsigned response_length;  ///< [24:20], registers
  unsigned length;           ///< [28:25], registers
};

constexpr MessageFields message_fields(uint32_t descriptor) {
  return {descriptor & 0x7ffff, (descriptor >> 19 & 1) != 0, descriptor >> 20 & 31, descriptor >> 25 & 15};
}

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

/// "sampler", "render", …; empty: reserved.
std::string_view sfid_name(unsigned sfid);

/// The function in words, such as "sample_l SIMD8 Surface = 1 Sampler = 0". Unknown codes are said to be unknown.
std::string describe_message(unsigned sfid, uint32_t descriptor);
/// False when describe_message() found a reserved code.
bool message_is_known(unsigned sfid, uint32_t descriptor);

/// What kind of message it is, below 32, for counting; and the kind's name, such as "sample_l", "RT write".
unsigned message_type(unsigned sfid, uint32_t descriptor);
std::string message_type_name(unsigned sfid, unsigned type);

}  // namespace softgen::eu
