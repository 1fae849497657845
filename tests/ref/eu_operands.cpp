// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>

#include "tests/ref/eu_machine.h"

namespace softgen::eu::reference {

double half_value(uint16_t h) {
  const int e = h >> 10 & 31, m = h & 1023;
  double v = e == 31 ? (m ? std::nan("") : INFINITY) : e ? std::ldexp(1024 + m, e - 25) : std::ldexp(m, -24);
  return h >> 15 ? -v : v;
}

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
  if (i_.info()->has('n') && !s_.logic_negates) {
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

}  // namespace softgen::eu::reference
