// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/debug/compare_operands.h"

#include <utility>

namespace softgen::debug {

namespace {

using Operand = CompareOperands::Operand;
using Kind = CompareOperands::Kind;
using Operation = CompareOperands::Operation;

constexpr uint8_t stack_pointer = 4;
constexpr uint8_t rex_wide = 8, rex_reg = 4, rex_base = 1;

/// The forms of operands that these instructions have.
enum class Form : uint8_t { memory_register, register_memory, accumulator_immediate, memory_immediate };

struct Opcode {
  Operation operation;
  Form form;
  bool is_byte;
  uint8_t immediate = 0;  ///< bytes, at most; 0: none
};

struct Prefixes {
  size_t length = 0;
  bool word = false, lock = false;
  uint8_t rex = 0;  ///< 0: none
};

/// Segments, address size, operand size, LOCK, REP.
bool is_prefix(uint8_t byte) {
  switch (byte) {
    case 0x26:
    case 0x2e:
    case 0x36:
    case 0x3e:
    case 0x64:
    case 0x65:
    case 0x66:
    case 0x67:
    case 0xf0:
    case 0xf2:
    case 0xf3: return true;
    default: return false;
  }
}

Prefixes prefixes_of(std::span<const uint8_t> bytes) {
  Prefixes found;
  for (; found.length < bytes.size() && is_prefix(bytes[found.length]); ++found.length) {
    found.word |= bytes[found.length] == 0x66;
    found.lock |= bytes[found.length] == 0xf0;
  }
  if (found.length < bytes.size() && (bytes[found.length] & 0xf0) == 0x40) found.rex = bytes[found.length++];
  return found;
}

std::optional<Opcode> arithmetic(uint8_t low, Operation operation) {
  switch (low) {
    case 0: return Opcode{operation, Form::memory_register, true};
    case 1: return Opcode{operation, Form::memory_register, false};
    case 2: return Opcode{operation, Form::register_memory, true};
    case 3: return Opcode{operation, Form::register_memory, false};
    case 4: return Opcode{operation, Form::accumulator_immediate, true, 1};
    case 5: return Opcode{operation, Form::accumulator_immediate, false, 4};
    default: return {};
  }
}

/// `extension`: the field reg of the byte behind the opcode.
std::optional<Opcode> opcode_of(uint8_t byte, uint8_t extension) {
  constexpr uint8_t sub = 0x28, cmp = 0x38;
  if ((byte & 0xf8) == sub) return arithmetic(byte & 7, Operation::sub);
  if ((byte & 0xf8) == cmp) return arithmetic(byte & 7, Operation::cmp);
  switch (byte) {
    case 0x80:
    case 0x81:
    case 0x83:
      if (extension != 5 && extension != 7) return {};
      return Opcode{extension == 7 ? Operation::cmp : Operation::sub, Form::memory_immediate, byte == 0x80,
                    static_cast<uint8_t>(byte == 0x81 ? 4 : 1)};
    case 0x84:
    case 0x85: return Opcode{Operation::test, Form::memory_register, byte == 0x84};
    case 0xa8: return Opcode{Operation::test, Form::accumulator_immediate, true, 1};
    case 0xa9: return Opcode{Operation::test, Form::accumulator_immediate, false, 4};
    case 0xf6:
    case 0xf7:
      if (extension > 1) return {};
      return Opcode{Operation::test, Form::memory_immediate, byte == 0xf6, static_cast<uint8_t>(byte == 0xf6 ? 1 : 4)};
    default: return {};
  }
}

uint64_t cut(uint64_t value, uint8_t bytes) { return bytes == 8 ? value : value & ((uint64_t{1} << 8 * bytes) - 1); }

/// The last `size` bytes, sign-extended.
uint64_t immediate_of(std::span<const uint8_t> bytes, size_t size) {
  uint64_t value = bytes.back() & 0x80 ? ~uint64_t{0} : 0;
  for (size_t i = 0; i < size; ++i) value = value << 8 | bytes[bytes.size() - 1 - i];
  return value;
}

/// Without REX, byte registers 4 to 7 are the second bytes of the first four.
Operand register_operand(uint8_t number, bool is_byte, uint8_t rex) {
  if (is_byte && !rex && number >= 4) return {Kind::high, static_cast<uint8_t>(number - 4)};
  return {Kind::low, number};
}

}  // namespace

std::optional<CompareOperands> compare_operands(std::span<const uint8_t> bytes) {
  const Prefixes prefixes = prefixes_of(bytes);
  if (prefixes.lock || prefixes.length + 1 >= bytes.size()) return {};
  const uint8_t mode = bytes[prefixes.length + 1];
  const std::optional<Opcode> opcode = opcode_of(bytes[prefixes.length], mode >> 3 & 7);
  if (!opcode) return {};
  const bool wide = prefixes.rex & rex_wide;
  const auto size = static_cast<uint8_t>(opcode->is_byte ? 1 : wide ? 8 : prefixes.word ? 2 : 4);
  const auto reg = static_cast<uint8_t>((mode >> 3 & 7) | (prefixes.rex & rex_reg ? 8 : 0));
  const auto base = static_cast<uint8_t>((mode & 7) | (prefixes.rex & rex_base ? 8 : 0));
  const Operand memory = mode >> 6 == 3 ? register_operand(base, opcode->is_byte, prefixes.rex) : Operand{Kind::memory};
  Operand left = memory, right = register_operand(reg, opcode->is_byte, prefixes.rex);
  if (opcode->form == Form::register_memory) std::swap(left, right);
  if (opcode->form == Form::accumulator_immediate) left = {Kind::low, 0};
  if (opcode->immediate) {
    const size_t length = opcode->immediate == 4 && size == 2 ? 2 : opcode->immediate;
    if (bytes.size() < prefixes.length + 1 + length) return {};
    right = {Kind::immediate, 0, cut(immediate_of(bytes, length), size)};
  }
  const bool is_frame = opcode->operation == Operation::sub && left == Operand{Kind::low, stack_pointer};
  if (is_frame || (left == right && left.kind != Kind::memory)) return {};
  return CompareOperands{.operation = opcode->operation, .bytes = size, .left = left, .right = right};
}

std::optional<uint32_t> compared_constant(std::span<const uint8_t> bytes) {
  const std::optional<CompareOperands> found = compare_operands(bytes);
  if (!found || found->operation == Operation::sub || found->right.kind != Kind::immediate) return {};
  return static_cast<uint32_t>(found->right.value);
}

}  // namespace softgen::debug
