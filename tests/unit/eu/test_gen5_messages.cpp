// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's message descriptors: those of Mesa's assembler tests (src/intel/tools/tests/gen5/send.asm) and of i965-va-driver's kernels.
#include <fmt/format.h>

#include <vector>

#include "hw/defs/messages/gen5.h"
#include "tests/catch.h"
#include "tests/unit/eu/gen5_program.h"

using namespace softgen;
using namespace softgen::eu;
using namespace softgen::eu::test;

namespace {
MessageOp decoded(unsigned sfid, uint32_t descriptor) { return gen5_isa().message(sfid, descriptor); }
std::string words(unsigned sfid, uint32_t descriptor) { return gen5_isa().describe_message(sfid, descriptor); }
}  // namespace

TEST_CASE("gen5 messages: lengths and header have their places") {
  const MessageFields fields = gen5_isa().message_fields(0x0a413001);
  CHECK(fields.length == 5);
  CHECK(fields.response_length == 4);
  CHECK_FALSE(fields.header);
  CHECK(gen5_isa().message_fields(0x8c084c00 & 0x7fffffff).header);
}

TEST_CASE("gen5 messages: extended math") {
  const MessageOp quotient = decoded(1, 0x0410001c);
  CHECK(quotient.sfid == Sfid::math);
  CHECK(quotient.kind == MessageKind::math);
  CHECK(static_cast<MathFunction>(quotient.operation) == MathFunction::int_quotient);
  CHECK(quotient.is_signed);
  const MessageOp power = decoded(1, 0x041000ca);
  CHECK(static_cast<MathFunction>(power.operation) == MathFunction::pow);
  CHECK(power.saturates);
  CHECK(power.scalar);
  CHECK(words(1, 0x041000ca) == "pow sat scalar");
  CHECK(words(1, 0x0410001c) == "intdiv signed");
  CHECK(decoded(1, 0x02100009).kind == MessageKind::reserved);
}

TEST_CASE("gen5 messages: sampler") {
  const MessageOp biased = decoded(2, 0x14821001);
  CHECK(biased.kind == MessageKind::sample);
  CHECK(biased.simd == 16);
  CHECK(biased.binding.index == 1);
  CHECK(biased.sampler == 0);
  CHECK(biased.length == 10);
  // Four places of coordinates, then the bias.
  const auto place = [](const MessageOp& op, char letter) { return op.sampled->positions[defs::parameter_letters.find(letter)]; };
  CHECK(place(biased, 'v') == 1);
  CHECK(place(biased, 'b') == 4);
  const MessageOp compared = decoded(2, 0x0c416001);
  CHECK(place(compared, 'c') == 4);
  CHECK(place(compared, 'l') == 5);
  const MessageOp load = decoded(2, 0x08417001);
  CHECK(load.kind == MessageKind::load);
  CHECK(place(load, 'l') == 3);
  const MessageOp derivatives = decoded(2, 0x0a414001);
  CHECK(place(derivatives, 'x') == 4);
  CHECK(place(derivatives, 'X') == 5);
  CHECK(place(derivatives, 'y') == 6);
  CHECK(words(2, 0x08820304) == "sample SIMD16 Surface = 4 Sampler = 3");
  CHECK(decoded(2, 0x0a03b000).kind == MessageKind::sample_8x8);
}

TEST_CASE("gen5 messages: data ports") {
  const MessageOp target = decoded(5, 0x0c084c03);
  CHECK(target.kind == MessageKind::render_target_write);
  CHECK(target.sfid == Sfid::dp_render);
  CHECK(target.simd == 8);
  CHECK(target.last_target);
  CHECK(target.binding.index == 3);
  CHECK(decoded(5, 0x14084000).simd == 16);
  CHECK_FALSE(decoded(5, 0x14084000).last_target);
  CHECK(decoded(5, 0x0c084100).replicated);
  CHECK(decoded(5, 0x0c084300).second_half);
  CHECK(words(5, 0x14084801) == "RT write SIMD16 LastRT Surface = 1");
  const MessageOp scratch = decoded(4, 0x041850ff);
  CHECK(scratch.kind == MessageKind::oword_dual_block_read);
  CHECK(scratch.sfid == Sfid::dp_sampler);
  CHECK(scratch.owords == 1);
  CHECK(scratch.byte_offset);
  CHECK(scratch.binding.index == surface::stateless_index);
  CHECK(decoded(5, 0x061890ff).kind == MessageKind::oword_dual_block_write);
  CHECK(decoded(4, 0x02188401).kind == MessageKind::oword_block_read);
  CHECK(decoded(4, 0x02188401).owords == 8);
  CHECK(decoded(4, 0x0218a001).kind == MessageKind::media_block_read);
  CHECK(decoded(4, 0x02185801).kind == MessageKind::avc_loop_filter_read);
  CHECK(decoded(5, 0x02182001).kind == MessageKind::media_block_write);
  CHECK(decoded(4, 0x02183201).simd == 8);
}

TEST_CASE("gen5 messages: URB, gateway, thread spawner") {
  const MessageOp vertex = decoded(6, 0x1008c460);
  CHECK(vertex.kind == MessageKind::urb_write);
  CHECK(vertex.offset == 6);
  CHECK(vertex.interleaved);
  CHECK(vertex.used);
  CHECK(vertex.complete);
  CHECK_FALSE(vertex.allocates);
  CHECK(words(6, 0x1008c460) == "6 urb_write interleave used complete");
  CHECK(decoded(6, 0x0208c800).transposed);
  CHECK(decoded(6, 0x02182001).kind == MessageKind::ff_sync);
  CHECK(decoded(6, 0x02182001).allocates);
  CHECK(decoded(3, 0x02008002).kind == MessageKind::gateway_forward);
  CHECK(decoded(3, 0x02008002).notifies);
  CHECK(decoded(3, 0x02000000).kind == MessageKind::gateway_open);
  CHECK(decoded(7, 0x02000001).kind == MessageKind::spawn_thread);
  CHECK_FALSE(decoded(7, 0x02000001).child);
  const MessageOp child = decoded(7, 0x02000012);
  CHECK(child.kind == MessageKind::end_of_root);
  CHECK(child.child);
  CHECK(child.keeps_urb);
}

TEST_CASE("gen5 messages: what is not declared is reserved, and said to be") {
  CHECK(decoded(9, 0x02000000).kind == MessageKind::reserved);
  CHECK(gen5_isa().sfid_name(9).empty());
  CHECK_FALSE(gen5_isa().message_is_known(9, 0));
  CHECK_FALSE(gen5_isa().message_is_known(4, 5u << 11));
  CHECK(gen5_isa().message_is_known(4, 4u << 11));
  CHECK(decoded(5, 6u << 12).kind == MessageKind::reserved);
}
