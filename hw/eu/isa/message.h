// SPDX-License-Identifier: GPL-2.0-or-later
// What a SEND asks: its descriptors as a MessageOp and as text.
// Sources: hw/defs/gen9/messages.def; Mesa brw_disasm.c (the words).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hw/iface/message_op.h"

namespace softgen::eu {

/// Fields that all descriptors have; lengths in registers.
struct MessageFields {
  bool header;
  unsigned response_length, length;
};
MessageFields message_fields(uint32_t descriptor);

/// Registers of a split send's second payload.
unsigned extended_message_length(uint32_t extended);
/// The extended descriptor as the shared function gets it: `extended` of the instruction or a0, and what the instruction says elsewhere.
uint32_t sent_extended_descriptor(uint32_t extended, unsigned sfid, bool end_of_thread);

/// The message; of a reserved code or SFID too, whose kind says so.
MessageOp decode_message(unsigned sfid, uint32_t descriptor, uint32_t extended = 0);

/// "sampler", "render", …; empty: reserved.
std::string_view sfid_name(unsigned sfid);

/// The function in words, such as "sample_l SIMD8 Surface = 1 Sampler = 0". Unknown codes are said to be unknown.
std::string describe_message(unsigned sfid, uint32_t descriptor);
/// False when describe_message() found a reserved code.
bool message_is_known(unsigned sfid, uint32_t descriptor);

/// The name of MessageOp::type, such as "sample_l", "RT write".
std::string message_type_name(unsigned sfid, unsigned type);

}  // namespace softgen::eu
