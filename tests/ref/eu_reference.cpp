// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/ref/eu_reference.h"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>

#include "tests/ref/eu_machine.h"

namespace softgen::eu::reference {
namespace {

bool updates_accumulator_itself(Opcode o) { return o == Opcode::mach || o == Opcode::addc || o == Opcode::subb; }

bool covered(const Instruction& i) {
  const OpcodeInfo* row = i.info();
  if (!row || (row->form != Form::basic && row->form != Form::ternary)) return false;
  switch (i.opcode) {
    case Opcode::illegal:
    case Opcode::movi:
    case Opcode::smov:
    case Opcode::wait:
    case Opcode::madm: return false;
    default: return true;
  }
}

}  // namespace

/// The destination's bits; `shown`: the value a conditional modifier sees.
uint64_t Machine::encode(Number v, Number& shown, bool& overflow) const {
  const RegType t = i_.dst.type;
  overflow = false;
  if (is_float(t)) {
    double d = v.real ? v.d : static_cast<double>(v.i);
    if (!v.real && t == RegType::f) d = static_cast<double>(static_cast<float>(v.i));
    if (i_.saturate) d = d > 0 ? std::fmin(d, 1) : 0;
    uint64_t bits;
    if (t == RegType::f) {
      auto f = static_cast<float>(d);
      if (v.real && flushes() && flag_of(s_.cr0, t) && std::fabs(f) < smallest_normal(t)) f = std::copysign(0.0f, f);
      shown = Number::of_real(f);
      bits = std::bit_cast<uint32_t>(f);
      if (std::isnan(f)) bits = v.nan && same_type() ? v.nan : 0x7fc00000;
      overflow = std::isinf(f);
    } else if (t == RegType::hf) {
      uint16_t h = half_bits(d);
      if (v.real && flushes() && flag_of(s_.cr0, t) && !(h & 0x7c00)) h &= 0x8000;
      shown = Number::of_real(half_value(h));
      bits = h;
      overflow = std::isinf(shown.d);
    } else {
      if (v.real && flushes() && flag_of(s_.cr0, t) && std::fabs(d) < smallest_normal(t)) d = std::copysign(0.0, d);
      shown = Number::of_real(d);
      if (!std::isnan(d)) bits = std::bit_cast<uint64_t>(d);
      else if (!v.nan || !same_type()) bits = 0x7ff8000000000000;
      else bits = v.nan >> 32 ? v.nan : 0x7ff8000000000000 | v.nan >> 31 << 63;
      overflow = std::isinf(d);
    }
    return bits;
  }
  const unsigned width = size_of(t) * 8;
  const Wide low = is_signed(t) ? -(Wide{1} << (width - 1)) : 0, high = low + (Wide{1} << width) - 1;
  Wide i = v.i;
  if (v.real) {
    const double whole = std::trunc(v.d);
    i = std::isnan(v.d)                      ? 0
        : whole <= static_cast<double>(low)  ? low
        : whole >= static_cast<double>(high) ? high
                                             : static_cast<Wide>(whole);
  }
  overflow = i < low || i > high;
  if (i_.saturate) i = i < low ? low : i > high ? high : i;
  i = (i - low) & ((Wide{1} << width) - 1);
  i += low;
  shown = Number::of(i);
  return static_cast<uint64_t>(i);
}

void Machine::set_flag(unsigned n, bool value) {
  const unsigned at = i_.flag_reg * 32 + i_.flag_subreg * 16 + n + i_.channel_offset();
  if (at < 64) s_.flags = (s_.flags & ~(uint64_t{1} << at)) | uint64_t{value} << at;
}

uint8_t* Machine::destination(unsigned n) {
  const Operand& d = i_.dst;
  const unsigned size = size_of(d.type);
  const bool packed = align16();
  if (packed && !(d.writemask >> n % 4 & 1)) return nullptr;
  const unsigned at = n * size * (packed ? 1 : std::max(1u, hstride_elements(d.hstride)));
  if (d.indirect) return &s_.grf[(static_cast<unsigned>(s_.address[d.addr_subreg % 16] + d.addr_imm) % 4096 + at) % 4096];
  if (d.file == RegFile::grf) return &s_.grf[(d.reg * 32u + d.subreg + at) % 4096];
  if (d.type == RegType::nf) return reinterpret_cast<uint8_t*>(&s_.native[(d.reg & 1) * 8u]) + at;
  if (d.is_arf(Arf::accumulator)) {
    const unsigned byte = (d.reg & 15) * 32u + d.subreg + at;
    return byte + size <= 64 ? &s_.acc[byte] : nullptr;
  }
  return nullptr;
}

void Machine::write(unsigned n, uint64_t bits) {
  if (i_.dst.is_null()) return;
  if (uint8_t* to = destination(n)) std::memcpy(to, &bits, size_of(i_.dst.type));
}

/// An integer result whose upper part is undefined.
void Machine::plain_accumulator(unsigned n, uint64_t bits) {
  const unsigned size = size_of(i_.dst.type), first = is_float(i_.dst.type) ? i_.channel_offset() & 15 : 0;
  if (i_.acc_write && (first + n + 1) * size <= 64) std::memcpy(&s_.acc[(first + n) * size], &bits, size);
  if (i_.acc_write || to_accumulator()) s_.acc_size = 0;
}

void Machine::finish(unsigned n, Number v) {
  Number shown;
  bool overflow;
  const uint64_t bits = encode(v, shown, overflow);
  const unsigned cond = i_.opcode == Opcode::sel || i_.opcode == Opcode::csel ? 0 : i_.cond_mod;
  if (cond) set_flag(n, cond == 8 ? overflow : compare(shown, shown.real ? Number::of_real(0) : Number::of(0), cond));
  write(n, bits);
  const bool explicit_acc = to_accumulator(), real = is_float(i_.dst.type);
  const unsigned size = size_of(i_.dst.type);
  if (real) {
    if (i_.acc_write && (n + 1 + (i_.channel_offset() & 15)) * size <= 64)
      std::memcpy(&s_.acc[(n + (i_.channel_offset() & 15)) * size], &bits, size);
    if (i_.acc_write || explicit_acc) s_.acc_size = 0;
  } else if ((explicit_acc || i_.acc_write) && !updates_accumulator_itself(i_.opcode)) {
    const unsigned first = explicit_acc ? (i_.dst.reg & 15) * 32u / size : implicit_channel(size);
    const bool logic = i_.info()->has('n') || v.real || i_.opcode == Opcode::sel || i_.opcode == Opcode::csel;
    if (logic) {
      plain_accumulator(n, bits);
    } else {
      set_accumulator(first + n, size, is_signed(i_.dst.type), i_.saturate ? shown.i : v.i);
    }
  }
}

bool Machine::execute() {
  const bool cmp = i_.opcode == Opcode::cmp || i_.opcode == Opcode::cmpn;
  const bool choose = i_.opcode == Opcode::sel && !i_.cond_mod;
  const bool pairs = i_.opcode == Opcode::sad2 || i_.opcode == Opcode::sada2;
  const State before = s_;  // all channels read before any writes
  State after = s_;
  for (unsigned n = 0; n < i_.exec_size; n++) {
    s_ = before;
    const bool on = enabled(n) && (choose || predicate(n)) && !(pairs && n % 2);
    if (!on) continue;
    Machine writer(after, i_);
    if (cmp) {
      const Number a = fetch(0, n), b = fetch(1, n);
      bool holds = compare(a, b, i_.cond_mod);
      if (i_.opcode == Opcode::cmpn && (i_.cond_mod == 4 || i_.cond_mod == 5)) holds = holds || (b.real && std::isnan(b.d));
      if (i_.cond_mod) writer.set_flag(n, holds);
      writer.write(n, holds ? ~uint64_t{0} : 0);
      continue;
    }
    if (bits_only()) {
      const Operand& o = i_.src[choose && !predicate(n) ? 1 : 0];
      uint64_t bits = i_.imm;
      if (o.file != RegFile::imm) {
        unsigned where;
        bits = 0;
        if (!o.is_null()) std::memcpy(&bits, source_byte(o, n, where), size_of(o.type));
      }
      writer.write(n, bits);
      writer.plain_accumulator(n, bits);
      continue;
    }
    const Number v = compute(n);
    if (updates_accumulator_itself(i_.opcode)) {
      after.acc_wide = (after.acc_size == s_.acc_size) ? after.acc_wide : s_.acc_wide;
      after.acc_size = s_.acc_size;
      after.acc_wide[n] = s_.acc_wide[n];
      const size_t size = s_.acc_size;
      if ((n + 1) * size <= s_.acc.size()) std::memcpy(&after.acc[n * size], &s_.acc[n * size], size);
    }
    writer.finish(n, v);
  }
  s_ = after;
  return true;
}

/// The value of a macro's operand: its special accumulator, or the registers, whatever the region.
Quad Machine::macro_source(unsigned k, unsigned n) const {
  const Operand& o = i_.src[k];
  Quad v;
  if (o.swizzle < 8) {
    std::memcpy(&v, &s_.macro[o.swizzle][(n + i_.channel_offset()) % 16], 16);
  } else {
    float f;
    std::memcpy(&f, &s_.grf[(o.reg * 32u + o.subreg + n * 4) % 4096], 4);
    v = f;
  }
  if (o.abs && v < 0) v = -v;
  return o.negate ? -v : v;
}

/// madm, invm, rsqtm of F.
bool Machine::execute_macro() {
  const State before = s_;
  State after = s_;
  const bool fused = i_.opcode == Opcode::madm, quotient = static_cast<MathFunction>(i_.cond_mod) == MathFunction::invm;
  for (unsigned n = 0; n < i_.exec_size; n++) {
    s_ = before;
    if (!enabled(n) || !predicate(n)) continue;
    Machine writer(after, i_);
    Quad wide;
    if (fused) {
      wide = macro_source(1, n) * macro_source(2, n) + macro_source(0, n);
    } else {
      const auto a = static_cast<double>(macro_source(0, n)), b = quotient ? static_cast<double>(macro_source(1, n)) : 1.0;
      const auto special = [](double v) { return v == 0 || std::isinf(v) || std::isnan(v); };
      const bool known = special(a) || special(b) || (!quotient && a < 0);
      writer.set_flag(n, known);
      wide = known ? (quotient ? a / b : std::sqrt(a)) : 1.0 / (quotient ? b : std::sqrt(a));
    }
    if (wide != wide) wide = std::numeric_limits<float>::quiet_NaN();
    if (i_.dst.writemask < 8) std::memcpy(&after.macro[i_.dst.writemask][(n + i_.channel_offset()) % 16], &wide, 16);
    auto result = fused ? static_cast<float>(wide) : static_cast<float>(static_cast<double>(wide));
    if (i_.saturate) result = result > 0 ? std::fmin(result, 1.0f) : 0.0f;
    if (!fused && flag_of(s_.cr0, RegType::f) && std::fabs(result) < smallest_normal(RegType::f)) result = std::copysign(0.0f, result);
    if (fused && i_.cond_mod) writer.set_flag(n, compare(Number::of_real(result), Number::of_real(0), i_.cond_mod));
    writer.write(n, std::bit_cast<uint32_t>(result));
  }
  s_ = after;
  return true;
}

bool execute(State& state, const Instruction& instruction) {
  if (!covered(instruction) && !instruction.special_accumulators) return false;
  constexpr int modes[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  const int outer = std::fegetround();
  std::fesetround(modes[state.cr0 >> 4 & 3]);
  Machine machine(state, instruction);
  const bool done = instruction.special_accumulators ? machine.execute_macro() : machine.execute();
  std::fesetround(outer);
  return done;
}

}  // namespace softgen::eu::reference
