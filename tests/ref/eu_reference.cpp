// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/ref/eu_reference.h"

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>

namespace softgen::eu::reference {

namespace {

__extension__ using Wide = __int128;
__extension__ using Quad = __float128;

/// NF is a double here.
bool is_double(RegType t) { return t == RegType::df || t == RegType::nf; }

/// A channel's value: an integer or a real.
struct Number {
  bool real = false;
  Wide i = 0;
  double d = 0;
  uint64_t nan = 0;  ///< bits of a NaN that was only moved so far
  static Number of(Wide v) { return {false, v, 0, 0}; }
  static Number of_real(double v) { return {true, 0, v, 0}; }
};

bool flag_of(uint32_t cr0, RegType t) {  // true: denormals become zero
  const unsigned bit = t == RegType::hf ? 10 : is_double(t) ? 6 : 7;
  return !(cr0 >> bit & 1);
}
double smallest_normal(RegType t) { return std::ldexp(1.0, t == RegType::hf ? -14 : is_double(t) ? -1022 : -126); }

double half_value(uint16_t h) {
  const int e = h >> 10 & 31, m = h & 1023;
  double v = e == 31 ? (m ? std::nan("") : INFINITY) : e ? std::ldexp(1024 + m, e - 25) : std::ldexp(m, -24);
  return h >> 15 ? -v : v;
}

/// Rounds as the host's rounding mode says.
uint16_t half_bits(double v) {
  if (std::isnan(v)) return 0x7e00;
  const uint16_t sign = std::signbit(v) ? 0x8000 : 0;
  if (std::isinf(v)) return sign | 0x7c00;
  if (v == 0) return sign;
  int e = std::max(std::ilogb(v), -14);
  double q = std::nearbyint(std::ldexp(v, 10 - e));
  if (std::abs(q) >= 2048) {
    q /= 2;
    e++;
  }
  if (e > 15) {
    const int mode = std::fegetround();
    const bool finite = mode == FE_TOWARDZERO || (mode == FE_UPWARD && sign) || (mode == FE_DOWNWARD && !sign);
    return sign | (finite ? 0x7bff : 0x7c00);
  }
  const auto m = static_cast<unsigned>(std::abs(q));
  return static_cast<uint16_t>(sign | (m >= 1024 ? ((e + 15) << 10) + (m - 1024) : m));
}

class Machine {
 public:
  Machine(State& s, const Instruction& i) : s_(s), i_(i) {}
  bool execute();
  bool execute_macro();

 private:
  bool align16() const { return i_.access_mode == AccessMode::align16; }
  bool ternary() const { return i_.info()->form == Form::ternary; }
  unsigned sources() const { return i_.info()->sources; }
  /// NF's are apart.
  bool to_accumulator() const { return i_.dst.is_arf(Arf::accumulator) && i_.dst.type != RegType::nf; }
  bool enabled(unsigned n) const { return i_.no_mask || (s_.channels >> (n + i_.channel_offset()) & 1); }
  bool predicate(unsigned n) const;
  bool flag_bit(unsigned index) const { return index < 64 && (s_.flags >> index & 1); }

  const uint8_t* source_byte(const Operand& o, unsigned n, unsigned& where) const;
  Number fetch(unsigned k, unsigned n) const;
  Number raw(const Operand& o, unsigned n) const;
  Number immediate(RegType t, unsigned n) const;
  static Number decode(const uint8_t* p, RegType t);
  Number modify(Number v, const Operand& o) const;

  bool real_sources() const;
  bool bits_only() const;
  /// All sources of the destination's type: a NaN that is moved or chosen keeps its bits.
  bool same_type() const {
    for (unsigned k = 0; k < sources(); k++)
      if (size_of(source_type(k)) > size_of(i_.dst.type)) return false;
    return true;
  }
  bool flushes() const;
  RegType source_type(unsigned k) const;

