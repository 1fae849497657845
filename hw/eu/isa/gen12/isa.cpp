// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/isa/gen12/isa.h"

#include "hw/eu/isa/gen11/parts.h"
#include "hw/eu/isa/gen12/parts.h"
#include "hw/eu/isa/gen8/native_isa.h"
#include "hw/eu/isa/gen9/parts.h"

namespace softgen::eu {

namespace {

/// Raised when an instruction or message is decoded or lowered in another way.
constexpr uint64_t version = 5;

constexpr IsaLimits limits = [] {
  IsaLimits l = native_limits;
  l.software_scoreboard = true;
  return l;
}();

/// Messages are Gen11's; the second payload has up to 15 registers (Mesa brw_eu.h, brw_message_ex_desc; IGA reads one bit more).
constinit const NativeIsa instance("gen12", uint64_t{12} << 32 | version,
                                   {.decode = gen12::decode,
                                    .decode_code = gen12::decode,
                                    .encode = gen12::encode,
                                    .compact = gen12::compact,
                                    .uncompact = gen12::uncompact,
                                    .validate = gen12::validate,
                                    .message = gen11::decode_message,
                                    .sent_extended_descriptor = gen9::sent_extended_descriptor,
                                    .message_fields = gen9::message_fields,
                                    .extended_message_length = gen9::extended_message_length,
                                    .barrier = gen11::barrier,
                                    .sfid_name = gen9::sfid_name,
                                    .message_type_name = gen9::message_type_name,
                                    .describe_message = gen9::describe_message,
                                    .message_is_known = gen9::message_is_known},
                                   limits);

}  // namespace

const Isa& gen12_isa() { return instance; }

}  // namespace softgen::eu
