// SPDX-License-Identifier: GPL-2.0-or-later
// Gen12.0's messages are Gen11's; the second payload's length has one more bit.
#include "hw/defs/messages/gen12.h"

#include "hw/eu/isa/gen11/parts.h"
#include "hw/eu/isa/gen12/parts.h"

namespace softgen::eu::gen12 {

using defs::gen12::message::ExtendedDescriptor;

unsigned extended_message_length(uint32_t extended) { return ExtendedDescriptor{extended}.extended_message_length(); }

MessageOp decode_message(unsigned sfid, uint32_t descriptor, uint32_t extended) {
  MessageOp op = gen11::decode_message(sfid, descriptor, extended);
  op.extended_length = static_cast<uint8_t>(extended_message_length(extended));
  return op;
}

}  // namespace softgen::eu::gen12
