// SPDX-License-Identifier: GPL-2.0-or-later
// The execution of one instruction by the reference (eu_reference.h): operands as numbers (eu_operands.cpp), their result (eu_compute.cpp), and what is
// written of it (eu_reference.cpp).
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>

#include "tests/ref/eu_reference.h"

namespace softgen::eu::reference {

__extension__ using Wide = __int128;
__extension__ using Quad = __float128;

/// NF is a double here.
inline bool is_double(RegType t) { return t == RegType::df || t == RegType::nf; }

/// A channel's value: an integer or a real.
struct Number {
  bool real = false;
  Wide i = 0;
  double d = 0;
  uint64_t nan = 0;  ///< bits of a NaN that was only moved so far
  static Number of(Wide v) { return {false, v, 0, 0}; }
  static Number of_real(double v) { return {true, 0, v, 0}; }
};

inline bool flag_of(uint32_t cr0, RegType t) {  // true: denormals become zero
  const unsigned bit = t == RegType::hf ? 10 : is_double(t) ? 6 : 7;
  return !(cr0 >> bit & 1);
}
inline double smallest_normal(RegType t) { return std::ldexp(1.0, t == RegType::hf ? -14 : is_double(t) ? -1022 : -126); }
double half_value(uint16_t h);
/// Rounds as the host's rounding mode says.
uint16_t half_bits(double v);

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
  unsigned carry_size() const;
  void plain_accumulator(unsigned n, uint64_t bits);
  unsigned implicit_channel(unsigned size) const;
  Wide accumulator(unsigned n, unsigned size, bool with_sign) const;
  void set_accumulator(unsigned n, unsigned size, bool with_sign, Wide v);

  State& s_;
  const Instruction& i_;
};

}  // namespace softgen::eu::reference
