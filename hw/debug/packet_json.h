// SPDX-License-Identifier: GPL-2.0-or-later
// Commands and state structures as JSON, by the tables of hw/defs. The text printer renders the same values.
//   uint, int        number                     bool     true, false
//   enum             {"value": n, "name": s}    float, fixed  number (null when not finite; then "bits")
//   address, offset  "0x..." (low bits in place)
//   struct           object                     a repeat of one field  array
//   a repeat of several fields: "repeat": array of objects
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "hw/defs/command.h"

namespace softgen::debug {

using Json = nlohmann::ordered_json;

/// All fields of `layout`, which starts at bit `first_bit` of `dwords` and takes `size_bits` of them (groups that run to the end need it).
Json fields_json(const defs::Structure& layout, std::span<const uint32_t> dwords, uint32_t first_bit, uint32_t size_bits);
inline Json fields_json(const defs::Structure& layout, std::span<const uint32_t> dwords) {
  return fields_json(layout, dwords, 0, static_cast<uint32_t>(dwords.size() * 32));
}
/// One field; `first_bit`: where its container starts.
Json field_json(const defs::Field& field, std::span<const uint32_t> dwords, uint32_t first_bit);

// Lookups by name throw std::out_of_range with the name when there is none: names stand in code, never in a file that is read.

/// The structure or command of `set` called `name`.
const defs::Structure& layout_named(const defs::CommandSet& set, std::string_view name);
/// The field of `layout` called `name`; not one that repeats.
const defs::Field& field_named(const defs::Structure& layout, std::string_view name);

/// The dwords of a packet or structure, read by its layout: fields have the names of the command set's declarations.
class Fields {
 public:
  Fields(const defs::Structure& layout, std::span<const uint32_t> dwords) : layout_(layout), dwords_(dwords) {}
  uint64_t operator[](std::string_view name) const { return defs::field_value(field_named(layout_, name), dwords_); }
  bool has(std::string_view name) const;
  /// A field that some command sets lack: it reads 0 there.
  uint64_t optional(std::string_view name) const;
  /// Field `name` of element `index` of the group that has it; zero where the packet ends before.
  uint64_t repeated(std::string_view name, uint32_t index) const;

 private:
  const defs::Structure& layout_;
  std::span<const uint32_t> dwords_;
};

}  // namespace softgen::debug
