// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/ref/eu_fuzz.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "hw/base/hash.h"
#include "hw/eu/interp/float_math.h"
#include "hw/eu/interp/run.h"
#include "hw/eu/isa/print.h"
#include "hw/iface/engine.h"
#include "hw/memory/sparse_memory.h"
#include "hw/memory/view.h"
#include "tests/ref/eu_reference.h"

namespace softgen::eu::fuzz {

namespace {

using reference::State;

bool has(const Isa& isa, Opcode opcode) { return isa.decode(isa.encode({.opcode = opcode})).opcode == opcode; }

class Generator {
 public:
  Generator(const Isa& isa, uint64_t seed, bool with_math = false)
      : isa_(isa), random_(seed), with_math_(with_math), with_align16_(has_align16(isa)), with_accumulator_(seed % 2) {}

  Instruction instruction();
  /// `length` of them; of sets with mask stacks in branches and loops that are passed once.
  std::vector<Instruction> program(unsigned length, unsigned depth = 3);
  void fill(State& state);

 private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <typename T, size_t N>
  T of(const T (&list)[N]) {
    return list[below(N)];
  }

  bool candidate(Instruction& i);
  RegType type_for(std::string_view letters, int want_float);
  void source(Instruction& i, unsigned n, RegType type);
  void region(const Instruction& i, Operand& o);
  void destination(Instruction& i, RegType type);
  static bool has_align16(const Isa& isa);
  void align16_ternary(Instruction& i);
  void align1_ternary(Instruction& i);
  void align1_source(Operand& o);
  void basic(Instruction& i, const OpcodeInfo& row);
  void immediate(Instruction& i, Operand& o);
  void native_accumulators(Instruction& i);
  bool macro(Instruction& i);
  void channels(Instruction& i);
  uint32_t word();
  Instruction flow(Opcode opcode, bool predicated);
  std::vector<Instruction> branches(unsigned length, unsigned depth);
  std::vector<Instruction> loop(unsigned length, unsigned depth);
  Instruction message();
  void to_message_registers(Instruction& i);

