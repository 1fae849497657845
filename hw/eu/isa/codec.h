// SPDX-License-Identifier: GPL-2.0-or-later
// What codecs of instructions share: one description of a form serves both directions. Reader fills an Instruction from bits, Writer fills bits from
// an Instruction. What differs between instruction sets is a template argument, Set:
//   register_types and immediate_types (TypeCodes); opcodes (OpcodeTable); transfer(codec, instruction), the form.
#pragma once

#include <array>
#include <bit>
#include <cstring>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "hw/base/bits.h"
#include "hw/eu/isa/instruction.h"

namespace softgen::eu::native_form {

/// A type field's value for each RegType, in its order; -1: there is none.
using TypeCodes = std::array<int8_t, std::size(reg_types)>;

/// RegType::invalid for codes the hardware reserves.
constexpr RegType type_of(const TypeCodes& codes, unsigned code) {
  for (unsigned i = 0; i < codes.size(); i++)
    if (codes[i] >= 0 && static_cast<unsigned>(codes[i]) == code) return static_cast<RegType>(i);
  return RegType::invalid;
}

struct OpcodeCode {
  Opcode opcode;
  uint8_t code;
};

/// The opcode field, [6:0], in both directions.
struct OpcodeTable {
  static constexpr unsigned codes = 128;
  std::array<Opcode, codes> by_code{};
  std::array<uint8_t, 256> by_opcode{};

  constexpr explicit OpcodeTable(std::span<const OpcodeCode> rows) {
    for (unsigned code = 0; code < codes; code++) by_code[code] = reserved_opcode(code);
    for (const OpcodeCode& row : rows) by_code[row.code] = row.opcode;
    for (unsigned code = 0; code < codes; code++) by_opcode[static_cast<unsigned>(by_code[code])] = static_cast<uint8_t>(code);
  }
};

template <class S>
struct Reader {
  using Set = S;
  const Native& bits;
  static constexpr bool writing = false;

  template <typename T>
  void field(T& value, unsigned high, unsigned low) const {
    value = static_cast<T>(bits.get(high, low));
  }
  void opcode(Opcode& value, unsigned high, unsigned low) const { value = Set::opcodes.by_code[bits.get(high, low)]; }
  void type(RegType& value, RegFile file, unsigned high, unsigned low) const {
    coded(value, file == RegFile::imm ? Set::immediate_types : Set::register_types, high, low);
  }
  void coded(RegType& value, const TypeCodes& codes, unsigned high, unsigned low) const {
    value = type_of(codes, static_cast<unsigned>(bits.get(high, low)));
  }
  void address_imm(int16_t& value, unsigned high, unsigned low, unsigned bit9, unsigned scale) const {
    const uint64_t raw = bits.get(high, low) << scale | bits.get(bit9, bit9) << 9;
    value = static_cast<int16_t>(sign_extend(raw, 10));
  }
};

template <class S>
struct Writer {
  using Set = S;
  Native& bits;
  static constexpr bool writing = true;

  template <typename T>
  void field(const T& value, unsigned high, unsigned low) {
    bits.set(high, low, static_cast<uint64_t>(value));
  }
  void opcode(Opcode value, unsigned high, unsigned low) { bits.set(high, low, Set::opcodes.by_opcode[static_cast<unsigned>(value)]); }
  void type(RegType value, RegFile file, unsigned high, unsigned low) {
    coded(value, file == RegFile::imm ? Set::immediate_types : Set::register_types, high, low);
  }
  /// A type without a code becomes the last value that the field reserves.
  void coded(RegType value, const TypeCodes& codes, unsigned high, unsigned low) {
    const int8_t code = codes[static_cast<unsigned>(value)];
    unsigned field_value = code < 0 ? (1u << (high - low + 1)) - 1 : static_cast<unsigned>(code);
    while (code < 0 && field_value && type_of(codes, field_value) != RegType::invalid) --field_value;
    bits.set(high, low, field_value);
  }
  void address_imm(int16_t value, unsigned high, unsigned low, unsigned bit9, unsigned scale) {
    const auto raw = static_cast<uint64_t>(value) & 0x3ff;
    bits.set(high, low, raw >> scale);
    bits.set(bit9, bit9, raw >> 9);
  }
};

/// The field is the logarithm.
template <typename Codec, typename I>
void execution_size(Codec& c, I& i, unsigned high, unsigned low) {
  uint8_t logarithm = Codec::writing ? static_cast<uint8_t>(std::countr_zero(i.exec_size)) : 0;
  c.field(logarithm, high, low);
  if constexpr (!Codec::writing) i.exec_size = static_cast<uint8_t>(1u << logarithm);
}

/// Whether the set has an opcode for it.
template <class Set>
constexpr bool has(Opcode opcode) {
  return Set::opcodes.by_code[Set::opcodes.by_opcode[static_cast<unsigned>(opcode)]] == opcode;
}

/// Whether the opcode field's value is of an instruction of three sources.
template <class Set>
bool is_ternary(unsigned code) {
  const OpcodeInfo* row = find_opcode(Set::opcodes.by_code[code % OpcodeTable::codes]);
  return row && row->form == Form::ternary;
}

template <class Set>
Instruction decode(const Native& bits) {
  Instruction result;
  Reader<Set> reader{bits};
  Set::transfer(reader, result);
  if constexpr (requires { Set::complete(result); }) Set::complete(result);
  return result;
}

template <class Set>
Native encode(const Instruction& instruction) {
  Native bits;
  Writer<Set> writer{bits};
  Set::transfer(writer, instruction);
  return bits;
}

// Special accumulators of macros, where no access mode has them (Gen11, Gen12): one stands in the place of each operand's subregister, as IGA encodes
// them. Of math they are four bits; Operand has them where align16 has them.
inline void take_special_accumulators(Instruction& i) {
  i.special_accumulators = true;
  if (i.opcode != Opcode::math) return;
  i.dst.writemask = std::exchange(i.dst.subreg, uint8_t{0}) & 15;
  for (Operand& o : i.src) o.swizzle = std::exchange(o.subreg, uint8_t{0}) & 15;
}
inline Instruction with_special_accumulators(Instruction i) {
  if (i.opcode != Opcode::math) return i;
  i.dst.subreg = i.dst.writemask & 15;
  for (Operand& o : i.src) o.subreg = o.swizzle & 15;
  return i;
}

/// CmptCtrl of either form.
constexpr bool is_compacted(uint64_t first_word) { return first_word >> 29 & 1; }

/// The instruction at the start of `code`; empty when it is too short. `uncompact`: the set's.
template <class Set>
std::optional<Instruction> decode(std::span<const std::byte> code, Native (*uncompact)(uint64_t)) {
  Native bits;
  if (code.size() < 8) return std::nullopt;
  std::memcpy(&bits.q[0], code.data(), 8);
  const bool short_form = is_compacted(bits.q[0]);
  if (short_form) {
    bits = uncompact(bits.q[0]);
  } else {
    if (code.size() < 16) return std::nullopt;
    std::memcpy(&bits.q[1], code.data() + 8, 8);
  }
  Instruction result = decode<Set>(bits);
  result.compacted = short_form;
  return result;
}

}  // namespace softgen::eu::native_form
