// SPDX-License-Identifier: GPL-2.0-or-later
// The index tables are those of CHV and SKL as in Mesa brw_eu_compact.c; each has the list of the bits that its entries stand for, from the most
// significant.
#include "hw/eu/isa/gen8/compact_form.h"

#include "hw/eu/isa/compact_fields.h"

namespace softgen::eu {

namespace {

using namespace compact_form;

constexpr uint32_t control_table[32] = {
    0x00002, 0x04000, 0x04001, 0x04002, 0x04003, 0x04004, 0x04005, 0x04007, 0x04008, 0x04009, 0x0400d,
    0x06000, 0x06001, 0x06002, 0x06003, 0x06004, 0x06005, 0x06007, 0x06009, 0x0600d, 0x06010, 0x06100,
    0x08000, 0x08002, 0x08004, 0x08100, 0x16000, 0x16010, 0x18000, 0x18100, 0x28000, 0x28100,
};
constexpr uint32_t subreg_table[32] = {
    0x0000, 0x0001, 0x0008, 0x000f, 0x0010, 0x0080, 0x0100, 0x0180, 0x0200, 0x0210, 0x0280, 0x1000, 0x1001, 0x1081, 0x1082, 0x1083,
    0x1084, 0x1087, 0x1088, 0x108e, 0x108f, 0x1180, 0x11e8, 0x2000, 0x2180, 0x3000, 0x3c87, 0x4000, 0x5000, 0x6000, 0x7000, 0x701c,
};
constexpr uint32_t source_table[32] = {
    0x000, 0x002, 0x010, 0x012, 0x018, 0x020, 0x028, 0x048, 0x050, 0x070, 0x078, 0x300, 0x302, 0x308, 0x310, 0x312,
    0x320, 0x328, 0x338, 0x340, 0x342, 0x348, 0x350, 0x360, 0x368, 0x370, 0x371, 0x378, 0x468, 0x469, 0x46a, 0x588,
};
constexpr uint32_t ternary_control_table[4] = {
    0x0806001,
    0x0006001,
    0x0008001,
    0x0008021,
};
constexpr uint64_t ternary_source_table[4] = {
    0x007272720f000,
    0x007272720f002,
    0x007272720f008,
    0x007272720f020,
};

constexpr Range control_bits[] = {{33, 31}, {23, 12}, {10, 9}, {34, 34}, {8, 8}};
constexpr Range datatype_bits[] = {{63, 61}, {94, 89}, {46, 35}};
constexpr Range subreg_bits[] = {{100, 96}, {68, 64}, {52, 48}};
constexpr Range src0_bits[] = {{88, 77}};
constexpr Range src1_bits[] = {{120, 109}};
constexpr Range ternary_control_bits[] = {{36, 35}, {34, 32}, {28, 8}};
constexpr Range ternary_source_bits[] = {{126, 125}, {105, 104}, {84, 84}, {83, 83}, {114, 107}, {93, 86}, {72, 65}, {55, 37}};

constexpr IndexField<uint32_t> control_index{12, 8, control_table, control_bits};
constexpr IndexField<uint32_t> subreg_index{22, 18, subreg_table, subreg_bits};
constexpr IndexField<uint32_t> src0_index{34, 30, source_table, src0_bits};
constexpr IndexField<uint32_t> src1_index{39, 35, source_table, src1_bits};
constexpr IndexField<uint32_t> ternary_control_index{9, 8, ternary_control_table, ternary_control_bits};
constexpr IndexField<uint64_t> ternary_source_index{11, 10, ternary_source_table, ternary_source_bits};

constexpr Plain plain_fields[] = {{6, 0, 6, 0}, {7, 7, 30, 30}, {23, 23, 28, 28}, {27, 24, 27, 24}, {47, 40, 60, 53}, {55, 48, 76, 69}};
constexpr Plain src1_register{63, 56, 108, 101};
constexpr Plain ternary_fields[] = {{6, 0, 6, 0},     {18, 12, 62, 56},   {28, 28, 64, 64},  {30, 30, 30, 30}, {31, 31, 31, 31},
                                    {32, 32, 85, 85}, {33, 33, 106, 106}, {36, 34, 75, 73},  {39, 37, 96, 94}, {42, 40, 117, 115},
                                    {49, 43, 82, 76}, {56, 50, 103, 97},  {63, 57, 124, 118}};

/// Immediates keep 12 bits and a thirteenth that repeats upwards: [7:0] in Src1 RegNum, [12:8] in Src1Index.
bool has_immediate(const Native& native) { return native.get(42, 41) == 3 || native.get(90, 89) == 3; }

IndexField<uint32_t> datatype_index(const DatatypeTable& table) { return {17, 13, table, datatype_bits}; }

std::optional<uint64_t> compact_basic(const DatatypeTable& datatypes, const Native& native) {
  uint64_t result = cmpt_control;
  for (const Plain& field : plain_fields) shrink(result, native, field);
  const bool immediate = has_immediate(native);
  const uint64_t src1_subreg = immediate ? 0x7c00 : 0;  // those bits belong to the immediate
  if (!control_index.shrink(result, native) || !datatype_index(datatypes).shrink(result, native) ||
      !subreg_index.shrink(result, native, src1_subreg) || !src0_index.shrink(result, native))
    return std::nullopt;
  if (immediate) {
    const uint64_t value = native.get(127, 96);
    result = with_bits<uint64_t>(result, 63, 56, value);
    result = with_bits<uint64_t>(result, 39, 35, value >> 8);
  } else {
    shrink(result, native, src1_register);
    if (!src1_index.shrink(result, native)) return std::nullopt;
  }
  return result;
}

std::optional<uint64_t> compact_ternary(const Native& native) {
  uint64_t result = cmpt_control;
  for (const Plain& field : ternary_fields) shrink(result, native, field);
  if (!ternary_control_index.shrink(result, native) || !ternary_source_index.shrink(result, native)) return std::nullopt;
  return result;
}

}  // namespace

std::optional<uint64_t> CompactForm::compact(const Native& native) const {
  const bool ternary = is_ternary_(static_cast<unsigned>(native.get(6, 0)));
  const auto result = ternary ? compact_ternary(native) : compact_basic(datatypes_, native);
  // What no field of the short form stands for (NibCtrl, EOT, bit 9 of an address, a wide immediate) comes back as zero.
  if (!result || uncompact(*result) != native) return std::nullopt;
  return result;
}

Native CompactForm::uncompact(uint64_t compacted) const {
  Native native;
  if (is_ternary_(compacted & 0x7f)) {
    for (const Plain& field : ternary_fields) grow(native, compacted, field);
    ternary_control_index.grow(native, compacted);
    ternary_source_index.grow(native, compacted);
    return native;
  }
  for (const Plain& field : plain_fields) grow(native, compacted, field);
  control_index.grow(native, compacted);
  datatype_index(datatypes_).grow(native, compacted);
  subreg_index.grow(native, compacted);
  src0_index.grow(native, compacted);
  if (has_immediate(native)) {
    const uint64_t value = bits(compacted, 39, 35) << 8 | bits(compacted, 63, 56);
    native.set(127, 96, static_cast<uint64_t>(sign_extend(value, 13)));
  } else {
    src1_index.grow(native, compacted);
    grow(native, compacted, src1_register);
  }
  return native;
}

}  // namespace softgen::eu