  const Isa& isa_;
  std::mt19937_64 random_;
  const bool with_math_, with_align16_;
  const bool
      with_accumulator_;  ///< of sets whose arithmetic always writes it: some program reads it, and then takes what the reference knows
};

uint32_t Generator::word() {
  static constexpr uint32_t special[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 1,
                                         0x80000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0x3f000000, 0x40200000, 0xffffffff, 0x7fffffff,
                                         0x3c003c00, 0x7c00fc00, 0x00010001, 0x4b000001, 0x33800000, 0x477fe000, 0x3effffff};
  switch (below(6)) {
    case 0: return of(special);
    case 1: return below(64);
    case 2: return 0u - below(64);
    case 3: return std::bit_cast<uint32_t>(static_cast<float>(static_cast<int>(below(20000)) - 10000) / 64.0f);
    default: return static_cast<uint32_t>(random_());
  }
}

void Generator::fill(State& state) {
  state.logic_negates = isa_.limits().logic_negates;
  state.shr_keeps_sign = isa_.limits().shr_keeps_sign;
  state.mask_stacks = isa_.limits().mask_stacks;
  for (size_t n = 0; n < state.grf.size(); n += 4) {
    const uint32_t w = word();
    std::memcpy(&state.grf[n], &w, 4);
  }
  for (size_t n = 0; n < state.acc.size(); n += 4) {
    const uint32_t w = word();
    std::memcpy(&state.acc[n], &w, 4);
  }
  for (uint64_t& bits : state.native) {
    const auto value = static_cast<double>(std::bit_cast<float>(word()));
    bits = std::bit_cast<uint64_t>(value == value ? value * (1 + std::ldexp(below(8), -30)) : 1.0);
  }
  for (auto& accumulator : state.macro)
    for (auto& channel : accumulator) {
      const auto value = static_cast<Quad>(std::bit_cast<float>(word()));
      std::memcpy(&channel, &value, sizeof value);
    }
  for (uint16_t& a : state.address) a = static_cast<uint16_t>(below(4096) & ~7u);
  state.flags = random_();
  state.channels = chance(40) ? 0xffffffff : static_cast<uint32_t>(random_());
  state.cr0 = below(4) << 4 | (chance(50) ? 1u << 6 : 0) | (chance(50) ? 1u << 7 : 0) | (chance(50) ? 1u << 10 : 0);
  if (chance(60)) state.cr0 &= ~0x30u;
}

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

/// A group of the dispatch's 32.
void Generator::channels(Instruction& i) {
  const unsigned groups = std::max(1u, 32u / i.exec_size);
  const unsigned offset = below(groups) * i.exec_size;
  i.qtr_control = static_cast<uint8_t>(offset / 8);
  i.nib_control = i.exec_size <= 4 ? offset / 4 & 1 : 0;
}

bool Generator::candidate(Instruction& i) {
  if (!with_align16_ && chance(3)) return macro(i);
  const auto table = opcodes();
  const OpcodeInfo& row = table[below(static_cast<unsigned>(table.size()))];
  const bool math = row.form == Form::math && with_math_;
  if (row.form != Form::basic && row.form != Form::ternary && !math) return false;
  switch (row.opcode) {
    case Opcode::illegal:
    case Opcode::movi:
    case Opcode::smov:
    case Opcode::wait:
    case Opcode::madm: return false;
    default: break;
  }
  i = Instruction{};
  i.opcode = row.opcode;
  i.exec_size = static_cast<uint8_t>(1u << below(6));
  i.no_mask = chance(25);
  i.acc_write = row.has('A') || chance(4);
  if (chance(30) && row.has('p')) {
    i.pred_control = static_cast<uint8_t>(1 + below(13));
    i.pred_invert = chance(50);
  }
  i.flag_reg = static_cast<uint8_t>(below(2));
  i.flag_subreg = static_cast<uint8_t>(below(2));
  i.saturate = row.has('s') && chance(25);
  static constexpr uint8_t conds[] = {1, 2, 3, 4, 5, 6, 8, 9};
  const bool cmp = i.opcode == Opcode::cmp || i.opcode == Opcode::cmpn || i.opcode == Opcode::csel;
  if (row.has('c') && (cmp || chance(25))) i.cond_mod = cmp ? conds[below(6)] : of(conds);
  if (i.opcode == Opcode::sel) {
    i.cond_mod = chance(50) ? conds[below(6)] : 0;
    if (!i.cond_mod && !i.pred_control) i.pred_control = 1;
  }
  if (row.form == Form::ternary) {
    with_align16_ ? align16_ternary(i) : align1_ternary(i);
  } else {
    basic(i, row);
  }
  if (math) {
    static constexpr uint8_t functions[] = {1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13};
    i.cond_mod = of(functions);
    // On doubles it fails the thread.
    for (const Operand& o : i.src)
      if (o.type == RegType::df) return false;
  }
  if (!with_align16_ && chance(15)) native_accumulators(i);
  channels(i);
  return true;
}

/// Excludes undefined results, and what both sides model differently on purpose.
bool comparable(const Instruction& i) {
  if (i.access_mode == AccessMode::align16 && i.pred_control > 7) return false;
  if ((i.pred_control == 2 || i.pred_control == 3) && i.access_mode == AccessMode::align1 &&
      i.flag_subreg * 16 + i.channel_offset() + i.exec_size > 32)
    return false;
  // The flag bits of a group beyond f1.1 do not exist.
  if (i.pred_control > 3 && i.flag_reg * 32 + i.flag_subreg * 16 + 32 > 64) return false;
  if (i.channel_offset() + i.exec_size + i.flag_reg * 32 + i.flag_subreg * 16 > 64) return false;
  const bool acc = i.acc_write || (i.dst.is_arf(Arf::accumulator) && i.dst.type != RegType::nf) || i.info()->has('a') || i.info()->has('A');
  if (acc &&
      (i.exec_size > 8 || size_of(i.dst.type) != size_of(i.src[0].type) || size_of(i.src[0].type) == 8 || size_of(i.src[0].type) == 1))
    return false;
  if (acc && (is_float(i.dst.type) != is_float(i.src[0].type) || i.src[0].type == RegType::hf || i.dst.type == RegType::hf)) return false;
  if (acc && i.acc_write && i.dst.is_arf(Arf::accumulator)) return false;
  if ((i.info()->has('a')) && is_packed_vector(i.src[0].type)) return false;
  if (acc && is_float(i.src[0].type) && i.opcode == Opcode::mac && i.src[1].type != RegType::f && i.src[1].type != RegType::vf)
    return false;
  if ((i.opcode == Opcode::sad2 || i.opcode == Opcode::sada2) && (i.exec_size < 2 || i.access_mode == AccessMode::align16 || acc))
    return false;
  if (i.cond_mod == 8 && is_float(i.src[0].type) && !is_float(i.dst.type)) return false;
  if (i.cond_mod == 8 && !is_float(i.src[0].type) && is_float(i.dst.type)) return false;
  // Wrapping kernels do not see overflow of logic and moves between integers.
  if (i.cond_mod == 8 && (i.info()->has('n') || i.opcode == Opcode::cbit || i.opcode == Opcode::bfrev)) return false;
  return true;
}

/// What the reference does not know of sets that differ in it (IsaLimits); their own tests have it.
bool known_to_reference(const Isa& isa, const Instruction& i) {
  const IsaLimits& limits = isa.limits();
  const bool two = i.info()->sources > 1 && !i.src[1].is_null();
  if (limits.mixes_floats && two && is_float(i.src[0].type) != is_float(i.src[1].type)) return false;
  if (i.opcode >= Opcode::msave && i.opcode <= Opcode::pop) return false;
  if (i.opcode >= Opcode::dp4 && i.opcode <= Opcode::dp2 && !(is_float(i.src[0].type) && is_float(i.dst.type))) return false;
  const bool rounds =
      i.opcode == Opcode::rndu || i.opcode == Opcode::rnde || i.opcode == Opcode::rndz || static_cast<CondMod>(i.cond_mod) == CondMod::r;
  if (limits.rounds_in_two_steps && rounds) return false;
  const bool product = i.opcode == Opcode::mul || i.opcode == Opcode::mach;
  if (limits.splits_first_factor && product && size_of(i.src[0].type) == 4 && size_of(i.src[1].type) == 4 && !is_float(i.src[0].type))
    return false;
  return limits.flag_registers > 1 || i.access_mode == AccessMode::align16 || (i.pred_control != 2 && i.pred_control != 3);
}

bool reads_accumulator(const Instruction& i) {
  return i.info()->has('a') || std::any_of(i.src, i.src + i.info()->sources, [](const Operand& o) { return o.is_arf(Arf::accumulator); });
}

/// Where arithmetic always writes the accumulator, it does so in a program that reads it (`reads`): for the reference, by the instruction's bit.
Instruction as_executed(const Isa& isa, const Instruction& i, bool reads) {
  Instruction seen = i;
  if (isa.limits().accumulates_always && reads && i.opcode >= Opcode::add && i.opcode <= Opcode::pln && !i.dst.is_arf(Arf::accumulator))
    seen.acc_write = true;
  return seen;
}

/// To extended math, or one without an answer.
Instruction Generator::message() {
  for (;;) {
    Instruction i;
    i.opcode = Opcode::send;
    i.exec_size = static_cast<uint8_t>(chance(20) ? 4 : 8u << below(2));
    i.compression = i.exec_size == 16 ? (chance(70) ? 2 : 0) : chance(20);
    i.no_mask = chance(20);
    if (chance(20)) i.pred_control = 1, i.pred_invert = chance(50);
    const bool math = chance(75);
    constexpr uint8_t functions[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13};
    constexpr uint32_t math_flags = 0xd0;  // signed integers, saturation, scalar
    const unsigned length = 1 + below(math ? 2 : 4), answer = math ? 1 + below(2) : 0;
    i.cond_mod = math ? 1 : 5;
    i.descriptor = (math ? of(functions) | (static_cast<uint32_t>(random_()) & math_flags) : 0x4400u) | answer << 20 | length << 25;
    i.first_message = static_cast<uint8_t>(below(8));
    i.dst = {
        .file = math ? RegFile::grf : RegFile::arf, .type = RegType::f, .reg = static_cast<uint8_t>(math ? below(116) : 0), .hstride = 1};
    if (math && i.exec_size == 8 && chance(30)) {
      i.access_mode = AccessMode::align16;
      i.dst.writemask = static_cast<uint8_t>(1 + below(15));
    }
    i.src[0] = {.file = RegFile::arf, .type = RegType::f, .reg = 0};
    if (chance(80)) {
      static constexpr RegType types[] = {RegType::f, RegType::f,  RegType::f, RegType::ud,
                                          RegType::d, RegType::uw, RegType::w, RegType::ub};
      i.src[0] = {
          .file = RegFile::grf, .type = of(types), .negate = chance(15), .abs = chance(15), .reg = static_cast<uint8_t>(below(120))};
      region(i, i.src[0]);
    }
    i.src[1] = {.file = RegFile::imm};
    i = isa_.decode(isa_.encode(i));
    if (isa_.validate(i).empty()) return i;
  }
}

/// Results of some instructions go there, and some are of a pair or compressed.
void Generator::to_message_registers(Instruction& i) {
  if (i.exec_size == 16 && chance(50)) i.compression = 2;
  if (i.exec_size <= 8 && chance(25)) i.compression = 1;
  const bool general = i.dst.file == RegFile::grf && !i.dst.indirect;
  if (!general || chance(85)) return;
  i.dst.reg = static_cast<uint8_t>(isa_.limits().registers + below(isa_.limits().message_registers));
  i.interleaved_halves = i.compression == 2 && chance(50);
}

Instruction Generator::flow(Opcode opcode, bool predicated) {
  Instruction i;
  i.opcode = opcode;
  i.exec_size = static_cast<uint8_t>(chance(10) ? 1 : 8u << below(3));
  i.dst.hstride = 1;
  i.dst.reg = i.src[0].reg = static_cast<uint8_t>(Arf::ip);
  i.src[1] = {.file = RegFile::imm, .type = RegType::d};
  if (predicated) i.pred_control = 1, i.pred_invert = chance(50), i.flag_subreg = static_cast<uint8_t>(below(2));
  return i;
}

/// Its distance, in instructions from `from`, and what it pops.
void lead(Instruction& from, size_t distance, unsigned pops) { from.imm = (2 * distance & 0xffff) | uint64_t{pops} << 16; }

void append(std::vector<Instruction>& code, const std::vector<Instruction>& more) { code.insert(code.end(), more.begin(), more.end()); }

std::vector<Instruction> Generator::branches(unsigned length, unsigned depth) {
  const unsigned first = below(length + 1);
  std::vector<Instruction> code{flow(chance(50) ? Opcode::if_ : Opcode::iff, true)};
  append(code, program(first, depth));
  if (code[0].opcode == Opcode::if_) {
    const size_t otherwise = code.size();
    lead(code[0], otherwise, 0);
    code.push_back(flow(Opcode::else_, false));
    append(code, program(length - first, depth));
    lead(code[otherwise], code.size() + 1 - otherwise, 1);
  } else {
    lead(code[0], code.size() + 1, 0);
  }
  code.push_back(flow(Opcode::endif, false));
  lead(code.back(), 0, 1);
  return code;
}

/// Channels leave it at several places, and all of them at the end of its first round.
std::vector<Instruction> Generator::loop(unsigned length, unsigned depth) {
  std::vector<Instruction> code{flow(Opcode::do_, false)};
  std::vector<size_t> breaks;
  while (length > 0) {
    const unsigned part = 1 + below(length);
    length -= part;
    append(code, program(part, depth));
    breaks.push_back(code.size());
    code.push_back(flow(Opcode::break_, length > 0));
  }
  code.back().exec_size = 32, code.back().no_mask = true;
  for (const size_t n : breaks) lead(code[n], code.size() + 1 - n, 0);
  code.push_back(flow(Opcode::while_, false));
  lead(code.back(), size_t{0} - (code.size() - 2), 0);
  return code;
}

std::vector<Instruction> Generator::program(unsigned length, unsigned depth) {
  std::vector<Instruction> code;
  const bool flows = isa_.limits().mask_stacks && depth;
  while (length > 0) {
    const unsigned part = flows && chance(12) ? 1 + below(length) : 0;
    length -= part ? part : 1;
    if (part) append(code, chance(60) ? branches(part, depth - 1) : loop(part, depth - 1));
    else code.push_back(instruction());
  }
  return code;
}

Instruction Generator::instruction() {
  const bool has_messages = with_math_ && isa_.limits().message_registers;
  for (;;) {
    if (has_messages && chance(10)) return message();
    Instruction i;
    if (!candidate(i)) continue;
    if (has_messages) to_message_registers(i);
    // What the form lacks is lost, and strides are as it has them.
    i = isa_.decode(isa_.encode(i));
    if (!isa_.validate(i).empty() || !known_to_reference(isa_, i) || !comparable(as_executed(isa_, i, with_accumulator_))) continue;
    if (isa_.limits().accumulates_always && !with_accumulator_ && reads_accumulator(i)) continue;
    return i;
  }
}

class Machine {
 public:
  explicit Machine(const Isa& isa) : isa_(isa), memory_(1 << 16), view_(memory_, nullptr), env_{view_, bases_, stop_} {}

