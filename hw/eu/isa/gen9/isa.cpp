// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/isa/gen9/isa.h"

#include "hw/eu/isa/gen8/native_isa.h"
#include "hw/eu/isa/gen9/parts.h"

namespace softgen::eu {

namespace {

/// Raised when an instruction or message is decoded or lowered in another way.
constexpr uint64_t version = 4;

constinit const NativeIsa instance("gen9", uint64_t{9} << 32 | version,
                                   {.decode = gen9::decode,
                                    .decode_code = gen9::decode,
                                    .encode = gen9::encode,
                                    .compact = gen9::compact,
                                    .uncompact = gen9::uncompact,
                                    .validate = gen9::validate,
                                    .message = gen9::decode_message,
                                    .sent_extended_descriptor = gen9::sent_extended_descriptor,
                                    .message_fields = gen9::message_fields,
                                    .extended_message_length = gen9::extended_message_length,
                                    .barrier = gen9::barrier,
                                    .sfid_name = gen9::sfid_name,
                                    .message_type_name = gen9::message_type_name,
                                    .describe_message = gen9::describe_message,
                                    .message_is_known = gen9::message_is_known});

}  // namespace

const Isa& gen9_isa() { return instance; }

}  // namespace softgen::eu
