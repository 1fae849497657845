// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/debug/packet_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

namespace softgen::debug {
namespace {

using defs::FieldType;

Json real(double value, uint64_t raw) {
  if (std::isfinite(value)) return value;
  return Json{{"value", nullptr}, {"bits", fmt::format("0x{:08x}", raw)}};
}

Json fixed(const defs::Field& field, uint64_t raw) {
  const double value = field.is_signed ? static_cast<double>(static_cast<int64_t>(raw)) : static_cast<double>(raw);
  return std::ldexp(value, -static_cast<int>(field.fraction_bits));
}

/// A second field of the same name (overlapping meanings) keeps both.
void add(Json& object, const std::string& name, Json value) {
  std::string key = name;
  for (int n = 2; object.contains(key); n++) key = fmt::format("{} ({})", name, n);
  object[key] = std::move(value);
}

/// Elements of a group, ended early by the dwords at hand: a truncated packet does not print what is not there.
uint32_t element_count(const defs::Group& group, uint32_t size_bits) {
  const uint32_t room = size_bits > group.start ? (size_bits - group.start) / group.size : 0;
  return group.count ? std::min<uint32_t>(group.count, room) : room;
}

void add_group(Json& object, const defs::Group& group, std::span<const uint32_t> dwords, uint32_t first_bit, uint32_t size_bits) {
  const uint32_t count = element_count(group, size_bits);
  Json elements = Json::array();
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t at = first_bit + group.start + i * group.size;
    if (group.fields.size() == 1) {
      elements.push_back(field_json(group.fields[0], dwords, at));
      continue;
    }
    Json element = Json::object();
    for (const defs::Field& field : group.fields) add(element, field.name, field_json(field, dwords, at));
    elements.push_back(std::move(element));
  }
  add(object, group.fields.size() == 1 ? group.fields[0].name : "repeat", std::move(elements));
}

[[noreturn]] void throw_no_field(const defs::Structure& layout, std::string_view name) {
  throw std::out_of_range(fmt::format("{} has no field called {}", layout.name, name));
}

}  // namespace

Json field_json(const defs::Field& field, std::span<const uint32_t> dwords, uint32_t first_bit) {
  if (field.type == FieldType::structure) return fields_json(*field.structure, dwords, first_bit + field.start, field.width());
  const uint64_t raw = defs::field_value(field, dwords, first_bit);
  switch (field.type) {
    case FieldType::boolean: return raw != 0;
    case FieldType::sint: return static_cast<int64_t>(raw);
    case FieldType::float32: return real(std::bit_cast<float>(static_cast<uint32_t>(raw)), raw);
    case FieldType::fixed: return fixed(field, raw);
    case FieldType::address:
    case FieldType::offset: return fmt::format("0x{:08x}", raw);
    case FieldType::enumeration: {
      const char* name = field.enumeration->name_of(raw);
      return Json{{"value", raw}, {"name", name ? Json(name) : Json(nullptr)}};
    }
    default: return raw;
  }
}

Json fields_json(const defs::Structure& layout, std::span<const uint32_t> dwords, uint32_t first_bit, uint32_t size_bits) {
  // In the order of the bits, whatever the declaration's.
  struct Item {
    uint32_t start;
    const defs::Field* field;
    const defs::Group* group;
  };
  std::vector<Item> items;
  for (const defs::Field& field : layout.fields) items.push_back({field.start, &field, nullptr});
  for (const defs::Group& group : layout.groups) items.push_back({group.start, nullptr, &group});
  std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.start < b.start; });

  Json object = Json::object();
  for (const Item& item : items) {
    if (item.start >= size_bits) continue;
    if (item.group) add_group(object, *item.group, dwords, first_bit, size_bits);
    else add(object, item.field->name, field_json(*item.field, dwords, first_bit));
  }
  return object;
}

const defs::Structure& layout_named(const defs::CommandSet& set, std::string_view name) {
  if (const defs::Structure* structure = set.find_structure(name)) return *structure;
  if (const defs::Command* command = set.find(name)) return *command;
  throw std::out_of_range(fmt::format("{} has no layout called {}", set.name, name));
}

const defs::Field& field_named(const defs::Structure& layout, std::string_view name) {
  const auto found = std::ranges::find_if(layout.fields, [&](const defs::Field& field) { return name == field.name; });
  if (found == layout.fields.end()) throw_no_field(layout, name);
  return *found;
}

bool Fields::has(std::string_view name) const {
  return std::ranges::any_of(layout_.fields, [&](const defs::Field& field) { return name == field.name; });
}

uint64_t Fields::optional(std::string_view name) const { return has(name) ? (*this)[name] : 0; }

uint64_t Fields::repeated(std::string_view name, uint32_t index) const {
  for (const defs::Group& group : layout_.groups)
    for (const defs::Field& field : group.fields)
      if (name == field.name)
        return index < group.elements(dwords_.size()) ? defs::field_value(field, dwords_, group.start + index * group.size) : 0;
  throw_no_field(layout_, name);
}

}  // namespace softgen::debug
