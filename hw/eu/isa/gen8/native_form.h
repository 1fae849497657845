// SPDX-License-Identifier: GPL-2.0-or-later
// The native form of Gen8 to Gen11. A Set's transfer() is transfer() here, which takes the form of three sources from it: Set::ternary(codec, instruction).
// Layout: SKL PRM vol 7, "Instruction Formats"; Mesa brw_inst.h (columns "8+" and "9+").
#pragma once

#include "hw/eu/isa/codec.h"

namespace softgen::eu::native_form {

template <typename Codec, typename I>
void header(Codec& c, I& i) {
  c.opcode(i.opcode, 6, 0);
  c.field(i.access_mode, 8, 8);
  c.field(i.no_dd_clear, 9, 9);
  c.field(i.no_dd_check, 10, 10);
  c.field(i.nib_control, 11, 11);
  c.field(i.qtr_control, 13, 12);
  c.field(i.thread_control, 15, 14);
  c.field(i.pred_control, 19, 16);
  c.field(i.pred_invert, 20, 20);
  execution_size(c, i, 23, 21);
  c.field(i.cond_mod, 27, 24);
  c.field(i.acc_write, 28, 28);
  c.field(i.debug, 30, 30);
  c.field(i.saturate, 31, 31);
  c.field(i.flag_subreg, 32, 32);
  c.field(i.flag_reg, 33, 33);
  c.field(i.no_mask, 34, 34);
}

/// In bytes; of align16 operands the half alone. `low`: the field's lowest bit.
template <typename Codec, typename O>
void subregister(Codec& c, O& operand, AccessMode mode, unsigned low) {
  if (mode == AccessMode::align1) return c.field(operand.subreg, low + 4, low);
  uint8_t half = operand.subreg / 16;
  c.field(half, low + 4, low + 4);
  if constexpr (!Codec::writing) operand.subreg = static_cast<uint8_t>(half * 16);
}

template <typename Codec, typename O>
void destination(Codec& c, O& dst, AccessMode mode) {
  c.field(dst.file, 36, 35);
  c.type(dst.type, RegFile::grf, 40, 37);
  c.field(dst.hstride, 62, 61);
  c.field(dst.indirect, 63, 63);
  if (dst.indirect) {
    c.field(dst.addr_subreg, 60, 57);
    if (mode == AccessMode::align1) {
      c.address_imm(dst.addr_imm, 56, 48, 47, 0);
    } else {
      c.address_imm(dst.addr_imm, 56, 52, 47, 4);
      c.field(dst.writemask, 51, 48);
    }
    return;
  }
  c.field(dst.reg, 60, 53);
  subregister(c, dst, mode, 48);
  if (mode == AccessMode::align16) c.field(dst.writemask, 51, 48);
}

/// Where an indirect source has its address: the lowest bit of the subregister's number, and bit 9 of the immediate.
struct AddressPlace {
  unsigned subreg, sign;
};
/// Bits of a source that stand in the same order for src0 (base 64) and src1 (base 96).
template <typename Codec, typename O>
void source_region(Codec& c, O& src, AccessMode mode, unsigned base, const AddressPlace& address) {
  c.field(src.abs, base + 13, base + 13);
  c.field(src.negate, base + 14, base + 14);
  c.field(src.indirect, base + 15, base + 15);
  c.field(src.vstride, base + 24, base + 21);
  if (mode == AccessMode::align1) {
    c.field(src.hstride, base + 17, base + 16);
    c.field(src.width, base + 20, base + 18);
  } else {
    uint8_t xy = src.swizzle & 15, zw = src.swizzle >> 4;
    c.field(xy, base + 3, base);
    c.field(zw, base + 19, base + 16);
    if constexpr (!Codec::writing) src.swizzle = static_cast<uint8_t>(xy | zw << 4);
  }
  if (src.indirect) {
    c.field(src.addr_subreg, base + 12, address.subreg);
    if (mode == AccessMode::align1) c.address_imm(src.addr_imm, base + 8, base, address.sign, 0);
    else c.address_imm(src.addr_imm, base + 8, base + 4, address.sign, 4);
    return;
  }
  c.field(src.reg, base + 12, base + 5);
  subregister(c, src, mode, base);
}
template <typename Codec, typename O>
void source_region(Codec& c, O& src, AccessMode mode, unsigned base) {
  source_region(c, src, mode, base, {.subreg = base + 9, .sign = base == 64 ? 95u : 121u});
}

template <typename Codec, typename I>
void basic(Codec& c, I& i) {
  destination(c, i.dst, i.access_mode);
  c.field(i.src[0].file, 42, 41);
  c.type(i.src[0].type, i.src[0].file, 46, 43);
  if (i.src[0].file == RegFile::imm && size_of(i.src[0].type) == 8) {
    c.field(i.imm, 127, 64);
    return;
  }
  c.field(i.src[1].file, 90, 89);
  c.type(i.src[1].type, i.src[1].file, 94, 91);
  if (i.src[0].file == RegFile::imm || i.src[1].file == RegFile::imm) c.field(i.imm, 127, 96);
  else source_region(c, i.src[1], i.access_mode, 96);
  if (i.src[0].file != RegFile::imm) source_region(c, i.src[0], i.access_mode, 64);
}

template <typename Codec, typename I>
void branch(Codec& c, I& i) {
  destination(c, i.dst, i.access_mode);
  c.field(i.src[0].file, 42, 41);
  c.type(i.src[0].type, i.src[0].file, 46, 43);
  const bool has_uip = i.info() && i.info()->has('u');
  if (i.src[0].file != RegFile::imm && i.src[0].file != RegFile::arf) {  // brd, brc: offsets in a register
    source_region(c, i.src[0], i.access_mode, 64);
    c.field(i.src[1].file, 90, 89);
    c.type(i.src[1].type, i.src[1].file, 94, 91);
    return;
  }
  c.field(i.jip, 127, 96);
  if (has_uip) {
    c.field(i.uip, 95, 64);
  } else {
    c.field(i.src[1].file, 90, 89);
    c.type(i.src[1].type, i.src[1].file, 94, 91);
  }
}

template <typename Codec, typename I>
void call(Codec& c, I& i) {
  destination(c, i.dst, i.access_mode);
  c.field(i.src[0].file, 42, 41);
  c.type(i.src[0].type, i.src[0].file, 46, 43);
  source_region(c, i.src[0], i.access_mode, 64);
  c.field(i.src[1].file, 90, 89);
  c.type(i.src[1].type, i.src[1].file, 94, 91);
  if (i.src[1].file == RegFile::imm) c.field(i.jip, 127, 96);
  else source_region(c, i.src[1], i.access_mode, 96);
}

template <typename Codec, typename I>
void send(Codec& c, I& i) {
  destination(c, i.dst, i.access_mode);
  c.field(i.src[0].file, 42, 41);
  c.type(i.src[0].type, i.src[0].file, 46, 43);
  source_region(c, i.src[0], i.access_mode, 64);
  c.field(i.src[1].file, 90, 89);
  c.field(i.end_of_thread, 127, 127);
  if constexpr (!Codec::writing) i.descriptor_in_register = i.src[1].file != RegFile::imm;
  c.type(i.src[1].type, i.src[1].file, 94, 91);
  if (!i.descriptor_in_register) {
    c.field(i.descriptor, 126, 96);
    return;
  }
  source_region(c, i.src[1], i.access_mode, 96);
}

template <typename Codec, typename I>
void split_send(Codec& c, I& i) {
  uint8_t dst_file = i.dst.file == RegFile::grf, src1_file = i.src[1].file == RegFile::grf;
  c.field(dst_file, 35, 35);
  c.field(src1_file, 36, 36);
  c.type(i.dst.type, RegFile::grf, 40, 37);
  c.field(i.src[0].file, 42, 41);
  c.field(i.src[1].reg, 51, 44);
  c.field(i.dst.indirect, 63, 63);
  uint8_t dst_half = i.dst.subreg / 16, src_half = i.src[0].subreg / 16;
  if (i.dst.indirect) {
    c.field(i.dst.addr_subreg, 60, 57);
    c.address_imm(i.dst.addr_imm, 56, 52, 62, 4);
  } else {
    c.field(i.dst.reg, 60, 53);
    c.field(dst_half, 52, 52);
  }
  c.field(i.ex_descriptor_in_register, 61, 61);
  c.field(i.descriptor_in_register, 77, 77);
  c.field(i.src[0].indirect, 79, 79);
  if (i.src[0].indirect) {
    c.field(i.src[0].addr_subreg, 76, 73);
    c.address_imm(i.src[0].addr_imm, 72, 68, 78, 4);
  } else {
    c.field(i.src[0].reg, 76, 69);
    c.field(src_half, 68, 68);
  }
  uint32_t ex_length = i.ex_descriptor >> 6 & 15, ex_function = i.ex_descriptor >> 16;
  c.field(ex_length, 67, 64);
  if (i.ex_descriptor_in_register) c.field(i.ex_descriptor_subreg, 82, 80);
  else c.field(ex_function, 95, 80);
  c.field(i.descriptor, 126, 96);
  c.field(i.end_of_thread, 127, 127);
  if constexpr (!Codec::writing) {
    i.dst.file = dst_file ? RegFile::grf : RegFile::arf;
    i.src[1].file = src1_file ? RegFile::grf : RegFile::arf;
    i.dst.subreg = static_cast<uint8_t>(dst_half * 16);
    i.src[0].subreg = static_cast<uint8_t>(src_half * 16);
    i.ex_descriptor = ex_length << 6 | ex_function << 16;
  }
}

template <typename Codec, typename I>
void transfer(Codec& c, I& i) {
  header(c, i);
  const OpcodeInfo* row = i.info();
  switch (row ? row->form : Form::nop) {
    case Form::basic:
    case Form::math:
    case Form::sync:
    case Form::ret: basic(c, i); break;
    case Form::jump:
      basic(c, i);
      if constexpr (!Codec::writing) i.jip = static_cast<int32_t>(i.imm);
      break;
    case Form::ternary: Codec::Set::ternary(c, i); break;
    case Form::branch: branch(c, i); break;
    case Form::call: call(c, i); break;
    case Form::send: send(c, i); break;
    case Form::split_send: split_send(c, i); break;
    case Form::nop: break;
  }
}

}  // namespace softgen::eu::native_form
