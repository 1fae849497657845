// SPDX-License-Identifier: GPL-2.0-or-later
// Which registers an op reads and writes, in slots: units of 32 bytes of the register block.
#pragma once

#include <bitset>

#include "hw/eu/program/op.h"

namespace softgen::eu::jit {

/// General registers and their guard, acc0 and acc1, a0. Other registers stay in memory.
constexpr unsigned slot_count = sizeof(Registers) / 32;
using Slots = std::bitset<slot_count>;

constexpr unsigned acc_slot = offsetof(Registers, acc) / 32, address_slot = offsetof(Registers, address) / 32;
static_assert(offsetof(Registers, acc) % 32 == 0 && offsetof(Registers, address) % 32 == 0 && sizeof(Registers::address) == 32);

constexpr bool is_slot(unsigned byte) {
  const unsigned s = byte / 32;
  return s < grf_count + 16 || s == acc_slot || s == acc_slot + 1 || s == address_slot;
}
constexpr bool in_flags(unsigned byte) { return byte >= offsetof(Registers, flag) && byte < offsetof(Registers, flag) + 8; }

struct Footprint {
  Slots reads, writes;     ///< a write need not cover the slot
  Slots moved;             ///< of writes: message registers that a send moves its src0 to
  bool all_reads = false;  ///< any slot may be read
  bool all_writes = false;
  bool flags = false;  ///< flag registers are written
};

Footprint footprint(const Op& op);

/// Byte offset of element n of a direct operand (the interpreter's own tables).
inline unsigned element_offset(const Source& s, unsigned n) {
  switch (s.fetch) {
    case Fetch::contiguous: return s.base + n * size_of(s.type);
    case Fetch::offsets: return (*s.offsets)[n];
    default: return s.base;
  }
}
inline unsigned element_offset(const Destination& d, unsigned n) {
  return d.place == Place::contiguous ? d.base + n * size_of(d.type) : (*d.offsets)[n];
}

}  // namespace softgen::eu::jit
