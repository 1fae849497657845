// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/defs/command.h"

#include <algorithm>

#include "hw/base/bits.h"
#include "hw/defs/tables.h"

namespace softgen::defs {
namespace {

uint16_t row_of(const CommandIndex& index, unsigned engine, uint32_t header) {
  switch (header >> 29) {
    case 0: return index.mi[engine][bits(header, 28, 23)];
    case 2: return index.blt[engine][bits(header, 28, 22)];
    case 3: return index.gfx[engine][bits(header, 28, 16)];
    default: return 0;
  }
}

template <typename T>
const T* by_name(std::span<const T> rows, std::string_view name) {
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const T& r) { return name == r.name; });
  return row == rows.end() ? nullptr : &*row;
}

}  // namespace

const char* Enumeration::name_of(uint64_t value) const {
  const auto row = std::find_if(values.begin(), values.end(), [&](const EnumValue& v) { return v.value == value; });
  return row == values.end() ? nullptr : row->name;
}

uint32_t Group::elements(size_t dwords) const {
  if (count) return count;
  const size_t room = std::min<size_t>(dwords, 65537) * 32;
  return room <= start ? 0 : static_cast<uint32_t>((room - start) / size);
}

const Command* CommandSet::find(EngineClass engine, uint32_t header) const {
  const uint16_t row = row_of(index, static_cast<unsigned>(engine), header);
  return row ? &commands[row - 1u] : nullptr;
}

const Command* CommandSet::find(std::string_view command) const { return by_name(commands, command); }
const Structure* CommandSet::find_structure(std::string_view structure) const { return by_name(structures, structure); }

uint32_t command_length(const Command& command, uint32_t header) {
  if (command.length_high == 0) return 1;
  return bits(header, command.length_high, command.length_low) + 2;
}

uint32_t generic_length(uint32_t header) {
  switch (header >> 29) {
    case 0: return bits(header, 28, 23) < 0x10 ? 1 : bits(header, 7, 0) + 2;  // MI opcodes below 10h are single dwords
    case 2: return bits(header, 7, 0) + 2;
    case 3:
      switch (bits(header, 28, 27)) {
        case 1: return bits(header, 26, 24) < 2 ? 1 : bits(header, 7, 0) + 2;
        case 2: return bits(header, 26, 24) == 0 || bits(header, 26, 24) == 1 ? bits(header, 15, 0) + 2 : bits(header, 11, 0) + 2;
        default: return bits(header, 7, 0) + 2;
      }
    default: return 1;
  }
}

uint64_t field_value(const Field& field, std::span<const uint32_t> dwords, uint32_t first_bit) {
  const uint32_t start = first_bit + field.start, at = start / 32, shift = start % 32;
  const auto dword = [&](uint32_t i) -> uint64_t { return i < dwords.size() ? dwords[i] : 0; };
  const unsigned width = std::min(field.width(), 64 - shift);
  const uint64_t raw = bits(dword(at) | dword(at + 1) << 32, shift + width - 1, shift);
  if (field.in_place()) return raw << (field.start % 32);
  return field.is_signed ? static_cast<uint64_t>(sign_extend(raw, width)) : raw;
}

}  // namespace softgen::defs
