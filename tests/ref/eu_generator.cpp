// SPDX-License-Identifier: GPL-2.0-or-later
// What is chosen: opcodes, channels, values in registers; and what both sides of a comparison know.
#include "tests/ref/eu_generator.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "hw/eu/interp/float_math.h"

namespace softgen::eu::fuzz {

using reference::State;

namespace {

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

}  // namespace

bool reads_accumulator(const Instruction& i) {
  return i.info()->has('a') || std::any_of(i.src, i.src + i.info()->sources, [](const Operand& o) { return o.is_arf(Arf::accumulator); });
}

Instruction as_executed(const Isa& isa, const Instruction& i, bool reads) {
  Instruction seen = i;
  if (isa.limits().accumulates_always && reads && i.opcode >= Opcode::add && i.opcode <= Opcode::pln && !i.dst.is_arf(Arf::accumulator))
    seen.acc_write = true;
  return seen;
}

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

State Generator::another(const State& like) {
  constexpr uint32_t all = 0xffffffff;
  State state;
  fill(state);
  state.cr0 = like.cr0;
  if (like.channels == all) state.channels = all;
  else if (state.channels == all) state.channels = static_cast<uint32_t>(random_());
  return state;
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

}  // namespace softgen::eu::fuzz
