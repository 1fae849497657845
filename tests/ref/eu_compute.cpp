// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>

#include "tests/ref/eu_machine.h"

namespace softgen::eu::reference {
namespace {

/// One rounding to F where the operation is in F; sums and products of two floats are exact enough in double for that.
double to_single(double v) { return static_cast<double>(static_cast<float>(v)); }

Wide unsigned_in(Wide v, unsigned bytes) { return v & ((Wide{1} << bytes * 8) - 1); }

/// bfe, of operands in the instruction's order: width, offset, value.
Number bit_field(const Wide* x, bool sign) {
  const unsigned w = static_cast<unsigned>(x[0]) & 31, o = static_cast<unsigned>(x[1]) & 31;
  if (!w) return Number::of(0);
  const auto v = static_cast<uint32_t>(x[2]);
  Wide r = 0;
  for (unsigned k = 0; k < 32; k++) {
    // Bits beyond the field, or beyond bit 31, repeat the last one when signed.
    const unsigned top = std::min(o + w - 1, 31u), from = std::min(o + k, 32u);
    const bool bit = from <= top ? v >> from & 1 : sign && (v >> top & 1);
    r |= Wide{bit} << k;
  }
  return Number::of(sign ? Wide{static_cast<int32_t>(r)} : Wide{static_cast<uint32_t>(r)});
}

}  // namespace

/// What reads other channels, or compares.
Number Machine::compute_real_operands(unsigned n, const std::function<Number(double)>& rounded, const double* x) {
  switch (i_.opcode) {
    case Opcode::sel: {
      const Number a = fetch(0, n), b = fetch(1, n);
      bool take = predicate(n);
      const bool maximum = i_.cond_mod == 4, minimum = i_.cond_mod == 5;
      if (i_.cond_mod) take = compare(a, b, i_.cond_mod) || ((maximum || minimum) && std::isnan(b.d));
      // -0 is the less of two zeros.
      if ((maximum || minimum) && a.d == b.d) take = minimum == std::signbit(a.d);
      return take ? a : b;
    }
    case Opcode::csel: {
      Number c = fetch(2, n);
      if (flag_of(s_.cr0, source_type(2)) && std::fabs(c.d) < smallest_normal(source_type(2))) c.d = 0;
      return compare(c, Number::of_real(0), i_.cond_mod) ? fetch(0, n) : fetch(1, n);
    }
    case Opcode::dp2:
    case Opcode::dp3:
    case Opcode::dp4:
    case Opcode::dph: {
      const unsigned g = n / 4 * 4, terms = i_.opcode == Opcode::dp2 ? 2 : i_.opcode == Opcode::dp4 ? 4 : 3;
      double sum = 0;
      for (unsigned k = 0; k < terms; k++) sum += fetch(0, g + k).d * fetch(1, g + k).d;
      if (i_.opcode == Opcode::dph) sum += fetch(1, g + 3).d;
      return rounded(sum);
    }
    case Opcode::line:
    case Opcode::pln: {
      const auto coefficient = [&](unsigned k) {
        Number v = decode(&s_.grf[(i_.src[0].reg * 32u + i_.src[0].subreg + k * 4) % 4096], RegType::f);
        if (flag_of(s_.cr0, RegType::f) && std::fabs(v.d) < smallest_normal(RegType::f)) v.d = std::copysign(0.0, v.d);
        return modify(v, i_.src[0]).d;
      };
      if (i_.opcode == Opcode::line) return Number::of_real(to_single(coefficient(0) * x[1] + (0.0 * 0 + coefficient(3))));
      const auto part = [&](unsigned second) {
        const unsigned at = (i_.src[1].reg * 32u + i_.src[1].subreg + (n / 8 * 2 + second) * 32 + n % 8 * 4) % 4096;
        Number v = decode(&s_.grf[at], RegType::f);
        if (flag_of(s_.cr0, RegType::f) && std::fabs(v.d) < smallest_normal(RegType::f)) v.d = std::copysign(0.0, v.d);
        return modify(v, i_.src[1]).d;
      };
      return Number::of_real(to_single(coefficient(0) * part(0) + (coefficient(1) * part(1) + coefficient(3))));
    }
    default: return {};
  }
}

Number Machine::compute_real(unsigned n) {
  bool df = i_.dst.type == RegType::nf, only_half = i_.dst.type == RegType::hf;
  for (unsigned k = 0; k < sources(); k++) {
    df = df || is_double(i_.src[k].type);
    only_half = only_half && i_.src[k].type == RegType::hf;
  }
  double x[3] = {};
  for (unsigned k = 0; k < sources(); k++) x[k] = fetch(k, n).d;
  const auto rounded = [&](double v) { return Number::of_real(df || only_half ? v : to_single(v)); };
  switch (i_.opcode) {
    case Opcode::mov: return fetch(0, n);
    case Opcode::add: return rounded(x[0] + x[1]);
    case Opcode::mul: return rounded(x[0] * x[1]);
    case Opcode::mad:
      if (df || only_half) return Number::of_real(std::fma(x[1], x[2], x[0]));
      return Number::of_real(std::fmaf(static_cast<float>(x[1]), static_cast<float>(x[2]), static_cast<float>(x[0])));
    case Opcode::lrp: {
      float rest = static_cast<float>(to_single(to_single(1 - x[0]) * x[2]));
      if (flag_of(s_.cr0, RegType::f) && std::fabs(rest) < smallest_normal(RegType::f)) rest = std::copysign(0.0f, rest);
      return Number::of_real(std::fmaf(static_cast<float>(x[0]), static_cast<float>(x[1]), rest));
    }
    case Opcode::mac: {
      Number acc;
      const unsigned size = size_of(i_.src[0].type), channel = n + (i_.channel_offset() & 15);
      if ((channel + 1) * size > 64) return {};
      acc = decode(&s_.acc[channel * size], i_.src[0].type);
      if (flag_of(s_.cr0, i_.src[0].type) && std::fabs(acc.d) < smallest_normal(i_.src[0].type)) acc.d = std::copysign(0.0, acc.d);
      return Number::of_real(std::fmaf(static_cast<float>(x[0]), static_cast<float>(x[1]), static_cast<float>(acc.d)));
    }
    case Opcode::frc: {
      const double f = rounded(x[0] - std::floor(x[0])).d;
      return Number::of_real(f >= 1 ? (df ? std::nextafter(1.0, 0.0) : std::nextafter(1.0f, 0.0f)) : f);
    }
    case Opcode::rndu: return Number::of_real(std::ceil(x[0]));
    case Opcode::rndd: return Number::of_real(std::floor(x[0]));
    case Opcode::rndz: return Number::of_real(std::trunc(x[0]));
    case Opcode::rnde: {
      const double low = std::floor(x[0]), rest = x[0] - low;
      const bool odd = std::fmod(low, 2) != 0;
      const double r = rest > 0.5 || (rest == 0.5 && odd) ? low + 1 : low;
      return Number::of_real(r == 0 ? std::copysign(0.0, x[0]) : r);
    }
    default: return compute_real_operands(n, rounded, x);
  }
}

/// The first channel of the accumulator that nothing names: that of acc1 where it is the destination, and in the second half of a pair of 16 channels.
unsigned Machine::implicit_channel(unsigned size) const {
  const bool second = i_.compression == 1 && i_.exec_size == 16, named = i_.dst.is_arf(Arf::accumulator) && i_.dst.reg % 2;
  return s_.mask_stacks && (second || named) ? 32 / size : 0;
}

Wide Machine::accumulator(unsigned n, unsigned size, bool with_sign) const {
  if (s_.acc_size == size) return s_.acc_wide[n % 64];
  const RegType t = size == 4 ? (with_sign ? RegType::d : RegType::ud) : with_sign ? RegType::w : RegType::uw;
  return decode(&s_.acc[n * size % 64], t).i;
}

void Machine::set_accumulator(unsigned n, unsigned size, bool with_sign, Wide v) {
  if (s_.acc_size != size) {
    State before = s_;
    for (unsigned k = 0; k < 64 / size; k++) {
      const RegType t = size == 8   ? (with_sign ? RegType::q : RegType::uq)
                        : size == 4 ? (with_sign ? RegType::d : RegType::ud)
                        : size == 2 ? (with_sign ? RegType::w : RegType::uw)
                        : with_sign ? RegType::b
                                    : RegType::ub;
      s_.acc_wide[k] = static_cast<int64_t>(decode(&before.acc[k * size], t).i);
    }
    s_.acc_size = size;
  }
  s_.acc_wide[n % 64] = static_cast<int64_t>(v);
  const auto low = static_cast<uint64_t>(v);
  if ((n + 1) * size <= 64) std::memcpy(&s_.acc[n * size], &low, size);
}

/// Bytes of what addc and subb add: those of the widest operand; bytes become words.
unsigned Machine::carry_size() const {
  unsigned size = std::max(size_of(i_.dst.type), 2u);
  for (unsigned n = 0; n < 2; n++) size = std::max(size, size_of(i_.src[n].type));
  return size;
}

Number Machine::compute_accumulating(unsigned n, const Wide* x) {
  switch (i_.opcode) {
    case Opcode::mac: {
      const bool with_sign = is_signed(i_.src[0].type);
      const unsigned size = std::max(size_of(i_.src[0].type), 2u);
      return Number::of(x[0] * x[1] + accumulator(implicit_channel(size) + n, size, with_sign));
    }
    case Opcode::mach: {
      const auto whole = static_cast<int64_t>(x[0] * (x[1] >> 16) * 65536 + accumulator(n, 4, is_signed(i_.src[0].type)));
      if (i_.low_product)
        return Number::of(is_signed(i_.dst.type) ? Wide{static_cast<int32_t>(whole)} : Wide{static_cast<uint32_t>(whole)});
      set_accumulator(n, 4, is_signed(i_.dst.type), whole);
      return Number::of(is_signed(i_.dst.type) ? Wide{whole >> 32} : Wide{static_cast<uint64_t>(whole) >> 32});
    }
    case Opcode::addc: {
      const unsigned size = carry_size();
      const Wide sum = unsigned_in(x[0], size) + unsigned_in(x[1], size);
      set_accumulator(n, size, false, sum >> size * 8);
      return Number::of(i_.saturate ? sum : unsigned_in(sum, size));
    }
    case Opcode::subb: {
      const unsigned size = carry_size();
      const Wide d = unsigned_in(x[0], size) - unsigned_in(x[1], size);
      set_accumulator(n, size, false, d < 0);
      return Number::of(i_.saturate ? d : unsigned_in(d, size));
    }
    case Opcode::sad2:
    case Opcode::sada2: {
      Wide sum = 0;
      for (unsigned k = n; k < n + 2; k++) {
        const Wide d = fetch(0, k).i - fetch(1, k).i;
        sum += d < 0 ? -d : d;
      }
      if (i_.opcode == Opcode::sada2) sum += accumulator(n, 2, is_signed(i_.src[0].type));
      return Number::of(sum);
    }
    default: return {};
  }
}

Number Machine::compute_bits(unsigned n, const Wide* x) {
  const unsigned size0 = size_of(i_.src[0].type);
  const auto bits = static_cast<uint32_t>(x[0]);
  switch (i_.opcode) {
    case Opcode::lzd: {
      unsigned z = 0;
      while (z < 32 && !(bits >> (31 - z) & 1)) z++;
      return Number::of(z);
    }
    case Opcode::fbh: {
      const bool sign = is_signed(i_.src[0].type) && (bits >> 31);
      for (unsigned k = 0; k < 32; k++)
        if ((bits >> (31 - k) & 1) != sign) return Number::of(k);
      return Number::of(0xffffffffu);
    }
    case Opcode::fbl:
      for (unsigned k = 0; k < 32; k++)
        if (bits >> k & 1) return Number::of(k);
      return Number::of(0xffffffffu);
    case Opcode::cbit: {
      unsigned ones = 0;
      for (unsigned k = 0; k < size0 * 8; k++) ones += static_cast<unsigned>(x[0] >> k & 1);
      return Number::of(ones);
    }
    case Opcode::bfrev: {
      uint32_t r = 0;
      for (unsigned k = 0; k < 32; k++)
        if (bits >> k & 1) r |= 0x80000000u >> k;
      return Number::of(r);
    }
    case Opcode::rol:
    case Opcode::ror: {
      const unsigned width = size0 * 8;
      const auto count = static_cast<unsigned>(x[1]);
      uint32_t r = 0;
      for (unsigned k = 0; k < width; k++) r |= (bits >> k & 1) << ((i_.opcode == Opcode::rol ? k + count : k - count) % width);
      return Number::of(r);
    }
    case Opcode::bfe: return bit_field(x, is_signed(i_.dst.type));
    case Opcode::bfi1: {
      uint32_t r = 0;
      for (unsigned k = 0; k < (bits & 31); k++)
        if (k + (static_cast<unsigned>(x[1]) & 31) < 32) r |= 1u << (k + (static_cast<unsigned>(x[1]) & 31));
      return Number::of(r);
    }
    case Opcode::bfi2: {
      uint32_t r = 0;
      unsigned first = 0;
      while (first < 32 && !(bits >> first & 1)) first++;
      for (unsigned k = 0; k < 32; k++) {
        const bool inserted = bits >> k & 1;
        r |= static_cast<uint32_t>((inserted ? x[1] >> (k - first) : x[2] >> k) & 1) << k;
      }
      return Number::of(r);
    }
    default: return compute_accumulating(n, x);
  }
}

Number Machine::compute_integer(unsigned n) {
  Wide x[3] = {};
  for (unsigned k = 0; k < sources(); k++) x[k] = fetch(k, n).i;
  const unsigned size0 = size_of(i_.src[0].type);
  const unsigned count = static_cast<unsigned>(x[1]) & (size_of(i_.dst.type) == 8 || size0 == 8 ? 63 : 31);
  switch (i_.opcode) {
    case Opcode::mov:
    case Opcode::not_: return Number::of(i_.opcode == Opcode::mov ? x[0] : ~x[0]);
    case Opcode::and_: return Number::of(x[0] & x[1]);
    case Opcode::or_: return Number::of(x[0] | x[1]);
    case Opcode::xor_: return Number::of(x[0] ^ x[1]);
    case Opcode::add: return Number::of(x[0] + x[1]);
    case Opcode::mul: return Number::of(x[0] * x[1]);
    case Opcode::mad: return Number::of(x[0] + x[1] * x[2]);
    case Opcode::avg: return Number::of((x[0] + x[1] + 1) >> 1);
    case Opcode::dp4a: {
      const auto part = [&](unsigned k, unsigned byte) {
        const Wide v = x[k] >> 8 * byte & 255;
        return v > 127 && is_signed(i_.src[k].type) ? v - 256 : v;
      };
      Wide sum = x[0];
      for (unsigned b = 0; b < 4; b++) sum += part(1, b) * part(2, b);
      return Number::of(sum);
    }
    case Opcode::shl: return Number::of(x[0] * (Wide{1} << count));
    case Opcode::shr:
      if (s_.shr_keeps_sign && is_signed(i_.src[0].type)) return Number::of(x[0] >> count);
      return Number::of((i_.src[0].type == RegType::q ? x[0] & ((Wide{1} << 65) - 1) : unsigned_in(x[0], size0)) >> count);
    case Opcode::asr: return Number::of(x[0] >> count);
    case Opcode::sel: {
      bool take = predicate(n);
      if (i_.cond_mod) take = compare(Number::of(x[0]), Number::of(x[1]), i_.cond_mod);
      return Number::of(take ? x[0] : x[1]);
    }
    case Opcode::csel: return Number::of(compare(Number::of(x[2]), Number::of(0), i_.cond_mod) ? x[0] : x[1]);
    default: return compute_bits(n, x);
  }
}

Number Machine::compute(unsigned n) { return real_sources() ? compute_real(n) : compute_integer(n); }

}  // namespace softgen::eu::reference
