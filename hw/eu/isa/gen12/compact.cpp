// SPDX-License-Identifier: GPL-2.0-or-later
// The 64-bit form of Gen12.0's instructions and its index tables (Mesa brw_eu_compact.c, gfx12_*). Each table has the list of the bits that its entries
// stand for, from the most significant.
#include "hw/eu/isa/compact_fields.h"
#include "hw/eu/isa/gen12/parts.h"

namespace softgen::eu::gen12 {

namespace {

using namespace compact_form;

constexpr uint32_t control_table[32] = {
    0x000004, 0x000003, 0x002000, 0x002004, 0x002003, 0x080004, 0x000024, 0x0a0004, 0x000000, 0x010004, 0x000013,
    0x060004, 0x020004, 0x022004, 0x040004, 0x000104, 0x0a0003, 0x000184, 0x002001, 0x000144, 0x0001c4, 0x082004,
    0x000023, 0x000033, 0x0a2004, 0x080003, 0x022000, 0x010003, 0x0a0084, 0x020003, 0x008003, 0x002024,
};
constexpr uint32_t datatype_table[32] = {
    0xd6954, 0x06954, 0x02b54, 0x56d54, 0xd4954, 0xd2954, 0x54d54, 0x00800, 0xd0954, 0x2eccc, 0xb68cc,
    0x52d54, 0x96844, 0x50d54, 0x36ccc, 0x16c44, 0x07154, 0x2cccc, 0x00822, 0x02844, 0x26c2a, 0x0ec22,
    0x97044, 0x0694c, 0x8c8cc, 0x06854, 0x2ec4c, 0x02822, 0x06834, 0x06814, 0x068d4, 0x02954,
};
constexpr uint32_t subreg_table[32] = {
    0x0000, 0x4000, 0x1000, 0x3000, 0x0080, 0x2000, 0x5000, 0x0008, 0x0100, 0x6000, 0x7000, 0x0200, 0x0004, 0x0300, 0x0280, 0x0180,
    0x0380, 0x001c, 0x0010, 0x000c, 0x0018, 0x0014, 0x0002, 0x0140, 0x0040, 0x0084, 0x005c, 0x0042, 0x018c, 0x0020, 0x0060, 0x6300,
};
constexpr uint32_t src0_table[16] = {
    0x464, 0x000, 0x466, 0x465, 0x002, 0x200, 0x240, 0x340, 0x224, 0x300, 0x226, 0x344, 0x467, 0x100, 0x001, 0xf10,
};
constexpr uint32_t src1_table[16] = {
    0x119, 0x000, 0x919, 0x800, 0x519, 0x8d0, 0x080, 0x089, 0x889, 0x0d0, 0x0d1, 0x0c0, 0xd19, 0x400, 0xc00, 0x8d1,
};
constexpr uint64_t ternary_control_table[32] = {
    0x04a540004, 0x04a540003, 0x048540003, 0x04a542003, 0x048542003, 0x048540013, 0x04a540013, 0x048542013,
    0x04a542013, 0x04a542004, 0x048540004, 0x04a550004, 0x04a540024, 0x048542004, 0x04a542000, 0x04a550003,
    0x048542033, 0x048542023, 0x04a542033, 0x04a542023, 0x048540023, 0x048540033, 0x04a540023, 0x04a540033,
    0x048550004, 0x04a552004, 0x04a542024, 0x04a442000, 0x048540024, 0x04a550024, 0x04a542002, 0x048550003,
};
constexpr uint32_t ternary_source_table[32] = {
    0x12c300, 0x12c242, 0x16c343, 0x12c343, 0x160143, 0x16c34b, 0x14c343, 0x10c300, 0x16c300, 0x16cb43, 0x16e343,
    0x160100, 0x10c343, 0x12e300, 0x12e343, 0x12c34b, 0x120143, 0x12c308, 0x120100, 0x16e300, 0x12cb00, 0x14c300,
    0x12cb43, 0x16cb4b, 0x14c34b, 0x16e34b, 0x162143, 0x160943, 0x16c308, 0x16cb00, 0x120943, 0x14cb43,
};
constexpr uint32_t ternary_subreg_table[32] = {
    0x00000, 0x20000, 0x00180, 0xa0000, 0x80380, 0x60000, 0x40000, 0x02000, 0x01000, 0xc0000, 0x80000,
    0xe0000, 0x06000, 0x00080, 0x04000, 0x03000, 0x05000, 0x07000, 0x00100, 0x00200, 0x00300, 0x00280,
    0x00380, 0xc0380, 0x20100, 0x20180, 0x40180, 0x80300, 0x80280, 0x60080, 0xa0380, 0x40080,
};

constexpr Range control_bits[] = {{95, 92}, {34, 34}, {33, 33}, {32, 32}, {31, 31}, {28, 28}, {27, 24}, {23, 22}, {21, 19}, {18, 16}};
constexpr Range datatype_bits[] = {{98, 98}, {91, 88}, {66, 66}, {50, 50}, {49, 48}, {47, 47}, {46, 46}, {43, 40}, {39, 36}, {35, 35}};
constexpr Range subreg_bits[] = {{103, 99}, {71, 67}, {55, 51}};
constexpr Range src0_bits[] = {{87, 84}, {83, 81}, {80, 80}, {65, 64}, {45, 44}};
constexpr Range src1_bits[] = {{121, 120}, {119, 116}, {115, 113}, {112, 112}, {97, 96}};
constexpr Range ternary_control_bits[] = {{95, 92}, {90, 88}, {82, 80}, {50, 50}, {48, 48}, {42, 40}, {39, 39}, {38, 36}, {34, 34},
                                          {33, 33}, {32, 32}, {31, 31}, {28, 28}, {27, 24}, {23, 23}, {22, 22}, {21, 19}, {18, 16}};
constexpr Range ternary_source_bits[] = {{114, 114}, {113, 112}, {98, 98}, {97, 96}, {91, 91}, {87, 86}, {85, 84}, {83, 83},
                                         {66, 66},   {65, 64},   {47, 47}, {46, 46}, {45, 44}, {43, 43}, {35, 35}};
constexpr Range ternary_subreg_bits[] = {{119, 115}, {103, 99}, {71, 67}, {55, 51}};

constexpr IndexField<uint32_t> control_index{28, 24, control_table, control_bits};
constexpr IndexField<uint32_t> datatype_index{34, 30, datatype_table, datatype_bits};
constexpr IndexField<uint32_t> subreg_index{39, 35, subreg_table, subreg_bits};
constexpr IndexField<uint32_t> src0_index{51, 48, src0_table, src0_bits};
constexpr IndexField<uint32_t> src1_index{55, 52, src1_table, src1_bits};
constexpr IndexField<uint64_t> ternary_control_index{28, 24, ternary_control_table, ternary_control_bits};
constexpr IndexField<uint32_t> ternary_source_index{34, 30, ternary_source_table, ternary_source_bits};
constexpr IndexField<uint32_t> ternary_subreg_index{39, 35, ternary_subreg_table, ternary_subreg_bits};

constexpr Plain plain_fields[] = {{6, 0, 6, 0}, {7, 7, 30, 30}, {15, 8, 15, 8}, {23, 16, 63, 56}, {47, 40, 79, 72}};
constexpr Plain src1_register{63, 56, 111, 104};
constexpr Plain ternary_src2_register{55, 48, 127, 120};

/// The type field of the immediate source, if there is one. Sends have bits of a descriptor there, which the tables' entries never set together
/// with an immediate's flag.
struct Immediate {
  bool present;
  unsigned type;
};
Immediate immediate_of(const Native& native) {
  if (native.get(46, 46)) return {true, static_cast<unsigned>(native.get(43, 40))};
  if (native.get(47, 47)) return {true, static_cast<unsigned>(native.get(91, 88))};
  return {false, 0};
}

/// Twelve bits stand for the upper ones of floats, and the lower ones of integers; those of 16 bits are there twice.
uint32_t grown_immediate(unsigned type, uint32_t value) {
  const auto extended = static_cast<uint32_t>(sign_extend(value, 12));
  switch (type) {
    case 10: return value << 20;                          // F
    case 9: return value << 20 | value << 4;              // HF
    case 1: return value << 16 | value;                   // UW
    case 6: return extended;                              // D
    case 5: return extended << 16 | (extended & 0xffff);  // W
    default: return value;                                // UD, VF, UV, V
  }
}
uint32_t shrunk_immediate(unsigned type, uint32_t value) { return type == 10 || type == 9 ? value >> 20 : value & 0xfff; }

std::optional<uint64_t> compact_basic(const Native& native) {
  uint64_t result = cmpt_control;
  for (const Plain& field : plain_fields) shrink(result, native, field);
  const Immediate immediate = immediate_of(native);
  const uint64_t src1_subreg = immediate.present ? 0x7c00 : 0;  // those bits belong to the immediate
  if (!control_index.shrink(result, native) || !src0_index.shrink(result, native) || !subreg_index.shrink(result, native, src1_subreg))
    return std::nullopt;
  const uint64_t src1_file = immediate.present ? uint64_t{1} << 19 : 0;  // so does that one
  if (!datatype_index.shrink(result, native, src1_file)) return std::nullopt;
  if (immediate.present) {
    const uint32_t value = shrunk_immediate(immediate.type, static_cast<uint32_t>(native.get(127, 96)));
    result = with_bits<uint64_t>(result, 63, 56, value >> 4);
    return with_bits<uint64_t>(result, 55, 52, value);
  }
  shrink(result, native, src1_register);
  return src1_index.shrink(result, native) ? std::optional(result) : std::nullopt;
}

std::optional<uint64_t> compact_ternary(const Native& native) {
  uint64_t result = cmpt_control;
  for (const Plain& field : plain_fields) shrink(result, native, field);
  shrink(result, native, src1_register);
  shrink(result, native, ternary_src2_register);
  const bool fits = ternary_control_index.shrink(result, native) && ternary_source_index.shrink(result, native) &&
                    ternary_subreg_index.shrink(result, native);
  return fits ? std::optional(result) : std::nullopt;
}

Native uncompact_ternary(uint64_t compacted) {
  Native native;
  for (const Plain& field : plain_fields) grow(native, compacted, field);
  grow(native, compacted, src1_register);
  grow(native, compacted, ternary_src2_register);
  ternary_control_index.grow(native, compacted);
  ternary_source_index.grow(native, compacted);
  ternary_subreg_index.grow(native, compacted);
  return native;
}

}  // namespace

std::optional<uint64_t> compact(const Native& native) {
  const auto result = is_ternary(static_cast<unsigned>(native.get(6, 0))) ? compact_ternary(native) : compact_basic(native);
  // What no field of the short form stands for (a wide immediate, an address, UIP) comes back as another value.
  if (!result || uncompact(*result) != native) return std::nullopt;
  return result;
}

Native uncompact(uint64_t compacted) {
  if (is_ternary(compacted & 0x7f)) return uncompact_ternary(compacted);
  Native native;
  for (const Plain& field : plain_fields) grow(native, compacted, field);
  control_index.grow(native, compacted);
  datatype_index.grow(native, compacted);
  subreg_index.grow(native, compacted);
  src0_index.grow(native, compacted);
  if (const Immediate immediate = immediate_of(native); immediate.present) {
    const auto value = static_cast<uint32_t>(bits(compacted, 63, 56) << 4 | bits(compacted, 55, 52));
    native.set(127, 96, grown_immediate(immediate.type, value));
  } else {
    src1_index.grow(native, compacted);
    grow(native, compacted, src1_register);
  }
  return native;
}

}  // namespace softgen::eu::gen12
