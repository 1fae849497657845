// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/isa/gen8/compact_form.h"
#include "hw/eu/isa/gen9/parts.h"

namespace softgen::eu::gen9 {

namespace {

constexpr DatatypeTable datatypes = {
    0x040001, 0x040040, 0x040041, 0x0400c1, 0x04015d, 0x0405dd, 0x040741, 0x040745, 0x04075d, 0x041041, 0x043040,
    0x043041, 0x045145, 0x047144, 0x047145, 0x05c75d, 0x05d71d, 0x05d75c, 0x05d75d, 0x05f75c, 0x00040c, 0x04005d,
    0x040145, 0x041040, 0x045144, 0x047104, 0x049209, 0x05775d, 0x05f75d, 0x04f34c, 0x049248, 0x04b248,
};

bool is_ternary(unsigned code) {
  const OpcodeInfo* row = find_row(code);
  return row && row->form == Form::ternary;
}

constexpr CompactForm form(datatypes, is_ternary);

}  // namespace

std::optional<uint64_t> compact(const Native& native) { return form.compact(native); }
Native uncompact(uint64_t compacted) { return form.uncompact(compacted); }

}  // namespace softgen::eu::gen9