  State run(const std::vector<Instruction>& code, const State& before, const Executor& executor = eu::interpret) {
    std::vector<std::byte> bytes(code.size() * 16);
    for (size_t n = 0; n < code.size(); n++) {
      const Native bits = isa_.encode(code[n]);
      std::memcpy(&bytes[n * 16], bits.q, 16);
    }
    const auto program = Program::decode(isa_, bytes);
    ThreadStart how;
    how.program = program.get();
    how.dispatch_mask = before.channels;
    thread_.start(how);
    std::memcpy(thread_.regs.grf, before.grf.data(), before.grf.size());
    std::memcpy(thread_.regs.acc, before.acc.data(), before.acc.size());
    std::memcpy(thread_.regs.address, before.address.data(), 32);
    thread_.regs.flag[0] = static_cast<uint32_t>(before.flags);
    thread_.regs.flag[1] = static_cast<uint32_t>(before.flags >> 32);
    thread_.regs.control[0] = before.cr0;
    std::memcpy(thread_.regs.native, before.native.data(), sizeof thread_.regs.native);
    thread_.macro_acc = before.macro;
    thread_.acc_wide = before.acc_wide;
    thread_.acc_size = static_cast<uint8_t>(before.acc_size);
    target_.sent = before.sent;
    executor(thread_, env_, target_);
    State after = before;
    after.sent = target_.sent;
    std::memcpy(after.grf.data(), thread_.regs.grf, after.grf.size());
    std::memcpy(after.acc.data(), thread_.regs.acc, after.acc.size());
    after.flags = thread_.regs.flag[0] | static_cast<uint64_t>(thread_.regs.flag[1]) << 32;
    std::memcpy(after.native.data(), thread_.regs.native, sizeof thread_.regs.native);
    after.macro = thread_.macro_acc;
    after.acc_wide = thread_.acc_wide;
    after.acc_size = thread_.acc_size;
    return after;
  }

