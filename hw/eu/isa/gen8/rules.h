// SPDX-License-Identifier: GPL-2.0-or-later
// Rules that an instruction must keep on Gen8 to Gen12.0 (SKL PRM vol 7, "Register Region Restrictions", "Instruction Formats", per-instruction pages;
// Mesa brw_eu_validate.c). One function per rule, each gives nothing or one sentence.
#pragma once

#include <span>
#include <string>

#include "hw/eu/isa/isa.h"

namespace softgen::eu {

using Rule = std::string (*)(const Isa& isa, const Instruction& instruction, const OpcodeInfo& row);

/// What an instruction set has of its own.
struct OwnRules {
  bool (*has)(Opcode opcode);
  std::span<const Rule> rules;
};

/// Empty, or the first rule that `instruction` breaks: of those that these generations share, then of the set's own.
std::string broken_rule(const Isa& isa, const Instruction& instruction, const OwnRules& own);

// What the sets without types of 64 bits have in common (Gen11, Gen12.0).
/// Macros are of F alone.
std::string check_macro(const Isa& isa, const Instruction& instruction, const OpcodeInfo& row);
/// As IGC uses NF: the whole of an accumulator, from its first channel on.
std::string check_native_float(const Isa& isa, const Instruction& instruction, const OpcodeInfo& row);
/// Three sources in align1.
std::string check_ternary(const Isa& isa, const Instruction& instruction, const OpcodeInfo& row);

}  // namespace softgen::eu
