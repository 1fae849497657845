// SPDX-License-Identifier: GPL-2.0-or-later
// Operands by an instruction's form: types, regions, immediates, accumulators.
#include <algorithm>
#include <bit>

#include "tests/ref/eu_generator.h"

namespace softgen::eu::fuzz {

RegType Generator::type_for(std::string_view letters, int want_float) {
  for (;;) {
    const auto t = static_cast<RegType>(below(static_cast<unsigned>(RegType::uv)));
    if (!allows(letters, t)) continue;
    if (want_float >= 0 && is_float(t) != (want_float == 1)) continue;
    return t;
  }
}

uint8_t log2_field(unsigned n) { return static_cast<uint8_t>(n ? std::countr_zero(n) + 1 : 0); }

void Generator::region(const Instruction& i, Operand& o) {
  const unsigned exec = i.exec_size, size = size_of(o.type);
  if (i.access_mode == AccessMode::align16) {
    o.vstride = chance(20) ? 0 : 3;
    o.swizzle = chance(40) ? 0xe4 : static_cast<uint8_t>(below(256));
    o.subreg = static_cast<uint8_t>(below(2) * 16);
    return;
  }
  switch (below(4)) {
    case 0: o.vstride = o.width = o.hstride = 0; break;  // <0;1,0>
    case 1: {                                            // packed
      const unsigned w = std::min({exec, 16u, 32 / size});
      o.width = static_cast<uint8_t>(std::countr_zero(w));
      o.hstride = w > 1;
      o.vstride = w > 1 ? log2_field(w) : log2_field(exec > 1 ? 1 : 0);
      break;
    }
    default: {
      const unsigned w = std::min(exec, 1u << below(5));
      const unsigned h = w == 1 ? 0 : 1u << below(3);
      o.width = static_cast<uint8_t>(std::countr_zero(w));
      o.hstride = log2_field(chance(15) ? 0 : h);
      o.vstride = w == exec ? log2_field(w * hstride_elements(o.hstride)) : static_cast<uint8_t>(below(7));
    }
  }
  o.subreg = static_cast<uint8_t>(below(32 / size) * size);
}

void Generator::immediate(Instruction& i, Operand& o) {
  o.file = RegFile::imm;
  if (o.type == RegType::ub || o.type == RegType::b) o.type = RegType::w;
  if (o.type == RegType::w && chance(15)) o.type = RegType::v;
  if (o.type == RegType::uw && chance(15)) o.type = RegType::uv;
  if (o.type == RegType::f && chance(15)) o.type = RegType::vf;
  i.imm = size_of(o.type) == 8 ? uint64_t{word()} << 32 | word() : word();
  if (size_of(o.type) == 2 && !is_packed_vector(o.type)) i.imm = (i.imm & 0xffff) * 0x10001;
  o.negate = o.abs = false;
}

void Generator::source(Instruction& i, unsigned n, RegType type) {
  Operand& o = i.src[n];
  o.type = type;
  o.file = RegFile::grf;
  o.reg = static_cast<uint8_t>(below(124));
  if (i.info()->has('m')) {
    o.negate = chance(20);
    o.abs = chance(15) && (isa_.limits().logic_negates || !i.info()->has('n'));
  }
  if (chance(20) && n + 1 == i.info()->sources && !(n == 1 && size_of(type) == 8)) return immediate(i, o);
  region(i, o);
  if (i.access_mode == AccessMode::align1 && chance(12)) {
    o.indirect = true;
    o.reg = o.subreg = 0;
    o.addr_subreg = static_cast<uint8_t>(below(8));
    o.addr_imm = static_cast<int16_t>((static_cast<int>(below(128)) - 64) * 8);
    if (chance(40)) o.vstride = vstride_indirect;
  } else if (chance(4) && (i.opcode == Opcode::add || i.opcode == Opcode::mov) && size_of(type) == 4) {
    o.file = RegFile::arf;
    o.reg = 0x20;
    o.subreg = 0;
    o.vstride = 4, o.width = 3, o.hstride = 1;
    if (i.exec_size != 8) o.file = RegFile::grf;
  }
}

void Generator::destination(Instruction& i, RegType type) {
  Operand& d = i.dst;
  d.type = type;
  d.file = RegFile::grf;
  d.reg = static_cast<uint8_t>(below(124));
  d.hstride = 1;
  const unsigned size = size_of(type);
  if (i.access_mode == AccessMode::align16) {
    d.subreg = static_cast<uint8_t>(below(2) * 16);
    d.writemask = chance(60) ? 15 : static_cast<uint8_t>(1 + below(15));
    return;
  }
  if (chance(30)) d.hstride = static_cast<uint8_t>(1 + below(3));
  d.subreg = static_cast<uint8_t>(below(32 / size) * size);
  if (chance(5)) {
    d = Operand{};
    d.type = type;
    d.hstride = 1;
  } else if (chance(8)) {
    d.indirect = true;
    d.reg = d.subreg = 0;
    d.addr_subreg = static_cast<uint8_t>(below(16));
  } else if (chance(4) && size >= 2 && size <= 4 && i.exec_size * size <= 32) {
    d.file = RegFile::arf;
    d.reg = static_cast<uint8_t>(0x20 + below(2));
    d.subreg = 0;
    d.hstride = 1;
  }
}

bool Generator::has_align16(const Isa& isa) {
  Instruction i;
  i.opcode = Opcode::mov;
  i.access_mode = AccessMode::align16;
  i.exec_size = 8;
  i.dst = {.file = RegFile::grf, .type = RegType::f, .hstride = 1};
  i.src[0] = {.file = RegFile::grf, .type = RegType::f, .vstride = 3};
  return isa.validate(i).empty();
}

void Generator::align16_ternary(Instruction& i) {
  const RegType type = type_for(i.info()->src_types, -1);
  i.access_mode = AccessMode::align16;
  i.exec_size = type == RegType::df ? 4 : static_cast<uint8_t>(8u << below(2));
  for (unsigned n = 0; n < 3; n++) {
    Operand& o = i.src[n];
    o.file = RegFile::grf;
    o.type = type;
    o.reg = static_cast<uint8_t>(below(124));
    o.replicate = chance(30);
    if (o.replicate) o.subreg = static_cast<uint8_t>(below(32 / size_of(type)) * size_of(type));
    o.swizzle = chance(70) ? 0xe4 : static_cast<uint8_t>(below(256));
    if (i.info()->has('m')) o.negate = chance(25), o.abs = chance(15);
  }
  i.dst.file = RegFile::grf;
  i.dst.type = i.opcode == Opcode::mad && type == RegType::hf && chance(30) ? RegType::f : type;
  i.dst.reg = static_cast<uint8_t>(below(124));
  i.dst.hstride = 1;
  i.dst.writemask = chance(70) ? 15 : static_cast<uint8_t>(1 + below(15));
}

/// Vertically 0 to 8 elements, of which each set lacks one, and at least as much as horizontally.
void Generator::align1_source(Operand& o) {
  o.file = RegFile::grf;
  o.reg = static_cast<uint8_t>(below(124));
  o.vstride = static_cast<uint8_t>(below(5));
  o.hstride = static_cast<uint8_t>(below(4));
  if (chance(40)) o.vstride = 4, o.hstride = 1;
  if (o.hstride > o.vstride) o.hstride = 0;
  o.subreg = static_cast<uint8_t>(below(32 / size_of(o.type)) * size_of(o.type));
}

void Generator::align1_ternary(Instruction& i) {
  const RegType type = type_for(i.info()->src_types, -1);
  i.exec_size = static_cast<uint8_t>(1u << below(5));
  for (unsigned n = 0; n < 3; n++) {
    Operand& o = i.src[n];
    o.type = chance(60) ? type : type_for(i.info()->src_types, is_float(type));
    align1_source(o);
    if (n == 2) o.vstride = static_cast<uint8_t>(below(4)), o.width = o.hstride = 0;
    if (i.info()->has('m')) o.negate = chance(25), o.abs = chance(15);
  }
  if (Operand& o = i.src[chance(50) ? 0 : 2]; chance(20) && size_of(o.type) == 2) {
    o = {.file = RegFile::imm, .type = o.type};
    i.imm = word() & 0xffff;
  }
  i.dst = {.file = RegFile::grf,
           .type = chance(70) && allows(i.info()->dst_types, type) ? type : type_for(i.info()->dst_types, is_float(type)),
           .reg = static_cast<uint8_t>(below(124)),
           .subreg = static_cast<uint8_t>(below(4) * 8),
           .hstride = static_cast<uint8_t>(1 + below(2))};
}

/// Operands of what is not ternary.
void Generator::basic(Instruction& i, const OpcodeInfo& row) {
  const bool dots = i.opcode == Opcode::dp2 || i.opcode == Opcode::dp3 || i.opcode == Opcode::dp4 || i.opcode == Opcode::dph;
  const bool planes = i.opcode == Opcode::line || i.opcode == Opcode::pln;
  if (with_align16_ && (chance(8) || dots) && !planes && i.opcode != Opcode::mach) i.access_mode = AccessMode::align16;
  if (i.access_mode == AccessMode::align16 && i.exec_size < 4) i.exec_size = 8;
  if (planes) i.exec_size = static_cast<uint8_t>(8u << below(2));
  const int want = row.opcode == Opcode::mov ? -1 : static_cast<int>(below(2));
  const bool floats = row.src_types.find_first_of("HFL") != std::string_view::npos;
  const bool integers = row.src_types.find_first_of("BWDQ") != std::string_view::npos;
  const int kind = want < 0 ? want : !floats ? 0 : !integers ? 1 : want;
  const RegType first = type_for(row.src_types, kind);
  source(i, 0, first);
  if (row.sources > 1) source(i, 1, chance(70) ? first : type_for(row.src_types, is_float(first)));
  destination(i, chance(60) && allows(row.dst_types, first)
                     ? first
                     : type_for(row.dst_types, row.opcode == Opcode::mov || chance(10) ? -1 : is_float(first)));
  if (planes) {
    i.src[0] = Operand{.file = RegFile::grf,
                       .type = RegType::f,
                       .negate = chance(20),
                       .reg = static_cast<uint8_t>(below(120)),
                       .subreg = static_cast<uint8_t>(below(2) * 16)};
    if (i.opcode == Opcode::pln)
      i.src[1] = Operand{.file = RegFile::grf,
                         .type = RegType::f,
                         .negate = chance(20),
                         .reg = static_cast<uint8_t>(below(120)),
                         .vstride = 4,
                         .width = 3,
                         .hstride = 1};
  }
}

/// Instructions of floats get NF accumulators.
void Generator::native_accumulators(Instruction& i) {
  const bool reads =
      i.opcode == Opcode::mov || i.opcode == Opcode::add || i.opcode == Opcode::mul || i.opcode == Opcode::mad || i.opcode == Opcode::cmp;
  if (!reads || i.exec_size > 8 || !is_float(i.src[0].type)) return;
  i.acc_write = false;
  const unsigned width = i.opcode == Opcode::mad ? 8 : i.exec_size;
  const auto accumulator = [&] {
    return Operand{.file = RegFile::arf,
                   .type = RegType::nf,
                   .reg = static_cast<uint8_t>(0x20 + below(2)),
                   .vstride = width > 1 ? log2_field(width) : uint8_t{0},
                   .width = static_cast<uint8_t>(std::countr_zero(width)),
                   .hstride = width > 1};
  };
  if (i.opcode != Opcode::cmp && chance(60)) {
    i.dst = accumulator();
    i.dst.vstride = i.dst.width = 0, i.dst.hstride = 1;
  }
  if (chance(60)) {
    Operand acc = accumulator();
    acc.negate = i.src[0].negate, acc.abs = i.src[0].abs;
    i.src[0] = acc;
  }
}

/// madm, invm or rsqtm in align1.
bool Generator::macro(Instruction& i) {
  i = Instruction{};
  const unsigned which = below(3);
  i.opcode = which == 0 ? Opcode::madm : Opcode::math;
  if (which) i.cond_mod = static_cast<uint8_t>(which == 1 ? MathFunction::invm : MathFunction::rsqtm);
  else if (chance(25)) i.cond_mod = static_cast<uint8_t>(1 + below(6));
  i.exec_size = static_cast<uint8_t>(4u << below(3));
  const unsigned sources = which == 0 ? 3 : which == 1 ? 2 : 1;
  // As IGA encodes them.
  for (unsigned n = 0; n < sources; n++)
    i.src[n] = {.file = RegFile::grf,
                .type = RegType::f,
                .negate = chance(20),
                .abs = chance(15),
                .reg = static_cast<uint8_t>(below(120)),
                .vstride = static_cast<uint8_t>(which ? 2 : 3),
                .width = static_cast<uint8_t>(which ? 1 : 2),
                .hstride = 1,
                .swizzle = static_cast<uint8_t>(below(9))};
  i.dst = {.file = RegFile::grf,
           .type = RegType::f,
           .reg = static_cast<uint8_t>(below(120)),
           .hstride = 1,
           .writemask = static_cast<uint8_t>(below(9))};
  i.no_mask = chance(25);
  i.saturate = chance(25);
  if (chance(30)) i.pred_control = 1, i.pred_invert = chance(50);
  i.flag_reg = static_cast<uint8_t>(below(2));
  i.flag_subreg = static_cast<uint8_t>(below(2));
  channels(i);
  return true;
}

}  // namespace softgen::eu::fuzz