 private:
  struct Target : MessageTarget {
    uint64_t sent = 0;
    SendResult send(const Message& message, ThreadEnv&) override {
      if (!message.end_of_thread) sent = hash64(std::as_bytes(message.payload), sent + message.exec_mask + message.op.descriptor);
      return SendResult::done;
    }
  };
  const Isa& isa_;
  memory::SparseMemory memory_;
  memory::View view_;
  ShaderBases bases_;
  StopFlag stop_;
  ThreadEnv env_;
  Target target_;
  Thread thread_;
};

Instruction end_of_thread(const Isa& isa) {
  Instruction i;
  i.opcode = has(isa, Opcode::send) ? Opcode::send : Opcode::send2;
  i.exec_size = 8;
  i.cond_mod = 7;
  i.no_mask = true;
  i.dst.hstride = 1;
  i.src[0] = {.file = RegFile::grf, .reg = 127};
  i.src[1].file = i.opcode == Opcode::send ? RegFile::imm : RegFile::arf;
  i.descriptor = 0x02000010;
  i.end_of_thread = true;
  return i;
}

/// The wide part of the accumulator only counts while it is in use.
bool same(State a, State b) {
  if (!a.acc_size) a.acc_wide.fill(0);
  if (!b.acc_size) b.acc_wide.fill(0);
  return a == b;
}

std::string explain(const State& expected, const State& found) {
  for (size_t n = 0; n < expected.grf.size(); n++)
    if (expected.grf[n] != found.grf[n]) {
      uint64_t e, f;
      std::memcpy(&e, &expected.grf[n & ~size_t{7}], 8);
      std::memcpy(&f, &found.grf[n & ~size_t{7}], 8);
      return fmt::format("g{} byte {}: expected {:016x}, found {:016x}", n / 32, n % 32 & ~7u, e, f);
    }
  if (expected.flags != found.flags) return fmt::format("flags: expected {:016x}, found {:016x}", expected.flags, found.flags);
  for (size_t n = 0; n < expected.acc.size(); n++)
    if (expected.acc[n] != found.acc[n]) return fmt::format("acc byte {}", n);
  if (expected.acc_size != found.acc_size) return fmt::format("acc size {} {}", expected.acc_size, found.acc_size);
  for (size_t n = 0; n < 64; n++)
    if (expected.acc_wide[n] != found.acc_wide[n])
      return fmt::format("acc channel {}: expected {:x}, found {:x}", n, expected.acc_wide[n], found.acc_wide[n]);
  for (size_t n = 0; n < expected.native.size(); n++)
    if (expected.native[n] != found.native[n])
      return fmt::format("NF channel {}: expected {:016x}, found {:016x}", n, expected.native[n], found.native[n]);
  if (expected.sent != found.sent) return "messages";
  return expected.macro != found.macro ? "special accumulators" : "other state";
}

}  // namespace

std::vector<Native> legal_instructions(const Isa& isa, uint64_t seed, size_t count) {
  Generator generator(isa, seed);
  std::vector<Native> code;
  while (code.size() < count) code.push_back(isa.encode(generator.instruction()));
  return code;
}

Outcome run(const Isa& isa, uint64_t seed, uint64_t instructions) {
  Outcome outcome;
  Machine machine(isa);
  while (outcome.instructions < instructions) {
    const uint64_t program_seed = seed * 1'000'000'007 + outcome.programs++;
    Generator generator(isa, program_seed);
    State start;
    generator.fill(start);
    std::vector<Instruction> code;
    for (unsigned n = 0; n < 16; n++) code.push_back(generator.instruction());
    State expected = start;
    const bool reads = std::any_of(code.begin(), code.end(), reads_accumulator);
    for (const Instruction& i : code)
      if (!reference::execute(expected, as_executed(isa, i, reads))) outcome.difference = fmt::format("reference lacks {}", print(isa, i));
    outcome.instructions += code.size();
    code.push_back(end_of_thread(isa));
    if (outcome.difference.empty() && same(expected, machine.run(code, start))) continue;
    // Which one?
    State state = start;
    for (size_t n = 0; n + 1 < code.size() && outcome.difference.empty(); n++) {
      State wanted = state;
      reference::execute(wanted, as_executed(isa, code[n], reads_accumulator(code[n])));
      const State found = machine.run({code[n], end_of_thread(isa)}, state);
      if (!same(wanted, found))
        outcome.difference =
            fmt::format("seed {} program {} instruction {}: {}\n  {} (cr0 {:x}, channels {:08x}, flags {:016x})", seed,
                        outcome.programs - 1, n, print(isa, code[n]), explain(wanted, found), state.cr0, state.channels, state.flags);
      state = wanted;
    }
    if (outcome.difference.empty()) outcome.difference = fmt::format("seed {} program {}: only together", seed, outcome.programs - 1);
    return outcome;
  }
  return outcome;
}

Outcome compare(const Isa& isa, uint64_t seed, uint64_t instructions, unsigned planned, const Executor& executor) {
  Outcome outcome;
  Machine machine(isa);
  while (outcome.instructions < instructions && outcome.difference.empty()) {
    Generator generator(isa, seed * 1'000'000'007 + outcome.programs++, true);
    State start;
    generator.fill(start);
    start.cr0 &= ~0x30u;
    if (outcome.programs % 4 == 0) start.cr0 |= cr0::alt_mode;
    if (isa.limits().mask_stacks && outcome.programs % 2) start.cr0 |= cr0::single_program_flow;
    std::vector<Instruction> code = generator.program(planned);
    const auto length = static_cast<unsigned>(code.size());
    outcome.instructions += length;
    code.push_back(end_of_thread(isa));
    if (same(machine.run(code, start), machine.run(code, start, executor))) continue;
    // The shortest piece that shows it.
    std::vector<Instruction> piece;
    State at_start = start;
    for (unsigned first = length; first-- > 0;) {
      at_start = start;
      if (first) {
        std::vector<Instruction> before(code.begin(), code.begin() + first);
        before.push_back(end_of_thread(isa));
        at_start = machine.run(before, start);
      }
      for (unsigned count = 1; first + count <= length && piece.empty(); count++) {
        std::vector<Instruction> some(code.begin() + first, code.begin() + first + count);
        some.push_back(end_of_thread(isa));
        if (!same(machine.run(some, at_start), machine.run(some, at_start, executor))) piece = some;
      }
      if (!piece.empty()) break;
    }
    outcome.difference = fmt::format("seed {} program {}", seed, outcome.programs - 1);
    if (piece.empty()) break;
    outcome.difference += fmt::format(": {} (cr0 {:x}, channels {:08x}, flags {:016x})",
                                      explain(machine.run(piece, at_start), machine.run(piece, at_start, executor)), at_start.cr0,
                                      at_start.channels, at_start.flags);
    for (size_t n = 0; n + 1 < piece.size(); n++) outcome.difference += "\n  " + print(isa, piece[n]);
  }
  return outcome;
}

}  // namespace softgen::eu::fuzz
