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
