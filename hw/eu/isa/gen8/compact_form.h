// SPDX-License-Identifier: GPL-2.0-or-later
// The 64-bit compacted forms of Gen8 to Gen11 (SKL PRM vol 7, "EU Compact Instruction"; Mesa brw_eu_compact.c). Of their index tables only that of
// data types differs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "hw/eu/isa/instruction.h"

namespace softgen::eu {

/// An entry stands for bits 63:61, 94:89 and 46:35 of the native form.
using DatatypeTable = std::array<uint32_t, 32>;

class CompactForm {
 public:
  /// `is_ternary`: whether the opcode field's value is of an instruction of three sources.
  constexpr CompactForm(const DatatypeTable& datatypes, bool (*is_ternary)(unsigned code))
      : datatypes_(datatypes), is_ternary_(is_ternary) {}

  /// None: the instruction has no short form.
  std::optional<uint64_t> compact(const Native& native) const;
  Native uncompact(uint64_t compacted) const;

 private:
  const DatatypeTable& datatypes_;
  bool (*const is_ternary_)(unsigned code);
};

}  // namespace softgen::eu
