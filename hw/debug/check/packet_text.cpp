// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/debug/check/packet_text.h"

#include <fmt/format.h>

namespace softgen::debug::check {
namespace {

constexpr size_t max_fields = 12;

std::string field_text(const defs::Field& field, std::span<const uint32_t> dwords) {
  const uint64_t value = defs::field_value(field, dwords);
  switch (field.type) {
    case defs::FieldType::boolean: return field.name;
    case defs::FieldType::enumeration:
      if (const char* name = field.enumeration ? field.enumeration->name_of(value) : nullptr) return fmt::format("{} {}", field.name, name);
      return fmt::format("{} {}", field.name, value);
    case defs::FieldType::uint: return fmt::format("{} {}", field.name, value);
    case defs::FieldType::sint: return fmt::format("{} {}", field.name, static_cast<int64_t>(value));
    default: return fmt::format("{} {:#x}", field.name, value);
  }
}

}  // namespace

std::string packet_text(const defs::Command& command, std::span<const uint32_t> dwords) {
  std::string text = command.name;
  size_t shown = 0;
  for (const defs::Field& field : command.fields) {
    if (field.type == defs::FieldType::structure || defs::field_value(field, dwords) == 0) continue;
    if (++shown > max_fields) return text + ", …";
    text += (shown == 1 ? " { " : ", ") + field_text(field, dwords);
  }
  return shown ? text + " }" : text;
}

}  // namespace softgen::debug::check
