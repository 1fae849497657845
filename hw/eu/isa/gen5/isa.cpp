// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/isa/gen5/isa.h"

#include "hw/eu/isa/gen5/parts.h"
#include "hw/eu/isa/gen8/native_isa.h"

namespace softgen::eu {

namespace {

/// Raised when an instruction or message is decoded or lowered in another way.
constexpr uint64_t version = 2;

/// One flag register of 32 bits, of which f0.0 and f0.1 are the halves; messages are sent from their own registers, which EOT does not restrict.
constexpr IsaLimits limits = [] {
  IsaLimits l = native_limits;
  l.flag_registers = 1;
  l.eot_register = 0;
  l.message_registers = gen5::message_registers;
  // Mesa brw_fs_copy_propagation.cpp: modifiers that change the sign move into logic operations before Gfx8.
  l.logic_negates = true;
  l.shr_keeps_sign = true;
  l.mask_stacks = l.accumulates_always = l.rounds_in_two_steps = l.splits_first_factor = l.mixes_floats = l.integer_dots = true;
  l.vector_kernels = true;
  return l;
}();

constinit const NativeIsa instance("gen5", uint64_t{5} << 32 | version,
                                   {.decode = gen5::decode,
                                    .decode_code = gen5::decode,
                                    .encode = gen5::encode,
                                    .compact = gen5::compact,
                                    .uncompact = gen5::uncompact,
                                    .validate = gen5::validate,
                                    .message = gen5::decode_message,
                                    .sent_extended_descriptor = gen5::sent_extended_descriptor,
                                    .message_fields = gen5::message_fields,
                                    .extended_message_length = gen5::extended_message_length,
                                    .barrier = gen5::barrier,
                                    .sfid_name = gen5::sfid_name,
                                    .message_type_name = gen5::message_type_name,
                                    .describe_message = gen5::describe_message,
                                    .message_is_known = gen5::message_is_known},
                                   limits);

}  // namespace

const Isa& gen5_isa() { return instance; }

}  // namespace softgen::eu
