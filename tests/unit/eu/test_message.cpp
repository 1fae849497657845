// SPDX-License-Identifier: GPL-2.0-or-later
// Descriptors as drivers send them, decoded: dwords of Mesa's and IGC's kernels, or put together from the PRM's bit numbers by hand.
#include "hw/eu/isa/gen9/isa.h"
#include "hw/eu/program/op.h"
#include "hw/eu/program/program.h"
#include "tests/catch.h"
#include "tests/unit/eu/harness.h"

using namespace softgen;
using namespace softgen::eu;

namespace {

constexpr unsigned sampler = 2, render_cache = 5, urb = 6, constants = 9, data0 = 10, interpolator = 11, data1 = 12;

}  // namespace

TEST_CASE("eu message: sampler") {
  const MessageOp ld = gen9_isa().message(sampler, 0x08427001);
  CHECK(ld.kind == MessageKind::load);
  CHECK((ld.sfid == Sfid::sampler && ld.simd == 8 && ld.length == 4 && ld.response_length == 4 && !ld.header && ld.binding.index == 1 &&
         ld.sampler == 0));
  REQUIRE(ld.sampled);
  CHECK((ld.sampled->kind == MessageKind::load && !ld.sampled->zero_lod));
  const MessageOp lz = gen9_isa().message(sampler, 1u << 30 | 2u << 17 | 24u << 12 | 5u << 8 | 7);
  CHECK((lz.kind == MessageKind::sample && lz.simd == 16 && lz.returns_half && lz.sampler == 5 && lz.binding.index == 7 &&
         lz.sampled->zero_lod));
  // Parameters of sample_lz: u, v, r, a.
  CHECK(lz.sampled->positions[defs::parameter_letters.find('a')] == 3);
  CHECK(lz.sampled->positions[defs::parameter_letters.find('l')] == defs::no_parameter);
  CHECK(gen9_isa().message(sampler, 1u << 17 | 12u << 12).kind == MessageKind::reserved);
  CHECK(gen9_isa().message(sampler, 3u << 17).simd == 0);
}

TEST_CASE("eu message: data ports") {
  const MessageOp untyped = gen9_isa().message(data1, 1u << 14 | 2u << 12 | 0xcu << 8 | 254);
  CHECK((untyped.kind == MessageKind::untyped_read && untyped.simd == 8 && untyped.components == 0b0011 && untyped.binding.index == 254));
  CHECK(gen9_isa().message(data1, 9u << 14).simd == MessageOp::simd4x2);
  CHECK(gen9_isa().message(data1, 9u << 14 | 3u << 12).simd == 0);
  const MessageOp atomic = gen9_isa().message(data1, 2u << 14 | 1u << 13 | 7u << 8);
  CHECK(
      (atomic.kind == MessageKind::untyped_atomic && atomic.simd == 16 && atomic.operation == static_cast<uint8_t>(AtomicOperation::ADD)));
  CHECK(gen9_isa().message(data1, 12u << 14 | 1u << 12).simd == MessageOp::simd4x2);
  const MessageOp typed = gen9_isa().message(data1, 5u << 14 | 2u << 12);
  CHECK((typed.kind == MessageKind::typed_read && typed.simd == 8 && typed.high_slots && typed.components == 0xf));
  const MessageOp wide = gen9_isa().message(data1, 18u << 14 | 1u << 12 | 14u << 8);
  CHECK((wide.kind == MessageKind::a64_atomic && wide.wide && wide.simd == 8));
  const MessageOp scattered = gen9_isa().message(data1, 16u << 14 | 1u << 12 | 3u << 10);
  CHECK((scattered.kind == MessageKind::a64_scattered_read && scattered.simd == 16 && scattered.log2_size == 2 && scattered.elements == 2));
  CHECK(gen9_isa().message(data1, 26u << 14 | 2u << 10 | 2u << 8).elements == 4);
  CHECK(gen9_isa().message(data1, 26u << 14 | 3u << 8).elements == 0);
  CHECK(gen9_isa().message(data0, 4u << 14 | 2u << 10 | 1u << 8).elements == 1);
  CHECK(gen9_isa().message(data0, 4u << 14 | 3u << 10).elements == 0);
  const MessageOp high = gen9_isa().message(constants, 1u << 14 | 1u << 8 | 3);
  CHECK((high.kind == MessageKind::unaligned_oword_block_read && high.owords == 1 && high.first_oword == 1));
  CHECK(gen9_isa().message(data0, 8u << 14 | 4u << 8).owords == 8);
  CHECK(gen9_isa().message(data0, 5u << 8).owords == 0);
  const MessageOp scratch = gen9_isa().message(data0, 0x020e2005);
  CHECK((scratch.kind == MessageKind::scratch_write && scratch.registers == 4 && scratch.offset == 5 && !scratch.dword_channels &&
         scratch.header));
  CHECK(gen9_isa().message(data0, 1u << 18 | 1u << 16).kind == MessageKind::scratch_read);
  CHECK(gen9_isa().message_type_name(data0, scratch.type) == "scratch block write");
}

