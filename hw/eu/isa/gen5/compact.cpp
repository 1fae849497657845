// SPDX-License-Identifier: GPL-2.0-or-later
// The 64-bit form of Gen5. The index tables are G45's as in Mesa elk_eu_compact.c; each has the list of the bits that its entries stand for, from the
// most significant. Immediates have a short form from Gen6 on.
#include "hw/eu/isa/compact_fields.h"
#include "hw/eu/isa/gen5/parts.h"

namespace softgen::eu::gen5 {

namespace {

using namespace compact_form;

constexpr uint32_t control_table[32] = {
    0x00000, 0x08000, 0x06000, 0x00002, 0x04000, 0x02000, 0x08020, 0x08100, 0x0a020, 0x00102, 0x18000,
    0x01102, 0x09100, 0x00100, 0x18020, 0x01100, 0x16000, 0x1a020, 0x06100, 0x04100, 0x08008, 0x08004,
    0x07800, 0x05600, 0x06010, 0x02100, 0x08024, 0x08028, 0x06006, 0x0000a, 0x0a028, 0x0a024,
};
constexpr uint32_t datatype_table[32] = {
    0x08021, 0x0b5ad, 0x08231, 0x0f7bd, 0x0b5ac, 0x081ad, 0x08020, 0x145b1, 0x0c62d, 0x08022, 0x08236,
    0x10231, 0x08232, 0x18232, 0x0f7bc, 0x08128, 0x14631, 0x0a529, 0x08229, 0x10236, 0x28231, 0x0b62d,
    0x08109, 0x0b62c, 0x34631, 0x083bd, 0x30231, 0x1812a, 0x28229, 0x0b58c, 0x081a1, 0x0a508,
};
constexpr uint32_t subreg_table[32] = {
    0x0000, 0x0080, 0x0200, 0x0800, 0x0020, 0x4000, 0x0010, 0x1800, 0x1400, 0x0100, 0x1000, 0x0008, 0x0040, 0x0001, 0x0400, 0x00a0,
    0x0007, 0x0220, 0x3000, 0x0180, 0x0002, 0x0004, 0x0060, 0x0802, 0x1cc6, 0x1d08, 0x0cc6, 0x0218, 0x0c84, 0x1806, 0x0086, 0x0230,
};
constexpr uint32_t source_table[32] = {
    0x000, 0x468, 0x588, 0x690, 0x348, 0x58a, 0x570, 0x678, 0x228, 0x028, 0x450, 0xf6c, 0x58c, 0x46c, 0x694, 0x44c,
    0x328, 0x002, 0xf4c, 0x668, 0x548, 0x004, 0x02c, 0x46a, 0x038, 0x558, 0x120, 0x580, 0x404, 0x438, 0x160, 0xf74,
};

constexpr Range control_bits[] = {{31, 31}, {23, 8}};
constexpr Range datatype_bits[] = {{63, 61}, {46, 32}};
constexpr Range subreg_bits[] = {{100, 96}, {68, 64}, {52, 48}};
constexpr Range src0_bits[] = {{88, 77}};
constexpr Range src1_bits[] = {{120, 109}};

constexpr IndexField<uint32_t> indexes[] = {{12, 8, control_table, control_bits},
                                            {17, 13, datatype_table, datatype_bits},
                                            {22, 18, subreg_table, subreg_bits},
                                            {34, 30, source_table, src0_bits},
                                            {39, 35, source_table, src1_bits}};
constexpr Plain plain_fields[] = {{6, 0, 6, 0},     {7, 7, 30, 30},   {23, 23, 28, 28}, {27, 24, 27, 24},
                                  {28, 28, 89, 89}, {47, 40, 60, 53}, {55, 48, 76, 69}, {63, 56, 108, 101}};

}  // namespace

std::optional<uint64_t> compact(const Native& native) {
  uint64_t result = cmpt_control;
  for (const Plain& field : plain_fields) shrink(result, native, field);
  for (const auto& index : indexes)
    if (!index.shrink(result, native)) return std::nullopt;
  // What no field of the short form stands for (an immediate, the shared function of a message) comes back as zero.
  if (uncompact(result) != native) return std::nullopt;
  return result;
}

Native uncompact(uint64_t compacted) {
  Native native;
  for (const Plain& field : plain_fields) grow(native, compacted, field);
  for (const auto& index : indexes) index.grow(native, compacted);
  return native;
}

}  // namespace softgen::eu::gen5
