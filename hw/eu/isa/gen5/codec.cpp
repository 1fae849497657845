// SPDX-License-Identifier: GPL-2.0-or-later
// The native form of Gen5. Every instruction has a destination and two sources; a branch has its distance and pop count in the immediate of the second.

#include "hw/eu/isa/gen5/parts.h"
#include "hw/eu/isa/gen8/native_form.h"

namespace softgen::eu::gen5 {

namespace {

using namespace native_form;

constexpr OpcodeCode opcode_codes[] = {
#define EU_CODE(id, code) {Opcode::id, code},
#include "hw/eu/isa/gen5/opcode_codes.inc"
#undef EU_CODE
};

/// RegFile's code of the message registers; bit 7 of their number says that the halves of a compressed instruction go to registers four apart.
constexpr RegFile message_file = RegFile::reserved;
constexpr uint8_t interleaved_bit = 0x80;

/// CmptCtrl, [13:12].
constexpr uint8_t second_half = 1;

template <typename Codec, typename I>
void controls(Codec& c, I& i) {
  c.opcode(i.opcode, 6, 0);
  c.field(i.access_mode, 8, 8);
  c.field(i.no_mask, 9, 9);
  c.field(i.no_dd_clear, 10, 10);
  c.field(i.no_dd_check, 11, 11);
  c.field(i.compression, 13, 12);
  if constexpr (!Codec::writing) i.qtr_control = i.compression == second_half;
  c.field(i.thread_control, 15, 14);
  c.field(i.pred_control, 19, 16);
  c.field(i.pred_invert, 20, 20);
  execution_size(c, i, 23, 21);
  c.field(i.no_stack_mask, 28, 28);
  c.field(i.debug, 30, 30);
  c.field(i.saturate, 31, 31);
  c.field(i.flag_subreg, 89, 89);
}

template <typename Codec, typename I>
void destination_register(Codec& c, I& i) {
  RegFile file = i.dst.file;
  uint8_t number = i.dst.reg;
  if (Codec::writing && file == RegFile::grf && number >= first_message_register) {
    file = message_file;
    number = static_cast<uint8_t>((number - first_message_register) | (i.interleaved_halves ? interleaved_bit : 0));
  }
  c.field(file, 33, 32);
  c.field(number, 60, 53);
  if constexpr (!Codec::writing) {
    i.dst.file = file == message_file ? RegFile::grf : file;
    i.interleaved_halves = file == message_file && (number & interleaved_bit);
    i.dst.reg = file == message_file ? static_cast<uint8_t>(first_message_register + (number & ~interleaved_bit)) : number;
  }
}

template <typename Codec, typename I>
void destination(Codec& c, I& i) {
  const bool align1 = i.access_mode == AccessMode::align1;
  c.type(i.dst.type, RegFile::grf, 36, 34);
  c.field(i.dst.hstride, 62, 61);
  c.field(i.dst.indirect, 63, 63);
  if (!align1) c.field(i.dst.writemask, 51, 48);
  if (i.dst.indirect) {
    c.field(i.dst.file, 33, 32);
    c.field(i.dst.addr_subreg, 60, 58);
    if (align1) c.address_imm(i.dst.addr_imm, 56, 48, 57, 0);
    else c.address_imm(i.dst.addr_imm, 56, 52, 57, 4);
    return;
  }
  destination_register(c, i);
  subregister(c, i.dst, i.access_mode, 48);
}

/// `base`: 64 for src0, 96 for src1. Subregisters of the address have three bits, and all of its immediate's stand together.
template <typename Codec, typename O>
void region(Codec& c, O& src, AccessMode mode, unsigned base) {
  source_region(c, src, mode, base, {.subreg = base + 10, .sign = base + 9});
}

template <typename Codec, typename I>
void sources(Codec& c, I& i) {
  c.field(i.src[0].file, 38, 37);
  c.type(i.src[0].type, i.src[0].file, 41, 39);
  c.field(i.src[1].file, 43, 42);
  c.type(i.src[1].type, i.src[1].file, 46, 44);
  if (i.src[0].file == RegFile::imm || i.src[1].file == RegFile::imm) c.field(i.imm, 127, 96);
  else region(c, i.src[1], i.access_mode, 96);
  if (i.src[0].file != RegFile::imm) region(c, i.src[0], i.access_mode, 64);
}

/// In [127], next to the descriptor; i965-va-driver's assembler also sets [90], which is there when the descriptor is in a register.
template <typename Codec, typename I>
void end_of_thread(Codec& c, I& i) {
  bool last = i.end_of_thread && !i.descriptor_in_register, also_last = i.end_of_thread && i.descriptor_in_register;
  c.field(last, 127, 127);
  c.field(also_last, 90, 90);
  if constexpr (!Codec::writing) i.end_of_thread = also_last || (last && !i.descriptor_in_register);
}

/// The shared function is in [95:92], the first message register where the condition of others is. Of src0, if it is not null, a register is copied to
/// that message register first.
template <typename Codec, typename I>
void message(Codec& c, I& i) {
  c.field(i.first_message, 27, 24);
  c.field(i.src[0].file, 38, 37);
  c.type(i.src[0].type, i.src[0].file, 41, 39);
  c.field(i.src[1].file, 43, 42);
  c.type(i.src[1].type, i.src[1].file, 46, 44);
  region(c, i.src[0], i.access_mode, 64);
  c.field(i.cond_mod, 95, 92);
  if constexpr (!Codec::writing) i.descriptor_in_register = i.src[1].file != RegFile::imm;
  end_of_thread(c, i);
  if (i.descriptor_in_register) region(c, i.src[1], i.access_mode, 96);
  else c.field(i.descriptor, 124, 96);
}

/// Distances count halves of native instructions, from the instruction itself but for jmpi, whose distance counts from the next.
void complete_branch(Instruction& i) {
  constexpr uint8_t unit = 8;
  i.jump_unit = unit;
  if (i.src[1].file != RegFile::imm) return;
  i.jip = static_cast<int16_t>(i.imm & 0xffff) * int32_t{unit};
  i.pop_count = i.imm >> 16 & 15;
}

struct Set {
  static constexpr TypeCodes register_types{0, 1, 2, 3, 4, 5, -1, 7, -1, -1, -1, -1, -1, -1, -1, -1};
  static constexpr TypeCodes immediate_types{0, 1, 2, 3, -1, -1, -1, 7, -1, -1, -1, -1, 6, 5, -1, -1};
  static constexpr OpcodeTable opcodes{opcode_codes};
  template <typename Codec, typename I>
  static void transfer(Codec& c, I& i) {
    controls(c, i);
    destination(c, i);
    if (const OpcodeInfo* row = i.info(); row && row->form == Form::send) return message(c, i);
    c.field(i.cond_mod, 27, 24);
    sources(c, i);
  }
  static void complete(Instruction& i) {
    const OpcodeInfo* row = i.info();
    const bool branches = row && (row->form == Form::branch || row->form == Form::jump);
    if (branches) complete_branch(i);
  }
};

}  // namespace

Instruction decode(const Native& bits) { return native_form::decode<Set>(bits); }
bool has_opcode(Opcode opcode) { return native_form::has<Set>(opcode); }
Native encode(const Instruction& instruction) { return native_form::encode<Set>(instruction); }
std::optional<Instruction> decode(std::span<const std::byte> code) { return native_form::decode<Set>(code, uncompact); }

}  // namespace softgen::eu::gen5