TEST_CASE("eu message: render targets, URB, pixel interpolator") {
  const MessageOp last = gen9_isa().message(render_cache, 0x10031000);
  CHECK((last.kind == MessageKind::render_target_write && last.simd == 16 && !last.replicated && !last.dual_source && last.length == 8));
  const MessageOp dual = gen9_isa().message(render_cache, 12u << 14 | 1u << 11 | 3u << 8 | 2);
  CHECK((dual.simd == 8 && dual.dual_source && dual.second_half && dual.high_slots && dual.binding.index == 2));
  CHECK(gen9_isa().message(render_cache, 12u << 14 | 1u << 8).replicated);
  CHECK(gen9_isa().message(render_cache, 12u << 14 | 5u << 8).simd == 0);
  CHECK(gen9_isa().message(render_cache, 13u << 14 | 1u << 8).simd == 8);
  const MessageOp write = gen9_isa().message(urb, 0x0a088017);
  CHECK((write.kind == MessageKind::urb_simd8_write && write.masked && !write.interleaved && !write.per_slot && write.offset == 1 &&
         write.length == 5));
  const MessageOp interleaved = gen9_isa().message(urb, 1u << 17 | 1u << 15);
  CHECK((interleaved.kind == MessageKind::urb_write_hword && interleaved.interleaved && !interleaved.masked && interleaved.per_slot));
  const MessageOp sample = gen9_isa().message(interpolator, 1u << 16 | 1u << 14 | 1u << 12 | 0x30);
  CHECK(
      (sample.kind == MessageKind::interpolate_sample && sample.simd == 16 && sample.linear && sample.data == 0x30 && !sample.high_slots));
}

TEST_CASE("eu message: fields of the extended descriptor") {
  const MessageOp op = gen9_isa().message(data1, 252, 5u << 12 | 3u << 6 | 12);
  CHECK((op.binding.index == 252 && op.binding.bindless == 5 && op.extended_length == 3));
  CHECK(gen9_isa().sent_extended_descriptor(0xabcd0000 | 3u << 6 | 0x3f, 12, false) == (0xabcd0000u | 3u << 6 | 12));
  CHECK(gen9_isa().sent_extended_descriptor(0, 5, true) == 0x25);
  CHECK(gen9_isa().extended_message_length(0xf << 6) == 15);
}

TEST_CASE("eu message: reserved functions and every descriptor decode to something") {
  for (unsigned sfid = 0; sfid < 16; ++sfid)
    for (uint32_t function = 0; function < 1u << 19; function += 0x101) {
      const MessageOp op = gen9_isa().message(sfid, function | (function & 1 ? 1u << 30 : 0));
      REQUIRE(op.type < 32);
      REQUIRE((op.simd == 0 || op.simd == 2 || op.simd == 8 || op.simd == 16));
      REQUIRE((op.owords <= 8 && op.first_oword + op.owords <= 8 && op.elements <= 8 && op.components <= 0xf));
    }
  CHECK(gen9_isa().message(15, 0).kind == MessageKind::reserved);
  CHECK(gen9_isa().sfid_name(1).empty());
}

TEST_CASE("eu message: a program has its messages decoded, but for descriptors in registers") {
  Instruction fixed = test::end(), indirect = fixed;
  indirect.end_of_thread = false;
  indirect.src[1] = test::arf(Arf::address, RegType::ud);
  const auto program = Program::decode(gen9_isa(), test::assemble({indirect, fixed}));
  REQUIRE(program->ops().size() == 3);
  CHECK(program->ops()[0].message == nullptr);
  REQUIRE(program->ops()[1].message);
  CHECK(program->ops()[1].message->descriptor == fixed.descriptor);
  CHECK(program->ops()[1].message->sfid == static_cast<Sfid>(fixed.sfid()));
}