  Number compute(unsigned n);
  Number compute_real(unsigned n);
  Number compute_real_operands(unsigned n, const std::function<Number(double)>& rounded, const double* x);
  Number compute_integer(unsigned n);
  Number compute_bits(unsigned n, const Wide* x);
  Number compute_accumulating(unsigned n, const Wide* x);
  bool compare(const Number& a, const Number& b, unsigned cond) const;
  void finish(unsigned n, Number v);
  void write(unsigned n, uint64_t bits);
  uint8_t* destination(unsigned n);
  Quad macro_source(unsigned k, unsigned n) const;
  uint64_t encode(Number v, Number& shown, bool& overflow) const;
  void set_flag(unsigned n, bool value);
  void plain_accumulator(unsigned n, uint64_t bits);
  Wide accumulator(unsigned n, unsigned size, bool with_sign) const;
  void set_accumulator(unsigned n, unsigned size, bool with_sign, Wide v);

  State& s_;
  const Instruction& i_;
};

bool Machine::predicate(unsigned n) const {
  if (!i_.pred_control) return true;
  const unsigned base = i_.flag_reg * 32 + i_.flag_subreg * 16, channel = n + i_.channel_offset();
  const unsigned p = i_.pred_control;
  bool v;
  const auto group = [&](unsigned size, bool all) {
    const unsigned first = channel / size * size;
    for (unsigned k = first; k < first + size; k++)
      if (flag_bit(base + k) != all) return !all;
    return all;
  };
  if (p == 1) {
    v = flag_bit(base + channel);
  } else if (align16()) {
    v = p <= 5 ? flag_bit(base + channel / 4 * 4 + (p - 2)) : group(4, p == 7);
  } else if (p <= 3) {
    const bool a = flag_bit(i_.flag_subreg * 16 + channel), b = flag_bit(32 + i_.flag_subreg * 16 + channel);
    v = p == 2 ? a || b : a && b;
  } else {
    v = group(1u << (p / 2 - 1), p % 2);
  }
  return v != i_.pred_invert;
}

Number Machine::decode(const uint8_t* p, RegType t) {
  switch (t) {
    case RegType::ud: {
      uint32_t v;
      std::memcpy(&v, p, 4);
      return Number::of(v);
    }
    case RegType::d: {
      int32_t v;
      std::memcpy(&v, p, 4);
      return Number::of(v);
    }
    case RegType::uw: {
      uint16_t v;
      std::memcpy(&v, p, 2);
      return Number::of(v);
    }
    case RegType::w: {
      int16_t v;
      std::memcpy(&v, p, 2);
      return Number::of(v);
    }
    case RegType::ub: return Number::of(*p);
    case RegType::b: return Number::of(static_cast<int8_t>(*p));
    case RegType::uq: {
      uint64_t v;
      std::memcpy(&v, p, 8);
      return Number::of(v);
    }
    case RegType::q: {
      int64_t v;
      std::memcpy(&v, p, 8);
      return Number::of(v);
    }
    case RegType::f: {
      float v;
      std::memcpy(&v, p, 4);
      Number r = Number::of_real(v);
      if (std::isnan(v)) r.nan = std::bit_cast<uint32_t>(v);
      return r;
    }
    case RegType::df:
    case RegType::nf: {
      double v;
      std::memcpy(&v, p, 8);
      Number r = Number::of_real(v);
      if (std::isnan(v)) std::memcpy(&r.nan, p, 8);
      return r;
    }
    case RegType::hf: {
      uint16_t v;
      std::memcpy(&v, p, 2);
      Number r = Number::of_real(half_value(v));
      if (std::isnan(r.d)) r.nan = 0x7fc00000;
      return r;
    }
    default: return {};
  }
}

Number Machine::immediate(RegType t, unsigned n) const {
  const auto word = static_cast<uint32_t>(i_.imm);
  if (t == RegType::uv || t == RegType::v) {
    // Words side by side, each for the channel that stands there in the destination.
    const unsigned bytes = (i_.dst.is_null() && i_.dst.type == RegType::invalid ? 4 : size_of(i_.dst.type)) *
                           (align16() ? 1 : std::max(1u, hstride_elements(i_.dst.hstride)));
    if (bytes > 2) n *= bytes / 2;
  }
  if (t == RegType::uv) return Number::of(word >> n % 8 * 4 & 15);
  if (t == RegType::v) {
    const int nibble = static_cast<int>(word >> n % 8 * 4 & 15);
    return Number::of(nibble >= 8 ? nibble - 16 : nibble);
  }
  if (t == RegType::vf) {
    const unsigned b = word >> n % 4 * 8 & 255;
    const double v = b & 127 ? std::ldexp(16 + (b & 15), static_cast<int>(b >> 4 & 7) - 7) : 0;
    return Number::of_real(b & 128 ? -v : v);
  }
  uint8_t bytes[8];
  std::memcpy(bytes, &i_.imm, 8);
  return decode(bytes, t);
}

/// The element's number within the region, then its byte address.
const uint8_t* Machine::source_byte(const Operand& o, unsigned n, unsigned& where) const {
  const unsigned size = size_of(o.type);
  unsigned element, address_step = 0;
  if (ternary() && align16()) {
    element = o.replicate ? 0 : n / 4 * 4 + (o.swizzle >> n % 4 * 2 & 3);
  } else if (align16()) {
    element = n / 4 * vstride_elements(o.vstride) + (o.swizzle >> n % 4 * 2 & 3);
  } else {
    const unsigned w = width_elements(o.width);
    element = n % w * hstride_elements(o.hstride);
    if (o.vstride == vstride_indirect) address_step = n / w;
    else element += n / w * vstride_elements(o.vstride);
  }
  where = element * size;
  if (o.indirect) {
    const unsigned base = static_cast<unsigned>(s_.address[(o.addr_subreg + address_step) % 16] + o.addr_imm) % 4096;
    where = (base + where) % 4096;
    return &s_.grf[where];
  }
  where += o.subreg;
  if (o.file == RegFile::grf) {
    where = (where + o.reg * 32) % 4096;
    return &s_.grf[where];
  }
  if (o.type == RegType::nf) return reinterpret_cast<const uint8_t*>(&s_.native[(o.reg & 1) * 8u]) + where;
  where += (o.reg & 15) * 32;
  return &s_.acc[where];
}

Number Machine::raw(const Operand& o, unsigned n) const {
  if (o.file == RegFile::imm) return immediate(o.type, n);
  if (o.is_null()) return is_float(o.type) ? Number::of_real(0) : Number::of(0);
  unsigned where;
  return decode(source_byte(o, n, where), o.type);
}

Number Machine::modify(Number v, const Operand& o) const {
  if (o.file == RegFile::imm) return v;
  if (i_.info()->has('n')) {
    if (o.negate) v.i = ~v.i;
    return v;
  }
  const uint64_t sign = uint64_t{1} << (is_double(o.type) ? 63 : 31);
  if (o.abs) {
    v.d = std::fabs(v.d);
    v.nan &= ~sign;
    if (v.i < 0) v.i = -v.i;
  }
  if (o.negate) {
    v.d = -v.d;
    v.i = -v.i;
    if (v.nan) v.nan ^= sign;
  }
  return v;
}

RegType Machine::source_type(unsigned k) const { return i_.src[k].type == RegType::vf ? RegType::f : i_.src[k].type; }

bool Machine::real_sources() const {
  for (unsigned k = 0; k < sources(); k++)
    if (is_float(i_.src[k].type) && !(k && i_.src[k].is_null())) return true;
  return false;
}

/// mov and predicated sel of one type with nothing to change: bits, not numbers.
bool Machine::bits_only() const {
  if (i_.opcode != Opcode::mov && i_.opcode != Opcode::sel) return false;
  if (i_.saturate || i_.cond_mod) return false;
  if (i_.opcode == Opcode::mov && (i_.acc_write || to_accumulator())) return false;
  for (unsigned k = 0; k < sources(); k++) {
    const Operand& o = i_.src[k];
    if (o.type != i_.dst.type || ((o.negate || o.abs) && o.file != RegFile::imm)) return false;
  }
  return true;
}

bool Machine::flushes() const {
  if (bits_only()) return false;
  if (i_.opcode == Opcode::sel) return i_.cond_mod != 0;
  return i_.opcode != Opcode::csel;
}

Number Machine::fetch(unsigned k, unsigned n) const {
  const Operand& o = i_.src[k];
  Number v = raw(o, n);
  bool wide = is_double(i_.dst.type);
  for (unsigned m = 0; m < sources(); m++) wide = wide || is_double(i_.src[m].type);
  if (wide && v.nan && source_type(k) == RegType::f) v.nan = 0x7fc00000;
  if (v.real && i_.opcode != Opcode::csel && flushes() && flag_of(s_.cr0, source_type(k)) &&
      std::fabs(v.d) < smallest_normal(source_type(k)))
    v.d = std::copysign(0.0, v.d);
  return modify(v, o);
}

bool Machine::compare(const Number& a, const Number& b, unsigned cond) const {
  const bool nan = a.real && (std::isnan(a.d) || std::isnan(b.d));
  const int order = a.real ? (a.d > b.d) - (a.d < b.d) : (a.i > b.i) - (a.i < b.i);
  switch (cond) {
    case 1: return !nan && order == 0;
    case 2: return nan || order != 0;
    case 3: return !nan && order > 0;
    case 4: return !nan && order >= 0;
    case 5: return !nan && order < 0;
    case 6: return !nan && order <= 0;
    case 9: return nan;
    default: return false;
  }
}

/// One rounding to F where the operation is in F; sums and products of two floats are exact enough in double for that.
double to_single(double v) { return static_cast<double>(static_cast<float>(v)); }

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

Wide unsigned_in(Wide v, unsigned bytes) { return v & ((Wide{1} << bytes * 8) - 1); }

Number Machine::compute_accumulating(unsigned n, const Wide* x) {
  switch (i_.opcode) {
    case Opcode::mac: {
      const bool with_sign = is_signed(i_.src[0].type);
      return Number::of(x[0] * x[1] + accumulator(n, std::max(size_of(i_.src[0].type), 2u), with_sign));
    }
    case Opcode::mach: {
      const auto whole = static_cast<int64_t>(x[0] * (x[1] >> 16) * 65536 + accumulator(n, 4, is_signed(i_.src[0].type)));
      if (i_.low_product)
        return Number::of(is_signed(i_.dst.type) ? Wide{static_cast<int32_t>(whole)} : Wide{static_cast<uint32_t>(whole)});
      set_accumulator(n, 4, is_signed(i_.dst.type), whole);
      return Number::of(is_signed(i_.dst.type) ? Wide{whole >> 32} : Wide{static_cast<uint64_t>(whole) >> 32});
    }
    case Opcode::addc: {
      const Wide sum = unsigned_in(x[0], 4) + unsigned_in(x[1], 4);
      set_accumulator(n, 4, false, sum >> 32);
      return Number::of(i_.saturate ? sum : unsigned_in(sum, 4));
    }
    case Opcode::subb: {
      const Wide d = unsigned_in(x[0], 4) - unsigned_in(x[1], 4);
      set_accumulator(n, 4, false, d < 0);
      return Number::of(i_.saturate ? d : unsigned_in(d, 4));
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
    case Opcode::shl: return Number::of(x[0] * (Wide{1} << count));
    case Opcode::shr: return Number::of((i_.src[0].type == RegType::q ? x[0] & ((Wide{1} << 65) - 1) : unsigned_in(x[0], size0)) >> count);
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

bool updates_accumulator_itself(Opcode o) { return o == Opcode::mach || o == Opcode::addc || o == Opcode::subb; }

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
    const unsigned first = explicit_acc ? (i_.dst.reg & 15) * 32u / size : 0;
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
      std::memcpy(&after.acc[n * 4], &s_.acc[n * 4], 4);
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
