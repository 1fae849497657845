// SPDX-License-Identifier: GPL-2.0-or-later
// Random legal instructions and the state that they run on: their choice (eu_generator.cpp), operands (eu_generator_operands.cpp), and what is not
// arithmetic (eu_generator_flow.cpp). A seed always makes the same.
#pragma once

#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

#include "hw/eu/isa/isa.h"
#include "tests/ref/eu_reference.h"

namespace softgen::eu::fuzz {

class Generator {
 public:
  Generator(const Isa& isa, uint64_t seed, bool with_math = false)
      : isa_(isa), random_(seed), with_math_(with_math), with_align16_(has_align16(isa)), with_accumulator_(seed % 2) {}

  Instruction instruction();
  /// `length` of them; of sets with mask stacks in branches and loops that are passed once.
  std::vector<Instruction> program(unsigned length, unsigned depth = 3);
  void fill(reference::State& state);
  /// Another one with the modes of `like`; either both or neither have all channels.
  reference::State another(const reference::State& like);

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

bool reads_accumulator(const Instruction& i);
/// Where arithmetic always writes the accumulator, it does so in a program that reads it (`reads`): for the reference, by the instruction's bit.
Instruction as_executed(const Isa& isa, const Instruction& i, bool reads);
/// The exponent of a stride, as instructions encode it.
uint8_t log2_field(unsigned n);

}  // namespace softgen::eu::fuzz
